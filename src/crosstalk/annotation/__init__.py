"""Annotation: acts from states, agreement between annotators, adjudication; nothing is printed."""
