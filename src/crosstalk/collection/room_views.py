"""What each role sees of a room: its events without the other side's notes, and its state now."""

from collections.abc import Iterable, Iterator
from typing import Any

from crosstalk.collection.events import (
    Acted,
    Answered,
    Closed,
    Connected,
    Disconnected,
    Filled,
    Gone,
    Hinted,
    Left,
    Queried,
    Recorded,
    Replaced,
    Reviewed,
    Role,
    Said,
    Selected,
)
from crosstalk.collection.rooms import Room, Seat, Status, empty_cells
from crosstalk.collection.user_table import shown_cells
from crosstalk.collection.wizard_form import bounds_of
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.goals.describe import for_people

Shown = dict[str, Any]
STATES = {Connected: "connected", Disconnected: "disconnected", Gone: "gone", Left: "left"}


def shown_events(events: Iterable[Recorded], role: Role) -> list[Shown]:
    """The events that a role may see, as JSON."""
    return [
        {"seq": each.seq, "at": each.at, **shown} for each in events for shown in _shown(each, role)
    ]


def _shown(recorded: Recorded, role: Role) -> Iterator[Shown]:
    match recorded.event:
        case Said(text=text, ticks=ticks):
            own = {"ticks": list(ticks)} if role is Role.USER else {}
            yield {"kind": "turn", "by": Role.USER.value, "text": text, **own}
        case Answered(text=text):
            yield {"kind": "turn", "by": Role.WIZARD.value, "text": text}
        case Filled(cell=cell, value=value) if role is Role.USER:
            yield {"kind": "filled", "cell": cell, "value": value}
        case Queried(domain=domain, slots=slots, count=count) if role is Role.WIZARD:
            yield {"kind": "queried", "domain": domain, "slots": dict(slots), "count": count}
        case Selected(domain=domain, names=names) if role is Role.WIZARD:
            yield {"kind": "selected", "domain": domain, "names": list(names)}
        case Acted(title=title, message=message) as event if _sees(event, role):
            yield {"kind": "acted", "done": event.is_done, "title": title, "message": message}
        case Connected() | Disconnected() | Gone() | Left() as event:
            yield {"kind": "presence", "by": event.role.value, "state": STATES[type(event)]}
        case Replaced(role=replaced):
            yield {"kind": "presence", "by": replaced.value, "state": "machine"}
        case Closed():
            yield {"kind": "over", "ending": "aborted"}
        case Reviewed(decision=decision, note=note, note_for=side):
            to_role = note if side in (None, role) else ""
            yield {"kind": "reviewed", "decision": told_verdict(decision), "note": to_role}


def told_verdict(decision: str) -> str:
    """The verdict as workers are told; a second look is not yet one."""
    return "pending" if decision == "second" else decision


def _sees(event: Acted, role: Role) -> bool:
    """Both sides see what was done; what was refused, the wizard says in words."""
    return event.is_done or role is Role.WIZARD


def concerns(recorded: Recorded, role: Role) -> bool:
    """Whether an event changes what a role sees."""
    match recorded.event:
        case Filled():
            return role is Role.USER
        case Queried() | Selected():
            return role is Role.WIZARD
        case Hinted():
            return False
        case Acted() as event:
            return _sees(event, role)
    return True


def view(context: WorldContext, room: Room, role: Role) -> Shown:
    """The state of a room for one role, as JSON."""
    own = _user(context, room) if role is Role.USER else _wizard(context, room)
    return {**_common(room, role), **own}


def _common(room: Room, role: Role) -> Shown:
    talk, partner = room.conversation, room.seat(role.other)
    return {
        "role": role.value,
        "status": room.status.value,
        "ending": talk.ending.value if talk.ending else None,
        "your_turn": room.next_role is role,
        "next": room.next_role.value if room.next_role else None,
        "user_done": talk.user_is_done,
        "exchange": talk.exchange,
        "exchanges": talk.exchanges,
        "partner": {
            "state": _state(partner),
            "since": partner.absent_since,
            "gone_at": partner.gone_at,
        },
        "choices": _choices(room, partner),
        "reported": bool(room.reports),
        "review": told_verdict(room.review),
        "note": room.note if room.note_for in (None, role) else "",
        "reason": room.reason,
    }


def _state(seat: Seat) -> str:
    if seat.is_machine:
        return "machine"
    if seat.left:
        return "left"
    if seat.gone:
        return "gone"
    return "present" if seat.absent_since is None else "away"


def _choices(room: Room, partner: Seat) -> list[str]:
    """Choices of a person whose partner is gone or has left."""
    if room.status is not Status.OPEN or not partner.is_lost:
        return []
    return ["requeue", "machine"] if partner.left else ["wait", "requeue", "machine"]


def _user(context: WorldContext, room: Room) -> Shown:
    empty = list(empty_cells(room))
    return {
        "goal": {
            "type": room.goal.type.value if room.goal.type else None,
            "description": for_people(room.goal.description),
        },
        "cells": shown_cells(context, room),
        "can_finish": not empty,
        "missing": empty,
    }


def _wizard(context: WorldContext, room: Room) -> Shown:
    asked = {query.domain for query in room.queries}
    return {
        "form": {tab.domain: dict(tab.slots) for tab in room.form},
        "bounds": bounds_of(context, room.form),
        "selected": {tab.domain: list(tab.selected) for tab in room.form if tab.selected},
        "queries": [
            {
                "domain": query.domain,
                "slots": {slot: value for slot, value in query.slots if value},
                "count": query.count,
                "selected": list(query.selected),
            }
            for query in room.queries
        ],
        "carried": [tab.domain for tab in room.form if tab.constraints and tab.domain not in asked],
        "heard": _heard(context, room),
    }


def _heard(context: WorldContext, room: Room) -> Shown | None:
    """The user's last utterance and the names in it; offsets in UTF-16 units (JavaScript)."""
    said = [turn.text for turn in room.conversation.turns if turn.speaker is Speaker.USER]
    if not said:
        return None
    text = said[-1]
    spans = [
        [_units(text[:start]), _units(text[:end]), domain, name]
        for start, end, domain, name in context.mentions(text)
    ]
    return {"text": text, "spans": spans}


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
