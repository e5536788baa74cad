"""What BERTNLU reads and predicts, without torch: utterances in context, tags, labels, settings.

Training utterances come from dialogues and from filled templates (`Templates`).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Final

from crosstalk.dialogue.acts import INFORM, RECOMMEND, SELECT, Act
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.schema import Schema, SlotKind
from crosstalk.system.nlg.act_keys import PART
from crosstalk.system.nlg.template_bank import Template
from crosstalk.system.nlu.act_candidates import act_of
from crosstalk.system.nlu.training_samples import Filler, TemplateGroup
from crosstalk.worlds.tables import World

Span = tuple[str, str, str]
"""Intent, domain and slot of an act whose value is tagged."""
OUTSIDE: Final = 0
"""The tag of a wordpiece that belongs to no value."""


def is_span(act: Act, schema: Schema) -> bool:
    """Inform and Recommend, except of services, whose value is only yes or no."""
    if act.intent not in (INFORM, RECOMMEND):
        return False
    domain = schema.domain(act.domain)
    slot = domain.slot(act.slot) if domain else None
    return slot is None or slot.kind is not SlotKind.SERVICES


@dataclass(frozen=True)
class Outputs:
    """The tags and labels of a model, in the order of its outputs."""

    spans: tuple[Span, ...]
    labels: tuple[Act, ...]

    @classmethod
    def of(cls, acts: Iterable[Act], schema: Schema) -> "Outputs":
        """Every tag and label that occurs in the acts."""
        kinds = set(acts)
        spans = {(act.intent, act.domain, act.slot) for act in kinds if is_span(act, schema)}
        labels = {act for act in kinds if not is_span(act, schema)}
        return cls(tuple(sorted(spans)), tuple(sorted(labels)))

    @property
    def tags(self) -> int:
        """Number of tags: outside, and two per span (begin, inside)."""
        return 1 + 2 * len(self.spans)

    @cached_property
    def _begins(self) -> dict[Span, int]:
        return {span: 1 + 2 * number for number, span in enumerate(self.spans)}

    @cached_property
    def _numbers(self) -> dict[Act, int]:
        return {act: number for number, act in enumerate(self.labels)}

    def begin(self, act: Act) -> int | None:
        """The tag of the first wordpiece of the act's value; the next number is for the others."""
        return self._begins.get((act.intent, act.domain, act.slot))

    def label(self, act: Act) -> int | None:
        return self._numbers.get(act)


@dataclass(frozen=True, slots=True)
class BertTraining:
    """How BERTNLU is trained; the defaults are the published settings for a pretrained encoder."""

    steps: int = 40_000
    batch: int = 20
    """Utterances per step and process, drawn with replacement."""
    rate: float = 3e-5
    """Initial learning rate; it falls linearly to 0."""
    warm_up: int = 0
    """Steps in which the learning rate rises."""
    dropout: float = 0.1
    clip: float = 1.0
    longest: int = 60
    """Maximum number of wordpieces of an utterance in training."""
    check_every: int = 1_000
    patience: int = 10
    """Checks without a better F1 after which training stops; the paper runs all steps."""
    neighbours: int = 20
    """Utterances are sorted by length within this many batches, which saves padding; the published
    code has 1."""
    dialogue_share: tuple[float, float] = (1.0, 1.0)
    """Share of dialogue utterances among those drawn, at the start and at the end of training; the
    rest are filled templates."""
    xavier: bool = False
    """Whether the layers of the heads begin with Xavier-uniform weights, as in the published
    code."""

    def as_published(self) -> "BertTraining":
        """Learns from dialogues alone, in batches drawn at random, for all steps."""
        return replace(self, xavier=True, neighbours=1, patience=0, dialogue_share=(1.0, 1.0))


FROM_NOTHING = BertTraining(
    steps=3_000,
    batch=32,
    rate=1.5e-3,
    warm_up=300,
    check_every=500,
    dialogue_share=(0.1, 0.7),
)
"""For a small encoder with random weights, on one core."""


CONTEXT: Final = 3
"""Previous utterances that form the context, as published."""
Topic = frozenset[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class LabelledUtterance:
    """An utterance with its context and its acts."""

    text: str
    context: tuple[str, ...]
    acts: tuple[Act, ...]


def labelled_utterances(dialogue: Dialogue) -> Iterator[LabelledUtterance]:
    """Every utterance of both speakers."""
    for place, turn in enumerate(dialogue.turns):
        yield LabelledUtterance(turn.text, context_of(dialogue.turns[:place]), turn.acts)


def context_of(history: Sequence[Turn]) -> tuple[str, ...]:
    return tuple(turn.text for turn in history[-CONTEXT:])


class Templates:
    """Draws utterances from filled templates.

    A template has no context of its own, so each utterance gets the context of a real utterance
    with the same intents and domains, or none if there is no such utterance.
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
        """Whether a key needs a value; acts without a slot in the template are left out."""
        intent, _, _, *fixed = key.split(PART)
        return self._is_service(key) or (intent in (INFORM, RECOMMEND) and not fixed)

    def _is_service(self, key: str) -> bool:
        _, domain, slot, *_ = key.split(PART)
        return (domain, slot) in self._services


def _topic(acts: Iterable[Act]) -> Topic:
    return frozenset(
        (act.intent, act.domain, act.value if act.intent == SELECT else "") for act in acts
    )
