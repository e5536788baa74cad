"""Foreign values: what a saying tells beside its holes, and nobody asked it to.

People's sayings keep values that no act had: "the tickets at Beihai Park cost [price]" is true of
one park only. Such a saying must never be said of another.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.gazetteer import SAID, Gazetteer
from crosstalk.language.normalize import folded
from crosstalk.language.number_forms import forms_of
from crosstalk.system.nlg.generator import Texts
from crosstalk.system.nlg.templates import HOLE
from crosstalk.worlds.tables import World

COMMON: Final = 0.003
"""Values in more than this share of all sayings are ordinary words: a dish called "others"."""

_DIGIT: Final = re.compile(r"\d")


@dataclass(frozen=True)
class UnsupportedValues:
    """Finds values of a world's tables in the text around holes."""

    gazetteer: Gazetteer
    ordinary: frozenset[str]
    free: frozenset[str]
    """The words for costing nothing, which keys keep."""

    @classmethod
    def of(cls, world: World, texts: Texts) -> "UnsupportedValues":
        gazetteer = Gazetteer.of(world.columns(*SAID))
        plain = [_plain(text) for group in texts.values() for text in group]
        found = Counter(value for text in plain for value in set(_values(gazetteer, text)))
        ordinary = (value for value, count in found.items() if count > COMMON * len(plain))
        return cls(gazetteer, frozenset(ordinary), frozenset(_free_words(world)))

    def tells(self, text: str, group: str) -> bool:
        """Whether a saying of a group of act keys tells a number or a value of its own."""
        plain = _plain(text)
        if _DIGIT.search(plain) or any(word in plain for word in self.free if word not in group):
            return True
        return not self.ordinary.issuperset(_values(self.gazetteer, plain))


def _plain(text: str) -> str:
    """The text around the holes."""
    return HOLE.sub("\n", text)


def _values(gazetteer: Gazetteer, text: str) -> Iterable[str]:
    return (folded(text[match.start : match.end]) for match in gazetteer.find(text))


def _free_words(world: World) -> Iterable[str]:
    for domain in world.schema:
        for slot in domain.of_kind(SlotKind.NUMBER):
            if free := forms_of(world.language, domain.key, slot).free:
                yield free
