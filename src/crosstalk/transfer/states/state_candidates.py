"""From texts to candidates: which value each slot may take at a turn, in any language.

`UtteranceReader` finds values and cue words in an utterance, with the forms of the ontology and the
word table of the language. `slot_candidates` lists the values that a slot may take: named by the
user, offered by the system, copied from another slot. `StateHistory` is what the tracker carries
from turn to turn. `ReaderCache` puts the three together for a turn of a dialogue.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from crosstalk.corpora.multiwoz_labels import ANY
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.language.state_words import FormFinder, FormMatch, StateWords, numbers, times
from crosstalk.transfer.states.ontology import Ontology, finder_of
from crosstalk.transfer.states.state_dialogues import (
    StateTurn,
    label_language,
    state_turns,
    system_language,
)
from crosstalk.transfer.states.state_slots import StateSlot

BREAKS = frozenset(",.;!?，。；！？、")
QUESTIONS = frozenset("?？")


@dataclass(frozen=True, slots=True)
class ValueMention:
    """A span of tokens that may name a value, of one slot or of several."""

    start: int
    end: int
    values: Mapping[str, str]
    """Slot key -> value id."""
    inside: bool
    """Whether it is part of a longer mention: `cinema` in the name of one."""


@dataclass(frozen=True, slots=True)
class TokenizedUtterance:
    """The tokens of an utterance, with values and cues found in them."""

    tokens: tuple[str, ...]
    mentions: tuple[ValueMention, ...]
    cues: Mapping[str, tuple[int, ...]]
    """Cue -> the tokens where one of its forms begins."""
    clauses: tuple[int, ...]
    """For every token, the number of its clause."""
    step: float
    """Length of a token, in words."""

    @property
    def asks(self) -> bool:
        return any(token in QUESTIONS for token in self.tokens)

    def values_of(self, slot: str) -> dict[str, ValueMention]:
        """Every value mentioned for a slot, with its last mention."""
        return {each.values[slot]: each for each in self.mentions if slot in each.values}


NO_UTTERANCE = TokenizedUtterance((), (), {}, (), 1.0)


class UtteranceReader:
    """Tokenizes utterances of one language and finds values and cues in them."""

    def __init__(self, ontology: Ontology, language: str) -> None:
        self._words: StateWords = ontology.words(language)
        self._values = finder_of(ontology, language)
        self._times = [slot.key for slot in ontology.slots if slot.kind == "time"]
        self._numbers = [slot.key for slot in ontology.slots if slot.kind == "number"]
        forms: dict[str, list[str]] = {}
        for cue, said in self._words.cues.items():
            for form in said:
                forms.setdefault(form, []).append(cue)
        self._cues: FormFinder[list[str]] = FormFinder(self._words, forms)
        self._read: dict[str, TokenizedUtterance] = {}

    def read(self, text: str) -> TokenizedUtterance:
        if text not in self._read:
            self._read[text] = self._utterance(self._words.tokens(text))
        return self._read[text]

    def _utterance(self, tokens: list[str]) -> TokenizedUtterance:
        cues: dict[str, list[int]] = {}
        for found in self._cues.find(tokens):
            for cue in found.what:
                cues.setdefault(cue, []).append(found.start)
        return TokenizedUtterance(
            tuple(tokens),
            tuple(_sifted(list(self._meanings(tokens)))),
            {cue: tuple(places) for cue, places in cues.items()},
            tuple(_clauses(tokens)),
            self._words.step,
        )

    def _meanings(self, tokens: list[str]) -> Iterator[FormMatch[dict[str, str]]]:
        yield from self._values.find(tokens)
        for slots, amount in (
            (self._times, times),
            (self._numbers, numbers),
        ):
            for found in amount(tokens, self._words) if slots else ():
                yield FormMatch(found.start, found.end, dict.fromkeys(slots, found.what))


def _sifted(found: Sequence[FormMatch[dict[str, str]]]) -> Iterator[ValueMention]:
    """The mentions without those that a longer mention of the same slot covers."""
    for each in found:
        longer = [
            other
            for other in found
            if other.start <= each.start
            and each.end <= other.end
            and other.end - other.start > each.end - each.start
        ]
        values = {
            slot: id
            for slot, id in each.what.items()
            if not any(slot in other.what for other in longer)
        }
        if values:
            yield ValueMention(each.start, each.end, values, bool(longer))


def _clauses(tokens: Sequence[str]) -> Iterator[int]:
    number = 0
    for token in tokens:
        yield number
        number += token in BREAKS


@dataclass(frozen=True, slots=True)
class StateHistory:
    """What the tracker knows before a user turn."""

    turn: int = 0
    state: Mapping[str, str] = field(default_factory=dict)
    """Slot key -> value id."""
    domain: str = ""
    """The domain of the last change."""
    spoken: Mapping[str, int] = field(default_factory=dict)
    """Domain -> the turn in which one of its words was last said."""
    heard: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Slot key -> value -> the turn in which it was last mentioned by anyone."""
    named: Mapping[str, str] = field(default_factory=dict)
    """Slot key of a name -> the value the system spoke of last."""

    def after(
        self,
        system: TokenizedUtterance,
        user: TokenizedUtterance,
        state: Mapping[str, str],
        slots: tuple[StateSlot, ...],
    ) -> "StateHistory":
        """The history after the turn, with the new state."""
        changed = [s.domain for s in slots if state.get(s.key) != self.state.get(s.key)]
        spoken = {
            s.domain: self.turn for s in slots if s.domain in user.cues or s.domain in system.cues
        }
        heard = {slot: dict(values) for slot, values in self.heard.items()}
        named = dict(self.named)
        for said in (system, user):
            for mention in said.mentions:
                for slot, value in mention.values.items():
                    heard.setdefault(slot, {})[value] = self.turn
        for each in slots:
            if each.is_name and (offered := list(system.values_of(each.key))):
                named[each.key] = offered[-1]
        return replace(
            self,
            turn=self.turn + 1,
            state=dict(state),
            domain=changed[-1] if changed else self.domain,
            spoken={**self.spoken, **spoken},
            heard=heard,
            named=named,
        )


@dataclass(frozen=True, slots=True)
class SlotCandidate:
    """A value that a slot may take, and where it comes from."""

    slot: StateSlot
    value: str
    said: ValueMention | None = None
    """The user's mention in this turn."""
    offered: ValueMention | None = None
    """The system's mention just before."""
    copied: tuple[str, ...] = ()
    """Other slots that hold it already."""
    named: bool = False
    """Whether it is the last name of its kind that the system mentioned."""


FAMILIES = ("day", "people", "area", "price", "place", "time")
"""Kinds of values that one domain may copy from another: the same day, the same group."""


def family(slot: StateSlot) -> str:
    return slot.kind if slot.kind in ("place", "time") else slot.topic


def slot_candidates(
    slots: tuple[StateSlot, ...],
    system: TokenizedUtterance,
    user: TokenizedUtterance,
    history: StateHistory,
) -> list[SlotCandidate]:
    """The candidates of all slots, without the values they hold already."""
    found = []
    for slot in slots:
        held = history.state.get(slot.key)
        if slot.domain and not _in_play(slot, system, user, history):
            continue
        found += [
            each for each in _of_slot(slot, slots, system, user, history) if each.value != held
        ]
    return found


def _in_play(
    slot: StateSlot, system: TokenizedUtterance, user: TokenizedUtterance, history: StateHistory
) -> bool:
    """Whether the slot's domain was mentioned or has a value already."""
    if slot.domain in user.cues or slot.domain in system.cues or slot.domain in history.spoken:
        return True
    return any(key.startswith(slot.domain) for key in history.state) or slot.is_name


def _of_slot(
    slot: StateSlot,
    slots: tuple[StateSlot, ...],
    system: TokenizedUtterance,
    user: TokenizedUtterance,
    history: StateHistory,
) -> list[SlotCandidate]:
    said, offered = user.values_of(slot.key), system.values_of(slot.key)
    copied = _copies(slot, slots, history)
    named = _named(slot, slots, history)
    values = dict.fromkeys([*said, *offered, *copied, *named])
    if slot.kind == "choice":
        values |= _choices(slot, system, user)
    if slot.topic == "people" and "book" in {*user.cues, *system.cues}:
        values |= {"1": None}
    if slot.kind != "place" and ("any" in user.cues or "no" in user.cues):
        values |= {ANY: None}
    return [
        SlotCandidate(
            slot, value, said.get(value), offered.get(value), copied.get(value, ()), value in named
        )
        for value in values
    ]


def _choices(
    slot: StateSlot, system: TokenizedUtterance, user: TokenizedUtterance
) -> dict[str, None]:
    if slot.topic in user.cues or slot.topic in system.cues:
        return {"yes": None, "no": None}
    return {}


def _copies(
    slot: StateSlot, slots: tuple[StateSlot, ...], history: StateHistory
) -> dict[str, tuple[str, ...]]:
    """Values of other slots of the family; names are copied to ends of rides only."""
    alone = slot.domain == "train" and slot.topic not in ("day", "people")
    if family(slot) not in FAMILIES or slot.is_name or alone:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for other in slots:
        if other.key != slot.key and family(other) == family(slot):
            value = history.state.get(other.key)
            if value is not None and value != ANY:
                found[value] = (*found.get(value, ()), other.key)
    return found


def _named(slot: StateSlot, slots: tuple[StateSlot, ...], history: StateHistory) -> dict[str, None]:
    if slot.is_name:
        return {history.named[slot.key]: None} if slot.key in history.named else {}
    if slot.kind == "place" and slot.domain == "taxi":
        return dict.fromkeys(history.named.values())
    return {}


@dataclass(frozen=True, slots=True)
class CandidateTurn:
    """One user turn as read, with its candidates."""

    dialogue: str
    """The id of the dialogue; its translations have the same."""
    language: str
    turn: StateTurn
    system: TokenizedUtterance
    user: TokenizedUtterance
    history: StateHistory
    candidates: Sequence[SlotCandidate]

    def labels(self, state: Mapping[str, str]) -> list[bool]:
        """Which candidates the state holds."""
        return [state.get(each.slot.key) == each.value for each in self.candidates]

    def after(self, state: Mapping[str, str], slots: tuple[StateSlot, ...]) -> StateHistory:
        return self.history.after(self.system, self.user, state, slots)


class ReaderCache:
    """One reader per language, built on first use."""

    def __init__(self, ontology: Ontology) -> None:
        self.ontology = ontology
        self._readers: dict[str, UtteranceReader] = {}

    def __call__(self, language: str) -> UtteranceReader:
        if language not in self._readers:
            self._readers[language] = UtteranceReader(self.ontology, language)
        return self._readers[language]

    def candidates(
        self, dialogue: Dialogue, turn: StateTurn, history: StateHistory
    ) -> CandidateTurn:
        reader = self(system_language(dialogue))
        system = reader.read(turn.system) if turn.system else NO_UTTERANCE
        user = self(dialogue.language).read(turn.user)
        found = slot_candidates(self.ontology.slots, system, user, history)
        return CandidateTurn(dialogue.id, dialogue.language, turn, system, user, history, found)

    def labelled(self, dialogue: Dialogue) -> Iterator[tuple[CandidateTurn, dict[str, str]]]:
        """Every turn with the true state after it, by value ids; the history is the true one."""
        history, language = StateHistory(), label_language(dialogue)
        for turn in state_turns(dialogue):
            found = self.candidates(dialogue, turn, history)
            state = self.ontology.ids(turn.state, language)
            yield found, state
            history = found.after(state, self.ontology.slots)
