"""Logs in what people have: folders, zips, exports of chat programs."""

import json
import zipfile
from pathlib import Path

import pytest

from crosstalk.chatlogs.messages import Kind, Message
from crosstalk.chatlogs.reading import Tally, read_log
from crosstalk.chatlogs.sources import Source, find_logs
from crosstalk.errors import InputError


def read_all(path: Path) -> tuple[list[Message], Tally]:
    tally = Tally()
    return [message for log in find_logs([path]) for message in read_log(log, tally)], tally


def test_a_slack_export(tmp_path: Path) -> None:
    messages = [
        {"type": "message", "user": "U1", "text": "who has the key?", "ts": "1700000000.000100"},
        {"type": "message", "subtype": "channel_join", "user": "U2", "ts": "1700000001.0"},
        {
            **{"type": "message", "user": "U2", "text": "I do", "ts": "1700000060.000200"},
            "thread_ts": "1700000000.000100",
        },
    ]
    export = tmp_path / "export.zip"
    with zipfile.ZipFile(export, "w") as archive:
        archive.writestr("users.json", "[]")
        archive.writestr("help/2023-11-14.json", json.dumps(messages))
    (log,) = find_logs([export])
    assert (log.channel, log.source, str(log.day)) == ("help", Source.SLACK, "2023-11-14")
    question, joined, answer = read_all(export)[0]
    assert joined.kind is Kind.SYSTEM
    assert answer.reply_to == question.key
    assert (answer.sender, answer.text, answer.time) == ("U2", "I do", 1700000060)


def test_a_discord_export(tmp_path: Path) -> None:
    author = {"id": "9", "name": "Ann Lee"}
    export = {
        "channel": {"name": "help"},
        "messages": [
            {
                **{"id": "1", "type": "Default", "timestamp": "2023-01-01T10:00:00.5+00:00"},
                **{"content": "hi", "author": author},
            },
            {
                **{"id": "2", "type": "Reply", "timestamp": "2023-01-01T10:01:00+00:00"},
                **{"content": "hello", "author": {"name": "Bob"}, "reference": {"messageId": "1"}},
            },
        ],
    }
    (tmp_path / "help.json").write_text(json.dumps(export))
    first, second = read_all(tmp_path)[0]
    assert (first.sender, first.text, second.reply_to) == ("Ann_Lee", "hi", "1")
    assert second.time - first.time == 60


def test_json_lines_of_our_own_and_of_matrix(tmp_path: Path) -> None:
    lines = [
        {"time": "2026-01-02T10:00:00Z", "sender": "ann", "text": "hi", "id": "7"},
        {"time": 1767348060, "sender": "bob", "text": "yes?", "reply_to": "7"},
        {
            **{"origin_server_ts": 1767348120000, "sender": "@c:x", "event_id": "$1"},
            "content": {"body": "me too", "m.relates_to": {"m.in_reply_to": {"event_id": "$0"}}},
        },
    ]
    path = tmp_path / "room.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\nnot json\n{}\n")
    messages, tally = read_all(path)
    assert [message.text for message in messages[:3]] == ["hi", "yes?", "me too"]
    assert [message.time - messages[0].time for message in messages[:3]] == [0, 60, 120]
    assert messages[2].reply_to == "$0"
    assert [message.kind for message in messages[3:]] == [Kind.UNREADABLE] * 2
    assert "2 lines are no messages" in tally.problems[0]


def test_an_archive_of_irc_channels(tmp_path: Path) -> None:
    for day in ("2012/04/01", "2012/03/31"):
        (tmp_path / day).mkdir(parents=True)
        (tmp_path / day / "#ubuntu.txt").write_text("[10:00] <a> b\n")
    logs = find_logs([tmp_path])
    assert [(log.channel, log.month) for log in logs] == [
        ("#ubuntu", "2012-03"),
        ("#ubuntu", "2012-04"),
    ]


def test_what_cannot_be_read_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "2010-01-01.txt").write_bytes(b"[10:00] <a> caf\xe9\n\xff\xfe\x00junk\n")
    (tmp_path / "2010-01-02.txt").write_bytes(b"")
    (tmp_path / "2010-01-03.txt").write_bytes(b"[10:00] <a> " + b"x" * 5_000_000 + b"\n")
    (tmp_path / "2010-01-04.txt").write_bytes(b"[10:05] <a> b\n[10:03] <a> c\n")
    (tmp_path / "broken.json").write_bytes(b'{"messages": [')
    messages, tally = read_all(tmp_path)
    assert messages[-1].text or messages[0].text == "caf\u00e9"
    told = "\n".join(tally.problems)
    for part in ("1 lines are no", "nothing in it", "1 lines cut", "steps back", "broken.json"):
        assert part in told


def test_a_cut_zip_says_so(tmp_path: Path) -> None:
    whole = tmp_path / "a.zip"
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("2010-01-01.txt", "[10:00] <a> b\n" * 1000)
    cut = tmp_path / "cut.zip"
    cut.write_bytes(whole.read_bytes()[:-30])
    messages, tally = read_all(cut)
    assert not messages
    assert "cut.zip: the zip cannot be unpacked" in tally.problems[0]


@pytest.mark.parametrize("name", ["nothing", "empty"])
def test_nothing_to_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError):
        find_logs([tmp_path / name])
