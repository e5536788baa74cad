"""Dialogues with states out of files: MultiWOZ logs, TRADE-style lists (Multi2WOZ), WOZ 2.0."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import FormatError, InputError, Place
from crosstalk.files import open_text
from crosstalk.language.state_words import all_labels, words_of
from crosstalk.language.writing import guess_language
from crosstalk.transfer.states.state_slots import NONE, StateSlot, normalised
from crosstalk.transfer.states.turns import StateDialogue, StateTurn
from crosstalk.transfer.trade_format import TradeDialogue, is_trade, read_trade
from crosstalk.transfer.transfer_corpora import SOURCE

BOOKED_WITHOUT_WORD: Final = {
    "hotel": ("people", "day", "stay"),
    "restaurant": ("people", "day", "time"),
    "train": ("people",),
}
"""Slots that some files name without the word `book`."""
REQUESTED: Final = "slot"
"""What WOZ 2.0 calls a request."""
LOOK: Final = 200
"""So many utterances tell the language of a file."""
LEAST_VOTES: Final = 0.3
"""The share of them that must speak for another language to refuse a file."""


@dataclass(slots=True)
class Strange:
    """What a file says that we do not know: told, not refused."""

    slots: Counter[str] = field(default_factory=Counter)
    silent: int = 0
    """Turns of users without a word."""


def read_states(
    path: Path, language: str, slots: tuple[StateSlot, ...], strange: Strange | None = None
) -> list[StateDialogue]:
    """The dialogues of one file, in whichever of the formats it is; raises in words."""
    found = strange or Strange()
    known = {slot.key for slot in slots}
    if holds_trade(path):
        dialogues = list(_from_trade(path, language, known, found))
    else:
        dialogues = [_from_log(path, each, language, known, found) for each in _corpus(path)]
    if not any(dialogue.turns for dialogue in dialogues):
        raise FormatError(
            "there is no dialogue with turns in it",
            place=Place(str(path)),
            remedy="Give a MultiWOZ log, a TRADE-style file (Multi2WOZ), or a file of WOZ 2.0.",
        )
    found.silent += sum(not turn.user.strip() for each in dialogues for turn in each.turns)
    _refuse_other_language(path, dialogues, language)
    _refuse_other_states(path, dialogues, found, slots)
    return dialogues


def holds_trade(path: Path) -> bool:
    """Whether a file is as TRADE and Multi2WOZ keep it, and WOZ 2.0."""
    with open_text(path) as text:
        return is_trade(text.read(1 << 12))


def _corpus(path: Path) -> Iterator[Dialogue]:
    return read_corpus(path, strict=False)


# MultiWOZ logs


def _from_log(
    path: Path, raw: Dialogue, language: str, known: set[str], strange: Strange
) -> StateDialogue:
    turns = []
    texts = raw.turns
    for number in range(0, len(texts) - 1, 2):
        user, system = texts[number], texts[number + 1]
        if user.speaker is not Speaker.USER or system.speaker is not Speaker.SYSTEM:
            raise FormatError(
                "user and system do not speak by turns: a turn is missing",
                place=Place(str(path), dialogue=raw.id, turn=number),
                remedy="Put the missing turn back, or leave the dialogue out.",
            )
        before = texts[number - 1].text if number else ""
        state = _log_state(system.first_query, strange)
        turns.append(StateTurn(before, user.text, _kept(state, known, language, strange)))
    return StateDialogue(raw.id.removesuffix(".json"), language, tuple(turns))


def _log_state(query: object, strange: Strange) -> dict[str, str]:
    from crosstalk.dialogue.states import SystemState

    state: dict[str, str] = {}
    called = all_labels()
    for tab in query if isinstance(query, SystemState) else ():
        domain = called.domains.get(tab.domain, tab.domain)
        for name, value in tab.slots:
            book = "book " if name.startswith("book ") else ""
            slot = name.removeprefix("book ")
            key = f"{domain}-{book}{called.slots.get(slot, slot.lower())}"
            state[key] = value if isinstance(value, str) else (value[0] if value else "")
    return state


# TRADE, Multi2WOZ, WOZ 2.0


def _from_trade(
    path: Path, language: str, known: set[str], strange: Strange
) -> Iterator[StateDialogue]:
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
            turns.append(StateTurn(turn.system, turn.user, _kept(state, known, spoken, strange)))
        yield StateDialogue(
            raw.id.removesuffix(".json"),
            language,
            tuple(turns),
            SOURCE if english_system else "",
            spoken if spoken != language else "",
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
    state: Mapping[str, str], known: set[str], language: str, strange: Strange
) -> dict[str, str]:
    kept = {}
    for slot, value in state.items():
        label = normalised(slot, value, english=language == SOURCE)
        if label == NONE:
            continue
        if slot in known:
            kept[slot] = label
        elif slot.partition("-")[0] not in {REQUESTED, *all_labels().ignored}:
            strange.slots[slot] += 1
    return kept


def _refuse_other_language(path: Path, dialogues: list[StateDialogue], language: str) -> None:
    """By utterances, one vote each; many are too short to tell, and Italian is never guessed."""
    said = [turn.user for each in dialogues for turn in each.turns][:LOOK]
    votes = Counter(filter(None, map(guess_language, said)))
    guess, count = votes.most_common(1)[0] if votes else ("", 0)
    if guess != language and count > LEAST_VOTES * len(said):
        raise InputError(
            f"{path}: its users speak {guess}, not {language}",
            remedy="Give the file of the right language, or another --target.",
        )


def _refuse_other_states(
    path: Path, dialogues: list[StateDialogue], strange: Strange, slots: tuple[StateSlot, ...]
) -> None:
    """A file of another task has states, and none of them in a slot we know."""
    if strange.slots and not any(turn.state for each in dialogues for turn in each.turns):
        raise FormatError(
            f"none of its slots is known: {', '.join(sorted(strange.slots)[:4])}",
            place=Place(str(path)),
            remedy=f"Slots look like {slots[0].key!r} and {slots[-1].key!r} here.",
        )
