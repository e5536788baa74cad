"""Corpora: reading, writing, checking, splitting and fetching them, in every format we know."""
