"""Corpora on disk: each format reads into, and writes from, the words of `dialogue`."""
