"""Which values an utterance has: what trackers learn from the user, what the system tells.

A user's turn is labelled with what the state holds after it and did not before, as published for
MultiWOZ; worlds that annotate acts in their own words, and system turns everywhere, with the values
of their acts.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from crosstalk.dialogue.acts import NOTHING, SELECT
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.language.state_words import all_labels
from crosstalk.translation.segments import Pairs, Segment

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
        else tuple(_told(turn, published))
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
    """What the state after each turn holds that the one before did not."""
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


def _told(turn: Turn, published: bool) -> Iterator[tuple[str, str]]:
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
