"""Candidate lists for R_100: as published, a seeded shuffle cut into hundreds.

Every exchange of a hundred has the answers of all of them as candidates; the last, short hundred
is filled up with answers of the one before. The lists follow from the number of exchanges and the
seed alone, so that they can be published as two numbers.
"""

from dataclasses import dataclass
from random import Random
from typing import Final

from crosstalk.errors import InputError

SIZE: Final = 100


@dataclass(frozen=True, slots=True)
class CandidateList:
    """Exchanges that share their candidates, by their places in the corpus."""

    asked: tuple[int, ...]
    candidates: tuple[int, ...]
    """Those asked, in their order, then those that fill up."""


def candidate_lists(exchanges: int, *, seed: int, size: int = SIZE) -> list[CandidateList]:
    if exchanges < size:
        raise InputError(
            f"{exchanges} exchanges are too few for lists of {size} candidates",
            remedy=f"Give a test file with {size} answers of the system or more.",
        )
    order = list(range(exchanges))
    Random(f"candidates {seed}").shuffle(order)
    cut = [tuple(order[start : start + size]) for start in range(0, exchanges, size)]
    return [
        CandidateList(asked, asked + (cut[place - 1][: size - len(asked)] if place else ()))
        for place, asked in enumerate(cut)
    ]
