"""Two understandings in one: a trained one for what corpora contain, rules for the rest.

    HybridNLU(RankedUnderstanding.load(...), RulesNLU(...), world.schema).understand(turn, history)

What people say beyond the published acts (limits taken back, exclusion, lists, comparisons, picks)
stands in no corpus that a model could learn it from, and they say the rest in other words than
corpora. An utterance that is not like those that the model has learnt from is the rules' business.
Of the others, short ones are read by the rules if these have read all of it and found such an act,
or a slot that the trained model overlooks; the rest by the trained model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crosstalk.dialogue.acts import (
    GENERAL,
    IGNORED,
    INFORM,
    LIST,
    PUBLISHED,
    REFINE,
    REQUEST,
    SELECT,
    UNSUPPORTED,
    Act,
)
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import SERVICE_MARK, Schema, SlotKind
from crosstalk.system.dst.discourse import nearby_target
from crosstalk.system.nlu.familiarity import Familiarity
from crosstalk.system.nlu.understanding import Acts, Understanding

FAMILIAR: Final = 0.6
"""Share of familiar n-grams from which on an utterance counts as one of the trained model's own.

Of simulated users' turns in CrossWOZ (random templates) 99 of 100 are above it, of what people type
33 of 100; names do not count."""
FEW: Final = 20
"""Characters of an utterance, names apart, that anybody may say in these words; both read them."""
HOLE: Final = "[]"
"""What stands for a name where familiarity is measured."""
COURTESIES: Final = frozenset({"greet", "thank", "bye"})
"""General acts that corpora contain."""


@dataclass(frozen=True, slots=True)
class HybridNLU:
    """A trained understanding with rules beside it."""

    trained: Understanding
    rules: Understanding
    schema: Schema
    known: Familiarity | None = None
    """Of the utterances that the trained model has learnt from."""

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> Acts:
        if utterance.speaker is Speaker.SYSTEM:
            return self.trained.understand(utterance, history)
        read = self.rules.understand(utterance, history)
        trained = self.trained.understand(utterance, history)
        words = self._without_names(utterance.text, read)
        is_read = all(act.intent != IGNORED for act in read)
        if self._share(words) < FAMILIAR and any(act.intent != IGNORED for act in read):
            return read
        if len(words) < FEW and is_read:
            said = self._as_corpora_say(read, trained)
            if any(map(_is_beyond, said)) or self._is_missed(said, trained):
                return read
        if is_read and self._has_services(read) > self._has_services(trained):
            return read
        if is_read and self._says_nothing(trained) and not self._says_nothing(read):
            return read
        return tuple(act for act in trained if not _is_courtesy(act) or act in read) or read

    def _without_names(self, text: str, acts: Acts) -> str:
        """An utterance with holes for the places that it names, as templates have them."""
        for act in acts:
            domain = self.schema.domain(act.domain)
            slot = domain.slot(act.slot) if domain else None
            if slot and slot.kind in _NAMED and act.value:
                text = text.replace(act.value, HOLE)
        return text

    def _share(self, text: str) -> float:
        return self.known.share(text) if self.known else 0.0

    def _as_corpora_say(self, read: Acts, trained: Acts) -> Acts:
        """The rules' acts without those that mean what a trained act says in corpora's way.

        "What is there to eat near it?" is a search for restaurants to the rules, and in corpora a
        question about the place: `Request(hotel, nearby restaurants)`. That somebody wants to book
        goes without saying in corpora.
        """
        asked = {nearby_target(self.schema, act) for act in trained if self._asks_nearby(act)}
        return tuple(
            act
            for act in read
            if not (act.intent == LIST and act.domain in asked)
            and not (act.domain in asked and nearby_target(self.schema, act))
            and not (act.intent == UNSUPPORTED and trained)
        )

    def _is_missed(self, read: Acts, trained: Acts) -> bool:
        """Whether the trained model overlooks a goodbye, a ride, a place to be near, or a slot."""
        rides = {domain.key for domain in self.schema.rides}
        ends = {act for act in read if act.domain in rides and act.intent == INFORM}
        if (ends | _CLOSING & {*read}) - {*trained}:
            return True
        near = any(nearby_target(self.schema, act) for act in read)
        knows_near = any(act.intent == SELECT or self._asks_nearby(act) for act in trained)
        return (near and not knows_near) or bool(self._slots(read) - self._slots(trained))

    def _has_services(self, acts: Acts) -> frozenset[str]:
        """The services wished for."""
        return frozenset(
            act.slot for act in acts if act.intent == INFORM and SERVICE_MARK in act.slot
        )

    def _says_nothing(self, acts: Acts) -> bool:
        return all(map(_is_courtesy, acts))

    def _asks_nearby(self, act: Act) -> bool:
        return act.intent == REQUEST and bool(nearby_target(self.schema, act))

    def _slots(self, acts: Acts) -> set[tuple[str, str, str]]:
        """What is wished or asked for; places only by their names, and their stations."""
        found = set()
        for act in acts:
            domain = self.schema.domain(act.domain)
            slot = domain.slot(act.slot) if domain else None
            if slot is None or act.intent not in (INFORM, REQUEST):
                continue
            counts = {SlotKind.NAME: INFORM, SlotKind.STATION: REQUEST}.get(slot.kind)
            if act.intent == counts or slot.kind not in _PLACES:
                number = act.value if slot.kind in _NUMBERS and act.intent == INFORM else ""
                found.add((act.intent, act.slot.partition(SERVICE_MARK)[0], number))
        return found


_NUMBERS: Final = (SlotKind.NUMBER, SlotKind.RATING)
_CLOSING: Final = {Act(GENERAL, "bye")}
_NAMED: Final = (SlotKind.NAME, SlotKind.NEARBY, SlotKind.ENDPOINT)
_PLACES: Final = (SlotKind.NAME, SlotKind.NEARBY, SlotKind.ENDPOINT, SlotKind.STATION)


def _is_courtesy(act: Act) -> bool:
    return act.intent == GENERAL


def _is_beyond(act: Act) -> bool:
    """Whether corpora never contain such an act."""
    if act.intent == GENERAL:
        return act.domain not in COURTESIES
    return act.intent not in PUBLISHED and act.intent not in (REFINE, IGNORED)
