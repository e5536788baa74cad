"""What is known of an adjudication beside its result: verdicts, and the state of every label.

marked = with_labels(settled, label_states(left, right, settled, verdicts))
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from crosstalk.annotation.adjudication import AnnotatedField, CellChoice, act_values
from crosstalk.annotation.decisions import Decision, OperationKey, decisions
from crosstalk.annotation.operations import (
    OperationKind,
    Subject,
    Tracks,
    TrackValue,
    comparable,
)
from crosstalk.annotation.settlement import OwnValue
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import SemanticTuple

LABELS: Final = "labels"
"""The extra of a turn that tells how each of its labels came about."""
Plain = dict[str, Any]


class LabelState(StrEnum):
    """How a label came about."""

    AGREED = "agreed"
    SETTLED = "settled"
    OPEN = "open"
    """Not decided; it is as one of the two has it."""


AGREED: Final[Plain] = {"state": str(LabelState.AGREED)}


class Cause(StrEnum):
    """Why two annotators differ."""

    MISREAD = "misread"
    SLIP = "slip"
    RULE_UNCLEAR = "rule unclear"
    TEXT_AMBIGUOUS = "text ambiguous"
    TOOL = "tool"
    OTHER = "other"


class Sureness(StrEnum):
    """How sure the adjudicator is."""

    SURE = "sure"
    RATHER = "rather sure"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an adjudicator decides about one cause, and why."""

    choice: CellChoice | OwnValue
    cause: Cause | str = ""
    sure: Sureness | str = ""
    mend: str = ""
    """What the guideline should say, for others not to differ again."""


Verdicts = Mapping[OperationKey, Verdict]


def choices_of(verdicts: Verdicts) -> dict[OperationKey, CellChoice | OwnValue]:
    """What `settle` asks for."""
    return {key: verdict.choice for key, verdict in verdicts.items()}


def label_states(
    left: Dialogue, right: Dialogue, settled: Dialogue, verdicts: Verdicts
) -> list[list[Plain]]:
    """For each turn, its operations and acts as settled, and whether they were agreed on.

    What was decided against stands there too, without a value.
    """
    found = decisions(left, right)
    states = {each.key: _state(verdicts.get(each.key)) for each in found}
    told: list[list[Plain]] = [[] for _ in left.turns]
    for turn, record in (*_operations(left, right, settled, found, states), *_acts(settled)):
        told[turn - 1].append(record)
    followed = {key: states[each.key] for each in found for key in each.explains}
    for key, state in followed.items():
        if key.part is AnnotatedField.ACTS:
            _mark_act(told[key.turn - 1], list(key.cell), state)
    return told


def _operations(
    left: Dialogue,
    right: Dialogue,
    settled: Dialogue,
    found: Iterable[Decision],
    states: Mapping[OperationKey, Plain],
) -> Iterator[tuple[int, Plain]]:
    tracks = Tracks.of(settled, left, right)
    by_subject: dict[Subject, list[Decision]] = {}
    for each in found:
        by_subject.setdefault(each.subject, []).append(each)
    for subject in tracks.subjects:
        before = tracks.start(subject)
        for place, value in enumerate(tracks.track(0, subject)):
            about = [each for each in by_subject.get(subject, ()) if _is_done_at(each, place)]
            if comparable(value) != comparable(before) or about:
                record = _record(subject, tracks.at.of(subject.kind)[place].search, value, before)
                state = states[about[0].key] if about else AGREED
                yield tracks.at.of(subject.kind)[place].turn, {**record, **state}
            before = value


def _is_done_at(decision: Decision, place: int) -> bool:
    begins, ends = decision.stretch
    return place == begins or (decision.moved is not None and place == ends)


def _state(verdict: Verdict | None) -> Plain:
    if verdict is None:
        return {"state": str(LabelState.OPEN)}
    told = {"state": str(LabelState.SETTLED), "cause": verdict.cause, "sure": verdict.sure}
    return {name: value for name, value in told.items() if value}


def _record(subject: Subject, search: str, value: TrackValue, before: TrackValue) -> Plain:
    done = comparable(value) != comparable(before)
    kept = value.value if isinstance(value, SemanticTuple) else value
    told = list(kept) if isinstance(kept, tuple) else kept
    place = {"search": search} if subject.kind is OperationKind.SEARCH else {}
    plain = told if isinstance(told, str | list | bool) else None
    record = {"operation": str(subject.kind), "cell": list(subject.cell), **place}
    return {**record, "value": plain if done else None}


def _acts(settled: Dialogue) -> Iterator[tuple[int, Plain]]:
    for number, turn in enumerate(settled.turns, start=1):
        for label, values in act_values(turn.acts).items():
            record = {"operation": str(OperationKind.ACT), "cell": list(label)}
            yield number, {**record, "value": list(values), **AGREED}


def _mark_act(told: list[Plain], label: list[str], state: Plain) -> None:
    for record in told:
        if record["operation"] == OperationKind.ACT and record["cell"] == label:
            record.update(state)
            return
    record = {"operation": str(OperationKind.ACT), "cell": label}
    told.append({**record, "value": None, **state})


def with_labels(settled: Dialogue, states: Sequence[Sequence[Plain]]) -> Dialogue:
    """The dialogue with `labels` in the extras of every turn that has some."""
    turns = (
        replace(turn, extras={**turn.extras, LABELS: [dict(each) for each in told]})
        if told
        else turn
        for turn, told in zip(settled.turns, states, strict=True)
    )
    return replace(settled, turns=tuple(turns))
