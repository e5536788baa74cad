"""Corpora carried from one language to another: machine text, post-editing, control."""
