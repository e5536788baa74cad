"""Whether what the system offers breaks what the user wanted."""

import re

from crosstalk.dialogue.acts import AFFIRM, INFORM, Act
from crosstalk.dialogue.goals import Reference, SemanticTuple
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import NOT_MARK, SERVICE_MARK, Schema, SlotKind
from crosstalk.language.number_forms import Bounds, forms_of, read_bounds
from crosstalk.worlds.conditions import Contains

OPEN_END = 10_000
"""What the published simulator takes for the upper end of an open range."""


class OfferJudge:
    """Compares offered values with wishes; `published` reads numbers as the paper's code did."""

    def __init__(self, schema: Schema, language: LanguagePack, *, published: bool = False) -> None:
        self._schema = schema
        self._language = language
        self._published = published

    def has_excluded(self, wanted: SemanticTuple, heard: tuple[Act, ...]) -> bool:
        """Whether the system says that the place has what an exclusion rules out."""
        if not wanted.is_exclusion or isinstance(wanted.value, Reference):
            return False
        slot = wanted.slot.removeprefix(NOT_MARK)
        excluded = (wanted.value,) if isinstance(wanted.value, str) else wanted.value
        told = [self._told(act, slot) for act in heard if act.domain == wanted.domain]
        return any(Contains(term).holds(text) for term in excluded for text in told if text)

    def _told(self, act: Act, slot: str) -> str:
        """What an act says that the place has in a slot; empty where it says nothing of it."""
        key, _, service = act.slot.partition(SERVICE_MARK)
        if act.intent == INFORM and service and key == slot:
            return service if act.value == self._language.yes else ""
        return act.value if act.intent in (INFORM, AFFIRM) and act.slot == slot else ""

    def violates(self, wanted: SemanticTuple, answers: tuple[str, ...]) -> bool:
        """True as well for whatever cannot be compared as numbers."""
        domain = self._schema.domain(wanted.domain)
        slot = domain.slot(wanted.slot) if domain else None
        if slot is None or not isinstance(wanted.value, str):
            return True
        if slot.kind not in (SlotKind.NUMBER, SlotKind.RATING):
            return self._published or answers[-1] != wanted.value
        forms = forms_of(self._language, wanted.domain, slot)
        read = _published_bounds if self._published else lambda text: read_bounds(forms, text)
        wish, offer = read(wanted.value), read(answers[-1])
        if wish is None or offer is None or offer.low is None:
            return True
        if slot.kind is SlotKind.RATING:
            return wish.low is not None and offer.low < wish.low
        return not wish.hold(offer.low)


def _published_bounds(text: str) -> Bounds | None:
    numbers = [float(digits) for digits in re.findall(r"\d+(?:\.\d+)?", text)]
    match numbers:
        case [one]:
            return Bounds(one, OPEN_END)
        case [low, high, *_]:
            return Bounds(low, high)
        case _:
            return None
