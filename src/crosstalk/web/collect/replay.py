"""A dialogue turn by turn, with everything that was noted on the way, for people who judge it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crosstalk.collection.cells import plain_value, slot_label
from crosstalk.collection.events import (
    Answered,
    Closed,
    Filled,
    Gone,
    Left,
    Queried,
    Recorded,
    Replaced,
    Reported,
    Said,
    Selected,
)
from crosstalk.collection.rooms import Room
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.goals import Value
from crosstalk.dialogue.states import SlotValue
from crosstalk.web.store.room_log import Log

Plain = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """A turn with the notes made for it, or something that happened between turns."""

    at: float
    by: str
    """user, wizard, or empty."""
    text: str
    happened: str = ""
    """What happened, where nobody spoke: a key of the words."""
    machine: bool = False
    done: bool = False
    seconds: float = 0
    notes: tuple[Plain, ...] = ()
    hints: tuple[Plain, ...] = ()


def steps(context: WorldContext, log: Log) -> Iterator[ReplayStep]:
    """The log as people read it; notes come with the turn that they led to."""
    notes, turns, before = list[Plain](), 0, log.room.opened_at
    for recorded in log.events:
        if note := _note(context, log.room, recorded):
            notes.append(note)
        elif isinstance(recorded.event, Said | Answered):
            machine = turns in log.room.machine_turns
            yield _turn(context, log.room, recorded, tuple(notes), before, machine)
            notes, turns, before = [], turns + 1, recorded.at
        elif step := _between(recorded):
            yield step


def _note(context: WorldContext, room: Room, recorded: Recorded) -> Plain | None:
    match recorded.event:
        case Filled(cell=cell, value=value):
            return {"kind": "filled", "cell": cell_label(context, room, cell), "value": said(value)}
        case Queried(domain=domain, slots=slots, count=count):
            asked = [
                (slot_label(context, domain, key), said(value)) for key, value in slots if value
            ]
            name = context.pack.domain_name(domain)
            return {"kind": "queried", "domain": name, "slots": asked, "count": count}
        case Selected(domain=domain, names=names):
            return {"kind": "selected", "domain": context.pack.domain_name(domain), "names": names}
    return None


def _turn(
    context: WorldContext,
    room: Room,
    recorded: Recorded,
    notes: tuple[Plain, ...],
    before: float,
    machine: bool,
) -> ReplayStep:
    event = recorded.event
    assert isinstance(event, Said | Answered)
    ticks = event.ticks if isinstance(event, Said) else ()
    ticked = tuple(
        {"kind": "ticked", "cell": cell_label(context, room, tick), "value": _wish(room, tick)}
        for tick in ticks
    )
    return ReplayStep(
        at=recorded.at,
        by="user" if isinstance(event, Said) else "wizard",
        text=event.text,
        machine=machine,
        done=isinstance(event, Said) and event.done,
        seconds=recorded.at - before,
        notes=notes + ticked,
        hints=tuple(
            {
                "code": hint.code,
                "value": hint.value,
                "cell": "" if hint.cell is None else cell_label(context, room, hint.cell),
            }
            for hint in event.hints
        ),
    )


def _between(recorded: Recorded) -> ReplayStep | None:
    match recorded.event:
        case Reported(role=role, text=text):
            return ReplayStep(recorded.at, role.value, text, "reported")
        case Left(role=role, text=text):
            return ReplayStep(recorded.at, role.value, text, "left")
        case Gone(role=role):
            return ReplayStep(recorded.at, role.value, "", "gone")
        case Replaced(role=role):
            return ReplayStep(recorded.at, role.value, "", "machine")
        case Closed(note=note):
            return ReplayStep(recorded.at, "", note, "closed")
    return None


def cell_label(context: WorldContext, room: Room, cell: int) -> str:
    each = room.goal.tuples[cell]
    return f"{each.subgoal} · {slot_label(context, each.domain, each.slot)}"


def _wish(room: Room, cell: int) -> str:
    """What the goal says there; a question has nothing to say."""
    return said(plain_value(room.goal.tuples[cell].value))


def said(value: Value | SlotValue | list[str]) -> str:
    plain = plain_value(value) if not isinstance(value, list) else value
    return plain if isinstance(plain, str) else ", ".join(plain)


def table(context: WorldContext, room: Room) -> list[Plain]:
    """The user's table as it stands, beside what the goal had."""
    return [
        {
            "cell": cell_label(context, room, number),
            "domain": context.pack.domain_name(each.domain),
            "wanted": said(room.goal.tuples[number].value),
            "value": said(each.value),
            "said": each.expressed,
            "changed": not room.goal.tuples[number].is_open
            and each.value != room.goal.tuples[number].value,
        }
        for number, each in enumerate(room.cells)
    ]
