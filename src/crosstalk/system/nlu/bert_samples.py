"""What BERTNLU learns from: utterances of dialogues in context, and filled templates."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from crosstalk.dialogue.acts import INFORM, RECOMMEND, SELECT, Act
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.schema import SlotKind
from crosstalk.system.nlg.keys import PART
from crosstalk.system.nlg.templates import Template
from crosstalk.system.nlu.candidates import act_of
from crosstalk.system.nlu.filling import Filler, TemplateGroup
from crosstalk.worlds.tables import World

CONTEXT: Final = 3
"""Utterances before, as published."""
Topic = frozenset[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class LabelledUtterance:
    """An utterance with what went before and what it means."""

    text: str
    context: tuple[str, ...]
    acts: tuple[Act, ...]


def heard_in(dialogue: Dialogue) -> Iterator[LabelledUtterance]:
    """Every utterance of both sides."""
    for place, turn in enumerate(dialogue.turns):
        yield LabelledUtterance(turn.text, context_of(dialogue.turns[:place]), turn.acts)


def context_of(history: Sequence[Turn]) -> tuple[str, ...]:
    return tuple(turn.text for turn in history[-CONTEXT:])


class Templates:
    """Utterances made of templates, without end.

    Templates know no dialogue, so each borrows the context of a real utterance with acts of the
    same intents and domains; where there is none, it opens a dialogue.
    """

    def __init__(
        self, groups: Sequence[TemplateGroup], world: World, heard: Iterable[LabelledUtterance]
    ) -> None:
        self._filler = Filler(world)
        self._all = [(group, template) for group in groups for template in group.templates]
        self._services = {
            (domain.key, slot.key)
            for domain in world.schema
            for slot in domain.of_kind(SlotKind.SERVICES)
        }
        self._contexts: dict[Topic, list[tuple[str, ...]]] = {}
        for each in heard:
            self._contexts.setdefault(_topic(each.acts), []).append(each.context)

    def __len__(self) -> int:
        return len(self._all)

    def once(self, rng: Random) -> Iterator[LabelledUtterance]:
        """Every template, filled once."""
        return (self._filled(group, template, rng) for group, template in self._all)

    def draw(self, rng: Random) -> LabelledUtterance:
        return self._filled(*rng.choice(self._all), rng)

    def _filled(self, group: TemplateGroup, template: Template, rng: Random) -> LabelledUtterance:
        sample = self._filler.fill(group, template, rng)
        said = {span.key for span in sample.spans}
        acts = {self._act(span.key, sample.text[span.start : span.end]) for span in sample.spans}
        acts |= {act_of(key) for key in sample.keys - said if not self._is_open(key)}
        contexts = self._contexts.get(_topic(acts))
        return LabelledUtterance(
            sample.text, rng.choice(contexts) if contexts else (), tuple(sorted(acts))
        )

    def _act(self, key: str, value: str) -> Act:
        return act_of(key, service=value) if self._is_service(key) else act_of(key, value)

    def _is_open(self, key: str) -> bool:
        """Whether a key wants a value; what no hole of a template says is left out."""
        intent, _, _, *fixed = key.split(PART)
        return self._is_service(key) or (intent in (INFORM, RECOMMEND) and not fixed)

    def _is_service(self, key: str) -> bool:
        _, domain, slot, *_ = key.split(PART)
        return (domain, slot) in self._services


def _topic(acts: Iterable[Act]) -> Topic:
    return frozenset(
        (act.intent, act.domain, act.value if act.intent == SELECT else "") for act in acts
    )
