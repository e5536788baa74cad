"""Parquet: one row per dialogue, nested columns, a few hundred dialogues per row group.

One row per dialogue keeps its turns together and in order; `explode("turns")` gives one row per
turn. A value is text, several texts or a reference, so it has four columns of which one is filled;
extras and the actions, first wishes and scenario of a goal are JSON text.
"""

import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

import polars as pl
from polars.io.plugins import register_io_source

from crosstalk.corpora.formats import Format, Shape, Signature
from crosstalk.corpora.native import checked
from crosstalk.corpora.parquet_columns import dialogues_of
from crosstalk.corpora.record_encoding import Record, decode_dialogue, encode_dialogue
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import FormatError, Place
from crosstalk.files import Source, open_binary, polars_sources, writing_binary

ROWS = 256
"""Dialogues per row group: about 10 MB of CrossWOZ before compression."""
TEXT = pl.String()
TEXTS = pl.List(TEXT)
TUPLE = pl.Struct(
    {
        "subgoal": pl.Int64,
        "domain": TEXT,
        "slot": TEXT,
        "value": TEXT,
        "values": TEXTS,
        "near": pl.Int64,
        "at": pl.Int64,
        "expressed": pl.Boolean,
    }
)
ACT = pl.Struct(dict.fromkeys(("intent", "domain", "slot", "value"), TEXT))
SLOT = pl.Struct({"slot": TEXT, "value": TEXT, "values": TEXTS})
TAB = pl.Struct({"domain": TEXT, "slots": pl.List(SLOT), "selected": TEXTS, "order": TEXTS})
TURN = pl.Struct(
    {
        "speaker": TEXT,
        "text": TEXT,
        "acts": pl.List(ACT),
        "user_state": pl.List(TUPLE),
        "first_query": pl.List(TAB),
        "last_query": pl.List(TAB),
        "extras": TEXT,
        "ticks": pl.List(pl.Int64),
        "acts_from": TEXT,
    }
)
COLUMNS: dict[str, pl.DataType] = {
    "id": TEXT,
    "world": TEXT,
    "language": TEXT,
    "workers": pl.List(pl.Struct({"number": pl.Int64, "name": TEXT})),
    "goal_type": TEXT,
    "goal_description": TEXTS,
    "goal": pl.List(TUPLE),
    "goal_actions": TEXT,
    "goal_first_wishes": TEXT,
    "goal_scenario": TEXT,
    "final_goal": pl.List(TUPLE),
    "turns": pl.List(TURN),
    "extras": TEXT,
}
SCHEMA = pl.Schema(COLUMNS)
LATER_IN_TURNS = ("ticks", "acts_from")
"""Fields of turns that older files do not have."""
OLDER_TURNS = pl.List(
    pl.Struct([field for field in TURN.fields if field.name not in LATER_IN_TURNS])
)
BEYOND_TUPLES = ("actions", "first_wishes", "scenario")
"""Fields of a goal that are JSON text, in columns such as `goal_actions`."""
LATER = tuple(f"goal_{field}" for field in BEYOND_TUPLES)
"""Columns that older files do not have."""


def read_parquet(path: Source) -> Iterator[Dialogue]:
    number = 0
    for frame in _frames(path):
        try:
            yield from dialogues_of(frame)
        except (ValueError, TypeError, RecursionError, pl.exceptions.PolarsError):
            yield from _checked(frame, path, number)
        number += frame.height


def _checked(frame: pl.DataFrame, path: Source, number: int) -> Iterator[Dialogue]:
    """The dialogues of a batch that could not be built at once, or the error of the first."""
    for place, row in enumerate(frame.iter_rows(named=True), start=number):
        yield decode_dialogue(checked(_record(row, path, place), path, None))


def write_parquet(dialogues: Iterable[Dialogue], path: Path) -> None:
    rows = (_row(encode_dialogue(dialogue)) for dialogue in dialogues)
    with writing_binary(path) as file:
        _sink(_batches(rows), Remembering(file))


def _batches(rows: Iterator[Record]) -> Iterator[pl.DataFrame]:
    while batch := list(islice(rows, ROWS)):
        yield pl.DataFrame(batch, schema=SCHEMA)


class Remembering(io.RawIOBase):
    """A file that keeps the error of a failed write; polars before 2.0 raises another one."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.error: BaseException | None = None

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        try:
            self._file.write(content)
            self._file.flush()
        except OSError as error:
            self.error = error
            raise
        return len(content)


def _sink(batches: Iterator[pl.DataFrame], file: Remembering) -> None:
    """Write batch by batch; polars asks for the next batch when the last is being written."""

    def source(*_: Any) -> Iterator[pl.DataFrame]:
        try:
            yield from batches
        except BaseException as error:
            file.error = error
            raise

    try:
        frame = register_io_source(source, schema=SCHEMA)
        frame.sink_parquet(cast("io.BytesIO", file), row_group_size=ROWS)
    except pl.exceptions.ComputeError as error:
        raise file.error or error from error


def _frames(path: Source) -> Iterator[pl.DataFrame]:
    with open_binary(path) as raw:
        plain = path if isinstance(path, Path) and not zipfile.is_zipfile(path) else None
        try:
            scan = pl.scan_parquet(polars_sources([plain]) if plain else raw.read())
            _refuse_other_columns(scan.collect_schema(), path)
            known = scan.collect_schema().names()
            older = [pl.lit(None, SCHEMA[name]).alias(name) for name in LATER if name not in known]
            whole = scan.with_columns(older).select(SCHEMA.names())
            yield from whole.collect_batches(chunk_size=ROWS)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise FormatError(
                f"not a Parquet file that can be read: {error}",
                place=Place(str(path)),
                remedy="Check that the file is complete; write it again if you can.",
            ) from error


def _refuse_other_columns(found: pl.Schema, path: Source) -> None:
    for name, wanted in SCHEMA.items():
        older = name == "turns" and found.get(name) == OLDER_TURNS
        if found.get(name) != wanted and not older and (name in found or name not in LATER):
            problem = f"is {found[name]}" if name in found else "is missing"
            raise FormatError(
                f"the column {problem}; expected {wanted}",
                place=Place(str(path), field=name),
                remedy="Only Parquet files written by Crosstalk are corpora.",
            )
    if others := [name for name in found if name not in SCHEMA]:
        raise FormatError("there is no such column", place=Place(str(path), field=others[0]))


# Records to rows


def _row(record: Record) -> Record:
    goal = record.get("goal", {})
    return {
        **{key: record.get(key) for key in ("id", "world", "language")},
        "workers": [_worker_row(worker) for worker in record.get("workers", [])],
        "goal_type": goal.get("type"),
        "goal_description": goal.get("description"),
        "goal": _tuple_rows(goal.get("tuples")),
        **{f"goal_{field}": _json_row(goal, field) for field in BEYOND_TUPLES},
        "final_goal": _tuple_rows(record.get("final_goal")),
        "turns": [_turn_row(turn) for turn in record["turns"]],
        "extras": _json_row(record, "extras"),
    }


def _worker_row(worker: int | str) -> Record:
    return {"number": worker} if isinstance(worker, int) else {"name": worker}


def _json_row(record: Record, field: str) -> str | None:
    return json.dumps(record[field], ensure_ascii=False) if field in record else None


def _turn_row(turn: Record) -> Record:
    return {
        "speaker": turn["speaker"],
        "text": turn["text"],
        "acts": turn.get("acts", []),
        "user_state": _tuple_rows(turn.get("user_state")),
        "first_query": _state_row(turn.get("first_query")),
        "last_query": _state_row(turn.get("last_query")),
        "ticks": turn.get("ticks"),
        "acts_from": turn.get("acts_from"),
        "extras": _json_row(turn, "extras"),
    }


def _tuple_rows(tuples: list[Record] | None) -> list[Record] | None:
    if tuples is None:
        return None
    return [{"expressed": False, **each, **_value_row(each["value"])} for each in tuples]


def _value_row(value: Any) -> Record:
    if isinstance(value, dict):
        return {"value": None, **value}
    return {"value": value} if isinstance(value, str) else {"value": None, "values": value}


def _state_row(state: list[Record] | None) -> list[Record] | None:
    if state is None:
        return None
    return [{**tab, "slots": _slot_rows(tab.get("slots", {}))} for tab in state]


def _slot_rows(slots: Record) -> list[Record]:
    return [{"slot": slot, **_value_row(value)} for slot, value in slots.items()]


# Rows to records


def _record(row: Record, path: Source, number: int) -> Record:
    goal = _filled(row, {"type": "goal_type", "description": "goal_description"})
    record = _filled(row, {"id": "id", "world": "world", "language": "language"})
    if row["workers"]:
        record["workers"] = [
            each["name"] if each["number"] is None else each["number"] for each in row["workers"]
        ]
    if row["goal"] is not None:
        kept = {field: _from_json(row, f"goal_{field}", path, number) for field in BEYOND_TUPLES}
        beyond = {field: content for field, content in kept.items() if content is not None}
        record["goal"] = {**goal, "tuples": _tuples(row["goal"]), **beyond}
    if row["final_goal"] is not None:
        record["final_goal"] = _tuples(row["final_goal"])
    record["turns"] = [_turn(turn, path, number) for turn in row["turns"] or []]
    return {**record, **_extras(row, path, number)}


def _filled(row: Record, names: dict[str, str]) -> Record:
    """The columns that are not empty, under the names of the record."""
    return {key: row[column] for key, column in names.items() if row[column] is not None}


def _turn(row: Record, path: Source, number: int) -> Record:
    turn = _filled(row, {"speaker": "speaker", "text": "text"})
    if row["acts"]:
        turn["acts"] = [
            {key: value for key, value in act.items() if value is not None} for act in row["acts"]
        ]
    if row["user_state"] is not None:
        turn["user_state"] = _tuples(row["user_state"])
    for query in ("first_query", "last_query"):
        if row[query] is not None:
            turn[query] = [_tab(tab) for tab in row[query]]
    for field in LATER_IN_TURNS:
        if row.get(field) is not None:
            turn[field] = row[field]
    return {**turn, **_extras(row, path, number)}


def _extras(row: Record, path: Source, number: int) -> Record:
    extras = _from_json(row, "extras", path, number)
    return {} if extras is None else {"extras": extras}


def _from_json(row: Record, column: str, path: Source, number: int) -> Any:
    if row[column] is None:
        return None
    try:
        return json.loads(row[column])
    except (ValueError, RecursionError) as error:
        place = Place(str(path), dialogue=row.get("id") or f"number {number}", field=column)
        raise FormatError(f"the {column} are not valid JSON", place=place) from error


def _tuples(rows: list[Record]) -> list[Record]:
    return [
        {
            **_filled(row, {key: key for key in ("subgoal", "domain", "slot", "expressed")}),
            "value": _value(row),
        }
        for row in rows
    ]


def _value(row: Record) -> Any:
    for reference in ("near", "at"):
        if row.get(reference) is not None:
            return {reference: row[reference]}
    return row["values"] if row["value"] is None else row["value"]


def _tab(row: Record) -> Record:
    tab = _filled(row, {"domain": "domain", "selected": "selected"})
    if row["order"]:
        tab["order"] = row["order"]
    return {**tab, "slots": {slot["slot"]: _value(slot) for slot in row["slots"] or []}}


FORMAT = Format(
    name="parquet",
    title="Parquet, one row a dialogue",
    signature=Signature((Shape.PARQUET,)),
    read=read_parquet,
    write=write_parquet,
    suffix=".parquet",
    same_columns=True,
)
