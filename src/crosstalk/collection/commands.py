"""Commands in a room, and the events they lead to.

    events = decide(context, room, Role.USER, Say("Hello", ticks=(0,)))

A command that cannot be carried out raises a Rejection and leads to no event. Connections, passed
deadlines (`overdue`) and the replies of machines (`events_of`) become events here, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from crosstalk.collection.closed_fields import NO_SUCH_WORD, closed_tab, unlisted_fields, with_news
from crosstalk.collection.events import (
    Answered,
    Closed,
    Connected,
    Disconnected,
    Event,
    Filled,
    Gone,
    Hint,
    Left,
    Queried,
    Recorded,
    Replaced,
    Reported,
    Role,
    Said,
    Selected,
    Waited,
)
from crosstalk.collection.room_actions import done_by_machine, performed
from crosstalk.collection.rooms import Room, Status, apply, dropped_cells, is_wish
from crosstalk.collection.turn_checks import fill_hints, missing, user_hints, wizard_hints
from crosstalk.collection.user_table import doubts, unlisted_values, written_cell
from crosstalk.collection.wizard_form import is_sound, written_tab
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.dialogues import ACTIONS, Speaker, Turn
from crosstalk.dialogue.goals import Reference
from crosstalk.dialogue.participants import Reply
from crosstalk.dialogue.states import SystemState
from crosstalk.errors import Rejection

LONGEST_TEXT: Final = 2000
"""Characters of an utterance; the longest in CrossWOZ val has 271."""

MOST_SEARCHES: Final = 100
"""Recorded searches of a turn."""
DRAFT: Final = "draft"
"""In the extras of a wizard's turn: the drafted answer that it began with."""
MOST_EVENTS: Final = 5000
"""Events of a room; then it can only be talked to its end, or left."""


class HintedRejection(Rejection):
    """A turn that was rejected because of hints; sent again with `sure`, most are accepted."""

    def __init__(self, code: str, message: str, hints: tuple[Hint, ...]) -> None:
        super().__init__(code, message)
        self.hints = hints


Short = Annotated[str, Field(max_length=200)]
Text = Annotated[str, Field(max_length=8000)]
FieldText = Annotated[str, Field(max_length=2000)]
FieldTexts = Annotated[list[FieldText], Field(max_length=50)]
CellNumber = Annotated[int, Field(strict=True, ge=0, le=999)]
Flag = Annotated[bool, Field(strict=True)]
Bound = Annotated[int, Field(ge=0, lt=10**9)] | Annotated[float, Field(ge=0, lt=1e9)] | None


@with_config(ConfigDict(extra="forbid", strict=True))
class NumberRange(TypedDict, total=False):
    """A range of numbers; an end that is missing or None is open."""

    low: Bound
    high: Bound


FormFields = Annotated[dict[Short, FieldText | FieldTexts | NumberRange], Field(max_length=50)]
"""Slot -> value of one tab of the wizard's form. The limits above bound what clients may send; a
command made in Python is not checked against them."""


@dataclass(frozen=True)
class Say:
    text: Text
    ticks: Annotated[tuple[CellNumber, ...], Field(max_length=200)] = ()
    done: Flag = False
    sure: Flag = False
    draft: Text = ""
    """The drafted answer that the wizard took over before editing it."""


@dataclass(frozen=True)
class Fill:
    cell: CellNumber
    value: FieldText | FieldTexts
    sure: Flag = False
    dropped: Flag = False
    """Give up the wish of this cell; the value is empty."""


@dataclass(frozen=True)
class Search:
    domain: Short
    slots: FormFields
    suggested: Annotated[tuple[Short, ...], Field(max_length=50)] = ()
    """Fields that were taken over from what the page offered."""
    unlisted: Annotated[tuple[Short, ...], Field(max_length=50)] = ()
    """Closed fields that are searched for as typed, although no table knows the word."""
    amends: Flag = False
    """What is new in the form was forgotten in the turn's first search of that domain."""


@dataclass(frozen=True)
class Select:
    domain: Short
    names: Annotated[tuple[FieldText, ...], Field(max_length=50)]


@dataclass(frozen=True)
class Perform:
    action: Short
    arguments: Annotated[dict[Short, Short], Field(max_length=20)]


@dataclass(frozen=True)
class Choose:
    choice: Literal["wait", "requeue", "machine"]


@dataclass(frozen=True)
class Report:
    text: Text


@dataclass(frozen=True)
class Leave:
    text: Text = ""


Command = Say | Fill | Search | Select | Perform | Choose | Report | Leave


def decide(context: WorldContext, room: Room, role: Role, command: Command) -> tuple[Event, ...]:
    if isinstance(command, Report):
        if room.seq >= MOST_EVENTS:
            raise Rejection("too_many", "too much has happened in this room")
        return (Reported(role, _text(command.text)),)
    if room.status is not Status.OPEN:
        raise Rejection("over", "this dialogue is over")
    if room.seat(role).left:
        raise Rejection("not_yours", "you have left this room")
    if room.seq >= MOST_EVENTS and not isinstance(command, Say | Choose | Leave):
        raise Rejection("too_many", "too much has happened in this room; please come to an end")
    match command:
        case Say():
            return _say(context, room, role, command)
        case Fill():
            return _fill(context, room, role, command)
        case Search():
            return _search(context, room, role, command)
        case Select():
            return _select(context, room, role, command)
        case Perform():
            _needs(role, Role.WIZARD)
            _needs_turn(room, role)
            return (performed(context, room, command.action, command.arguments),)
        case Choose():
            return _choose(room, role, command)
        case Leave():
            return _leave(room, role, command)


def _text(text: str, *, longest: int = LONGEST_TEXT) -> str:
    plain = text.strip()
    if not plain:
        raise Rejection("empty_text", "there is no text")
    if len(plain) > longest:
        raise Rejection("too_long", f"a text has at most {longest:,} characters")
    if not is_sound(plain.replace("\n", "").replace("\t", "")):
        raise Rejection("bad_value", "the text holds characters that are no text")
    return plain


def _needs(role: Role, wanted: Role) -> None:
    if role is not wanted:
        raise Rejection("not_your_role", f"only the {wanted} does this")


def _needs_turn(room: Room, role: Role) -> None:
    if room.next_role is not role:
        raise Rejection("not_your_turn", f"it is the {room.next_role}'s turn")


def _say(context: WorldContext, room: Room, role: Role, command: Say) -> tuple[Event, ...]:
    _needs_turn(room, role)
    text = _text(command.text)
    if role is Role.WIZARD:
        if command.ticks or command.done:
            raise Rejection("not_your_role", "only the user ticks, and says that all is settled")
        doubted = wizard_hints(context, room, text)
        _confirmed(doubted, command.sure)
        return (Answered(text, doubted, extras={DRAFT: command.draft} if command.draft else {}),)
    ticks = tuple(sorted(set(command.ticks)))
    if any(not 0 <= tick < len(room.cells) for tick in ticks):
        raise Rejection("unknown_cell", f"there are {len(room.cells)} cells")
    if given_up := dropped_cells(room).intersection(ticks):
        slot = room.cells[min(given_up)].slot
        raise Rejection("unknown_cell", f"{slot} was dropped: no act says so, and it has no tick")
    if command.draft:
        raise Rejection("not_your_role", "only the wizard's answers are drafted")
    if command.done and (empty := missing(room)):
        raise HintedRejection("cells_empty", "some cells are not filled in yet", empty)
    doubted = user_hints(context, room, text, ticks, command.done)
    _confirmed(doubted, command.sure)
    return (Said(text, ticks, command.done, doubted),)


def _confirmed(hints: tuple[Hint, ...], sure: bool) -> None:
    if hints and not sure:
        raise HintedRejection("hints", "please look again, or confirm", hints)


def _fill(context: WorldContext, room: Room, role: Role, command: Fill) -> tuple[Event, ...]:
    _needs(role, Role.USER)
    if command.dropped:
        return (_dropped(room, command.cell),)
    value = written_cell(context, room, command.cell, command.value)
    doubted = doubts(context, room, command.cell, value) or fill_hints(
        context, room, command.cell, value
    )
    _confirmed(doubted, command.sure)
    unlisted = bool(unlisted_values(context, room, command.cell, value))
    return (Filled(command.cell, value, doubted, unlisted=unlisted),)


def _dropped(room: Room, cell: int) -> Filled:
    if not 0 <= cell < len(room.cells):
        raise Rejection("unknown_cell", f"there is no cell {cell}")
    if not is_wish(room.goal.tuples[cell]):
        raise Rejection("bad_value", f"{room.cells[cell].slot} is no wish that can be dropped")
    return Filled(cell, "", dropped=True)


def _search(context: WorldContext, room: Room, role: Role, command: Search) -> tuple[Event, ...]:
    _needs(role, Role.WIZARD)
    _needs_turn(room, role)
    if len(room.queries) >= MOST_SEARCHES:
        raise Rejection("too_many", f"a turn has at most {MOST_SEARCHES} searches; please answer")
    typed = written_tab(context, command.domain, command.slots)
    slots, wrong, unlisted = closed_tab(context, command.domain, typed, command.unlisted)
    if wrong:
        raise HintedRejection(NO_SUCH_WORD, wrong[0].message, wrong)
    found = context.search(command.domain, slots)
    suggested = tuple(sorted(set(command.suggested) & {slot for slot, value in slots if value}))
    event = Queried(command.domain, slots, len(found.rows), suggested, unlisted)
    forgot = room.first_search(command.domain) if command.amends else None
    if forgot is None:
        return (event,)
    tab = room.form.get(command.domain)
    first = with_news(context, tab.domain, forgot.slots, tab.slots, slots)
    amended = replace(event, first=first, first_count=len(context.search(tab.domain, first).rows))
    kept = tuple(name for name in tab.selected if name in found.names)
    return (amended, Selected(command.domain, kept)) if kept else (amended,)


def _select(context: WorldContext, room: Room, role: Role, command: Select) -> tuple[Event, ...]:
    """Only current results of the form can be selected."""
    _needs(role, Role.WIZARD)
    _needs_turn(room, role)
    if context.domain(command.domain) is None:
        raise Rejection("unknown_domain", f"there is no domain {command.domain!r}")
    chosen = tuple(dict.fromkeys(command.names))
    found = context.search(command.domain, room.form.get(command.domain).slots).names
    if unknown := [name for name in chosen if name not in found]:
        raise Rejection("not_in_results", f"{unknown[0]!r} is not among the results")
    return (Selected(command.domain, chosen),)


def _choose(room: Room, role: Role, command: Choose) -> tuple[Event, ...]:
    partner = room.seat(role.other)
    if not partner.is_lost:
        raise Rejection("nothing_to_choose", "your partner has not gone")
    if command.choice == "wait":
        if partner.left:
            raise Rejection("nothing_to_choose", "your partner has left and will not come back")
        return (Waited(role.other),)
    if command.choice == "machine":
        return (Replaced(role.other),)
    return (Closed(f"{role.other} gone"),)


def _leave(room: Room, role: Role, command: Leave) -> tuple[Event, ...]:
    text = command.text.strip()[:LONGEST_TEXT]
    left = Left(role, text if is_sound(text.replace("\n", "")) else "")
    partner = room.seat(role.other)
    if partner.is_machine or partner.is_lost:
        return (left, Closed(f"{role} left"))
    return (left,)


def connected(room: Room, role: Role) -> tuple[Event, ...]:
    """A person is back; no event if they were not away or have left."""
    seat = room.seat(role)
    if room.status is not Status.OPEN or seat.left or seat.is_machine:
        return ()
    return (Connected(role),) if seat.absent_since is not None else ()


def disconnected(room: Room, role: Role) -> tuple[Event, ...]:
    seat = room.seat(role)
    if room.status is not Status.OPEN or seat.is_machine or seat.absent_since is not None:
        return ()
    return (Disconnected(role),)


def overdue(room: Room, now: float) -> tuple[Event, ...]:
    """Events of deadlines that have passed: a seat is gone; the room closes if nobody is left."""
    events: list[Event] = []
    for role in Role:
        deadline = room.seat(role).gone_at
        if room.status is Status.OPEN and deadline is not None and deadline <= now:
            events.append(Gone(role))
            room = apply(room, Recorded(room.seq + 1, now, events[-1]))
    if events and all(seat.is_lost or seat.is_machine for seat in room.seats):
        events.append(Closed("nobody is left"))
    return tuple(events)


def events_of(context: WorldContext, room: Room, reply: Reply) -> tuple[Event, ...]:
    """The events of a machine's reply: those that a person's turn would have led to."""
    if reply.turn.speaker is Speaker.USER:
        return tuple(_user_events(context, room, reply))
    return tuple(_wizard_events(context, room, reply.turn))


def _user_events(context: WorldContext, room: Room, reply: Reply) -> Iterator[Event]:
    state = reply.turn.user_state or room.cells
    said = {(act.domain, act.slot) for act in reply.turn.acts}
    ticks = []
    for number, (before, after) in enumerate(zip(room.cells, state, strict=True)):
        if after.value != before.value and not isinstance(after.value, Reference):
            dropped = after.is_open and is_wish(room.goal.tuples[number])
            unlisted = bool(unlisted_values(context, room, number, after.value))
            yield Filled(number, after.value, dropped=dropped, unlisted=unlisted)
        again = after.is_open and (after.domain, after.slot) in said
        if after.expressed and (again or not before.expressed):
            ticks.append(number)
    turn = reply.turn
    yield Said(turn.text, tuple(ticks), reply.done, acts=turn.acts, extras=turn.extras)


def _wizard_events(context: WorldContext, room: Room, turn: Turn) -> Iterator[Event]:
    before = room.form
    for form in (turn.first_query, turn.last_query):
        if form is not None:
            yield from _query_events(context, before, form)
            before = form
    if turn.last_query is not None:
        yield from _selection_events(room, turn.last_query)
    extras = dict(turn.extras)
    if acted := list(done_by_machine(context, turn)):
        del extras[ACTIONS]  # calls of a room have events of their own
        yield from acted
    yield Answered(turn.text, acts=turn.acts, extras=extras)


def _query_events(context: WorldContext, before: SystemState, form: SystemState) -> Iterator[Event]:
    for tab in form:
        if tab.slots != before.get(tab.domain).slots:
            found = len(context.search(tab.domain, tab.slots).rows)
            unlisted = unlisted_fields(context, tab.domain, tab.slots)
            yield Queried(tab.domain, tab.slots, found, unlisted=unlisted)


def _selection_events(room: Room, form: SystemState) -> Iterator[Event]:
    for tab in form:
        if tab.selected or room.form.get(tab.domain).selected:
            yield Selected(tab.domain, tab.selected)
