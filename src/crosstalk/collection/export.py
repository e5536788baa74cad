"""Rooms as dialogues, as collected or as an expert has annotated them again.

    dialogue_of(12, room)
    annotated_dialogue(context, 12, room, annotation)

Dialogues have the structure of CrossWOZ; everything beyond it is in their extras. An expert sees
only texts and goal, and gives for each turn what the two sides would have given: ticks and values
of the user's table, or the wizard's first and last form with the selected results.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from crosstalk.collection.events import Role, Slots
from crosstalk.collection.rooms import Room, RoomQuery, TurnPace
from crosstalk.collection.user_table import written_cell
from crosstalk.collection.wizard_form import clean_all, written_tab
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Tuples
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.errors import Rejection

MACHINE: Final = "machine"
"""In place of a worker's id for machines; also the name of the extra that marks their turns."""
EXTRAS: Final = "collection"
IMPORTED: Final = "imported/"
"""How ids of goals of dialogues begin that were brought in from elsewhere."""


def dialogue_of(number: int, room: Room) -> Dialogue:
    """The dialogue of a room, finished or not."""
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
    """The worker with the most turns in that role."""
    seats = [seat for before, seat in room.replaced if before is role]
    seats.append(room.seat(role))
    best = max(seats, key=lambda seat: seat.turns)
    return MACHINE if best.worker is None else best.worker


def _extras(room: Room) -> dict[str, Any]:
    """Machine turns, reports, notes, and how long each turn took."""
    found: dict[str, Any] = {}
    if room.goal_id.startswith(IMPORTED):
        found["imported"] = room.goal_id.removeprefix(IMPORTED)
    elif room.machine_turns:
        speakers = {room.conversation.turns[number].speaker for number in room.machine_turns}
        found["machine"] = sorted(speakers)
    if room.reports:
        found["reports"] = list(room.reports)
    if room.note:
        found["note"] = room.note
    if any(pace.seconds or pace.shown for pace in room.paces):
        found["turns"] = [
            {} if number in room.machine_turns else _pace(pace)
            for number, pace in enumerate(room.paces)
        ]
    return {EXTRAS: found} if found else {}


def _turns(room: Room) -> Iterator[Turn]:
    """The turns with their ticks, searches, and fields that were suggested or no word."""
    queries, ticks, cells = iter(room.all_queries), iter(room.ticks), iter(room.all_unlisted)
    for number, turn in enumerate(room.conversation.turns):
        extras: dict[str, Any] = {}
        if number in room.machine_turns and not room.goal_id.startswith(IMPORTED):
            extras["machine"] = True
        if turn.speaker is Speaker.USER:
            turn = replace(turn, ticks=next(ticks, ()))
            if written := [_cell_key(room, cell) for cell in next(cells, ())]:
                extras["unlisted"] = written
        asked = next(queries, ()) if turn.speaker is Speaker.SYSTEM else ()
        if len(asked) > 1:
            extras["queries"] = [_query(query) for query in asked]
        if suggested := [f"{each.domain}-{slot}" for each in asked for slot in each.suggested]:
            extras["suggested"] = suggested
        if unlisted := [f"{each.domain}-{slot}" for each in asked for slot in each.unlisted]:
            extras["unlisted"] = unlisted
        yield replace(turn, extras={**turn.extras, EXTRAS: extras}) if extras else turn


def _cell_key(room: Room, cell: int) -> str:
    each = room.cells[cell]
    return f"{each.subgoal}-{each.domain}-{each.slot}"


def _pace(pace: TurnPace) -> dict[str, Any]:
    """Seconds a person took for a turn, and the hints that came up."""
    found: dict[str, Any] = {"seconds": round(pace.seconds, 1)}
    if pace.shown:
        found["hints_shown"] = list(pace.shown)
    if pace.overridden:
        found["hints_overridden"] = list(pace.overridden)
    return found


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
    """The text, prefixed with `'` where a spreadsheet would take it for a formula."""
    return f"'{text}" if text.startswith(_RISKY) else text


def table_rows(dialogue: Dialogue) -> Iterator[list[str]]:
    """One row per turn, safe to open in a spreadsheet."""
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


Form = Mapping[str, Mapping[str, Any]]
"""Domain -> slot -> value, as a page sends it."""


@dataclass(frozen=True, slots=True)
class TurnAnnotation:
    """An expert's annotation of one turn; only the fields of its speaker count."""

    ticks: tuple[int, ...] = ()
    values: Mapping[int, Any] = field(default_factory=dict)
    dropped: tuple[int, ...] = ()
    """Rows of wishes that the user has given up."""
    first: Form | None = None
    """None: nothing was searched for, the form is as before."""
    last: Form | None = None
    """None: there was one search only."""
    selected: Mapping[str, Sequence[str]] | None = None
    """None: as before."""


def annotated_dialogue(
    context: WorldContext, number: int, room: Room, opinion: Sequence[TurnAnnotation]
) -> Dialogue:
    """The dialogue of a room with the states of an expert's annotation."""
    dialogue = dialogue_of(number, room)
    if len(opinion) > len(dialogue.turns):
        raise Rejection("bad_value", f"there are {len(dialogue.turns)} turns")
    turns, cells, form = list[Turn](), room.goal.tuples, _blank_form(context)
    for place, spoken in enumerate(dialogue.turns):
        turn = Turn(spoken.speaker, spoken.text)
        said = opinion[place] if place < len(opinion) else TurnAnnotation()
        if turn.speaker is Speaker.USER:
            cells = _annotated_cells(context, room, cells, said)
            turns.append(replace(turn, user_state=cells))
        else:
            turns.append(_annotated_turn(context, turn, said, form))
            form = turns[-1].last_query or form
    return Dialogue(
        id=dialogue.id,
        turns=tuple(turns),
        goal=room.goal,
        final_goal=cells,
        language=room.language,
        world=room.world,
    )


def _annotated_cells(
    context: WorldContext, room: Room, before: Tuples, said: TurnAnnotation
) -> Tuples:
    cells = list(before)
    for number, value in said.values.items():
        written = written_cell(context, room, number, value)
        cells[number] = cells[number].filled(written or room.goal.tuples[number].value)
    for number in (*said.ticks, *said.dropped):
        if not 0 <= number < len(cells):
            raise Rejection("unknown_cell", f"there is no cell {number}")
    for number in said.dropped:
        nothing = () if isinstance(room.goal.tuples[number].value, tuple) else ""
        cells[number] = cells[number].filled(nothing)
    for number in said.ticks:
        cells[number] = cells[number].said()
    return tuple(cells)


def _annotated_turn(
    context: WorldContext, turn: Turn, said: TurnAnnotation, before: SystemState
) -> Turn:
    """The forms of a turn; what was not searched for or selected anew is as before."""
    last_form = said.first if said.last is None else said.last
    first = before if said.first is None else _annotated_form(context, said.first)
    last = before if last_form is None else _annotated_form(context, last_form)
    chosen = said.selected
    if chosen is None:
        chosen = {tab.domain: tab.selected for tab in before} if said.first is None else {}
    last = _with_selected(context, last, chosen)
    return replace(turn, first_query=last if said.last is None else first, last_query=last)


def _blank_form(context: WorldContext) -> SystemState:
    return _annotated_form(context, {})


def _annotated_form(context: WorldContext, form: Form) -> SystemState:
    _refuse_unknown(context, form)
    return SystemState(
        tuple(
            DomainState(domain.key, written_tab(context, domain.key, form.get(domain.key, {})))
            for domain in context.world.schema
        )
    )


def _with_selected(
    context: WorldContext, form: SystemState, selected: Mapping[str, Sequence[str]]
) -> SystemState:
    _refuse_unknown(context, selected)
    return SystemState(
        tuple(replace(tab, selected=clean_all(list(selected.get(tab.domain, ())))) for tab in form)
    )


def _refuse_unknown(context: WorldContext, domains: Iterable[str]) -> None:
    for key in domains:
        if context.domain(key) is None:
            raise Rejection("unknown_domain", f"there is no domain {key!r}")
