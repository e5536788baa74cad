"""An utterance with everything known that stands in it, and where."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from crosstalk.language.names import Mention, Place
from crosstalk.language.patterns import FIRST_HOLE
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.quantities import Quantities, Quantity
from crosstalk.language.values import Spotted

BEHIND: Final = 5
"""Characters between `no` and what is not wanted."""
BEFORE_DONTCARE: Final = 8
"""Characters between what does not matter and the words for that."""
MOVES: Final = frozenset(
    [
        "greet",
        "thank",
        "bye",
        "yes",
        "no",
        "another",
        "cheaper",
        "dearer",
        "better",
        "cheap",
        "dear",
        "middling",
        "good",
        "free",
        "paid",
        "best",
        "cheapest",
        "dearest",
        "dontcare",
        "listing",
        "count",
        "repeat",
        "help",
        "restart",
        "distance",
        "details",
        "search",
        "booking",
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "last",
    ]
)
"""Cues that do something by themselves; the others say how words belong together."""


@dataclass(frozen=True, slots=True)
class Span:
    """A match of a cue, a domain or a slot."""

    key: str
    start: int
    end: int

    def within(self, others: "Sequence[Placed]") -> bool:
        """Whether it lies inside a longer one."""
        return any(
            other.start <= self.start
            and self.end <= other.end
            and other.end - other.start > self.end - self.start
            for other in others
        )


class Placed(Protocol):
    """Anything that stands somewhere in a text."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Named:
    """A name in the text."""

    places: tuple[Place, ...]
    start: int
    end: int
    share: float
    sure: bool


def _hole(number: int) -> str:
    return chr(ord(FIRST_HOLE) + number)


def opened(
    text: str, mentions: Sequence[Mention], quantities: Quantities
) -> tuple[str, tuple[Named, ...]]:
    """The text with one character for each name and digits for number words, and the names."""
    for number in reversed(range(len(mentions))):
        mention = mentions[number]
        text = f"{text[: mention.start]} {_hole(number)} {text[mention.end :]}"
    text = quantities.with_digits(" ".join(text.split()))
    names = []
    for number, mention in enumerate(mentions):
        at = text.index(_hole(number))
        names.append(Named(mention.places, at, at + 1, mention.share, mention.sure))
    return text, tuple(names)


def spans(text: str, patterns: dict[str, re.Pattern[str]]) -> Iterator[Span]:
    for key, pattern in patterns.items():
        for match in pattern.finditer(text):
            yield Span(key, match.start(), match.end())


ORDINALS: Final = ("first", "second", "third", "fourth", "fifth")
WEAKER: Final = {
    "no": {"yes"},
    "dearest": {"dearer", "dear"},
    "cheapest": {"cheaper", "cheap", "dear"},
    "cheaper": {"cheap", "dear"},
    "dearer": {"dear"},
    "best": {"better", "good"},
    "better": {"good"},
    "paid": {"free"},
}
"""Moves that are meant where the same words could mean less: cheaper is not cheap."""


def _strongest(moves: Sequence[Span]) -> list[Span]:
    weaker = {key for move in moves for key in WEAKER.get(move.key, ())}
    return [move for move in moves if move.key not in weaker]


def _meet(one: "Placed", other: "Placed") -> bool:
    return one.start < other.end and other.start < one.end


class Utterance:
    """Everything spotted in one plain text."""

    def __init__(
        self,
        text: str,
        names: Sequence[Named],
        values: Sequence[Spotted],
        kinds: Sequence[Spotted],
        quantities: Sequence[Quantity],
        book: Phrasebook,
    ) -> None:
        self.text = text
        self.names = list(names)
        self.values = list(values)
        self.unwanted: list[Spotted] = []
        self.kinds = list(kinds)
        self.quantities = [
            each for each in quantities if not any(_meet(each, value) for value in values)
        ]
        self.cues = list(spans(text, dict(book.cues)))
        longer = [each for each in self.cues if each.key != "here"]
        self.cues = [each for each in self.cues if each.key != "here" or not each.within(longer)]
        known: list[Placed] = [*self.values, *self.kinds, *self.quantities]
        slots = list(spans(text, dict(book.slots)))
        self.slots = [each for each in slots if not each.within([*slots, *known, *self.cues])]
        domains = list(spans(text, dict(book.domains)))
        taken: list[Placed] = [*domains, *self.slots, *self.values]
        self.domains = [each for each in domains if not each.within(taken)]
        self.domains.sort(key=lambda each: each.start)
        moves = [each for each in self.cues if each.key in MOVES]
        taken = [*self.cues, *self.slots, *known]
        whole = {(each.start, each.end) for each in known}
        moves = [each for each in moves if (each.start, each.end) not in whole]
        self.moves = _strongest([each for each in moves if not each.within(taken)])

    def takes_back(self, value: Spotted) -> bool:
        """Whether a value stands right beside a word such as `no` or `not needed`."""
        between = [other.start for other in self.values if other.start < value.start]
        last = max(between, default=-1)
        without = [cue for cue in self.cue("without") if not cue.within(self.cues)]
        ahead = (value.start - cue.end for cue in without if cue.start >= last)
        behind = (cue.start - value.end for cue in self.cue("needless"))
        return self._does_not_matter(value) or any(0 <= gap <= BEHIND for gap in (*ahead, *behind))

    def _does_not_matter(self, value: Spotted) -> bool:
        """`Breakfast is not so important`; where a slot stands between, that is what is not."""
        for cue in self.cue("dontcare"):
            between: list[Placed] = [*self.slots, *self.values]
            if 0 <= cue.start - value.end <= BEFORE_DONTCARE and not any(
                value.end <= each.start < cue.start for each in between
            ):
                return True
        return False

    def cue(self, *keys: str) -> list[Span]:
        return [each for each in self.cues if each.key in keys]

    def has(self, *keys: str) -> bool:
        return any(each.key in keys for each in self.cues)

    @property
    def unexplained(self) -> tuple[str, ...]:
        """Words that nothing was made of; of Chinese, stretches of characters."""
        left = list(self.text)
        known: list[Placed] = [*self.names, *self.values, *self.kinds, *self.quantities]
        known += self.unwanted
        for each in (*known, *self.slots, *self.domains, *self.cues):
            left[each.start : each.end] = " " * (each.end - each.start)
        return tuple(word for word in "".join(left).split() if len(word) > 1)
