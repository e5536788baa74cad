"""A trained NLU for what corpora contain, rules for everything else.

    HybridNLU(RankedNLU.load(...), RulesNLU(...), world.schema).understand(turn, history)

No corpus contains what people say beyond the published acts (constraints taken back, exclusions,
lists, comparisons, picks), and people use other words than corpora. An utterance unlike those that
the model was trained on (`Familiarity`) goes to the rules. Of the others, short ones go to the
rules if these cover the whole utterance and find such an act, or a slot that the model misses;
the rest goes to the trained model.
"""

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
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
from crosstalk.files import open_binary, writing_binary
from crosstalk.system.dst.discourse import nearby_target
from crosstalk.system.nlu.understanding import Acts, Understanding

FILE: Final = "familiar.bin"
LENGTH: Final = 4
"""Length of an n-gram; the start and the end of a clause count as one character each."""
BITS: Final = 1 << 21
"""Size of the filter. CrossWOZ has 85,000 n-grams: 4 % of unknown ones are false positives."""
_OPEN: Final = re.compile(r"\[[^\]]*\]|[\s，。？！,.?!、～~：:；;]+")
"""Placeholders of templates, and the marks between clauses."""


@dataclass(frozen=True, slots=True)
class Familiarity:
    """The character n-grams of training utterances, as a Bloom filter with one hash (260 KB).

    Names and numbers hardly count in a long utterance. No text can be recovered from the filter.
    """

    table: bytes

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Familiarity":
        table = bytearray(BITS // 8)
        for text in texts:
            for place in _places(text):
                table[place // 8] |= 1 << place % 8
        return cls(bytes(table))

    @classmethod
    def load(cls, folder: Path) -> "Familiarity":
        with open_binary(folder / FILE) as file:
            return cls(file.read())

    def save(self, folder: Path) -> None:
        with writing_binary(folder / FILE) as file:
            file.write(self.table)

    def share(self, text: str) -> float:
        """Share of an utterance's n-grams that occur in the texts; 1 if it has none."""
        met = [bool(self.table[place // 8] >> place % 8 & 1) for place in _places(text)]
        return sum(met) / len(met) if met else 1.0


def _places(text: str) -> Iterator[int]:
    for clause in _OPEN.split(text):
        marked = f"^{clause}$" if clause else ""
        for start in range(len(marked) - LENGTH + 1):
            yield zlib.crc32(marked[start : start + LENGTH].encode()) % BITS


FAMILIAR: Final = 0.6
"""Share of familiar n-grams from which an utterance counts as similar to the training data.

99 % of simulated users' turns in CrossWOZ (random templates) are above it, and 33 % of what people
type; names do not count."""
FEW: Final = 20
"""Utterances with fewer characters (without names) are generic: both NLUs read them."""
HOLE: Final = "[]"
"""Placeholder for a name when familiarity is measured."""
COURTESIES: Final = frozenset({"greet", "thank", "bye"})
"""General acts that corpora contain."""


@dataclass(frozen=True, slots=True)
class HybridNLU:
    """A trained NLU with rules beside it."""

    trained: Understanding
    rules: Understanding
    schema: Schema
    known: Familiarity | None = None
    """N-grams of the trained model's training utterances."""

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
        """The utterance with placeholders for the places that it names, as in templates."""
        for act in acts:
            domain = self.schema.domain(act.domain)
            slot = domain.slot(act.slot) if domain else None
            if slot and slot.kind in _NAMED and act.value:
                text = text.replace(act.value, HOLE)
        return text

    def _share(self, text: str) -> float:
        return self.known.share(text) if self.known else 0.0

    def _as_corpora_say(self, read: Acts, trained: Acts) -> Acts:
        """The rules' acts without those that a trained act expresses in the way of the corpora.

        "What is there to eat near it?" is a search for restaurants to the rules, and in corpora a
        request about the place: `Request(hotel, nearby restaurants)`. Corpora do not annotate that
        somebody wants to book.
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
        """Whether the trained model misses a goodbye, a ride, a place to be near, or a slot."""
        rides = {domain.key for domain in self.schema.rides}
        ends = {act for act in read if act.domain in rides and act.intent == INFORM}
        if (ends | _CLOSING & {*read}) - {*trained}:
            return True
        near = any(nearby_target(self.schema, act) for act in read)
        knows_near = any(act.intent == SELECT or self._asks_nearby(act) for act in trained)
        return (near and not knows_near) or bool(self._slots(read) - self._slots(trained))

    def _has_services(self, acts: Acts) -> frozenset[str]:
        """The services that the user wants."""
        return frozenset(
            act.slot for act in acts if act.intent == INFORM and SERVICE_MARK in act.slot
        )

    def _says_nothing(self, acts: Acts) -> bool:
        return all(map(_is_courtesy, acts))

    def _asks_nearby(self, act: Act) -> bool:
        return act.intent == REQUEST and bool(nearby_target(self.schema, act))

    def _slots(self, acts: Acts) -> set[tuple[str, str, str]]:
        """Slots that are constrained or requested; of places only names and stations."""
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
