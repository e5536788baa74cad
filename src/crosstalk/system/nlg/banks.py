"""Banks: which templates say a set of acts at once."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Protocol

from crosstalk.system.nlg.keys import JOIN
from crosstalk.system.nlg.list_expansion import stretched
from crosstalk.system.nlg.templates import ALL, Template, is_sound, parse

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

    def sayings(self, units: Sequence[Unit]) -> int:
        """How many templates say exactly these units, repeats included."""
        ...


def signature(units: Sequence[Unit]) -> str:
    return JOIN.join(key if count == 1 else key + MANY for key, count in units)


def group_of(units: Sequence[Unit]) -> str:
    """The keys of the units, each as often as there are acts of it."""
    return JOIN.join(key for key, count in units for _ in range(count))


class SaidBank:
    """Templates as people said them; of those with a slip, none is used.

    `tells` says of a text and its group whether it tells anything but the values of its acts.
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
        return self.sound(group_of(units)) or self._stretched.get(signature(units), ())

    def sayings(self, units: Sequence[Unit]) -> int:
        return len(self.find(units))

    def sound(self, group: str) -> list[Template]:
        """The templates of a group that say its values and nothing else, repeats included."""
        if group not in self._groups:
            keys = group.split(JOIN) if group else []
            holes = [key for key in keys if self._has_hole(key)]
            texts = (text for text in self._texts.get(group, ()) if not self._tells(text, group))
            parsed = [parse(text, keys) for text in texts]
            self._groups[group] = [each for each in parsed if is_sound(each, holes)]
        return self._groups[group]

    @cached_property
    def _stretched(self) -> Mapping[str, Sequence[Template]]:
        """The groups that list three values and more, ready to list any number."""
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
            if longer := stretched(template):
                yield name, template, longer


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

    def sayings(self, units: Sequence[Unit]) -> int:
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
