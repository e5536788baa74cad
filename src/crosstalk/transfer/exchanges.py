"""Exchanges: what was said so far, and the system's answer; what response retrieval ranks.

As published, every system turn of a dialogue counts but its last, which the files of the
published code do not hold.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crosstalk.transfer.corpora import DialogueTexts


@dataclass(frozen=True, slots=True)
class Exchange:
    """One answer of the system and all that was said before it, the user's turn last."""

    dialogue: str
    before: tuple[str, ...]
    response: str


def exchanges_of(talks: Iterable[DialogueTexts]) -> list[Exchange]:
    return [each for talk in talks for each in exchanges_in(talk.id, talk.texts)]


def exchanges_in(id: str, texts: Sequence[str]) -> Iterator[Exchange]:
    for place in answered(len(texts)):
        if texts[place]:
            yield Exchange(id, tuple(texts[:place]), texts[place])


def answered(turns: int) -> range:
    """The places of system turns that a user's turn follows."""
    return range(1, turns - 1, 2)
