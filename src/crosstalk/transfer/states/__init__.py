"""Dialogue states across languages: one set of value ids, texts in any language with words here."""
