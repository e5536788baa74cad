"""Conversational specialisation: text of a language pair made into lessons for an encoder."""
