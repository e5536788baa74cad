"""An utterance with everything known in it: hits, and where clauses and sentences end."""

import re
from dataclasses import dataclass, field
from typing import Final

from crosstalk.language.names import Place
from crosstalk.language.normalize import plain
from crosstalk.language.quantities import CLOCK, Quantity

SOFT: Final = "\ue200"
HARD: Final = "\ue201"
ASKED: Final = "\ue202"
"""Marks in the text: the end of a clause, of a sentence, of a question."""
MARKS: Final = SOFT + HARD + ASKED
_BREAK: Final = re.compile(
    r"(?<=\d):[0-5]\d(?!\d)|"
    r"[?？؟][!?？؟.…]*|[.!。！…]+(?!\d)(?=\s|$|[^\s\w])|[。！]|[,;:،؛](?!\d)|[，；：、]|\s[-–—]\s(?!\d)|\n"
)

SIGNS: Final = {"+": "plus", "<": "max", "≤": "max", ">": "min", "≥": "min"}
"""Signs beside a number, and the words they are read as."""
_SIGN: Final = re.compile(r"(?<=\d)\+(?!\d)|[<≤>≥](?=\s*\d)")

NAME: Final = "name"
VALUE: Final = "value"
KIND: Final = "kind"
AMOUNT: Final = "amount"
DOMAIN: Final = "domain"
SLOT: Final = "slot"
CUE: Final = "cue"
TOPIC: Final = "topic"
GROUP: Final = "group"


@dataclass(frozen=True, slots=True)
class Hit:
    """Something known, and where it stands."""

    kind: str
    key: str
    """A cue, a topic, a domain, or the slot of a value; `domain.slot` of a slot."""
    start: int
    end: int
    domain: str = ""
    value: str = ""
    places: tuple[Place, ...] = ()
    amount: Quantity | None = None
    alone: bool = True
    """Whether it means its domain even if nothing else speaks for that."""
    sure: bool = True
    said: str = ""
    """The words of a name, which became one character."""


@dataclass(slots=True)
class Utterance:
    """A text with everything known in it."""

    text: str
    hits: list[Hit]
    shown: str = ""
    by_key: dict[str, list[Hit]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.hits.sort(key=lambda hit: (hit.start, hit.end))
        for hit in self.hits:
            if hit.kind == CUE:
                self.by_key.setdefault(hit.key, []).append(hit)

    def of(self, kind: str) -> list[Hit]:
        return [hit for hit in self.hits if hit.kind == kind]

    def cues(self, *keys: str) -> list[Hit]:
        found = [hit for key in keys for hit in self.by_key.get(key, ())]
        return sorted(found, key=lambda hit: (hit.start, hit.end))

    def has(self, *keys: str) -> bool:
        return any(key in self.by_key for key in keys)

    def has_in(self, start: int, end: int, *keys: str) -> bool:
        return any(start <= hit.start < end for key in keys for hit in self.by_key.get(key, ()))

    def clause(self, at: int) -> tuple[int, int]:
        """Where the clause around a position begins and ends."""
        return self._around(at, MARKS)

    def sentence(self, at: int) -> tuple[int, int]:
        return self._around(at, HARD + ASKED)

    def _around(self, at: int, marks: str) -> tuple[int, int]:
        start = max(self.text.rfind(mark, 0, at) for mark in marks) + 1
        ends = [end for mark in marks if (end := self.text.find(mark, at)) >= 0]
        return start, min(ends, default=len(self.text))

    def is_asked(self, at: int) -> bool:
        """Whether the sentence around a position ends in a question mark."""
        _, end = self.sentence(at)
        return self.text[end : end + 1] == ASKED


def marked(text: str) -> str:
    """Plain text with marks where clauses and sentences end."""
    text = _SIGN.sub(lambda found: f" {SIGNS[found[0]]} ", text)
    parts: list[str] = []
    at = 0
    for found in _BREAK.finditer(text):
        rest = text[found.end() :].lstrip()
        if found[0] in ".:" and rest[:1].isdigit():  # ca. 50, limit: 50
            continue
        parts += [plain(text[at : found.start()]), _mark(found[0])]
        at = found.end()
    parts.append(plain(text[at:]))
    return " ".join(part for part in parts if part)


def _mark(sign: str) -> str:
    if sign[1:].isdigit():
        return CLOCK
    if sign[0] in "?？؟":
        return ASKED
    return HARD if sign[0] in ".!。！…\n" else SOFT


def meet(one: Hit, other: Hit) -> bool:
    return one.start < other.end and other.start < one.end


def within(one: Hit, other: Hit) -> bool:
    """Whether one lies inside the other, which is longer."""
    longer = other.end - other.start > one.end - one.start
    return other.start <= one.start and one.end <= other.end and longer
