"""Banks: which templates say a set of acts at once."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Protocol

from crosstalk.modules.nlg.keys import JOIN
from crosstalk.modules.nlg.stretching import stretched
from crosstalk.modules.nlg.templates import ALL, Template, is_sound, parse

Unit = tuple[str, int]
"""A key, and how many acts of a turn have it."""

MANY: Final = "…"
"""After a key that stands for two and more acts."""


class Bank(Protocol):
    """Templates of one side of one world."""

    def find(self, units: Sequence[Unit], *, continuing: bool = False) -> Sequence[Template]:
        """The templates that say exactly these units, in their order; empty where there are none.

        `continuing`: for use after a sentence about the same thing.
        """
        ...


def signature(units: Sequence[Unit]) -> str:
    return JOIN.join(key if count == 1 else key + MANY for key, count in units)


class SaidBank:
    """Templates as people said them; of those with a slip, none is used."""

    def __init__(self, texts: Mapping[str, Sequence[str]], has_hole: Callable[[str], bool]) -> None:
        self._texts = texts
        self._has_hole = has_hole
        self._groups: dict[str, list[Template]] = {}

    def find(self, units: Sequence[Unit], *, continuing: bool = False) -> Sequence[Template]:
        group = JOIN.join(key for key, count in units for _ in range(count))
        return self._sound(group) or self._stretched.get(signature(units), ())

    def _sound(self, group: str) -> list[Template]:
        if group not in self._groups:
            keys = group.split(JOIN) if group else []
            holes = [key for key in keys if self._has_hole(key)]
            parsed = [parse(text, keys) for text in self._texts.get(group, ())]
            self._groups[group] = [each for each in parsed if is_sound(each, holes)]
        return self._groups[group]

    @cached_property
    def _stretched(self) -> Mapping[str, Sequence[Template]]:
        """The groups that list three values and more, ready to list any number."""
        found: dict[str, list[Template]] = defaultdict(list)
        for group in self._texts:
            keys = group.split(JOIN)
            distinct = list(dict.fromkeys(keys))
            if len(keys) < len(distinct) + 2:
                continue
            name = signature([(key, keys.count(key)) for key in distinct])
            found[name] += filter(None, map(stretched, self._sound(group)))
        return found


@dataclass(frozen=True, slots=True)
class WrittenBank:
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

    def _any_number(
        self, templates: Mapping[str, Sequence[Template]], units: Sequence[Unit]
    ) -> Sequence[Template]:
        """Templates written for one value that can take several."""
        several = {key for key, count in units if count > 1}
        found = templates.get(signature([(key, 1) for key, _ in units]), ())
        return [each for each in found if _takes_all(each, several)] if several else ()


def _takes_all(template: Template, keys: set[str]) -> bool:
    return all(hole.number == ALL for hole in template.holes if hole.key in keys)
