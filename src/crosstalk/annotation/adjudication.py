"""Annotations of the same dialogues matched, and compared cell by cell.

    matched = match({"a": first, "b": second})
    for difference in differences(left, right): ...

Annotations are matched by dialogue id; dialogues whose turns differ are left out and named. In the
acts of a turn, a cell is the values of one intent, domain and slot; in a user's table, one row; in
a query form, one field. What people decide is not cells but their causes (`decisions.py`).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import SemanticTuple
from crosstalk.dialogue.states import SlotValue
from crosstalk.errors import InputError


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A dialogue that is not compared, and why."""

    dialogue: str
    annotation: str
    why: str

    def __str__(self) -> str:
        return f"dialogue {self.dialogue}, {self.annotation}: {self.why}"


@dataclass(frozen=True, slots=True)
class Matched:
    """The dialogues that can be compared, each in every annotation that has it."""

    names: tuple[str, ...]
    dialogues: tuple[Mapping[str, Dialogue], ...]
    left_out: tuple[LeftOut, ...]

    def among(self, *names: str) -> list[tuple[Dialogue, ...]]:
        """The dialogues that all of these annotations have, in the order of the names."""
        return [
            tuple(versions[name] for name in names)
            for versions in self.dialogues
            if all(name in versions for name in names)
        ]


def match(annotations: Mapping[str, Iterable[Dialogue]]) -> Matched:
    """Dialogues in the order of the first annotation that has them.

    A dialogue that only one annotation has is left out; one that differs from the first annotation
    in its turns is left out of the annotation that differs.
    """
    names = tuple(annotations)
    found: dict[str, dict[str, Dialogue]] = {}
    for name, dialogues in annotations.items():
        for dialogue in dialogues:
            found.setdefault(dialogue.id, {})[name] = dialogue
    kept, left_out = [], []
    for id, versions in found.items():
        same, others = _same(id, versions)
        left_out += [LeftOut(id, name, "it is missing") for name in names if name not in versions]
        left_out += others
        if len(same) > 1:
            kept.append(same)
    if not kept:
        raise InputError(
            f"{' and '.join(names)} have no dialogue in common",
            remedy="Annotations are matched by dialogue id and must have the same turns"
            + (f"; for example, {left_out[0]}." if left_out else "."),
        )
    return Matched(names, tuple(kept), tuple(left_out))


def _same(id: str, versions: Mapping[str, Dialogue]) -> tuple[dict[str, Dialogue], list[LeftOut]]:
    first, reference = next(iter(versions.items()))
    same, others = {}, []
    for name, dialogue in versions.items():
        if why := _difference(reference, dialogue):
            others.append(LeftOut(id, name, f"{why} than in {first}"))
        else:
            same[name] = dialogue
    return same, others


def _difference(left: Dialogue, right: Dialogue) -> str:
    if len(left.turns) != len(right.turns):
        return f"{len(right.turns)} turns, other"
    for number, (one, other) in enumerate(zip(left.turns, right.turns, strict=True), start=1):
        if one.speaker is not other.speaker or one.text != other.text:
            return f"turn {number} is another"
    return ""


class AnnotatedField(StrEnum):
    """The annotated fields of a turn."""

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
"""The content of a cell; None if a user's table is missing or has no such row."""

EMPTY: Final[Mapping[AnnotatedField, Cell]] = {
    AnnotatedField.ACTS: (),
    AnnotatedField.USER_STATE: None,
    AnnotatedField.FIRST_QUERY: "",
    AnnotatedField.LAST_QUERY: "",
}
"""The content of missing cells; a form that was not submitted equals an empty one."""


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
    """All differing cells of two annotations with the same turns (see `match`)."""
    for number, (one, other) in enumerate(zip(left.turns, right.turns, strict=True), start=1):
        ours, theirs = dict(cells(one)), dict(cells(other))
        for part, cell in (*ours, *(each for each in theirs if each not in ours)):
            nothing = EMPTY[part]
            mine, yours = ours.get((part, cell), nothing), theirs.get((part, cell), nothing)
            if mine != yours:
                key = Key(left.id, number, part, cell)
                yield Difference(key, one.speaker, one.text, mine, yours)


def cells(turn: Turn) -> Iterator[tuple[tuple[AnnotatedField, tuple[str, ...]], Cell]]:
    """All cells of a turn with their content."""
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
