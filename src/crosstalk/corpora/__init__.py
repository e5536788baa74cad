"""Corpora on disk: formats that read into and write from the values of `dialogue`, and `fetch`."""
