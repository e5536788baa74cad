"""Segments: one utterance with its values, machine translation and edit (Multi2WOZ, Appendix A).

    segments = segments_of(dialogues, source="en", target="de")

Values of a user turn are what the state holds after it and did not before, as published for
MultiWOZ. Worlds that annotate acts in their own words, and all system turns, take the values of the
turn's acts. The `changed*` flags are computed from the texts and never stored.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from crosstalk.dialogue.acts import NOTHING, SELECT
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.language.state_words import all_labels

Pairs = tuple[tuple[str, str], ...]
"""`domain-slot` and value, in the order of the file; a slot may have two values."""


def is_label(value: str) -> bool:
    """Whether a source value is a label that no utterance contains, such as none or dontcare."""
    labels = all_labels()
    return value.strip().lower() in labels.none | labels.any


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a file spells the known fields, so that it is written back the same way."""

    names: tuple[tuple[str, str], ...] = ()
    """Our name of a field and the file's, where they differ."""
    listed: frozenset[str] = frozenset()
    """Fields whose values are a list of one-member objects."""
    separator: str = ""
    """Between the services of a string; empty where the file has a list."""
    quoted: bool = False
    """Whether the turn number is a string."""


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
    """None until an editor has saved the turn."""
    edited_values: Pairs | None = None
    extras: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Fields of the file that Appendix A does not have."""
    spelling: Spelling = Spelling()

    @property
    def key(self) -> tuple[str, int]:
        return self.dialogue, self.turn

    @property
    def text(self) -> str:
        """The current translation: the edit if there is one, otherwise the machine's text."""
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
        """Whether a value differs from the machine's; the order of slots does not count."""
        edited = self.edited_values
        return edited is not None and _by_slot(edited) != _by_slot(self.machine_values)

    def with_edit(self, text: str, values: Pairs) -> "Segment":
        return replace(self, edited=text, edited_values=values)

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
    """Dialogue id -> its segments in turn order; dialogues keep the order of the file."""
    dialogues: dict[str, list[Segment]] = {}
    for segment in segments:
        dialogues.setdefault(segment.dialogue, []).append(segment)
    for turns in dialogues.values():
        turns.sort(key=lambda segment: segment.turn)
    return dialogues


PUBLISHED: Final = "multiwoz"
BOOK: Final = "book "
ABBREVIATED: Final = {
    "dest": "destination",
    "depart": "departure",
    "leave": "leaveat",
    "arrive": "arriveby",
    "addr": "address",
    "post": "postcode",
    "price": "pricerange",
    "ticket": "price",
    "id": "trainid",
}
"""Slots of MultiWOZ acts, which its states write in full."""
ASKED: Final = "?"


def utterance_values(dialogue: Dialogue) -> list[Pairs]:
    """The values of every turn, in turn order."""
    published = dialogue.world == PUBLISHED
    by_state = published or not any(turn.acts for turn in dialogue.turns)
    changes = list(_changes(dialogue))
    return [
        changes[number]
        if by_state and turn.speaker is Speaker.USER
        else tuple(_act_values(turn, published))
        for number, turn in enumerate(dialogue.turns)
    ]


def services(dialogue: Dialogue) -> tuple[str, ...]:
    """The domains that a dialogue talks about, in the order in which they come up."""
    found = [slot.partition("-")[0] for pairs in utterance_values(dialogue) for slot, _ in pairs]
    return tuple(name for name in dict.fromkeys(found) if name not in ("booking", "general"))


def slot_key(domain: str, slot: str) -> str:
    """`hotel-people`: booking slots are named without the word, as in the published files."""
    return f"{domain}-{slot.removeprefix(BOOK)}".lower()


def _changes(dialogue: Dialogue) -> Iterator[Pairs]:
    """For each turn, the values that the state after it holds and the state before did not."""
    before: dict[tuple[str, str], SlotValue] = {}
    for number, turn in enumerate(dialogue.turns):
        after = _state_after(dialogue, number)
        if turn.speaker is not Speaker.USER or after is None:
            yield ()
            continue
        now = {(tab.domain, slot): value for tab in after for slot, value in tab.slots}
        yield tuple(
            (slot_key(*place), term)
            for place, value in now.items()
            if before.get(place) != value
            for term in _terms(value)
        )
        before = now


def _state_after(dialogue: Dialogue, number: int) -> SystemState | None:
    following = dialogue.turns[number + 1 : number + 2]
    return following[0].first_query if following else None


def _terms(value: SlotValue) -> tuple[str, ...]:
    terms = (value,) if isinstance(value, str) else value
    return tuple(term for term in terms if term not in all_labels().none)


def _act_values(turn: Turn, published: bool) -> Iterator[tuple[str, str]]:
    for act in turn.acts:
        near = act.intent == SELECT and not published  # its value is a domain, not a word
        if near or NOTHING in (act.slot, act.value) or act.value in ("", ASKED):
            continue
        slot = ABBREVIATED.get(act.slot.lower(), act.slot) if published else act.slot
        yield slot_key(act.domain, slot), act.value


def segments_of(
    dialogues: Iterable[Dialogue], *, source: str, target: str, split: str = ""
) -> list[Segment]:
    """Every utterance of every dialogue, with its values."""
    extras = {"source": source, "language": target, "split": split}
    kept = {name: value for name, value in extras.items() if value}
    found = []
    for dialogue in dialogues:
        domains = services(dialogue)
        for number, (turn, values) in enumerate(
            zip(dialogue.turns, utterance_values(dialogue), strict=True)
        ):
            about = {**kept, "speaker": turn.speaker.value}
            found.append(Segment(dialogue.id, number, turn.text, values, domains, extras=about))
    return found
