"""What annotators do in a dialogue: tick and fill in rows, search, select results.

    both = Tracks.of(left, right)
    for subject in both.subjects: both.track(0, subject)

States are carried on from turn to turn, so one operation shows in every state after it. A track is
the value of one thing (a row's tick, a field) along the dialogue; an operation is a place at which
a track changes. A state that was not annotated is the one before, carried on.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.goals import SemanticTuple, Tuples
from crosstalk.dialogue.states import SlotValue, SystemState


class OperationKind(StrEnum):
    """What kind of thing is done."""

    TICK = "tick"
    """User: a row of the table is ticked as said."""
    FILL = "fill"
    """User: a value is written into a row."""
    SEARCH = "search"
    """Wizard: a field of the form is filled in, in the first or the last search of a turn."""
    SELECT = "select"
    """Wizard: a result is selected."""
    ACT = "act"
    """Where acts are somebody's annotation and not derived: values of intent, domain and slot."""


class Search(StrEnum):
    """Which search of a turn."""

    FIRST = "first"
    LAST = "last"


ORDER: Final = "order by"
"""In place of a slot: by which slot results are ranked."""


@dataclass(frozen=True, slots=True, order=True)
class Subject:
    """What an operation changes."""

    kind: OperationKind
    cell: tuple[str, ...]
    """Tick, fill: number of the row, from 1. Search: domain, slot. Select: domain, name."""


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A moment of a dialogue at which a state can change."""

    turn: int
    """From 1, as in messages to people."""
    search: str = ""
    """Forms: the first or the last search of the turn."""


TrackValue = bool | SemanticTuple | SlotValue | None
"""Ticks and selections: yes or no; rows: without their tick, None if there is none; fields."""


@dataclass(frozen=True, slots=True)
class Positions:
    """The positions of the user's tables and of the wizard's forms."""

    tables: tuple[Position, ...]
    forms: tuple[Position, ...]
    lasts: tuple[Position, ...]
    """Selections are compared as they stand after the last search."""

    def of(self, kind: OperationKind) -> tuple[Position, ...]:
        """The positions of tracks of this kind."""
        if kind in (OperationKind.TICK, OperationKind.FILL):
            return self.tables
        return self.forms if kind is OperationKind.SEARCH else self.lasts


def positions(*versions: Dialogue) -> Positions:
    """The turns for which any of the versions has states."""
    by_turn = list(enumerate(zip(*(version.turns for version in versions), strict=True), start=1))
    tables = [n for n, turns in by_turn if any(turn.user_state is not None for turn in turns)]
    forms = [
        n for n, turns in by_turn if any(turn.first_query or turn.last_query for turn in turns)
    ]
    return Positions(
        tuple(map(Position, tables)),
        tuple(Position(n, search) for n in forms for search in Search),
        tuple(Position(n, Search.LAST) for n in forms),
    )


def table_before(*versions: Dialogue) -> Tuples:
    """The user's table before the first turn: the goal, else the first table without its ticks."""
    for version in versions:
        if version.goal:
            return version.goal.tuples
    tables = (turn.user_state for version in versions for turn in version.turns if turn.user_state)
    return tuple(replace(each, expressed=False) for each in next(tables, ()))


def tables_of(dialogue: Dialogue, at: Positions, before: Tuples) -> list[Tuples]:
    """The user's table at each position."""
    found: list[Tuples] = []
    for position in at.tables:
        given = dialogue.turns[position.turn - 1].user_state
        before = before if given is None else given
        found.append(before)
    return found


def forms_of(dialogue: Dialogue, at: Positions) -> list[SystemState]:
    """The wizard's form at each position; one that lacks a search has the other's."""
    found, before = [], SystemState()
    for position in at.forms:
        turn = dialogue.turns[position.turn - 1]
        before = form_at(turn, position.search) or before
        found.append(before)
    return found


def form_at(turn: Turn, search: str) -> SystemState | None:
    """The form of the first or last search; one alone is both."""
    if search == Search.FIRST:
        return turn.first_query or turn.last_query
    return turn.last_query or turn.first_query


@dataclass(frozen=True, slots=True)
class Tracks:
    """The tracks of several versions of one dialogue, at the same positions."""

    at: Positions
    base: Tuples
    """The user's table before the first turn."""
    versions: tuple[dict[Subject, list[TrackValue]], ...]

    @classmethod
    def of(cls, *dialogues: Dialogue) -> "Tracks":
        at, base = positions(*dialogues), table_before(*dialogues)
        return cls(at, base, tuple(_tracks(each, at, base) for each in dialogues))

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """Everything that has a value in some version."""
        return tuple(dict.fromkeys(subject for version in self.versions for subject in version))

    def track(self, version: int, subject: Subject) -> list[TrackValue]:
        """The values of one thing in one version."""
        places = self.at.of(subject.kind)
        return self.versions[version].get(subject, [nothing(subject.kind)] * len(places))

    def start(self, subject: Subject) -> TrackValue:
        """The value before the first turn."""
        row = self._row(subject)
        if subject.kind is OperationKind.TICK:
            return bool(row and row.expressed)
        return replace(row, expressed=False) if row else nothing(subject.kind)

    def _row(self, subject: Subject) -> SemanticTuple | None:
        if subject.kind not in (OperationKind.TICK, OperationKind.FILL):
            return None
        number = int(subject.cell[0]) - 1
        return self.base[number] if number < len(self.base) else None

    def about(self, subject: Subject) -> tuple[str, str]:
        """Domain and slot of a row or field; domain and name of what is selected."""
        if subject.kind not in (OperationKind.TICK, OperationKind.FILL):
            return subject.cell[0], subject.cell[1]
        filled = Subject(OperationKind.FILL, subject.cell)
        rows = [self._row(subject)]
        rows += [each for n in range(len(self.versions)) for each in self._rows(n, filled)]
        return next(((row.domain, row.slot) for row in rows if row), ("", ""))

    def _rows(self, version: int, filled: Subject) -> list[SemanticTuple]:
        return [row for row in self.track(version, filled) if isinstance(row, SemanticTuple)]


def _tracks(dialogue: Dialogue, at: Positions, base: Tuples) -> dict[Subject, list[TrackValue]]:
    found: dict[Subject, list[TrackValue]] = {}

    def put(kind: OperationKind, cell: tuple[str, ...], place: int, value: TrackValue) -> None:
        size = len(at.of(kind))
        found.setdefault(Subject(kind, cell), [nothing(kind)] * size)[place] = value

    for place, table in enumerate(tables_of(dialogue, at, base)):
        for number, row in enumerate(table, start=1):
            put(OperationKind.TICK, (str(number),), place, row.expressed)
            put(OperationKind.FILL, (str(number),), place, replace(row, expressed=False))
    for place, form in enumerate(forms_of(dialogue, at)):
        for cell, value in fields(form):
            put(OperationKind.SEARCH, cell, place, value)
        if at.forms[place].search == Search.LAST:
            for tab in form:
                for name in tab.selected:
                    put(OperationKind.SELECT, (tab.domain, name), place // 2, True)
    return found


def fields(form: SystemState) -> Iterator[tuple[tuple[str, str], SlotValue]]:
    """Domain and slot with what is filled in."""
    for tab in form:
        for slot, value in tab.slots:
            yield (tab.domain, slot), value
        if tab.order:
            yield (tab.domain, ORDER), tab.order


def nothing(kind: OperationKind) -> TrackValue:
    """The value of a track where nothing has been done."""
    match kind:
        case OperationKind.TICK | OperationKind.SELECT:
            return False
        case OperationKind.FILL:
            return None
    return ""


def comparable(value: object) -> Hashable:
    """A value for comparison: several values in any order, everything empty alike."""
    if isinstance(value, SemanticTuple):
        return value.subgoal, value.domain, value.slot, comparable(value.value), value.expressed
    if isinstance(value, tuple):
        return tuple(sorted(value)) if value else ""
    return value if isinstance(value, Hashable) else str(value)
