"""Logs in what people have: folders, zips, exports of chat programs."""

import json
import zipfile
from pathlib import Path

import pytest

from crosstalk.chatlogs.log_files import find_logs, unread_files
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.chatlogs.log_reader import ReadTally, read_log
from crosstalk.errors import InputError


def read_all(path: Path) -> tuple[list[LogMessage], ReadTally]:
    tally = ReadTally()
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
    assert (log.channel, log.source, str(log.day)) == ("help", "slack", "2023-11-14")
    question, joined, answer = read_all(export)[0]
    assert joined.kind is LineKind.SYSTEM
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


def test_json_lines_of_our_own(tmp_path: Path) -> None:
    lines = [
        {"time": "2026-01-02T10:00:00Z", "sender": "ann", "text": "hi", "id": "7"},
        {"time": 1767348060, "sender": "bob", "text": "yes?", "reply_to": "7"},
        {"timestamp": 1767348120000, "author": {"name": "cat"}, "content": "me too"},
    ]
    path = tmp_path / "room.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\nnot json\n{}\n")
    messages, tally = read_all(path)
    assert [message.text for message in messages[:3]] == ["hi", "yes?", "me too"]
    assert [message.time - messages[0].time for message in messages[:3]] == [0, 60, 120]
    assert messages[1].reply_to == messages[0].key == "7"
    assert [message.kind for message in messages[3:]] == [LineKind.UNREADABLE] * 2
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


LINE = "[10:00] <a> b\n"


@pytest.mark.parametrize(
    ("name", "given", "channel", "day"),
    [
        ("ubuntu/2013/10/2013-10-11.txt", ".", "ubuntu", "2013-10-11"),
        ("ubuntu/2013/10/2013-10-11.txt", "ubuntu/2013", "ubuntu", "2013-10-11"),
        ("ubuntu/2013-10-11.txt", "ubuntu/2013-10-11.txt", "ubuntu", "2013-10-11"),
        ("2012/03/31/#ubuntu.txt", "2012/03", "#ubuntu", "2012-03-31"),
        ("2012/03/31/#ubuntu.txt", "2012/03/31/#ubuntu.txt", "#ubuntu", "2012-03-31"),
    ],
)
def test_channel_and_day_are_found_from_wherever_one_looks(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    given: str,
    channel: str,
    day: str,
) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(LINE)
    monkeypatch.chdir(tmp_path)
    (log,) = find_logs([Path(given)])
    assert (log.channel, str(log.day)) == (channel, day)


def test_copies_of_an_annotated_day_are_left_out_and_named(tmp_path: Path) -> None:
    for kind in ("raw", "ascii", "tok", "annotation"):
        (tmp_path / f"2010-01-01.{kind}.txt").write_text(LINE)
    logs = find_logs([tmp_path])
    assert [log.path.name for log in logs] == ["2010-01-01.raw.txt"]
    assert [Path(name).name for name in unread_files([tmp_path], logs)] == [
        "2010-01-01.ascii.txt",
        "2010-01-01.tok.txt",
    ]


def test_what_matrix_writes_beside_messages(tmp_path: Path) -> None:
    """People come and go, react and correct; a reply quotes what it answers."""
    frame = {"sender": "@a:x", "origin_server_ts": 1_700_000_000_000}
    answers = {"m.relates_to": {"m.in_reply_to": {"event_id": "$1"}}}
    thread = {"m.relates_to": {"rel_type": "m.thread", "event_id": "$1"}}
    correction = {"m.relates_to": {"rel_type": "m.replace", "event_id": "$1"}}
    events = [
        {"type": "m.room.member", "content": {"membership": "join"}},
        {"type": "m.reaction", "content": {}},
        {"type": "m.room.message", "content": {"body": "> <@b:x> why?\n\nso", **answers}},
        {"type": "m.room.message", "content": {"body": "and so", **thread}},
        {"type": "m.room.message", "content": {"body": "* so", **correction}},
        {"type": "m.room.encrypted", "content": {"ciphertext": "x"}},
    ]
    path = tmp_path / "room.jsonl"
    path.write_text("\n".join(json.dumps(frame | event) for event in events))
    messages, tally = read_all(path)
    kinds = ["system", "system", "message", "message", "system", "unreadable"]
    assert [message.kind.value for message in messages] == kinds
    assert [(each.text, each.reply_to) for each in messages[2:4]] == [
        ("so", "$1"),
        ("and so", "$1"),
    ]
    assert "1 lines are no messages" in tally.problems[0]


@pytest.mark.parametrize("power", [0, 3, 6, 9])
def test_times_may_be_of_any_unit(tmp_path: Path, power: int) -> None:
    path = tmp_path / "room.jsonl"
    path.write_text(json.dumps({"time": 1_700_000_000 * 10**power, "sender": "a", "text": "b"}))
    assert read_all(path)[0][0].time == 1_700_000_000


def test_a_mark_at_the_beginning_and_lines_of_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "2010-01-01.txt").write_bytes(b"\xef\xbb\xbf" + LINE.encode())
    (tmp_path / "room.jsonl").write_bytes(b'\xef\xbb\xbf{"time":1,"sender":"a","text":"caf\xe9"}\n')
    messages, tally = read_all(tmp_path)
    assert {message.text for message in messages} == {"b", "caf\u00e9"}
    assert not tally.problems


def test_a_text_in_pieces(tmp_path: Path) -> None:
    """Telegram's exports have the shape of Discord's."""
    frame = {"type": "message", "date": "2023-01-01T10:00:00"}
    answer = {"text": ["see ", {"type": "link", "text": "a.b"}], "reply_to_message_id": 1}
    messages = [
        frame | {"id": 1, "from": "Ann Lee", "text": "where?"},
        frame | {"id": 2, "from": "Bob"} | answer,
    ]
    (tmp_path / "result.json").write_text(json.dumps({"messages": messages}))
    first, second = read_all(tmp_path)[0]
    assert (second.text, second.reply_to) == ("see a.b", first.key)


def test_json_of_another_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "help.json").write_bytes(b'{"messages": [{"content": "caf\xe9"}]}')
    messages, tally = read_all(tmp_path)
    assert not messages
    assert "help.json: byte 30 is not UTF-8" in tally.problems[0]
