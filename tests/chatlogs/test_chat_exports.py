"""Slack's exports: people by name, marks as people see them, threads."""

import json
import zipfile
from pathlib import Path

from crosstalk.chatlogs.log_files import find_logs
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.chatlogs.log_reader import ReadTally, read_log

USERS = [{"id": "U1", "name": "ann"}, {"id": "U2", "name": "bob lee"}]
DAY = [
    {"type": "message", "user": "U1", "text": "who has <#C1|help>?", "ts": "1700000000.1"},
    {"user": "U2", "text": "<@U1> I &amp; U3", "ts": "1700000060.1", "thread_ts": "1700000000.1"},
    {"subtype": "bot_message", "bot_id": "B1", "text": "<https://a.b|here>", "ts": "1700000070.1"},
]


def read(path: Path) -> list[LogMessage]:
    tally = ReadTally()
    messages = [message for log in find_logs([path]) for message in read_log(log, tally)]
    assert not tally.problems
    return messages


def test_people_have_names_and_marks_are_spelt_out(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("ours/users.json", json.dumps(USERS))
        archive.writestr("ours/help/2023-11-14.json", json.dumps(DAY))
    messages = read(tmp_path / "export.zip")
    assert [(message.sender, message.text) for message in messages] == [
        ("ann", "who has #help?"),
        ("bob_lee", "@ann I & U3"),
        ("B1", "here"),
    ]


def test_an_unpacked_export_is_read_the_same(tmp_path: Path) -> None:
    (tmp_path / "help").mkdir()
    (tmp_path / "users.json").write_text(json.dumps(USERS))
    (tmp_path / "help/2023-11-14.json").write_text(json.dumps(DAY))
    assert [message.sender for message in read(tmp_path)] == ["ann", "bob_lee", "B1"]


def test_a_day_without_the_list_of_users_keeps_its_threads(tmp_path: Path) -> None:
    path = tmp_path / "help" / "2023-11-14.json"
    path.parent.mkdir()
    path.write_text(json.dumps(DAY))
    (log,) = find_logs([tmp_path])
    question, answer, _ = read(tmp_path)
    assert (log.channel, question.sender) == ("help", "U1")
    assert answer.reply_to == question.key
    assert answer.kind is LineKind.MESSAGE
