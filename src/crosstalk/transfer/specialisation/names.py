"""Objectives and mixes by name; here so that asking for them needs no torch."""

from typing import Final

OBJECTIVES: Final = ("mlm", "tlm", "rs-x", "rs-mono", "tod")
MIXES: Final = ("mono", "bi", "multi")
"""Languages of masked words, as published: the target; source and target; all that are there."""
