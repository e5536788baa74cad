"""What BERTNLU predicts: a tag for every wordpiece, and labels for the utterance as a whole.

Acts whose value is said in so many words are tagged; all others are labels of the sentence.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from crosstalk.dialogue.acts import INFORM, RECOMMEND, Act
from crosstalk.dialogue.schema import Schema, SlotKind

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
        """All that occurs."""
        kinds = set(acts)
        spans = {(act.intent, act.domain, act.slot) for act in kinds if is_span(act, schema)}
        labels = {act for act in kinds if not is_span(act, schema)}
        return cls(tuple(sorted(spans)), tuple(sorted(labels)))

    @property
    def tags(self) -> int:
        """How many there are: outside, and two a span."""
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
