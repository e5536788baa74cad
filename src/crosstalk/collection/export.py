"""Rooms as dialogues, in the shape of CrossWOZ's; what only we know is in the extras."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from crosstalk.collection.events import Role, Slots
from crosstalk.collection.rooms import Room, RoomQuery
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn

MACHINE: Final = "machine"
"""Stands for a worker where none was, and marks turns that no person has said."""
EXTRAS: Final = "collection"


def dialogue_of(number: int, room: Room) -> Dialogue:
    """The dialogue held in a room, as far as it has come."""
    states = [turn.user_state for turn in room.conversation.turns if turn.user_state is not None]
    return Dialogue(
        id=str(number),
        turns=tuple(_turns(room)),
        goal=room.goal,
        final_goal=states[-1] if states else room.goal.tuples,
        workers=tuple(_worker(room, role) for role in (Role.WIZARD, Role.USER)),
        language=room.language,
        world=room.world,
        extras=_extras(room),
    )


def _worker(room: Room, role: Role) -> int | str:
    """Whoever said most in that role."""
    seats = [seat for before, seat in room.replaced if before is role]
    seats.append(room.seat(role))
    best = max(seats, key=lambda seat: seat.turns)
    return MACHINE if best.worker is None else best.worker


def _extras(room: Room) -> dict[str, Any]:
    """Only what is unusual, so that most dialogues have none."""
    found: dict[str, Any] = {}
    if room.machine_turns:
        speakers = {room.conversation.turns[number].speaker for number in room.machine_turns}
        found["machine"] = sorted(speakers)
    if room.reports:
        found["reports"] = list(room.reports)
    if room.note:
        found["note"] = room.note
    return {EXTRAS: found} if found else {}


def _turns(room: Room) -> Iterator[Turn]:
    queries = iter(room.all_queries)
    for number, turn in enumerate(room.conversation.turns):
        extras: dict[str, Any] = {}
        if number in room.machine_turns:
            extras["machine"] = True
        asked = next(queries, ()) if turn.speaker is Speaker.SYSTEM else ()
        if len(asked) > 1:
            extras["queries"] = [_query(query) for query in asked]
        yield replace(turn, extras={EXTRAS: extras}) if extras else turn


def _query(query: RoomQuery) -> dict[str, Any]:
    return {
        "domain": query.domain,
        "slots": _filled(query.slots),
        "count": query.count,
        "selected": list(query.selected),
    }


def _filled(slots: Slots) -> dict[str, Any]:
    return {
        slot: value if isinstance(value, str) else list(value) for slot, value in slots if value
    }


COLUMNS: Final = (
    "dialogue",
    "turn",
    "speaker",
    "worker",
    "text",
    "acts",
    "state",
    "first query",
    "last query",
    "selected",
)
_RISKY: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠")


def safe(text: str) -> str:
    """A cell that no spreadsheet takes for a formula: one that looks like one begins with `'`."""
    return f"'{text}" if text.startswith(_RISKY) else text


def table_rows(dialogue: Dialogue) -> Iterator[list[str]]:
    """One row a turn, safe to open in a spreadsheet."""
    for number, turn in enumerate(dialogue.turns, start=1):
        wizard = turn.speaker is Speaker.SYSTEM
        worker = dialogue.workers[0 if wizard else 1] if len(dialogue.workers) == 2 else ""
        row = [dialogue.id, str(number), turn.speaker.value, str(worker), turn.text]
        row += ["; ".join(map(str, turn.acts)), _state(turn), *_queries(turn)]
        yield [safe(cell) for cell in row]


def _state(turn: Turn) -> str:
    return "; ".join(
        f"{each.subgoal} {each.domain} {each.slot} = {_text(each.value)}"
        + (" (said)" if each.expressed else "")
        for each in turn.user_state or ()
    )


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _queries(turn: Turn) -> list[str]:
    forms = [
        "; ".join(
            f"{tab.domain} {slot} = {_text(value)}"
            for tab in form or ()
            for slot, value in tab.constraints.items()
        )
        for form in (turn.first_query, turn.last_query)
    ]
    chosen: Iterable[str] = (name for tab in turn.last_query or () for name in tab.selected)
    return [*forms, "; ".join(chosen)]
