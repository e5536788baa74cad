"""SeenValues: which values each field of the form might hold, by all that was said so far.

A value stays a candidate after the turn that brought it up: what a wizard typed three turns ago can
often be told only now.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from crosstalk.dialogue.states import SlotValue
from crosstalk.system.dst.candidates import Candidates, CandidateSource

MOST = 6
"""Candidates of a field that are carried along."""


@dataclass(frozen=True, slots=True)
class SeenValue:
    """When a value came up for a field, and how likely it was there after the last turn."""

    first: int
    """Exchange in which it first was a candidate."""
    last: int
    """Exchange in which it last had a source."""
    count: int
    sources: frozenset[CandidateSource]
    """Its sources of the last time."""
    likelihood: float = 0.0


SeenValues = Mapping[SlotValue, SeenValue]
"""The candidates of one field."""

UNSEEN = SeenValue(0, 0, 0, frozenset())

_STANDING = frozenset({CandidateSource.KEEP, CandidateSource.CLEAR})
"""Always there, hence no news."""


def sighted(before: SeenValues, found: Candidates, exchange: int) -> dict[SlotValue, SeenValue]:
    """What was known, and what this exchange brings up."""
    now = dict(before)
    for value, sources in found.items():
        news = frozenset(sources) - _STANDING
        old = before.get(value)
        if news:
            first, count = (old.first, old.count) if old else (exchange, 0)
            now[value] = SeenValue(first, exchange, count + 1, news, old.likelihood if old else 0.0)
        elif old is None:
            now[value] = SeenValue(exchange, exchange, 0, frozenset())
    return now


def judged(now: SeenValues, likelihoods: Mapping[SlotValue, float]) -> dict[SlotValue, SeenValue]:
    """The same with new likelihoods; the least likely are forgotten."""
    total = sum(likelihoods.values()) or 1.0
    best = sorted(likelihoods, key=lambda value: -likelihoods[value])[:MOST]
    return {
        value: SeenValue(old.first, old.last, old.count, old.sources, likelihoods[value] / total)
        for value, old in now.items()
        if value in best
    }
