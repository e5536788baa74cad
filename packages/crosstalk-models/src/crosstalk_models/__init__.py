"""Trained models of published methods and of alternative parts; Crosstalk finds them here."""

__version__ = "0.1.0"
