"""Segments: one utterance on its way into another language, as Appendix A of Multi2WOZ has it.

Source, what a machine made of it, what an editor made of that. `changed*` flags follow from the
texts and are never stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crosstalk.language.state_words import all_labels

Pairs = tuple[tuple[str, str], ...]
"""`domain-slot` and value, in the order of the file; a slot may have two values."""


def is_label(value: str) -> bool:
    """Whether a source value stands for something nobody says: not wanted, or anything will do."""
    labels = all_labels()
    return value.strip().lower() in labels.none | labels.any


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a file writes what we know under one name, so that it is written back the same way."""

    names: tuple[tuple[str, str], ...] = ()
    """Our name of a field and the file's, where they differ."""
    listed: frozenset[str] = frozenset()
    """Fields whose values are a list of one-member objects."""
    separator: str = ""
    """What parts the services of one text; empty where they are a list."""
    quoted: bool = False
    """The turn's number as a text."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One utterance."""

    dialogue: str
    turn: int
    """Position in the dialogue, both sides counted, from 0."""
    utterance: str
    values: Pairs = ()
    services: tuple[str, ...] = ()
    """Domains of the dialogue."""
    machine: str = ""
    machine_values: Pairs = ()
    edited: str | None = None
    """None until an editor has been here."""
    edited_values: Pairs | None = None
    extras: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Fields of the file that Appendix A does not have."""
    spelling: Spelling = Spelling()

    @property
    def key(self) -> tuple[str, int]:
        return self.dialogue, self.turn

    @property
    def text(self) -> str:
        """The translation as it stands."""
        return self.machine if self.edited is None else self.edited

    @property
    def text_values(self) -> Pairs:
        return self.machine_values if self.edited_values is None else self.edited_values

    @property
    def finished(self) -> bool:
        return self.edited is not None and self.edited_values is not None

    @property
    def changed_utterance(self) -> bool:
        return self.edited is not None and self.edited != self.machine

    @property
    def changed_values(self) -> bool:
        """Of slots in another order nobody says that they were edited."""
        edited = self.edited_values
        return edited is not None and _by_slot(edited) != _by_slot(self.machine_values)

    def with_edit(self, text: str, values: Pairs) -> "Segment":
        return replace(self, edited=text, edited_values=values)

    def without_edit(self) -> "Segment":
        return replace(self, edited=None, edited_values=None)

    @property
    def language(self) -> str:
        """The language it is translated into, where the file says so."""
        return str(self.extras.get("language", ""))

    @property
    def split(self) -> str:
        return str(self.extras.get("split", ""))

    @property
    def untranslated(self) -> tuple[str, ...]:
        """Words that the machine left as they were, where it says so."""
        provenance = self.extras.get("provenance")
        words = provenance.get("untranslated") if isinstance(provenance, dict) else None
        return tuple(map(str, words)) if isinstance(words, list) else ()


def _by_slot(pairs: Pairs) -> Pairs:
    """Several values of one slot stay in their order."""
    return tuple(sorted(pairs, key=lambda pair: pair[0]))


def matched(source: Pairs, target: Pairs) -> list[str | None]:
    """The translation of each source value, by slot, several of one slot in their order."""
    waiting: dict[str, list[str]] = {}
    for slot, value in target:
        waiting.setdefault(slot, []).append(value)
    return [waiting[slot].pop(0) if waiting.get(slot) else None for slot, _ in source]


def paired(source: Pairs, target: Pairs) -> list[tuple[str, str, str]]:
    """Slot, source value and target value, of the values that have one."""
    pairs = zip(source, matched(source, target), strict=True)
    return [(slot, value, form) for (slot, value), form in pairs if form is not None]


def by_dialogue(segments: Sequence[Segment]) -> dict[str, list[Segment]]:
    """Segments of each dialogue in turn order, dialogues in the order of the file."""
    dialogues: dict[str, list[Segment]] = {}
    for segment in segments:
        dialogues.setdefault(segment.dialogue, []).append(segment)
    for turns in dialogues.values():
        turns.sort(key=lambda segment: segment.turn)
    return dialogues
