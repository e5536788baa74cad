"""Crosstalk: task-oriented dialogue across domains and across languages."""

__version__ = "0.1.0"
