"""What annotators are compared on: acts, labels and cells of the same turns."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from typing import Final

from crosstalk.annotation.adjudication import Part, act_values, cells
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import SemanticTuple
from crosstalk.evaluation.chance import Unit
from crosstalk.evaluation.counts import Hits, Share

Versions = Sequence[Dialogue | None]
"""One dialogue as each annotator has it; None where one does not."""
Label = tuple[str, str, str]
States = dict[Part, dict[tuple[str, ...], Hashable]]

EMPTY: Final = ""


def act_hits(left: Dialogue, right: Dialogue, sides: Collection[Speaker]) -> Hits:
    """Exact acts of the one found in the other."""
    hits = Hits()
    for one, other in zip(left.turns, right.turns, strict=True):
        if one.speaker in sides:
            hits += Hits.of(other.acts, one.acts)
    return hits


def same_states(left: Dialogue, right: Dialogue, sides: Collection[Speaker]) -> Share:
    """Turns whose states are the same in every cell; of those for which both have states."""
    share = Share()
    for one, other in zip(left.turns, right.turns, strict=True):
        if one.speaker in sides:
            share += _same_state(one, other)
    return share


def _same_state(one: Turn, other: Turn) -> Share:
    ours, theirs = states_of(one), states_of(other)
    both = [part for part in ours if part in theirs]
    same = all(_filled(ours[part]) == _filled(theirs[part]) for part in both)
    return Share(int(same), 1) if both else Share()


def states_of(turn: Turn) -> States:
    """The states somebody has given for a turn: part -> cell -> what stands there."""
    given = {
        Part.USER_STATE: turn.user_state,
        Part.FIRST_QUERY: turn.first_query,
        Part.LAST_QUERY: turn.last_query,
    }
    states: States = {part: {} for part, state in given.items() if state is not None}
    for (part, cell), value in cells(turn):
        if part is not Part.ACTS:
            states[part][cell] = _comparable(value)
    return states


def _filled(form: dict[tuple[str, ...], Hashable]) -> dict[tuple[str, ...], Hashable]:
    return {cell: value for cell, value in form.items() if value != EMPTY}


def _comparable(value: Hashable) -> Hashable:
    """Several values count in any order; a row of a table is its value and its tick."""
    if isinstance(value, SemanticTuple):
        return _comparable(value.value), value.expressed
    return tuple(sorted(value)) if isinstance(value, tuple) else value


def act_units(dialogues: Sequence[Versions]) -> list[Counter[Unit]]:
    """For each dialogue, who gave a label to a turn: turn x label, counted by pattern."""
    labels = _labels(dialogues)
    return [_act_units(versions, labels) for versions in dialogues]


def _labels(dialogues: Sequence[Versions]) -> dict[Speaker, int]:
    """How many labels anybody gave to each side."""
    found: dict[Speaker, set[Label]] = {side: set() for side in Speaker}
    for versions in dialogues:
        for version in versions:
            for turn in version.turns if version else ():
                found[turn.speaker].update(act_values(turn.acts))
    return {side: len(labels) for side, labels in found.items()}


def _act_units(versions: Versions, labels: dict[Speaker, int]) -> Counter[Unit]:
    units: Counter[Unit] = Counter()
    for turns in _turns(versions):
        given = [None if turn is None else set(act_values(turn.acts)) for turn in turns]
        speaker = next(turn.speaker for turn in turns if turn)
        used = set().union(*(each for each in given if each))
        for label in used:
            units[tuple(None if each is None else label in each for each in given)] += 1
        nobody = tuple(None if each is None else False for each in given)
        units[nobody] += labels[speaker] - len(used)
    return units


def state_units(dialogues: Sequence[Versions]) -> list[Counter[Unit]]:
    """For each dialogue, what stands in each cell; None for who gave no such state."""
    return [_state_units(versions) for versions in dialogues]


def _state_units(versions: Versions) -> Counter[Unit]:
    units: Counter[Unit] = Counter()
    for turns in _turns(versions):
        given = [states_of(turn) if turn else {} for turn in turns]
        for part in dict.fromkeys(part for states in given for part in states):
            forms = [states.get(part) for states in given]
            for cell in dict.fromkeys(cell for form in forms if form for cell in form):
                units[tuple(None if form is None else form.get(cell, EMPTY) for form in forms)] += 1
    return units


def _turns(versions: Versions) -> Iterator[tuple[Turn | None, ...]]:
    """The turns as each annotator has them."""
    count = next(len(version.turns) for version in versions if version)
    for number in range(count):
        yield tuple(version.turns[number] if version else None for version in versions)
