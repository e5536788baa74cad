"""Counting corpora and tables the way the papers count them."""
