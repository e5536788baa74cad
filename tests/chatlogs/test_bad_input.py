"""What is wrong with a log is counted and named; the rest is read, and nothing falls over."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.errors import FormatError

GOOD = b"""\
[10:00] <ann> how do I mount a disk?
[10:01] <bob> ann: sudo mount /dev/sdb1 /mnt
[10:02] <ann> bob: thanks, which one?
[10:03] <bob> ann: the second
"""


def extracted(folder: Path, method: str) -> dict[str, Any]:
    out = folder.parent / f"out-{method}"
    result = CliRunner().invoke(
        app, ["logs", "extract", str(folder), "--method", method, "--out", str(out)]
    )
    assert result.exit_code == 0, result.output
    shown = CliRunner().invoke(app, ["logs", "stats", str(out), "--json"])
    record: dict[str, Any] = json.loads(shown.output)
    return record


def binary_junk(folder: Path) -> None:
    (folder / "2010-01-02.txt").write_bytes(bytes(range(256)) * 40 + b"\n" + GOOD)


def mixed_encodings(folder: Path) -> None:
    (folder / "2010-01-02.txt").write_bytes(b"[09:00] <a> caf\xe9\n[09:01] <b> caf\xc3\xa9\n")


def a_clock_that_steps_back(folder: Path) -> None:
    (folder / "2010-01-02.txt").write_bytes(b"[10:05] <a> b\n[10:03] <a> c\n[10:06] <b> a: d\n")


def a_line_of_five_megabytes(folder: Path) -> None:
    (folder / "2010-01-02.txt").write_bytes(b"[10:00] <a> " + b"x" * 5_000_000 + b"\n" + GOOD)


def an_empty_day(folder: Path) -> None:
    (folder / "2010-01-02.txt").write_bytes(b"")


def a_truncated_zip(folder: Path) -> None:
    whole = folder.parent / "whole.zip"
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("2010-01-02.txt", GOOD * 500)
    (folder / "cut.zip").write_bytes(whole.read_bytes()[:-40])


def nobody_speaks(folder: Path) -> None:
    (folder / "2010-01-02.txt").write_bytes(b"[10:00] hello\n[10:01] hello to you\n")


def a_table_without_names(folder: Path) -> None:
    (folder / "table.csv").write_bytes(b'1,"a ""quoted"" word",x\ty\n2,"open')


def a_picture(folder: Path) -> None:
    (folder / "photo.png").write_bytes(b"\x89PNG")


def half_a_character(folder: Path) -> None:
    said = '{"time": %d, "sender": "%s", "text": "yes \\ud83d"}\n'
    lines = [said % (1_700_000_000 + at, "ab"[at % 2]) for at in range(4)]
    (folder / "room.jsonl").write_text("".join(lines) + '{"text": "no sender"}')


def impossible_times(folder: Path) -> None:
    lines = [
        f'{{"time": {time}, "sender": "a", "text": "b"}}' for time in ("1e300", "-1e18", "NaN")
    ]
    (folder / "room.jsonl").write_text("\n".join(lines))


def a_clock_that_goes_back_by_hours(folder: Path) -> None:
    (folder / "2010-01-02.txt").write_bytes(b"[10:05] <a> b\n[08:03] <a> c\n")


@pytest.mark.parametrize("method", ["paper", "links"])
@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (binary_junk, "lines are no messages"),
        (mixed_encodings, "1 lines are not UTF-8"),
        (a_clock_that_steps_back, "the clock steps back 1 times"),
        (a_line_of_five_megabytes, "1 lines cut after 64,000 characters"),
        (an_empty_day, "nothing in it"),
        (a_truncated_zip, "the zip cannot be unpacked"),
        (nobody_speaks, "nobody speaks in it: 2 lines"),
        (a_table_without_names, "lines are no messages"),
        (a_picture, "photo.png: no log, left out"),
        (half_a_character, "1 lines are no messages"),
        (impossible_times, "3 lines are no messages"),
        (a_clock_that_goes_back_by_hours, "the clock goes back by hours 1 times"),
    ],
)
def test_it_is_named_and_the_rest_is_read(
    tmp_path: Path, method: str, spoil: Callable[[Path], None], told: str
) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "2010-01-01.txt").write_bytes(GOOD)
    spoil(folder)
    record = extracted(folder, method)
    assert any(told in problem for problem in record["problems"]), record["problems"]
    assert record["dialogues"] >= 1
    assert record["lines"] == sum(record["lines_by_kind"].values())


@pytest.mark.parametrize("method", ["paper", "rules", "links"])
def test_times_may_come_in_any_order(tmp_path: Path, method: str) -> None:
    """Undated files start at midnight again; exports are sorted as somebody liked."""
    folder = tmp_path / "logs"
    for day in "abc":
        (folder / day).mkdir(parents=True)
        (folder / day / "#help.txt").write_bytes(GOOD.replace(b"[10:", b"[23:") + GOOD)
    lines = [
        {"time": 1_700_000_000 - 7_000 * at * (-1) ** at, "sender": f"p{at % 3}", "text": "p1: yes"}
        for at in range(40)
    ]
    (folder / "room.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert extracted(folder, method)["lines_by_kind"] == {"message": 64}


def test_a_nick_called_the_does_not_swallow_english(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    others = b"[10:04] <the> is it there?\n[10:04] <cat> the disk is full\n[10:05] <cat> the: yes\n"
    (folder / "2010-01-01.txt").write_bytes(GOOD + others)
    assert extracted(folder, "paper")["dialogues"] == 1
    assert extracted(folder, "links")["dialogues"] >= 1
    table = pl.read_parquet(tmp_path / "out-links/conversations/*.parquet")
    assert "the" not in table.filter(pl.col("text").str.starts_with("the disk"))["recipient"]


def test_a_table_with_quotes_tabs_and_ends_of_lines(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    rows = ["time,sender,text", '2020-01-01T10:00:00Z,ann,"a ""b""\tc\nd, e?"']
    rows += [
        f"2020-01-01T10:0{at}:00Z,{'bob' if at % 2 else 'ann'},{'ann' if at % 2 else 'bob'}: yes"
        for at in range(1, 4)
    ]
    (folder / "help.csv").write_text("\n".join(rows) + "\n")
    record = extracted(folder, "links")
    assert record["lines_by_kind"] == {"message": 4}
    table = pl.read_parquet(tmp_path / "out-links/dialogues/*.parquet")
    assert table["text"][0] == 'a "b" c d, e?'


def slack(folder: Path, said: list[tuple[str, str]]) -> None:
    values = [
        {"type": "message", "user": who, "text": text, "ts": f"17000000{at}0.0001"}
        for at, (who, text) in enumerate(said)
    ]
    values[1]["thread_ts"] = values[0]["ts"]
    with zipfile.ZipFile(folder / "export.zip", "w") as archive:
        archive.writestr("users.json", "[]")
        archive.writestr("channels.json", "[]")
        archive.writestr("help/2023-11-14.json", json.dumps(values))


def discord(folder: Path, said: list[tuple[str, str]]) -> None:
    values: list[dict[str, Any]] = [
        {
            **{"id": str(at), "type": "Default", "timestamp": f"2023-01-01T10:0{at}:00+00:00"},
            **{"content": text, "author": {"name": who}},
        }
        for at, (who, text) in enumerate(said)
    ]
    values[1] |= {"type": "Reply", "reference": {"messageId": "0"}}
    (folder / "help.json").write_text(json.dumps({"messages": values}))


def matrix(folder: Path, said: list[tuple[str, str]]) -> None:
    values: list[dict[str, Any]] = [
        {
            **{"type": "m.room.message", "event_id": f"${at}", "sender": who},
            **{"origin_server_ts": 1_700_000_000_000 + at, "content": {"body": text}},
        }
        for at, (who, text) in enumerate(said)
    ]
    values[1]["content"]["m.relates_to"] = {"m.in_reply_to": {"event_id": "$0"}}
    (folder / "room.jsonl").write_text("\n".join(map(json.dumps, values)))


def json_lines(folder: Path, said: list[tuple[str, str]]) -> None:
    values: list[dict[str, Any]] = [
        {"time": 1_700_000_000 + 60 * at, "sender": who, "text": text, "id": at + 1}
        for at, (who, text) in enumerate(said)
    ]
    values[1]["reply_to"] = 1
    (folder / "room.jsonl").write_text("\n".join(map(json.dumps, values)))


@pytest.mark.parametrize("export", [slack, discord, matrix, json_lines])
def test_exports_of_other_programs_all_the_way(
    tmp_path: Path, export: Callable[[Path, list[tuple[str, str]]], None]
) -> None:
    """A question, an answer marked as one, and two lines more."""
    folder = tmp_path / "logs"
    folder.mkdir()
    said = [("ann", "who has the key?"), ("bob", "I do"), ("ann", "bob: where?"), ("bob", "here")]
    export(folder, said)
    record = extracted(folder, "links")
    assert record["lines_by_kind"] == {"message": 4}
    assert not record["problems"]
    table = pl.concat(
        pl.read_parquet(path) for path in tmp_path.glob("out-links/conversations/*.parquet")
    )
    first, answer = table.sort("order").rows(named=True)[:2]
    assert (answer["parent"], answer["confidence"]) == (first["order"], 1.0)


@pytest.mark.parametrize("names", [("#help.txt", "_help.txt"), ("help.txt", "Help.txt")])
def test_channels_of_like_names_do_not_swallow_each_other(
    tmp_path: Path, names: tuple[str, str]
) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes(GOOD)
    record = extracted(folder, "paper")
    assert record["lines"] == 8
    assert record["dialogues"] == 2
    files = [path.name.casefold() for path in (tmp_path / "out-paper/parts").iterdir()]
    assert len(set(files)) == 2


def test_a_cut_zip_is_told_once_and_on_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "2010-01-01.txt").write_bytes(GOOD)
    a_truncated_zip(folder)
    (problem,) = extracted(folder, "paper")["problems"]
    assert problem.startswith(f"{folder / 'cut.zip'}: the zip cannot be unpacked")
    assert "\n" not in problem


@pytest.mark.parametrize(
    ("field", "value"),
    [("turns", {"x": 1}), ("lines", 3), ("first", "noon"), ("last", 1e300), ("words", None)],
)
def test_a_summary_that_was_edited_is_refused(tmp_path: Path, field: str, value: object) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "2010-01-01.txt").write_bytes(GOOD)
    extracted(tmp_path / "logs", "paper")
    out = tmp_path / "out-paper"
    summary = next((out / "parts").glob("*.json"))
    summary.write_text(json.dumps(json.loads(summary.read_text()) | {field: value}))
    result = CliRunner().invoke(app, ["logs", "stats", str(out)])
    assert isinstance(result.exception, FormatError)
    assert "not what `logs extract` wrote" in str(result.exception)
