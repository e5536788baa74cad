"""Templates: utterances with holes, which the values of acts fill.

A hole is written `[Inform+hotel+price]`; where a key stands several times in its group, its
holes are numbered, `[Inform+hotel+dishes2]`. A hole for *all* values of a key is an enumeration.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from crosstalk.system.nlg.keys import SpokenAct

HOLE = re.compile(r"(\[[^\[\]]+\])")
ALL = 0
"""The number of a hole that takes every value of its key."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A place for a value."""

    key: str
    number: int = 1
    """Which of the key's values, from 1; `ALL` for all of them."""
    comma: str = ""
    """ALL: between two values."""
    last_comma: str = ""
    """ALL: before the last value."""

    def filled(self, values: Sequence[str]) -> str:
        if self.number != ALL:
            return values[self.number - 1]
        if len(values) == 1:
            return values[0]
        return self.comma.join(values[:-1]) + self.last_comma + values[-1]


@dataclass(frozen=True, slots=True)
class Template:
    """An utterance in parts: text and holes."""

    parts: tuple[str | Hole, ...]

    @property
    def holes(self) -> tuple[Hole, ...]:
        return tuple(part for part in self.parts if isinstance(part, Hole))

    def fill(self, values: Mapping[str, Sequence[str]]) -> str:
        """The utterance; `values` has those of each key, in the order of the acts."""
        texts = (
            part if isinstance(part, str) else part.filled(values[part.key]) for part in self.parts
        )
        return "".join(texts)


def parse(text: str, keys: Iterable[str]) -> Template:
    """A template of the group of these keys; what looks like a hole and is none stays text."""
    names: dict[str, Hole] = {}
    for key, count in Counter(keys).items():
        names[f"[{key}]"] = Hole(key)
        names |= {f"[{key}{number}]": Hole(key, number) for number in range(1, count + 1)}
    return Template(tuple(names.get(part, part) for part in HOLE.split(text) if part))


def is_sound(template: Template, holes: Iterable[str]) -> bool:
    """Whether it says every value exactly once and nothing in it is left open.

    `holes` are the keys of the group that carry a value, repeats included.
    """
    wanted = Counter(Hole(key, number).key + str(number) for key, number in numbered(holes))
    there = Counter(hole.key + str(hole.number) for hole in template.holes)
    texts = (part for part in template.parts if isinstance(part, str))
    return wanted == there and not any("[" in text or "]" in text for text in texts)


def numbered(keys: Iterable[str]) -> list[tuple[str, int]]:
    """Each key with its number among the equal ones, from 1."""
    seen: Counter[str] = Counter()
    pairs = []
    for key in keys:
        seen[key] += 1
        pairs.append((key, seen[key]))
    return pairs


def values_of(spoken: Iterable[SpokenAct]) -> dict[str, list[str]]:
    """The values of each key that has a hole."""
    values: dict[str, list[str]] = {}
    for each in spoken:
        if each.has_hole:
            values.setdefault(each.key, []).append(each.value)
    return values
