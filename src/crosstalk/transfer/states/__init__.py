"""Dialogue states across languages: one set of value ids for texts in every language."""
