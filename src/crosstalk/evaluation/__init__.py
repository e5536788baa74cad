"""Evaluation: scores of parts on corpora, and of the dialogues of a run."""
