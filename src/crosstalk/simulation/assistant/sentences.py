"""Sentences of an utterance, and which of them must wait for the answer to those before.

`A cheap hotel, please. What is there to see around it?` is two things to do, one after the other:
what "it" is will be known once a hotel has been found.
"""

import re
from collections.abc import Callable
from enum import StrEnum
from typing import Final

MOST: Final = 5
"""Steps that are taken for one utterance."""

_END: Final = re.compile(r"(?<=[.!?؟])\s+|(?<=[。！？；])|\n+")


class Leaning(StrEnum):
    """How a sentence depends on a place."""

    NOT = "not"
    NAMED = "named"
    """It speaks of what is around a place that it names: what follows goes on about that place."""
    BACK = "back"
    """It speaks of what is around a place that is known from before."""


def steps(text: str, leaning: Callable[[str], Leaning]) -> list[str]:
    """The text in steps; sentences about what is around something are steps by themselves."""
    done: list[str] = []
    apart = True
    for sentence in filter(None, map(str.strip, _END.split(text))):
        leans = leaning(sentence)
        if done and (len(done) >= MOST or not (apart or leans is Leaning.BACK)):
            done[-1] += " " + sentence
        else:
            done.append(sentence)
        apart = leans is not Leaning.NOT
    return done or [text]
