"""Broken files: whatever is wrong, words that name the place, never a traceback."""

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crosstalk.corpora.corpus import read_corpus, write_corpus
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import FormatError, InputError

JSON_FORMATS = ["crosswoz", "native", "convlab", "multiwoz"]
OTHERS: list[Any] = [
    None, True, 0, -1, 3.5, 10**30, "", "x", [], {}, [1], ["a"], [[]], {"a": 1}, {"near": 1},
]  # fmt: skip
TRIES = 300


@pytest.mark.parametrize("format", JSON_FORMATS)
def test_a_node_exchanged(format: str, talk: Dialogue, elsewhere: Dialogue, tmp_path: Path) -> None:
    rng = random.Random(format)
    path = tmp_path / "corpus"
    write_corpus([talk, elsewhere], path, to=format)
    value = _load(path, format)
    places = list(_places(value))
    refused = 0
    for _ in range(TRIES):
        steps = rng.choice(places)
        _save(_mutated(value, steps, rng), path, format)
        try:
            list(read_corpus(path, format=format))
        except FormatError as error:
            refused += 1
            inside = len(steps) > 1
            assert not inside or error.place.dialogue or error.place.line, (steps, error)
    assert refused > TRIES / 3


@pytest.mark.parametrize("format", [*JSON_FORMATS, "zip"])
def test_bytes_damaged(format: str, talk: Dialogue, tmp_path: Path) -> None:
    rng = random.Random(format)
    path = tmp_path / ("corpus.json.zip" if format == "zip" else "corpus")
    write_corpus([talk], path, to="crosswoz" if format == "zip" else format)
    whole = path.read_bytes()
    refused = 0
    for _ in range(TRIES):
        path.write_bytes(_damaged(whole, rng))
        try:
            list(read_corpus(path))
        except InputError as error:
            refused += 1
            assert str(path) in error.message
    assert refused > TRIES / 2


def test_parquet_cut_short_or_of_another_kind(talk: Dialogue, tmp_path: Path) -> None:
    import polars as pl

    path = tmp_path / "corpus.parquet"
    write_corpus([talk], path, to="parquet")
    frame = pl.read_parquet(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(FormatError, match="not a Parquet file that can be read"):
        list(read_corpus(path))
    for changed, message in [
        (frame.drop("turns"), "turns: the column is missing"),
        (frame.with_columns(id=pl.lit(1)), "id: the column is Int"),
        (frame.with_columns(other=pl.lit(1)), "other: there is no such column"),
        (frame.with_columns(id=pl.lit(None, pl.String)), "the field 'id' is missing"),
        (frame.with_columns(extras=pl.lit("{")), "dialogue 7, extras: the extras are not valid"),
        (frame.with_columns(goal_type=pl.lit("X")), "dialogue 7, goal.type: expected 'S', 'M'"),
    ]:
        changed.write_parquet(path)
        with pytest.raises(FormatError, match=message):
            list(read_corpus(path))


def _load(path: Path, format: str) -> Any:
    text = path.read_text(encoding="utf-8")
    return (
        [json.loads(line) for line in text.splitlines()] if format == "native" else json.loads(text)
    )


def _save(value: Any, path: Path, format: str) -> None:
    if format == "native" and isinstance(value, list):
        path.write_text("\n".join(map(json.dumps, value)) or " ", encoding="utf-8")
    else:
        path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def _places(value: Any, steps: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where every node of a JSON value stands."""
    yield steps
    if isinstance(value, dict | list):
        for step in value if isinstance(value, dict) else range(len(value)):
            yield from _places(value[step], (*steps, step))


def _mutated(value: Any, steps: tuple[Any, ...], rng: random.Random) -> Any:
    """The value with one node of another type, gone, or under another name."""
    if not steps:
        return rng.choice(OTHERS)
    changed = copy.deepcopy(value)
    holder = changed
    for step in steps[:-1]:
        holder = holder[step]
    what = rng.choice(["other", "other", "gone", "renamed"])
    if what == "gone":
        del holder[steps[-1]]
    elif what == "renamed" and isinstance(holder, dict):
        holder["renamed"] = holder.pop(steps[-1])
    else:
        holder[steps[-1]] = rng.choice(OTHERS)
    return changed


def _damaged(whole: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(whole))
    match rng.choice(["cut", "flip", "drop", "insert"]):
        case "cut":
            return whole[: max(at, 1)]
        case "flip":
            return whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :]
        case "drop":
            return whole[:at] + whole[at + rng.randrange(1, 40) :] or b" "
        case _:
            return whole[:at] + rng.randbytes(rng.randrange(1, 6)) + whole[at:]
