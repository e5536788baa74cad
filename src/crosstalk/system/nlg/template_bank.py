"""Templates, and banks of them: which templates say a set of acts at once.

A template is an utterance with holes, which the values of acts fill. A hole is written
`[Inform+hotel+price]`; where a key occurs several times in its group, its holes are numbered,
`[Inform+hotel+dishes2]`. A template that lists three values can list any number of them:
`[dishes1], [dishes2] and [dishes3] are good` becomes `[all dishes] are good`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Final, Protocol

from crosstalk.system.nlg.act_keys import JOIN, SpokenAct

HOLE = re.compile(r"(\[[^\[\]]+\])")
ALL = 0
"""The number of a hole that takes every value of its key."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A placeholder for one value of a key, or for all of them."""

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
    """Parse a template of the group of these keys; brackets that name no key stay text."""
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


SHORTEST = 3
"""Fewest values of a list that shows both its separators: two values show only the last."""


def with_open_list(template: Template) -> Template | None:
    """The template with a hole for all values in place of each list; None for irregular lists."""
    counts = Counter(hole.key for hole in template.holes)
    parts = list(template.parts)
    for key, count in counts.items():
        if count == 1:
            continue
        if count < SHORTEST or not _enumerate(parts, key, count):
            return None
    return Template(tuple(parts))


def _enumerate(parts: list[str | Hole], key: str, count: int) -> bool:
    """Replace the list of a key by one hole for all its values; False if it is no list."""
    at = [place for place, part in enumerate(parts) if isinstance(part, Hole) and part.key == key]
    commas = [parts[left + 1] for left, right in pairwise(at) if right == left + 2]
    if len(commas) != count - 1 or len(set(commas[:-1])) > 1:
        return False
    first, last = commas[0], commas[-1]
    if not isinstance(first, str) or not isinstance(last, str):
        return False
    parts[at[0] : at[-1] + 1] = [Hole(key, ALL, first, last)]
    return True


Unit = tuple[str, int]
"""A key, and how many acts of a turn have it."""

MANY: Final = "…"
"""Marks a key that stands for two or more acts."""


class TemplateBank(Protocol):
    """Templates of one side of one world."""

    def find(self, units: Sequence[Unit], *, continuing: bool = False) -> Sequence[Template]:
        """The templates that say exactly these units, in their order; empty where there are none.

        `continuing`: for use after a sentence about the same thing.
        """
        ...

    def count(self, units: Sequence[Unit]) -> int:
        """How many templates say exactly these units, repetitions included."""
        ...


def signature(units: Sequence[Unit]) -> str:
    return JOIN.join(key if count == 1 else key + MANY for key, count in units)


def group_of(units: Sequence[Unit]) -> str:
    """The keys of the units, each as often as there are acts of it."""
    return JOIN.join(key for key, count in units for _ in range(count))


class CorpusTemplateBank:
    """Templates of a corpus, without unsound ones.

    `tells` decides whether a text says anything beyond the values of its acts.
    """

    def __init__(
        self,
        texts: Mapping[str, Sequence[str]],
        has_hole: Callable[[str], bool],
        tells: Callable[[str, str], bool] = lambda text, group: False,
    ) -> None:
        self._texts = texts
        self._has_hole = has_hole
        self._tells = tells
        self._groups: dict[str, list[Template]] = {}

    def find(self, units: Sequence[Unit], *, continuing: bool = False) -> Sequence[Template]:
        return self.sound(group_of(units)) or self._open_lists.get(signature(units), ())

    def count(self, units: Sequence[Unit]) -> int:
        return len(self.find(units))

    def sound(self, group: str) -> list[Template]:
        """The templates of a group that say its values and nothing else, repetitions included."""
        if group not in self._groups:
            keys = group.split(JOIN) if group else []
            holes = [key for key in keys if self._has_hole(key)]
            texts = (text for text in self._texts.get(group, ()) if not self._tells(text, group))
            parsed = [parse(text, keys) for text in texts]
            self._groups[group] = [each for each in parsed if is_sound(each, holes)]
        return self._groups[group]

    @cached_property
    def _open_lists(self) -> Mapping[str, Sequence[Template]]:
        """Templates that list three or more values, made to list any number."""
        found: dict[str, list[Template]] = defaultdict(list)
        for group in self._texts:
            for name, _, longer in self.longer(group):
                found[name].append(longer)
        return found

    def longer(self, group: str) -> Iterator[tuple[str, Template, Template]]:
        """The templates of a group that lists three values and more.

        Signature, template, and the template for any number of values.
        """
        keys = group.split(JOIN)
        distinct = list(dict.fromkeys(keys))
        if len(keys) < len(distinct) + 2:
            return
        name = signature([(key, keys.count(key)) for key in distinct])
        for template in self.sound(group):
            if longer := with_open_list(template):
                yield name, template, longer


@dataclass(frozen=True, slots=True)
class WrittenTemplateBank:
    """Templates written by hand; a hole takes all the values of its key."""

    first: Mapping[str, Sequence[Template]] = field(default_factory=dict)
    """By signature."""
    then: Mapping[str, Sequence[Template]] = field(default_factory=dict)
    """Preferred after a sentence about the same thing."""

    def find(self, units: Sequence[Unit], *, continuing: bool = False) -> Sequence[Template]:
        for templates in (self.then, self.first) if continuing else (self.first, self.then):
            found = templates.get(signature(units)) or self._any_number(templates, units)
            if found:
                return found
        return ()

    def count(self, units: Sequence[Unit]) -> int:
        return len(self.find(units))

    def _any_number(
        self, templates: Mapping[str, Sequence[Template]], units: Sequence[Unit]
    ) -> Sequence[Template]:
        """Templates written for one value that can take several."""
        several = {key for key, count in units if count > 1}
        found = templates.get(signature([(key, 1) for key, _ in units]), ())
        return [each for each in found if _takes_all(each, several)] if several else ()


def _takes_all(template: Template, keys: set[str]) -> bool:
    return all(hole.number == ALL for hole in template.holes if hole.key in keys)
