"""Rooms and the lobby: a room is the fold of its events; the lobby pairs people who wait.

    room = replay(events)
    for pairing in pairings(queue, present, goals): ...

Whose turn it is and when a dialogue is over is decided by `dialogue/turns.py`, as in simulation.
"""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from crosstalk.collection.events import (
    Acted,
    Answered,
    Closed,
    Connected,
    Disconnected,
    Event,
    Filled,
    Gone,
    Hint,
    Hinted,
    Left,
    Opened,
    Queried,
    Recorded,
    Replaced,
    Reported,
    Reviewed,
    Role,
    Said,
    Selected,
    Slots,
    Waited,
    role_of,
)
from crosstalk.dialogue.conversation import Conversation, Ending
from crosstalk.dialogue.dialogues import ACTIONS, Extras, Speaker, Turn
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Tuples, Value
from crosstalk.dialogue.states import DomainState, SystemState


@dataclass(frozen=True, slots=True)
class Waiting:
    """Somebody in the queue."""

    worker: int
    role: Role
    since: float


@dataclass(frozen=True, slots=True)
class WaitingCounts:
    """How many wait for each role."""

    user: int
    wizard: int


def pairings(queue: Iterable[Waiting], present: Container[int]) -> Iterator[tuple[int, int]]:
    """(user, wizard) of all possible pairs, first come, first served.

    Only people whose page is open (`present`) are paired.
    """
    waiting = sorted(
        (each for each in queue if each.worker in present), key=lambda each: each.since
    )
    users = (each.worker for each in waiting if each.role is Role.USER)
    wizards = (each.worker for each in waiting if each.role is Role.WIZARD)
    yield from zip(users, wizards, strict=False)


def counts(queue: Iterable[Waiting], present: Container[int]) -> WaitingCounts:
    roles = [each.role for each in queue if each.worker in present]
    return WaitingCounts(roles.count(Role.USER), roles.count(Role.WIZARD))


PAUSE: Final = 600.0
"""Seconds."""


class Status(StrEnum):
    """The state of a room."""

    OPEN = "open"
    FINISHED = "finished"
    """The dialogue was completed."""
    CLOSED = "closed"
    """The dialogue ended early."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One side of a room."""

    worker: int | None
    """None: a machine."""
    absent_since: float | None = None
    gone_at: float | None = None
    """When the seat counts as gone; a stored deadline."""
    gone: bool = False
    left: bool = False
    turns: int = 0
    """Number of turns of the present worker."""
    hints: int = 0
    """Number of hints that the worker confirmed."""
    seconds: float = 0
    """Time spent on turns; one turn counts at most PAUSE."""

    @property
    def is_machine(self) -> bool:
        return self.worker is None

    @property
    def is_lost(self) -> bool:
        return self.gone or self.left


@dataclass(frozen=True, slots=True)
class RoomQuery:
    """One search of the wizard: tab, number of results, selected results."""

    domain: str
    slots: Slots
    count: int
    selected: tuple[str, ...] = ()
    suggested: tuple[str, ...] = ()
    """Fields taken over from what the page offered."""
    unlisted: tuple[str, ...] = ()
    """Fields that hold no word of the tables, on purpose."""


@dataclass(frozen=True, slots=True)
class TurnPace:
    """How a turn came about."""

    seconds: float
    """Since the turn before, at most PAUSE."""
    shown: tuple[str, ...] = ()
    """Codes of the hints that were shown before it was sent."""
    overridden: tuple[str, ...] = ()
    """Codes of the hints that were insisted on."""


@dataclass(frozen=True, slots=True)
class Room:
    """The state of a room after its last event."""

    goal_id: str
    goal: Goal
    world: str
    language: str
    seats: tuple[Seat, Seat]
    """User, wizard."""
    conversation: Conversation
    cells: Tuples
    """The goal's tuples as filled in and expressed so far."""
    form: SystemState
    """The wizard's form, including selected results."""
    at_start: SystemState
    """The form at the start of the wizard's turn, carried over from the previous one."""
    grace: float
    queries: tuple[RoomQuery, ...] = ()
    """Searches of the current turn, in order."""
    all_queries: tuple[tuple[RoomQuery, ...], ...] = ()
    """Searches of each previous turn of the wizard."""
    acted: tuple[Extras, ...] = ()
    """Calls of actions so far, refused ones included."""
    answered_acted: int = 0
    """How many of them belong to turns that are over."""
    ticks: tuple[tuple[int, ...], ...] = ()
    """Ticked cells of each turn of the user; a cell may be ticked again."""
    unlisted: frozenset[int] = frozenset()
    """Cells that hold something which is no word of their field."""
    all_unlisted: tuple[tuple[int, ...], ...] = ()
    """The same, as of each turn of the user."""
    paces: tuple[TurnPace, ...] = ()
    """Of each turn."""
    shown: tuple[str, ...] = ()
    """Codes of the hints shown in the current turn."""
    machine_turns: frozenset[int] = frozenset()
    """Positions of turns by a machine."""
    replaced: tuple[tuple[Role, Seat], ...] = ()
    """Seats of people whom a machine has replaced."""
    reports: tuple[str, ...] = ()
    closed: bool = False
    review: str = "pending"
    note: str = ""
    note_for: Role | None = None
    """The side that the note is for; None: both."""
    reason: str = ""
    """Why it was returned."""
    reviewer: int | None = None
    seq: int = 0
    opened_at: float = 0
    changed_at: float = 0
    spoken_at: float = 0
    """Start of the current turn."""

    def seat(self, role: Role) -> Seat:
        return self.seats[0] if role is Role.USER else self.seats[1]

    def role_of(self, worker: int) -> Role | None:
        return next((role for role in Role if self.seat(role).worker == worker), None)

    @property
    def status(self) -> Status:
        if self.closed:
            return Status.CLOSED
        return Status.FINISHED if self.conversation.ending else Status.OPEN

    @property
    def next_role(self) -> Role | None:
        speaker = self.conversation.next_speaker
        return role_of(speaker) if speaker and not self.closed else None

    @property
    def deadline(self) -> float | None:
        """The next deadline of a seat; None if there is none."""
        if self.status is not Status.OPEN:
            return None
        return min((seat.gone_at for seat in self.seats if seat.gone_at), default=None)

    @property
    def first_query(self) -> SystemState:
        """The carried form with the first search of each domain in this turn, if there is any."""
        form = _without_ticks(self.at_start) if self.queries else self.at_start
        for query in reversed(self.queries):
            form = form.with_domain(DomainState(query.domain, query.slots, query.selected))
        return form

    def first_search(self, domain: str) -> RoomQuery | None:
        """What was searched for first in a domain in this turn."""
        return next((each for each in self.queries if each.domain == domain), None)

    @property
    def last_query(self) -> SystemState:
        """The form on which the answer is based."""
        return self.form


def replay(events: Iterable[Recorded], room: Room | None = None) -> Room:
    """The room after these events; `room` is its state before them, if any."""
    for recorded in events:
        room = apply(room, recorded)
    if room is None:
        raise ValueError("a room begins with being opened")
    return room


def apply(room: Room | None, recorded: Recorded) -> Room:
    event, at = recorded.event, recorded.at
    if isinstance(event, Opened):
        changed = _opened(event, at)
    elif room is None:
        raise ValueError(f"a room begins with being opened, not with {event.kind}")
    else:
        changed = _changed(room, event, at)
    return replace(changed, seq=recorded.seq, changed_at=at)


def _opened(event: Opened, at: float) -> Room:
    return Room(
        goal_id=event.goal_id,
        goal=event.goal,
        world=event.world,
        language=event.language,
        seats=(Seat(event.user), Seat(event.wizard)),
        conversation=Conversation(exchanges=event.exchanges),
        cells=event.goal.tuples,
        form=event.form,
        at_start=event.form,
        grace=event.grace,
        opened_at=at,
        spoken_at=at,
    )


def _changed(room: Room, event: Event, at: float) -> Room:
    match event:
        case Connected() | Disconnected() | Gone() | Left() | Waited() | Replaced():
            return _presence(room, event, at)
        case Filled():
            cells = filled(room.goal.tuples, room.cells, event)
            others = room.unlisted - {event.cell}
            unlisted = others | {event.cell} if event.unlisted else others
            return replace(room, cells=cells, unlisted=unlisted)
        case Said():
            return _said(room, event, at)
        case Hinted():
            return replace(room, shown=(*room.shown, *event.codes))
        case Queried():
            return _queried(room, event)
        case Selected():
            return _selected(room, event)
        case Acted():
            return replace(room, acted=(*room.acted, event.record))
        case Answered():
            return _answered(room, event, at)
        case Reported():
            return replace(room, reports=(*room.reports, event.text))
        case Closed():
            ended = room.conversation.end(Ending.ABORTED)
            return replace(room, closed=True, conversation=ended, note=event.note or room.note)
        case Reviewed():
            return _reviewed(room, event)
        case Opened():
            raise ValueError("a room is opened once")


def _reviewed(room: Room, event: Reviewed) -> Room:
    return replace(
        room,
        review=event.decision,
        note=event.note,
        note_for=event.note_for,
        reason=event.reason,
        reviewer=event.by,
    )


def _presence(
    room: Room, event: Connected | Disconnected | Gone | Left | Waited | Replaced, at: float
) -> Room:
    seat = room.seat(event.role)
    match event:
        case Connected():
            back = replace(seat, absent_since=None, gone_at=None, gone=False)
            return _with_seat(room, event.role, back)
        case Disconnected():
            away = replace(seat, absent_since=at, gone_at=at + room.grace)
            return _with_seat(room, event.role, away)
        case Gone():
            return _with_seat(room, event.role, replace(seat, gone=True, gone_at=None))
        case Left():
            left = replace(seat, left=True, absent_since=at, gone_at=None)
            return _with_seat(room, event.role, left)
        case Waited():
            again = replace(seat, gone=False, gone_at=at + room.grace)
            return _with_seat(room, event.role, again)
        case Replaced():
            before = (*room.replaced, (event.role, seat))
            return replace(_with_seat(room, event.role, Seat(None)), replaced=before)


def _with_seat(room: Room, role: Role, seat: Seat) -> Room:
    user, wizard = room.seats
    return replace(room, seats=(seat, wizard) if role is Role.USER else (user, seat))


def filled(goal: Tuples, cells: Tuples, event: Filled) -> Tuples:
    """The cells after one was filled in; an empty value restores that of the goal."""
    wanted = goal[event.cell].value
    nothing: Value = () if isinstance(wanted, tuple) else ""
    value = nothing if event.dropped else event.value or wanted
    written = cells[event.cell].filled(value)
    return (*cells[: event.cell], written, *cells[event.cell + 1 :])


def _said(room: Room, event: Said, at: float) -> Room:
    cells = tuple(
        each.said() if number in event.ticks else each for number, each in enumerate(room.cells)
    )
    turn = Turn(Speaker.USER, event.text, event.acts, user_state=cells, extras=event.extras)
    spoken = _spoken(room, Role.USER, event.hints, at)
    after = _with_turn(spoken, Role.USER, turn, done=event.done)
    return replace(
        after,
        cells=cells,
        at_start=room.form,
        ticks=(*room.ticks, event.ticks),
        all_unlisted=(*room.all_unlisted, tuple(sorted(room.unlisted))),
    )


def _with_turn(room: Room, role: Role, turn: Turn, *, done: bool = False) -> Room:
    number = len(room.conversation.turns)
    machines = {number} if room.seat(role).is_machine else set[int]()
    talk = room.conversation.say(turn, done=done)
    return replace(room, conversation=talk, machine_turns=room.machine_turns | machines)


def _spoken(room: Room, role: Role, hints: tuple[Hint, ...], at: float) -> Room:
    """The room with one more turn, its hints and its time credited to the seat."""
    seat, took = room.seat(role), min(max(at - room.spoken_at, 0), PAUSE)
    credited = replace(
        seat, turns=seat.turns + 1, hints=seat.hints + len(hints), seconds=seat.seconds + took
    )
    pace = TurnPace(took, room.shown, tuple(hint.code for hint in hints))
    after = _with_seat(room, role, credited)
    return replace(after, spoken_at=at, paces=(*room.paces, pace), shown=())


def _queried(room: Room, event: Queried) -> Room:
    """The room after a search; the first search of a turn drops the previous selections."""
    form = room.form if room.queries else _without_ticks(room.form)
    queries = _amended(room.queries, event)
    query = RoomQuery(
        event.domain,
        event.slots,
        event.count,
        suggested=event.suggested,
        unlisted=event.unlisted,
    )
    return replace(
        room,
        form=form.with_domain(DomainState(event.domain, event.slots)),
        queries=(*queries, query),
    )


def _amended(queries: tuple[RoomQuery, ...], event: Queried) -> tuple[RoomQuery, ...]:
    """The searches so far with the domain's first one amended; the latest of all is replaced."""
    first = next((at for at, each in enumerate(queries) if each.domain == event.domain), None)
    if event.first is None or first is None:
        return queries
    before, later = queries[:first], queries[first + 1 :]
    amended = replace(queries[first], slots=event.first, count=event.first_count)
    return (*before, amended, *later) if later else before


def _selected(room: Room, event: Selected) -> Room:
    form = room.form.with_domain(replace(room.form.get(event.domain), selected=event.names))
    queries = list(room.queries)
    for number in range(len(queries) - 1, -1, -1):
        if queries[number].domain == event.domain:
            queries[number] = replace(queries[number], selected=event.names)
            break
    return replace(room, form=form, queries=tuple(queries))


def _answered(room: Room, event: Answered, at: float) -> Room:
    called = [dict(record) for record in room.acted[room.answered_acted :]]
    own = event.extras.get(ACTIONS, ())  # a machine's turn says what it did
    turn = Turn(
        Speaker.SYSTEM,
        event.text,
        event.acts,
        first_query=room.first_query,
        last_query=room.last_query,
        extras={**event.extras, ACTIONS: [*called, *own]} if called else event.extras,
    )
    spoken = _spoken(room, Role.WIZARD, event.hints, at)
    after = _with_turn(spoken, Role.WIZARD, turn)
    past = (*room.all_queries, room.queries)
    acted = (*room.acted, *own)
    return replace(
        after,
        queries=(),
        all_queries=past,
        at_start=room.form,
        acted=acted,
        answered_acted=len(acted),
    )


def _without_ticks(form: SystemState) -> SystemState:
    return SystemState(tuple(replace(tab, selected=()) if tab.selected else tab for tab in form))


def is_wish(wanted: SemanticTuple) -> bool:
    """Whether a tuple of the goal says what is wanted, and not by reference to another part."""
    return not wanted.is_open and not isinstance(wanted.value, Reference)


def dropped_cells(room: Room) -> frozenset[int]:
    """Positions of the wishes that the user has given up."""
    pairs = enumerate(zip(room.goal.tuples, room.cells, strict=True))
    return frozenset(at for at, (wanted, each) in pairs if is_wish(wanted) and each.is_open)


def empty_cells(room: Room) -> tuple[int, ...]:
    """Positions of cells without a value: open questions and references not resolved yet."""
    dropped = dropped_cells(room)
    return tuple(at for at, each in enumerate(room.cells) if _wants(each) and at not in dropped)


def _wants(each: SemanticTuple) -> bool:
    return not isinstance(each.value, str | tuple) or each.is_open
