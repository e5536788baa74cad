"""Generators: the interface, and the published one that says a random template.

    PublishedTemplateNLG(keys, auto, manual).say(acts, Random(1))

The published generator writes values in lower case. Acts that no template says together it says one
by one, and acts with one key then all get the value of the first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

from crosstalk.dialogue.acts import Act
from crosstalk.system.nlg.act_keys import ActKeys, SpokenAct, group_key
from crosstalk.system.nlg.template_bank import parse, values_of

Texts = Mapping[str, Sequence[str]]
"""Group key -> its templates, with repetitions as in the corpus."""

COMMA: Final = "，"
"""Between the acts of a fallback, as published."""


class Generator(Protocol):
    """Turns the acts of one side into text."""

    def say(self, acts: Sequence[Act], rng: Random) -> str:
        """One utterance for the acts."""
        ...


class ParaphrasingGenerator(Generator, Protocol):
    """A generator with several wordings of the same acts."""

    def ways(self, acts: Sequence[Act], rng: Random, most: int) -> Iterator[str]:
        """At most `most` different wordings; the first is that of `say`."""
        ...


@dataclass(frozen=True, slots=True)
class PublishedTemplateNLG:
    """TemplateNLG of the CrossWOZ paper in its mode `auto_manual`, quirks included."""

    keys: ActKeys
    auto: Texts
    """Templates of a corpus, for any group of acts in it."""
    manual: Texts
    """Hand-written templates, for single acts."""

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
