"""Reading dialogues with states: MultiWOZ logs, TRADE-style lists (Multi2WOZ), WOZ 2.0."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from crosstalk.corpora import woz
from crosstalk.corpora.corpus import read_corpus
from crosstalk.corpora.dialogue_parts import FINAL_STATE
from crosstalk.corpora.multiwoz_labels import NONE, normalised
from crosstalk.corpora.record_encoding import decode_state
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import SystemState
from crosstalk.errors import FormatError, InputError, Place
from crosstalk.language.scripts import scripts_of
from crosstalk.language.state_words import all_labels, words_of
from crosstalk.language.writing import guess_language, writing_of
from crosstalk.transfer.states.state_dialogues import (
    LABEL_LANGUAGE,
    SYSTEM_LANGUAGE,
    StateTurn,
    state_turns,
    with_states,
)
from crosstalk.transfer.states.state_slots import WOZ2, StateSlot, multiwoz_key
from crosstalk.transfer.transfer_corpora import SOURCE

LOOK: Final = 200
"""Number of utterances from which the language of a file is guessed."""
LEAST_VOTES: Final = 0.3
"""Share of them guessed as another language from which a file is refused."""


@dataclass(slots=True)
class UnknownLabels:
    """Labels of a file that are not known; reported, not refused."""

    slots: Counter[str] = field(default_factory=Counter)
    silent: int = 0
    """User turns without text."""


def read_states(
    path: Path, language: str, slots: tuple[StateSlot, ...], unknown: UnknownLabels | None = None
) -> list[Dialogue]:
    """The dialogues of one file in any of the formats; raises if it holds none."""
    found = unknown or UnknownLabels()
    known = {slot.key for slot in slots}
    read = [_answered(each) for each in read_corpus(path, strict=False)]
    for each in read:
        _refuse_other_order(path, each)
    reader = _label_reader(read, language, slots)
    dialogues = [
        with_states(
            replace(reader.named(each), id=each.id.removesuffix(".json")),
            [
                _kept(state, known, reader.labels, found)
                for state in map(reader.state, forms_after_users(each))
            ],
        )
        for each in read
    ]
    turns = [turn for each in dialogues for turn in state_turns(each)]
    refuse_no_turns(path, turns)
    found.silent += sum(not turn.user.strip() for turn in turns)
    refuse_other_language(path, turns, language)
    _refuse_other_states(path, turns, found, slots)
    return dialogues


def refuse_no_turns(path: Path, turns: Sequence[StateTurn]) -> None:
    if not turns:
        raise FormatError(
            "there is no dialogue with turns in it",
            place=Place(str(path)),
            remedy="Give a MultiWOZ log, a TRADE-style file (Multi2WOZ), a file of WOZ 2.0, or "
            "dialogues of a world, as simulated.",
        )


def _answered(dialogue: Dialogue) -> Dialogue:
    """The dialogue with an empty answer at its end, if it ends with a user's turn and its state."""
    last = dialogue.turns[-1] if dialogue.turns else None
    if last is None or last.speaker is not Speaker.USER or woz.EXTRAS not in dialogue.extras:
        return dialogue
    form = decode_state(last.extras.get(FINAL_STATE, []))
    return replace(dialogue, turns=(*dialogue.turns, Turn(Speaker.SYSTEM, "", first_query=form)))


def forms_after_users(dialogue: Dialogue) -> Iterator[SystemState]:
    """The state after each user turn that a system turn follows."""
    for before, turn in pairwise(dialogue.turns):
        if before.speaker is Speaker.USER and turn.speaker is Speaker.SYSTEM:
            yield turn.first_query or SystemState()


def _refuse_other_order(path: Path, dialogue: Dialogue) -> None:
    for number, (one, two) in enumerate(pairwise(dialogue.turns)):
        if one.speaker is two.speaker:
            raise FormatError(
                "user and system do not speak by turns: a turn is missing",
                place=Place(str(path), dialogue=dialogue.id, turn=number),
                remedy="Put the missing turn back, or leave the dialogue out.",
            )


@dataclass(frozen=True, slots=True)
class _LabelReader:
    """How the states of a file name their slots."""

    language: str
    labels: str
    """The language of the labels."""
    has_domains: bool
    """Whether states are those of MultiWOZ; WOZ 2.0 has one domain, which its slots do not name."""

    def named(self, dialogue: Dialogue) -> Dialogue:
        """The dialogue with its languages; the system of WOZ 2.0 speaks English in every file."""
        extras = dict(dialogue.extras)
        if not self.has_domains and self.language != SOURCE:
            extras[SYSTEM_LANGUAGE] = SOURCE
        if self.labels != self.language:
            extras[LABEL_LANGUAGE] = self.labels
        return replace(dialogue, language=self.language, extras=extras)

    def state(self, form: SystemState) -> dict[str, str]:
        return {
            self._key(tab.domain, slot): value if isinstance(value, str) else value[0]
            for tab in form
            for slot, value in tab.constraints.items()
        }

    def _key(self, domain: str, slot: str) -> str:
        if not self.has_domains:
            return words_of(self.labels).labels.slots.get(slot, slot).lower()
        called = all_labels()
        book, name = ("book ", slot[5:]) if slot.startswith("book ") else ("", slot)
        return multiwoz_key(called.domains.get(domain, domain), book + called.slots.get(name, name))


def _label_reader(
    dialogues: Sequence[Dialogue], language: str, slots: tuple[StateSlot, ...]
) -> _LabelReader:
    """WOZ 2.0 comes with states in the user's language and, in other files, in English."""
    if slots is not WOZ2:
        labels = SOURCE if _has_english_values(dialogues, language) else language
        return _LabelReader(language, labels, has_domains=True)
    named = {
        slot
        for each in dialogues
        for form in forms_after_users(each)
        for tab in form
        for slot, _ in tab.slots
    }
    english = named & {"food", "price range"}
    return _LabelReader(language, SOURCE if english else language, has_domains=False)


def _has_english_values(dialogues: Sequence[Dialogue], language: str) -> bool:
    """Whether no value of the states is in the script of the language, which is not Latin."""
    script = writing_of(language).script
    values = {
        text
        for each in dialogues
        for form in forms_after_users(each)
        for tab in form
        for value in tab.constraints.values()
        for text in ([value] if isinstance(value, str) else value)
    }
    return script not in ("", "latin") and not any(script in scripts_of(each) for each in values)


def _kept(
    state: Mapping[str, str], known: set[str], language: str, unknown: UnknownLabels
) -> dict[str, str]:
    kept = {}
    for slot, value in state.items():
        label = normalised(slot, value, english=language == SOURCE)
        if label == NONE:
            continue
        if slot in known:
            kept[slot] = label
        elif slot.partition("-")[0] not in all_labels().ignored:
            unknown.slots[slot] += 1
    return kept


def refuse_other_language(path: Path, turns: list[StateTurn], language: str) -> None:
    """One vote per utterance; many are too short to tell, and Italian is never guessed."""
    said = [turn.user for turn in turns[:LOOK]]
    votes = Counter(filter(None, map(guess_language, said)))
    guess, count = votes.most_common(1)[0] if votes else ("", 0)
    if guess != language and count > LEAST_VOTES * len(said):
        raise InputError(
            f"{path}: its users speak {guess}, not {language}",
            remedy="Give the file of the right language, or another --target.",
        )


def _refuse_other_states(
    path: Path, turns: list[StateTurn], unknown: UnknownLabels, slots: tuple[StateSlot, ...]
) -> None:
    """A file of another task has states, and none of them in a slot we know."""
    if unknown.slots and not any(turn.state for turn in turns):
        raise FormatError(
            f"none of its slots is known: {', '.join(sorted(unknown.slots)[:4])}",
            place=Place(str(path)),
            remedy=f"Slots look like {slots[0].key!r} and {slots[-1].key!r} here.",
        )
