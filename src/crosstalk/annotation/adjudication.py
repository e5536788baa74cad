"""Adjudication: where two annotations differ, and a third made of choices between them.

    for difference in differences(left, right): ...
    settled = settle(left, right, {difference.key: Choice.LEFT for ...})

Everything is a cell that the two fill differently: in the acts of a turn, the values of one intent,
domain and slot; in a user's table, one row; in a query form, one field.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import SemanticTuple, Tuples
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.errors import InputError


class AnnotatedField(StrEnum):
    """What of a turn is annotated."""

    ACTS = "acts"
    USER_STATE = "user_state"
    FIRST_QUERY = "first_query"
    LAST_QUERY = "last_query"


class CellChoice(StrEnum):
    """Whose cell is taken."""

    LEFT = "a"
    RIGHT = "b"
    BOTH = "both"
    """Acts only: the values of both."""


Values = tuple[str, ...]
"""The values of acts that agree in everything else; empty where there is no such act."""
Cell = Values | SemanticTuple | SlotValue | None
"""What stands in a cell; None where a user's table is missing or ends before."""

EMPTY: Final[Mapping[AnnotatedField, Cell]] = {
    AnnotatedField.ACTS: (),
    AnnotatedField.USER_STATE: None,
    AnnotatedField.FIRST_QUERY: "",
    AnnotatedField.LAST_QUERY: "",
}
"""A form that was never submitted is as good as one left empty."""


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """Which cell of which turn."""

    dialogue: str
    turn: int
    """From 1, as in messages to people."""
    part: AnnotatedField
    cell: tuple[str, ...]
    """Acts: intent, domain, slot. Queries: domain, slot. User's table: number of the row, from 1.
    """

    def __str__(self) -> str:
        return f"dialogue {self.dialogue}, turn {self.turn}, {self.part} {' '.join(self.cell)}"


@dataclass(frozen=True, slots=True)
class Difference:
    """A cell that two annotations fill differently."""

    key: Key
    speaker: Speaker
    text: str
    """The words of the turn."""
    left: Cell
    right: Cell


def differences(left: Dialogue, right: Dialogue) -> Iterator[Difference]:
    """Turn by turn, cell by cell; the two have the same turns (see `matching`)."""
    for number, (one, other) in enumerate(zip(left.turns, right.turns, strict=True), start=1):
        ours, theirs = dict(cells(one)), dict(cells(other))
        for part, cell in (*ours, *(each for each in theirs if each not in ours)):
            nothing = EMPTY[part]
            mine, yours = ours.get((part, cell), nothing), theirs.get((part, cell), nothing)
            if mine != yours:
                key = Key(left.id, number, part, cell)
                yield Difference(key, one.speaker, one.text, mine, yours)


def cells(turn: Turn) -> Iterator[tuple[tuple[AnnotatedField, tuple[str, ...]], Cell]]:
    """Everything that is annotated about a turn."""
    for label, values in act_values(turn.acts).items():
        yield (AnnotatedField.ACTS, label), values
    for number, each in enumerate(turn.user_state or (), start=1):
        yield (AnnotatedField.USER_STATE, (str(number),)), each
    for part, query in (
        (AnnotatedField.FIRST_QUERY, turn.first_query),
        (AnnotatedField.LAST_QUERY, turn.last_query),
    ):
        for tab in query or ():
            for slot, value in tab.slots:
                yield (part, (tab.domain, slot)), value


def act_values(acts: Iterable[Act]) -> dict[tuple[str, str, str], Values]:
    """Intent, domain, slot -> values, sorted."""
    found: dict[tuple[str, str, str], Values] = {}
    for act in sorted(set(acts)):
        label = (act.intent, act.domain, act.slot)
        found[label] = (*found.get(label, ()), act.value)
    return found


def settle(left: Dialogue, right: Dialogue, choices: Mapping[Key, CellChoice | Cell]) -> Dialogue:
    """The left annotation with every difference decided: a choice, or a cell of one's own.

    Refuses differences that nobody has decided.
    """
    found = list(differences(left, right))
    undecided = [each.key for each in found if each.key not in choices]
    if undecided:
        raise InputError(
            f"{len(undecided)} differences are not decided, the first in {undecided[0]}",
            remedy='Write "a", "b" or a value of your own as the choice of each.',
        )
    turns = list(left.turns)
    for difference in found:
        at = difference.key.turn - 1
        chosen = _chosen(difference, choices[difference.key])
        turns[at] = _with_cell(turns[at], difference.key, chosen)
    return replace(left, turns=tuple(turns))


def _chosen(difference: Difference, choice: CellChoice | Cell) -> Cell:
    match choice:
        case CellChoice.LEFT:
            return difference.left
        case CellChoice.RIGHT:
            return difference.right
        case CellChoice.BOTH:
            return _both(difference)
        case _:
            return choice


def _both(difference: Difference) -> Values:
    left, right = difference.left, difference.right
    if (
        difference.key.part is not AnnotatedField.ACTS
        or not isinstance(left, tuple)
        or not isinstance(right, tuple)
    ):
        raise InputError(f"{difference.key}: a state cannot be both", remedy='Choose "a" or "b".')
    return tuple(sorted({*left, *right}))


def _with_cell(turn: Turn, key: Key, cell: Cell) -> Turn:
    match key.part:
        case AnnotatedField.ACTS:
            return replace(turn, acts=_with_acts(turn.acts, key, cell))
        case AnnotatedField.USER_STATE:
            return replace(turn, user_state=_with_row(turn.user_state or (), key, cell))
        case AnnotatedField.FIRST_QUERY:
            return replace(turn, first_query=_with_field(turn.first_query, key, cell))
        case AnnotatedField.LAST_QUERY:
            return replace(turn, last_query=_with_field(turn.last_query, key, cell))


def _with_acts(acts: Iterable[Act], key: Key, cell: Cell) -> tuple[Act, ...]:
    if not isinstance(cell, tuple):
        raise InputError(f"{key}: expected a list of values", remedy="Write [] for no such act.")
    intent, domain, slot = key.cell
    others = [act for act in acts if (act.intent, act.domain, act.slot) != key.cell]
    return tuple(sorted({*others, *(Act(intent, domain, slot, value) for value in cell)}))


def _with_row(rows: Tuples, key: Key, cell: Cell) -> Tuples | None:
    """A table has no holes: a row goes together with those after it, and follows one before it."""
    at = int(key.cell[0]) - 1
    if cell is None:
        return rows[:at] or None
    if not isinstance(cell, SemanticTuple) or len(rows) < at:
        raise InputError(
            f"{key}: expected a row of the table that follows another",
            remedy='Choose "a" for all rows of this turn, or "b" for all.',
        )
    return (*rows[:at], cell, *rows[at + 1 :])


def _with_field(query: SystemState | None, key: Key, cell: Cell) -> SystemState | None:
    if not isinstance(cell, str | tuple):
        raise InputError(f"{key}: expected the text of a field", remedy='Choose "a" or "b".')
    form, (domain, slot) = query or SystemState(), key.cell
    if form.get(domain).get(slot) == cell:
        return query
    return form.with_domain(form.get(domain).with_slot(slot, cell))
