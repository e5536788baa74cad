"""Reading dialogues with states: MultiWOZ logs, TRADE-style lists (Multi2WOZ), WOZ 2.0."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.states import SystemState
from crosstalk.errors import FormatError, InputError, Place
from crosstalk.files import open_text
from crosstalk.language.state_words import all_labels, words_of
from crosstalk.language.writing import guess_language
from crosstalk.transfer.states.state_dialogues import (
    StateTurn,
    state_dialogue,
    state_turns,
    with_states,
)
from crosstalk.transfer.states.state_slots import NONE, StateSlot, normalised
from crosstalk.transfer.trade_format import TradeDialogue, is_trade, read_trade
from crosstalk.transfer.transfer_corpora import SOURCE

BOOKED_WITHOUT_WORD: Final = {
    "hotel": ("people", "day", "stay"),
    "restaurant": ("people", "day", "time"),
    "train": ("people",),
}
"""Slots that some files name without the word `book`."""
REQUESTED: Final = "slot"
"""The slot of requests in WOZ 2.0."""
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
    if holds_trade(path):
        dialogues = list(_from_trade(path, language, known, found))
    else:
        dialogues = [_from_log(path, each, language, known, found) for each in _corpus(path)]
    turns = [turn for each in dialogues for turn in state_turns(each)]
    if not turns:
        raise FormatError(
            "there is no dialogue with turns in it",
            place=Place(str(path)),
            remedy="Give a MultiWOZ log, a TRADE-style file (Multi2WOZ), or a file of WOZ 2.0.",
        )
    found.silent += sum(not turn.user.strip() for turn in turns)
    _refuse_other_language(path, turns, language)
    _refuse_other_states(path, turns, found, slots)
    return dialogues


def holds_trade(path: Path) -> bool:
    """Whether a file is in the format of TRADE, which Multi2WOZ and WOZ 2.0 share."""
    with open_text(path) as text:
        return is_trade(text.read(1 << 12))


def _corpus(path: Path) -> Iterator[Dialogue]:
    return read_corpus(path, strict=False)


# MultiWOZ logs


def _from_log(
    path: Path, raw: Dialogue, language: str, known: set[str], unknown: UnknownLabels
) -> Dialogue:
    states = []
    texts = raw.turns
    for number in range(0, len(texts) - 1, 2):
        user, system = texts[number], texts[number + 1]
        if user.speaker is not Speaker.USER or system.speaker is not Speaker.SYSTEM:
            raise FormatError(
                "user and system do not speak by turns: a turn is missing",
                place=Place(str(path), dialogue=raw.id, turn=number),
                remedy="Put the missing turn back, or leave the dialogue out.",
            )
        states.append(_kept(_log_state(system.first_query), known, language, unknown))
    named = replace(raw, id=raw.id.removesuffix(".json"), language=language)
    return with_states(named, states)


def _log_state(query: SystemState | None) -> dict[str, str]:
    state: dict[str, str] = {}
    called = all_labels()
    for tab in query or ():
        domain = called.domains.get(tab.domain, tab.domain)
        for name, value in tab.slots:
            book = "book " if name.startswith("book ") else ""
            slot = name.removeprefix("book ")
            key = f"{domain}-{book}{called.slots.get(slot, slot.lower())}"
            state[key] = value if isinstance(value, str) else (value[0] if value else "")
    return state


# TRADE, Multi2WOZ, WOZ 2.0


def _from_trade(
    path: Path, language: str, known: set[str], unknown: UnknownLabels
) -> Iterator[Dialogue]:
    dialogues = list(read_trade(path))
    spoken = _label_language(dialogues, language)
    names = words_of(spoken).labels.slots if "food" in known else {}
    english_system = "food" in known and language != SOURCE
    for raw in dialogues:
        turns = []
        for number, turn in enumerate(raw.turns):
            if turn.state is None:
                raise FormatError(
                    "the turn has no state",
                    place=Place(str(path), dialogue=raw.id, turn=number, field="belief_state"),
                    remedy="Give each turn its `belief_state`, empty where nothing is wished for.",
                )
            state = {_key(names.get(slot, slot)): value for slot, value in turn.state.items()}
            turns.append(StateTurn(turn.system, turn.user, _kept(state, known, spoken, unknown)))
        yield state_dialogue(
            raw.id.removesuffix(".json"),
            language,
            turns,
            system_language=SOURCE if english_system else "",
            label_language=spoken if spoken != language else "",
        )


def _label_language(dialogues: list[TradeDialogue], language: str) -> str:
    """WOZ 2.0 comes with states in the user's language and, in other files, in English."""
    slots = {slot for each in dialogues for turn in each.turns for slot in turn.state or ()}
    if slots & {"food", "price range"}:
        return SOURCE
    return language


def _key(slot: str) -> str:
    """`restaurant-people` as `restaurant-book people`; anything else in small letters."""
    domain, _, name = slot.lower().partition("-")
    if name in BOOKED_WITHOUT_WORD.get(domain, ()):
        return f"{domain}-book {name}"
    return slot.lower()


# Both


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
        elif slot.partition("-")[0] not in {REQUESTED, *all_labels().ignored}:
            unknown.slots[slot] += 1
    return kept


def _refuse_other_language(path: Path, turns: list[StateTurn], language: str) -> None:
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
