"""Generators: the interface, and the published one that says a random template.

    Published(keys, auto, manual).say(acts, Random(1))

The published generator writes values in lower case, and what no template says at once it says
act by act, where acts of one key all get the value of the first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

from crosstalk.dialogue.acts import Act
from crosstalk.system.nlg.keys import ActKeys, SpokenAct, group_key
from crosstalk.system.nlg.templates import parse, values_of

Texts = Mapping[str, Sequence[str]]
"""Group key -> its templates, each as often as it was said."""

COMMA: Final = "，"
"""Between the acts of a fallback, as published."""


class Generator(Protocol):
    """Anything that puts the acts of one side into words."""

    def say(self, acts: Sequence[Act], rng: Random) -> str:
        """One utterance that does what the acts do."""
        ...


class Rephrasing(Generator, Protocol):
    """A generator that can say the same in other words."""

    def ways(self, acts: Sequence[Act], rng: Random, most: int) -> Iterator[str]:
        """Some ways to say the acts, no two alike, what `say` says first."""
        ...


@dataclass(frozen=True, slots=True)
class Published:
    """TemplateNLG of the CrossWOZ paper in its mode `auto_manual`, quirks included."""

    keys: ActKeys
    auto: Texts
    """Taken from a corpus: any group of acts that somebody once said."""
    manual: Texts
    """Written by hand: one act each."""

    def say(self, acts: Sequence[Act], rng: Random) -> str:
        spoken = self.keys.in_order(acts)
        texts = self.auto.get(group_key(spoken))
        if texts:
            return self._filled(rng.choice(texts), spoken)
        return COMMA.join(self._act_by_act(spoken, rng))

    def _act_by_act(self, spoken: Sequence[SpokenAct], rng: Random) -> list[str]:
        known = [self.manual[each.key] for each in spoken if self.manual.get(each.key)]
        return [self._filled(rng.choice(texts), spoken) for texts in known]

    def _filled(self, text: str, spoken: Sequence[SpokenAct]) -> str:
        values = values_of(spoken)
        lowered = {key: [value.lower() for value in texts] for key, texts in values.items()}
        return parse(text, [each.key for each in spoken]).fill(lowered)
