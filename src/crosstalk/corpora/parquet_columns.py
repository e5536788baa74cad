"""Dialogues from the columns of a Parquet corpus, column by column.

Nested rows as Python objects cost five times as much as zipped JSON. Here each nested column
becomes flat lists, from which acts, tuples and tabs are built, equal ones as one object. Nothing is
checked but what is needed to build them: ValueError where a row cannot be one of ours.
"""

import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, TypeVar

import polars as pl

from crosstalk.corpora.record_encoding import (
    BeyondTuples,
    decode_beyond_tuples,
    shared_act,
    shared_reference,
    shared_tab,
    shared_tuple,
)
from crosstalk.dialogue.acts import NOTHING
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType, Tuples
from crosstalk.dialogue.states import SystemState

T = TypeVar("T")
Built = Callable[[pl.Series], list[Any]]
"""Builds a value from each row of a column; None where the row is null."""


def dialogues_of(frame: pl.DataFrame) -> Iterator[Dialogue]:
    """The dialogues of a batch; raises ValueError before the first if a row is not one of ours."""
    columns = [
        _required(frame["id"]),
        _filled(frame["world"], ""),
        _filled(frame["language"], ""),
        _lists(frame["workers"], _workers),
        frame["goal_type"].to_list(),
        _lists(frame["goal_description"], pl.Series.to_list),
        _lists(frame["goal"], _tuples),
        _beyond_tuples(frame),
        _lists(frame["final_goal"], _tuples),
        _lists(frame["turns"], _turns),
        _extras(frame["extras"]),
    ]
    return iter([_dialogue(*row) for row in zip(*columns, strict=True)])


def _dialogue(
    id: str,
    world: str,
    language: str,
    workers: tuple[int | str, ...] | None,
    kind: str | None,
    description: tuple[str, ...] | None,
    goal: Tuples | None,
    beyond: BeyondTuples,
    final: Tuples | None,
    turns: tuple[Turn, ...] | None,
    extras: dict[str, Any],
) -> Dialogue:
    wanted = None
    if goal is not None:
        kind_of_goal = None if kind is None else GoalType(kind)
        wanted = Goal(goal, kind_of_goal, description or (), **beyond)
    return Dialogue(id, turns or (), wanted, final, workers or (), language, world, extras)


def _turns(column: pl.Series) -> list[Turn]:
    part = column.struct.field
    columns = [
        [Speaker(speaker) for speaker in _required(part("speaker"))],
        _required(part("text")),
        [acts or () for acts in _lists(part("acts"), _acts)],
        _lists(part("user_state"), _tuples),
        [
            None if tabs is None else SystemState(tabs)
            for tabs in _lists(part("first_query"), _tabs)
        ],
        [None if tabs is None else SystemState(tabs) for tabs in _lists(part("last_query"), _tabs)],
        _extras(part("extras")),
        _later(column, "ticks", None),
        _later(column, "acts_from", ""),
    ]
    return [Turn(*row) for row in zip(*columns, strict=True)]


def _later(column: pl.Series, name: str, default: Any) -> list[Any]:
    """A field of turns that older files do not have; lists as tuples."""
    if name not in column.struct.fields:
        return [default] * len(column)
    found = column.struct.field(name).to_list()
    return [default if each is None else _frozen(each) for each in found]


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _acts(column: pl.Series) -> list[Any]:
    part = column.struct.field
    names = _required(part("intent")), _required(part("domain"))
    rest = (_filled(part(name), NOTHING) for name in ("slot", "value"))
    return list(map(shared_act, *names, *rest))


def _tuples(column: pl.Series) -> list[Any]:
    part = column.struct.field
    values = _values(column)
    for nearby, name in ((True, "near"), (False, "at")):
        for row, subgoal in enumerate(part(name).to_list()):
            if subgoal is not None:
                values[row] = shared_reference(subgoal, nearby)
    names = (_required(part(name)) for name in ("subgoal", "domain", "slot"))
    return list(map(shared_tuple, *names, values, _filled(part("expressed"), False)))


def _tabs(column: pl.Series) -> list[Any]:
    part = column.struct.field
    slots, selected, order = (
        _lists(part("slots"), _slots),
        _lists(part("selected"), pl.Series.to_list),
        _lists(part("order"), pl.Series.to_list),
    )
    return [
        shared_tab(domain, fields or (), names or (), ranked or None)
        for domain, fields, names, ranked in zip(
            _required(part("domain")), slots, selected, order, strict=True
        )
    ]


def _slots(column: pl.Series) -> list[Any]:
    return list(zip(_required(column.struct.field("slot")), _values(column), strict=True))


def _values(column: pl.Series) -> list[Any]:
    """Text, or several texts."""
    several = column.struct.field("values")
    texts = column.struct.field("value").to_list()
    if several.null_count() < len(several):
        for row, each in enumerate(_lists(several, pl.Series.to_list)):
            if each is not None:
                texts[row] = each
    return texts


def _workers(column: pl.Series) -> list[Any]:
    numbers, names = (column.struct.field(name).to_list() for name in ("number", "name"))
    return [name if number is None else number for number, name in zip(numbers, names, strict=True)]


def _lists(column: pl.Series, build: Built) -> list[Any]:
    """A tuple of what `build` gives for the items of each list; None for null."""
    lengths = column.list.len().to_list()
    flat = iter(build(column.filter(column.list.len() > 0).explode()))
    return [None if length is None else tuple(islice(flat, length)) for length in lengths]


def _required(column: pl.Series) -> list[Any]:
    if column.null_count():
        raise ValueError(f"the column {column.name} has empty rows")
    return column.to_list()


def _filled(column: pl.Series, default: Any) -> list[Any]:
    return column.fill_null(default).to_list() if column.null_count() else column.to_list()


def _beyond_tuples(frame: pl.DataFrame) -> list[BeyondTuples]:
    """Actions, first wishes and scenario of each goal."""
    fields = BeyondTuples.__annotations__
    texts = [frame[f"goal_{field}"].to_list() for field in fields]
    try:
        return [
            decode_beyond_tuples(
                {
                    field: json.loads(text)
                    for field, text in zip(fields, row, strict=True)
                    if text is not None
                }
            )
            for row in zip(*texts, strict=True)
        ]
    except (KeyError, AttributeError) as error:
        raise ValueError("a column of goals holds something else") from error


def _extras(column: pl.Series) -> list[dict[str, Any]]:
    return [{} if text is None else json.loads(text) for text in column.to_list()]
