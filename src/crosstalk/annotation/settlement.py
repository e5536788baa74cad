"""One annotation made of two: decisions taken, operations replayed.

settled = settle(left, right, {decision.key: CellChoice.RIGHT for ...})
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from crosstalk.annotation.adjudication import AnnotatedField, CellChoice, act_values
from crosstalk.annotation.decisions import Decision, OperationKey, decisions
from crosstalk.annotation.operations import (
    ORDER,
    OperationKind,
    Subject,
    Tracks,
    TrackValue,
    comparable,
    fields,
    form_at,
)
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.goals import SemanticTuple, Tuples
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.errors import InputError


@dataclass(frozen=True, slots=True)
class OwnValue:
    """A decision for neither: yes or no, the text or texts of a row or field, values of acts."""

    value: bool | SlotValue


Choices = Mapping[OperationKey, CellChoice | OwnValue]
Derive = Callable[[Dialogue], Dialogue]
"""Puts derived acts into a dialogue."""


def settle(
    left: Dialogue,
    right: Dialogue,
    choices: Choices,
    *,
    otherwise: CellChoice | None = None,
    derive: Derive | None = None,
) -> Dialogue:
    """The annotation that the choices make of two; what is undecided is taken from `otherwise`.

    With `derive`, acts are derived anew from what was settled; without it, they follow the
    decision that explains them. Refuses undecided decisions where `otherwise` is not given.
    """
    found = decisions(left, right, acts=derive is None)
    made = _all_made(found, choices, otherwise)
    settlement = _Settlement(left, right, found, made)
    settled = settlement.dialogue()
    return derive(settled) if derive else settled


def _all_made(
    found: Iterable[Decision], choices: Choices, otherwise: CellChoice | None
) -> dict[OperationKey, CellChoice | OwnValue]:
    undecided = [each.key for each in found if each.key not in choices]
    if undecided and otherwise is None:
        raise InputError(
            f"{len(undecided)} decisions are not made, the first about {undecided[0]}",
            remedy='Write "a", "b" or a value of your own as the choice of each.',
        )
    taken = dict.fromkeys(undecided, otherwise or CellChoice.LEFT)
    return {**choices, **taken}


class _Settlement:
    def __init__(
        self,
        left: Dialogue,
        right: Dialogue,
        found: list[Decision],
        made: Mapping[OperationKey, CellChoice | OwnValue],
    ) -> None:
        self.found = found
        self.made = made
        takes_right = found and all(made[each.key] is CellChoice.RIGHT for each in found)
        self.takes_left = all(made[each.key] is CellChoice.LEFT for each in found)
        self.sides = (right, left) if takes_right else (left, right)
        """The side whose form is kept where both have the same content comes first."""
        self.right = right
        self.both = Tracks.of(left, right)
        self.tracks = {subject: self._replayed(subject) for subject in self.both.subjects}

    def _replayed(self, subject: Subject) -> list[TrackValue]:
        track = list(self.both.track(0, subject))
        for each in self.found:
            if each.subject == subject:
                begins, ends = each.stretch
                match self.made[each.key]:
                    case CellChoice.RIGHT:
                        track[begins:ends] = self.both.track(1, subject)[begins:ends]
                    case OwnValue(value):
                        track[begins:ends] = [_own(each, value)] * (ends - begins)
                    case CellChoice.BOTH:
                        raise InputError(
                            f"{each.key}: a state cannot be both", remedy='Choose "a" or "b".'
                        )
        return track

    def dialogue(self) -> Dialogue:
        tables, forms = self._tables(), self._forms()
        acts = self._acts()
        turns, before = [], self.both.base
        for number, (kept, other) in enumerate(
            zip(self.sides[0].turns, self.sides[1].turns, strict=True), start=1
        ):
            first, last = forms.get(number, (None, None))
            table = tables.get(number, before)
            ticks = kept.ticks if self._is_whole() else _ticks(kept, before, table)
            before = table
            turns.append(
                replace(
                    kept,
                    acts=_acts_as(acts[number - 1], kept, other),
                    ticks=ticks,
                    user_state=self._table_as(tables.get(number), kept, other),
                    first_query=self._form_as(first, last, kept.first_query, other.first_query),
                    last_query=self._form_as(last, last, kept.last_query, other.last_query),
                )
            )
        return replace(self.sides[0], turns=tuple(turns), final_goal=self._final(tables))

    def _final(self, tables: Mapping[int, Tuples]) -> Tuples | None:
        """The final table follows the last one where it did so before."""
        kept = self.sides[0]
        states = [turn.user_state for turn in kept.turns if turn.user_state is not None]
        follows = kept.final_goal is not None and states and states[-1] == kept.final_goal
        if not follows or not tables:
            return kept.final_goal
        return self._table_as(
            tables[max(tables)], *(side.turns[max(tables) - 1] for side in self.sides)
        )

    def _tables(self) -> dict[int, Tuples]:
        found = {}
        size = sum(each.kind is OperationKind.FILL for each in self.tracks)
        for place, position in enumerate(self.both.at.tables):
            rows = []
            for number in range(1, size + 1):
                row = self.tracks[Subject(OperationKind.FILL, (str(number),))][place]
                ticked = self.tracks[Subject(OperationKind.TICK, (str(number),))][place]
                if isinstance(row, SemanticTuple):
                    rows.append(replace(row, expressed=bool(ticked)))
            found[position.turn] = tuple(rows)
        return found

    def _table_as(self, table: Tuples | None, kept: Turn, other: Turn) -> Tuples | None:
        if table is None:
            return kept.user_state
        whole = self._is_whole()
        for each in (kept.user_state, other.user_state):
            if each is not None and list(map(comparable, each)) == list(map(comparable, table)):
                return kept.user_state if whole and kept.user_state is None else each
        return kept.user_state if whole and kept.user_state is None else table

    def _is_whole(self) -> bool:
        """Whether everything is taken from one side."""
        return self.takes_left or self.sides[0] is self.right

    def _forms(self) -> dict[int, tuple[SystemState, SystemState]]:
        found: dict[int, list[SystemState]] = {}
        for place, position in enumerate(self.both.at.forms):
            given = (form_at(side.turns[position.turn - 1], position.search) for side in self.sides)
            layout = next((form for form in given if form), SystemState())
            found.setdefault(position.turn, []).append(self._form(layout, place))
        return {turn: _first_and_last(*forms) for turn, forms in found.items()}

    def _form(self, layout: SystemState, place: int) -> SystemState:
        form = SystemState(tuple(replace(tab.cleared(), selected=()) for tab in layout))
        for subject, track in self.tracks.items():
            domain = subject.cell[0]
            if subject.kind is OperationKind.SEARCH:
                value = track[place]
                assert isinstance(value, str | tuple)
                form = _with_field(form, domain, subject.cell[1], value)
            elif subject.kind is OperationKind.SELECT and track[place // 2]:
                tab = form.get(domain)
                chosen = replace(tab, selected=(*tab.selected, subject.cell[1]))
                form = form.with_domain(chosen)
        return form

    def _form_as(
        self,
        form: SystemState | None,
        last: SystemState | None,
        kept: SystemState | None,
        other: SystemState | None,
    ) -> SystemState | None:
        """As one of the two has it, if its content is the same."""
        if form is None or last is None or (kept is None and self._is_whole()):
            return kept
        any_selection = self._is_whole() or _filled(form) != _filled(last)
        for each in (kept, other):
            same = each is not None and _filled(each) == _filled(form)
            if each is not None and same and (any_selection or _chosen(each) == _chosen(form)):
                return each
        return form

    def _acts(self) -> list[tuple[Act, ...]]:
        """The left's acts, with those that a choice takes from elsewhere in their place."""
        left = self.sides[1] if self.sides[0] is self.right else self.sides[0]
        acts = [set(turn.acts) for turn in left.turns]
        theirs = [act_values(turn.acts) for turn in self.right.turns]
        ours = [act_values(turn.acts) for turn in left.turns]
        for each in self.found:
            choice = self.made[each.key]
            for key in each.explains:
                if key.part is not AnnotatedField.ACTS or choice is CellChoice.LEFT:
                    continue
                label, at = (key.cell[0], key.cell[1], key.cell[2]), key.turn - 1
                mine, yours = ours[at].get(label, ()), theirs[at].get(label, ())
                values = _act_values(each, choice, mine, yours)
                acts[at] = {act for act in acts[at] if (act.intent, act.domain, act.slot) != label}
                acts[at] |= {Act(*label, value) for value in values}
        return [tuple(sorted(each)) for each in acts]


def _act_values(
    decision: Decision,
    choice: CellChoice | OwnValue,
    mine: tuple[str, ...],
    yours: tuple[str, ...],
) -> tuple[str, ...]:
    match choice:
        case CellChoice.RIGHT:
            return yours
        case CellChoice.BOTH:
            return tuple(sorted({*mine, *yours}))
        case OwnValue(value) if decision.key.kind is OperationKind.ACT:
            if not isinstance(value, tuple):
                raise InputError(
                    f"{decision.key}: expected a list of values",
                    remedy="Write [] for no such act.",
                )
            return value
    return mine


def _ticks(kept: Turn, before: Tuples, table: Tuples) -> tuple[int, ...] | None:
    """Rows ticked in a turn as settled: those that are new, and repeated ones that still count."""
    if kept.ticks is None:
        return None
    said = {at for at, row in enumerate(table) if row.expressed}
    known = {at for at, row in enumerate(before) if row.expressed}
    return tuple(sorted((said - known) | (said & known & set(kept.ticks))))


def _acts_as(acts: tuple[Act, ...], kept: Turn, other: Turn) -> tuple[Act, ...]:
    """In the order of the side that has the same."""
    for each in (kept.acts, other.acts):
        if set(each) == set(acts):
            return each
    return acts


def _own(decision: Decision, value: bool | SlotValue) -> TrackValue:
    """A value of somebody's own for a track."""
    kind = decision.key.kind
    is_switch = kind in (OperationKind.TICK, OperationKind.SELECT)
    if is_switch != isinstance(value, bool):
        wanted = "true or false" if is_switch else "a text or a list of texts"
        raise InputError(
            f"{decision.key}: expected {wanted}, not {value!r}", remedy='Or choose "a" or "b".'
        )
    if kind is not OperationKind.FILL or isinstance(value, bool):
        return value
    row = decision.left if isinstance(decision.left, SemanticTuple) else decision.right
    if not isinstance(row, SemanticTuple):
        raise InputError(f"{decision.key}: there is no such row", remedy='Choose "a" or "b".')
    return row.filled(value)


def _with_field(form: SystemState, domain: str, slot: str, value: SlotValue) -> SystemState:
    tab = form.get(domain)
    if slot == ORDER:
        order = (value[0], value[1]) if isinstance(value, tuple) and len(value) == 2 else None
        return form if tab.order == order else form.with_domain(replace(tab, order=order))
    has = any(name == slot for name, _ in tab.slots)
    return form.with_domain(tab.with_slot(slot, value)) if has or value else form


def _first_and_last(first: SystemState, last: SystemState) -> tuple[SystemState, SystemState]:
    """What is selected belongs to the last search, and to the first where it is the only one."""
    if _filled(first) == _filled(last):
        return first, last
    return SystemState(tuple(replace(tab, selected=()) for tab in first)), last


def _filled(form: SystemState) -> dict[tuple[str, str], object]:
    """What stands in the fields of a form, whatever their order."""
    return {cell: comparable(value) for cell, value in fields(form) if comparable(value)}


def _chosen(form: SystemState) -> dict[str, frozenset[str]]:
    return {tab.domain: frozenset(tab.selected) for tab in form if tab.selected}
