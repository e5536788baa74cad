"""Translating: editors, annotators of quality control, and who coordinates them."""
