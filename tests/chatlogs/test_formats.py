"""Logs as the programs of people write them: each is recognised and read."""

import gzip
import io
import json
import tarfile
import zipfile
from collections import deque
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from crosstalk.chatlogs.log_files import find_logs
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.chatlogs.log_reader import ReadTally, read_log
from crosstalk.cli.main import app

Said = tuple[str, str, str]


def read(path: Path) -> list[LogMessage]:
    tally = ReadTally()
    return [message for log in find_logs([path]) for message in read_log(log, tally)]


def said(messages: list[LogMessage]) -> list[Said]:
    """When, who and what, of all that people say."""
    return [
        (f"{datetime.fromtimestamp(each.time, UTC):%Y-%m-%d %H:%M:%S}", each.sender, each.text)
        for each in messages
        if each.is_speech
    ]


IRSSI = """\
--- Log opened Fri Jan 01 23:58:00 2010
23:58 -!- Irssi: #help: Total of 3 nicks [1 ops, 0 halfops, 1 voices, 1 normal]
23:58 <@petra> how do I mount a disk?
23:59 <+x> petra: with mount
--- Day changed Sat Jan 02 2010
00:01 < bob> petra: mount /dev/sdb1
00:02  * petra nods
00:03 -!- bob is now known as bob_
09:10 -!- mode/#help [+v bob_] by petra
09:15 <bob_> hi
--- Log closed Sat Jan 02 09:20:00 2010
--- Log opened Mon Feb 01 08:00:00 2010
08:00 <bob_> again
"""
IRSSI_SAID = [
    ("2010-01-01 23:58:00", "petra", "how do I mount a disk?"),
    ("2010-01-01 23:59:00", "x", "petra: with mount"),
    ("2010-01-02 00:01:00", "bob", "petra: mount /dev/sdb1"),
    ("2010-01-02 00:02:00", "petra", "nods"),
    ("2010-01-02 09:15:00", "bob_", "hi"),
    ("2010-02-01 08:00:00", "bob_", "again"),
]
WEECHAT = """\
2010-01-01 12:21:07\t-->\tcat (~cat@host) has joined #help
2010-01-01 12:21:08\t@ann\thi all
2010-01-01 12:21:09\t *\tbob waves at ann
2010-01-01 12:22:00\t--\tcat is now known as kat
2010-01-02 00:00:01\t+kat\tann: hello
2010-01-02 00:00:02\t<--\tkat (~cat@host) has quit (bye)
"""
HEXCHAT = """\
**** BEGIN LOGGING AT Thu Dec 31 23:00:00 2009

Dec 31 23:59:07 *\tNow talking on #help
Dec 31 23:59:08 <ann>\thi all
Jan 01 00:00:09 *\tbob waves at ann
Jan 01 00:00:10 *\tcat (~cat@host) has joined
Jan 01 00:00:11 *\tcat is now known as kat
Jan 01 00:00:12 <@kat>\tann: hello
**** ENDING LOGGING AT Fri Jan  1 00:10:00 2010
"""
MIRC = """\
Session Start: Fri Jan 01 12:00:00 2010
Session Ident: #help
[12:00] * Now talking in #help
[12:21] <@ann> hi \x02all\x02
[12:21] * bob waves at ann
[12:22] * cat (~cat@host) has joined #help
[12:22] * cat is now known as kat
Session Time: Sat Jan 02 00:00:00 2010
[00:01] <kat> ann: hello
Session Close: Sat Jan 02 01:00:00 2010
"""
ZNC = """\
[12:21:07] *** Joins: cat (~cat@host)
[12:21:08] <ann> hi all
[12:21:09] * bob waves at ann
[12:21:10] *** cat is now known as kat
[12:21:11] *** ChanServ sets mode: +o kat
[12:21:12] <kat> ann: hello
"""
THELOUNGE = """\
[2020-01-01T12:21:07.123Z] *** cat (~cat@host) joined
[2020-01-01T12:21:08.456Z] <@ann> hi all
[2020-01-01T12:21:09.456Z] * bob waves at ann
[2020-01-01T12:21:10.456Z] *** cat changed nick to kat
[2020-01-02T12:21:12.789Z] <kat> ann: hello
"""


def three(first: str, second: str, third: str) -> list[Said]:
    return [(first, "ann", "hi all"), (second, "bob", "waves at ann"), (third, "kat", "ann: hello")]


@pytest.mark.parametrize(
    ("name", "text", "format", "expected"),
    [
        ("#help.log", IRSSI, "irssi", IRSSI_SAID),
        (
            "irc.net.#help.weechatlog",
            WEECHAT,
            "weechat",
            three("2010-01-01 12:21:08", "2010-01-01 12:21:09", "2010-01-02 00:00:01"),
        ),
        (
            "#help.log",
            HEXCHAT,
            "hexchat",
            three("2009-12-31 23:59:08", "2010-01-01 00:00:09", "2010-01-01 00:00:12"),
        ),
        (
            "#help.log",
            MIRC,
            "mirc",
            three("2010-01-01 12:21:00", "2010-01-01 12:21:00", "2010-01-02 00:01:00"),
        ),
        (
            "net_#help_20100101.log",
            ZNC,
            "znc",
            three("2010-01-01 12:21:08", "2010-01-01 12:21:09", "2010-01-01 12:21:12"),
        ),
        (
            "#help.log",
            THELOUNGE,
            "thelounge",
            three("2020-01-01 12:21:08", "2020-01-01 12:21:09", "2020-01-02 12:21:12"),
        ),
    ],
)
def test_programs_of_irc(
    tmp_path: Path, name: str, text: str, format: str, expected: list[Said]
) -> None:
    (tmp_path / name).write_text(text)
    (log,) = find_logs([tmp_path])
    assert (log.source, log.channel) == (format, "#help")
    messages = read(tmp_path)
    assert said(messages) == expected
    assert not [each for each in messages if each.kind is LineKind.UNREADABLE and each.text]
    renamed = [each for each in messages if each.kind is LineKind.RENAME]
    assert [(each.sender, each.text) for each in renamed] in ([("cat", "kat")], [("bob", "bob_")])


ANDROID = """\
31/12/20, 22:14 - Messages and calls are end-to-end encrypted. Tap to learn more.
31/12/20, 22:15 - Ann Lee: who has the key?
of the cellar
31/12/20, 22:16 - Bob: <Media omitted>
31/12/20, 22:17 - Bob: @\u2068Ann Lee\u2069 I do: here
01/01/21, 00:01 - Ann Lee changed the subject from "a" to "b"
"""
IPHONE = """\
[12/31/20, 10:14:00\u202fPM] Home: \u200eMessages and calls are end-to-end encrypted.
[12/31/20, 10:15:07\u202fPM] Ann Lee: who has the key?
of the cellar
\u200e[12/31/20, 10:16:00\u202fPM] Bob: \u200eimage omitted
[12/31/20, 10:17:08\u202fPM] Bob: @\u2068Ann Lee\u2069 I do: here
"""
GERMAN = """\
31.12.20, 22:15 - Ann Lee: who has the key?
of the cellar
31.12.20, 22:16 - Bob: <Medien ausgeschlossen>
31.12.20, 22:17 - Bob: @\u2068Ann Lee\u2069 I do: here
"""
CHINESE = """\
[2020/12/31 下午10:15:07] Ann Lee: who has the key?
of the cellar
\u200e[2020/12/31 下午10:16:00] Bob: \u200e图像已忽略
[2020/12/31 下午10:17:08] Bob: @\u2068Ann Lee\u2069 I do: here
"""
ARABIC = """\
٣١\u200f/١٢\u200f/٢٠٢٠، ١٠:١٥ م - Ann Lee: who has the key?
of the cellar
٣١\u200f/١٢\u200f/٢٠٢٠، ١٠:١٦ م - Bob: <تم استبعاد الوسائط>
٣١\u200f/١٢\u200f/٢٠٢٠، ١٠:١٧ م - Bob: @\u2068Ann Lee\u2069 I do: here
"""
RUSSIAN = """\
31.12.2020, 22:15 - Ann Lee: who has the key?
of the cellar
31.12.2020, 22:16 - Bob: <Без медиафайлов>
31.12.2020, 22:17 - Bob: @\u2068Ann Lee\u2069 I do: here
"""


KOREAN = """\
2020년 12월 31일 오후 10:15 - Ann Lee: who has the key?
of the cellar
2020년 12월 31일 오후 10:16 - Bob: <미디어 파일 제외한>
2020년 12월 31일 오후 10:17 - Bob: @\u2068Ann Lee\u2069 I do: here
"""


@pytest.mark.parametrize("text", [ANDROID, IPHONE, GERMAN, CHINESE, ARABIC, RUSSIAN, KOREAN])
def test_whatsapp_of_many_countries(tmp_path: Path, text: str) -> None:
    (tmp_path / "WhatsApp Chat with Home.txt").write_text(text)
    assert [log.source for log in find_logs([tmp_path])] == ["whatsapp"]
    question, answer = said(read(tmp_path))
    assert question[0][:16] == "2020-12-31 22:15"
    assert question[1:] == ("Ann_Lee", "who has the key? of the cellar")
    assert answer[0][:16] == "2020-12-31 22:17"
    assert answer[1:] == ("Bob", "@Ann_Lee I do: here")


@pytest.mark.parametrize(
    ("days", "first"),
    [
        (("02/03/20", "13/03/20"), "2020-03-02"),
        (("02/03/20", "03/13/20"), "2020-02-03"),
        (("02/03/20", "02/04/20", "02/05/20", "03/01/20"), "2020-02-03"),
        (("03/02/20", "04/02/20", "05/02/20", "01/03/20"), "2020-02-03"),
        (("2.3.20", "2.4.20"), "2020-03-02"),
        (("2020/3/2", "2020/3/14"), "2020-03-02"),
    ],
)
def test_whether_the_day_or_the_month_comes_first(
    tmp_path: Path, days: tuple[str, ...], first: str
) -> None:
    (tmp_path / "chat.txt").write_text("".join(f"{day}, 9:05 - Ann: hi\n" for day in days))
    assert said(read(tmp_path))[0][0].startswith(first)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("2/3/20, 9:05 PM - Ann: hi", "2020-02-03 21:05:00"),  # as in the USA
        ("2/3/20, 9:05 pm - Ann: hi", "2020-03-02 21:05:00"),
        ("2/3/20, 9:05 p. m. - Ann: hi", "2020-03-02 21:05:00"),
        ("02/03/2020 à 09:05 - Ann: hi", "2020-03-02 09:05:00"),
        ("2/3/20, 12:05 AM - Ann: hi", "2020-02-03 00:05:00"),
    ],
)
def test_one_line_that_could_be_of_two_days(tmp_path: Path, line: str, expected: str) -> None:
    (tmp_path / "chat.txt").write_text(line + "\n")
    assert said(read(tmp_path)) == [(expected, "Ann", "hi")]


@pytest.mark.parametrize(
    ("text", "format", "expected"),
    [
        (
            "[2020-03-02T10:00:01+0130] <ann> hi\n",
            "irc",
            ("2020-03-02 08:30:01", "ann", "hi"),
        ),
        (
            "[00:00] --- Mon Mar  2 2020\n[10:00] Action: ann waves\n",
            "irc",
            ("2020-03-02 10:00:00", "ann", "waves"),
        ),
        (
            "**** BEGINN DES LOGS AM Mon Mar  2 10:00:00 2020\nMär 02 10:00:02 <ann>\thi",
            "hexchat",
            ("2020-03-02 10:00:02", "ann", "hi"),
        ),
        (
            "[10:00:01] <ann> hi\n[10:00:02] * bob (~b@host) Quit (bye)\n",
            "mirc",
            ("1970-01-01 10:00:01", "ann", "hi"),
        ),
    ],
)
def test_other_logs_of_irc(tmp_path: Path, text: str, format: str, expected: Said) -> None:
    (tmp_path / "help.log").write_text(text)
    assert [log.source for log in find_logs([tmp_path])] == [format]
    assert said(read(tmp_path)) == [expected]


def test_midnight_in_a_session_of_mirc(tmp_path: Path) -> None:
    """The session begins before midnight; nothing else says that the day changed."""
    log = "Session Start: Fri Jan 01 23:58:00 2010\n\n[00:01] <ann:#help> hi\n"
    (tmp_path / "#help.log").write_text(log)
    assert said(read(tmp_path)) == [("2010-01-02 00:01:00", "ann", "hi")]


def event(number: int, sender: str, body: str, **content: object) -> dict[str, object]:
    return {
        **{"type": "m.room.message", "sender": sender, "event_id": f"${number}"},
        "origin_server_ts": 1_700_000_000_000 + 1000 * number,
        "content": {"msgtype": "m.text", "body": body, **content},
    }


ANSWER = {"m.relates_to": {"m.in_reply_to": {"event_id": "$1"}}}
JOINED = {
    **{"type": "m.room.member", "sender": "@ann:x.org", "state_key": "@ann:x.org"},
    **{"event_id": "$0", "origin_server_ts": 1_700_000_000_000},
    "content": {"membership": "join", "displayname": "Ann Lee"},
}
EVENTS = [
    JOINED,
    event(1, "@ann:x.org", "who has the key?"),
    event(2, "@bob:x.org", "> <@ann:x.org> who has the key?\n\nAnn Lee: I do", **ANSWER),
]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"room_name": "Home", "messages": EVENTS}, indent=1),
        json.dumps({"chunk": EVENTS[::-1], "start": "a", "end": "b"}),
        json.dumps(EVENTS),
        "\n".join(map(json.dumps, EVENTS)),
    ],
)
def test_matrix_as_a_document_and_as_lines(tmp_path: Path, text: str) -> None:
    (tmp_path / "room.json").write_text(text)
    assert [log.source for log in find_logs([tmp_path])] == ["matrix"]
    messages = read(tmp_path)
    assert [each[1:] for each in said(messages)] == [
        ("ann", "who has the key?"),
        ("bob", "Ann_Lee: I do".replace("Ann_Lee", "ann")),
    ]
    assert messages[2].reply_to == messages[1].key


def test_a_mention_of_a_name_of_two_words_in_discord(tmp_path: Path) -> None:
    author = {"id": "9", "name": "annlee", "nickname": "Ann Lee"}
    bob = {"id": "8", "name": "Bob Ray", "nickname": "Bob Ray"}
    frame = {"type": "Default", "mentions": []}
    export = {
        "guild": {"id": "1", "name": "Ours"},
        "channel": {"id": "2", "name": "help"},
        "dateRange": {"after": None, "before": None},
        "messages": [
            frame
            | {"id": "1", "timestamp": "2023-01-01T10:00:00+00:00", "content": "who has the key?"}
            | {"author": author},
            frame
            | {"id": "2", "timestamp": "2023-01-01T10:01:00+00:00", "content": "@Ann Lee I do"}
            | {"author": bob, "mentions": [author]},
            frame
            | {"id": "3", "timestamp": "2023-01-01T10:02:00+00:00", "content": "<@8> where?"}
            | {"author": author, "mentions": [bob]},
        ],
    }
    (tmp_path / "help.json").write_text(json.dumps(export, indent=2))
    assert [log.source for log in find_logs([tmp_path])] == ["discord"]
    assert [each[1:] for each in said(read(tmp_path))] == [
        ("annlee", "who has the key?"),
        ("Bob_Ray", "@annlee I do"),
        ("annlee", "@Bob_Ray where?"),
    ]


def telegram(number: int, sender: str, text: object, **more: object) -> dict[str, object]:
    return {
        **{"id": number, "type": "message", "date": f"2020-01-01T12:21:0{number}"},
        **{"from": sender, "from_id": f"user{sender}", "text": text, **more},
    }


CHAT = [
    {"id": 1, "type": "service", "date": "2020-01-01T12:00:00", "action": "create_group"},
    telegram(2, "Ann Lee", "who has the key?"),
    telegram(
        3, "Bob", [{"type": "mention_name", "text": "@Ann Lee"}, " I do"], reply_to_message_id=2
    ),
]


def test_telegram_one_chat_and_all_chats(tmp_path: Path) -> None:
    whole = {"name": "Home", "type": "private_group", "id": 5, "messages": CHAT}
    (tmp_path / "one").mkdir()
    (tmp_path / "one/result.json").write_text(json.dumps(whole, indent=1))
    (tmp_path / "all").mkdir()
    (tmp_path / "all/result.json").write_text(
        json.dumps({"chats": {"list": [whole, whole | {"name": "Work"}]}}, indent=1)
    )
    expected = [
        ("2020-01-01 12:21:02", "Ann_Lee", "who has the key?"),
        ("2020-01-01 12:21:03", "Bob", "@Ann_Lee I do"),
    ]
    assert said(read(tmp_path / "one")) == expected
    assert read(tmp_path / "one")[2].reply_to == "2"
    logs = find_logs([tmp_path / "all"])
    assert [log.channel for log in logs] == ["result/Home", "result/Work"]
    assert said(read(tmp_path / "all")) == expected * 2


PAGE = """\
<!DOCTYPE html>
<html><body><div class="page_wrap"><div class="page_body chat_page"><div class="history">
<div class="message service" id="message-1"><div class="body details">1 January 2020</div></div>
<div class="message default clearfix" id="message2">
 <div class="body"><div class="pull_right date details" title="01.01.2020 13:21:02 UTC+01:00">13:21
 </div><div class="from_name">Ann Lee </div>
 <div class="text">who has <b>the key</b>?</div></div></div>
<div class="message default clearfix joined" id="message3">
 <div class="body"><div class="pull_right date details" title="01.01.2020 13:21:05 UTC+01:00">13:21
 </div><div class="text">of the<br>cellar</div></div></div>
<div class="message default clearfix" id="message4">
 <div class="body"><div class="pull_right date details" title="01.01.2020 13:22:00 UTC+01:00">13:22
 </div><div class="from_name">Bob</div><div class="reply_to details">In reply to
 <a href="#go_to_message2">this message</a></div><div class="text">I do</div></div></div>
</div></div></div></body></html>
"""


def test_telegram_s_pages(tmp_path: Path) -> None:
    (tmp_path / "messages.html").write_text(PAGE)
    messages = read(tmp_path)
    assert said(messages) == [
        ("2020-01-01 12:21:02", "Ann_Lee", "who has the key?"),
        ("2020-01-01 12:21:05", "Ann_Lee", "of the cellar"),
        ("2020-01-01 12:22:00", "Bob", "I do"),
    ]
    assert messages[-1].reply_to == messages[1].key


def test_zulip_keeps_topics_together(tmp_path: Path) -> None:
    def message(number: int, who: str, topic: str, content: str) -> dict[str, object]:
        return {
            **{"id": number, "sender_full_name": who, "timestamp": 1_577_881_260 + number},
            **{"display_recipient": "help", "subject": topic, "type": "stream", "content": content},
        }

    rows = [
        message(1, "Ann Lee", "keys", "<p>who has the <em>key</em>?</p>"),
        message(2, "Cat", "sound", "<p>no sound</p>"),
        message(3, "Bob", "keys", '<p><span class="user-mention">@Ann Lee</span> I do</p>'),
    ]
    (tmp_path / "messages.json").write_text(json.dumps({"anchor": 3, "messages": rows}))
    (log,) = find_logs([tmp_path])
    assert (log.source, log.channel) == ("zulip", "messages/help")
    messages = read(tmp_path)
    assert [each[1:] for each in said(messages)] == [
        ("Ann_Lee", "who has the key?"),
        ("Cat", "no sound"),
        ("Bob", "@Ann_Lee I do"),
    ]
    assert [each.reply_to for each in messages] == ["", "", "1"]


def test_a_whole_export_of_zulip(tmp_path: Path) -> None:
    rows = [
        {
            "id": 1,
            "sender": 7,
            "recipient": 3,
            "subject": "keys",
            "content": "who?",
            "date_sent": 1e9,
        },
        {"id": 2, "sender": 8, "recipient": 3, "subject": "keys", "content": "@**Ann Lee** I"}
        | {"date_sent": 1e9 + 60},
    ]
    rows = [row | {"recipient": 3, "subject": "keys"} for row in rows]
    people = [{"id": 7, "full_name": "Ann Lee"}, {"id": 8, "full_name": "Bob"}]
    with tarfile.open(tmp_path / "export.tar.gz", "w:gz") as archive:
        for name, value in (
            ("zulip/realm.json", {"zerver_userprofile": people}),
            ("zulip/messages-000001.json", {"zerver_message": rows}),
        ):
            raw = json.dumps(value).encode()
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    assert [each[1:] for each in said(read(tmp_path))] == [
        ("Ann_Lee", "who?"),
        ("Bob", "@Ann_Lee I"),
    ]


def test_teams(tmp_path: Path) -> None:
    def message(number: int, who: str, html: str, **more: object) -> dict[str, object]:
        return {
            **{"id": f"{number}", "messageType": "message"},
            **{"createdDateTime": f"2020-01-01T12:2{number}:00.5Z", "replyToId": None},
            "from": {"user": {"displayName": who}, "application": None},
            **{"body": {"contentType": "html", "content": html}, **more},
        }

    rows = [
        message(2, "Bob", '<div><at id="0">Ann Lee</at>&nbsp;I do</div>', replyToId="1"),
        message(1, "Ann Lee", "<p>who has the key?</p>"),
        message(0, "Ann Lee", "<systemEventMessage/>", messageType="systemEventMessage"),
    ]
    (tmp_path / "help.json").write_text(json.dumps({"@odata.context": "x", "value": rows}))
    assert [log.source for log in find_logs([tmp_path])] == ["teams"]
    messages = read(tmp_path)
    assert said(messages) == [
        ("2020-01-01 12:21:00", "Ann_Lee", "who has the key?"),
        ("2020-01-01 12:22:00", "Bob", "@Ann_Lee I do"),
    ]
    assert messages[2].reply_to == messages[1].key


def test_mattermost_has_all_channels_in_a_file(tmp_path: Path) -> None:
    def post(channel: str, who: str, text: str, **more: object) -> str:
        frame = {"team": "ours", "channel": channel, "user": who, "message": text}
        return json.dumps({"type": "post", "post": frame | {"create_at": 1_577_881_261_000} | more})

    reply = {"user": "bob", "message": "@ann I do", "create_at": 1_577_881_300_000}
    lines = [
        json.dumps({"type": "version", "version": 1}),
        json.dumps({"type": "channel", "channel": {"team": "ours", "name": "help"}}),
        post("help", "ann", "who has the key?", replies=[reply]),
        post("off-topic", "cat", "hello"),
    ]
    (tmp_path / "export.jsonl").write_text("\n".join(lines) + "\n")
    logs = find_logs([tmp_path])
    assert [(log.source, log.channel) for log in logs] == [
        ("mattermost", "export/ours/help"),
        ("mattermost", "export/ours/off-topic"),
    ]
    question, answer, _ = read(tmp_path)
    assert (answer.text, answer.reply_to) == ("@ann I do", question.key)


@pytest.mark.parametrize("indent", [None, 1])
def test_posts_of_mattermost_s_interface(tmp_path: Path, indent: int | None) -> None:
    frame = {"user_id": "u1", "root_id": "", "type": ""}
    posts = {
        "b": frame | {"id": "b", "create_at": 1_577_881_261_000, "message": "I", "root_id": "a"},
        "a": frame | {"id": "a", "create_at": 1_577_881_200_000, "message": "who has the key?"},
    }
    (tmp_path / "posts.json").write_text(
        json.dumps({"order": ["b", "a"], "posts": posts}, indent=indent)
    )
    assert [log.source for log in find_logs([tmp_path])] == ["mattermost"]
    question, answer = read(tmp_path)
    assert (question.text, answer.reply_to) == ("who has the key?", question.key)


def test_mentions_of_names_of_two_words_in_lines(tmp_path: Path) -> None:
    frame = {"time": "2020-01-01T10:00:00Z"}
    lines = [
        frame | {"sender": "Ann Lee", "text": "who has the key?"},
        frame | {"sender": "Bob Ray", "text": "Ann Lee: @Ann Lee, @bob @Ann Lee's: mail a@b.c d"},
    ]
    (tmp_path / "room.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert said(read(tmp_path))[1][2] == "Ann_Lee: @Ann_Lee, @bob @Ann Lee's: mail a@b.c d"


def extracted(path: Path, out: Path) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["logs", "extract", str(path), "--out", str(out), "--json"])
    return result.exit_code, result.output if result.exception is None else str(result.exception)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_other_encodings(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "#help.log").write_bytes(IRSSI.replace("nods", "nickt – ja").encode(encoding))
    found = said(read(tmp_path))
    assert [each[2] for each in found] == [
        each[2].replace("nods", "nickt – ja") for each in IRSSI_SAID
    ]


@pytest.mark.parametrize("name", ["#help.log.gz", "logs.zip", "logs.tar.gz", "logs.tar.bz2"])
def test_packed_logs(tmp_path: Path, name: str) -> None:
    place = tmp_path / name
    raw = IRSSI.encode()
    if name.endswith("log.gz"):
        place.write_bytes(gzip.compress(raw))
    elif name.endswith("zip"):
        with zipfile.ZipFile(place, "w") as archive:
            archive.writestr("logs/#help.log.gz", gzip.compress(raw))
    else:
        with tarfile.open(place, "w:gz" if name.endswith("gz") else "w:bz2") as tar:
            member = tarfile.TarInfo("logs/#help.log")
            member.size = len(raw)
            tar.addfile(member, io.BytesIO(raw))
    assert [log.channel for log in find_logs([place])] == ["#help"]
    assert said(read(place)) == IRSSI_SAID


@pytest.mark.parametrize("name", ["b.log.gz", "logs.zip"])
def test_a_gzip_of_too_much_data_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.log").write_text(IRSSI)
    packed = gzip.compress(b"[12:21] <ann> hello\n" * 500_000)
    if name.endswith(".zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("b.log.gz", packed)
    else:
        (tmp_path / name).write_bytes(packed)
    tally = ReadTally()
    for log in find_logs([tmp_path]):
        deque(read_log(log, tally), maxlen=0)
    assert "the gzip unpacks to more than" in " ".join(tally.problems)


def test_a_cut_gzip_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(IRSSI)
    (tmp_path / "b.log.gz").write_bytes(gzip.compress(IRSSI.encode() * 50)[:-30])
    tally = ReadTally()
    for log in find_logs([tmp_path]):
        list(read_log(log, tally))
    assert "b.log.gz" in " ".join(tally.problems)


def test_what_is_read_is_told_with_its_times(tmp_path: Path) -> None:
    (tmp_path / "#help.log").write_text(IRSSI)
    code, text = extracted(tmp_path / "#help.log", tmp_path / "out")
    record = json.loads(text)
    assert code == 0
    assert record["lines"] == 13
    assert (record["first"], record["last"]) == ("2010-01-01T23:58:00Z", "2010-02-01T08:00:00Z")
    assert {"dialogues", "dropped"} <= set(record)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("notes.txt", "Dear diary,\ntoday I slept.\n", "it begins with 'Dear diary,'"),
        ("data.json", '{"name": "x", "size": 3}', "an object with the fields 'name', 'size'"),
        ("empty.log", "", "it is empty"),
        ("talk.txt", "[10:00] hello\n[10:01] hello to you\n", "it begins with '[10:00] hello'"),
        ("talk.json", '[{"ts": "x"}]', "nobody speaks"),
    ],
)
def test_nothing_read_is_an_error_that_says_what_was_seen(
    tmp_path: Path, name: str, text: str, told: str
) -> None:
    (tmp_path / name).write_text(text)
    code, output = extracted(tmp_path / name, tmp_path / "out")
    assert code != 0
    assert told in output
    assert "Known formats: ubuntu, irssi" in output
    assert not (tmp_path / "out").exists()


def test_which_format_came_close(tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text("12:00 <ann> hi\n" + "just a line\n" * 20)
    assert "Closest: irssi (1 of its first 21 lines)" in extracted(tmp_path, tmp_path / "out")[1]


MINE = """
import re
from crosstalk.chatlogs.formats import text_lines as lines
from crosstalk.chatlogs.log_messages import LineKind

FORMAT = lines.line_format(
    "mine",
    "the logs of our own bot",
    lines.layout(
        rf"{lines.ISO_DAY} at {lines.CLOCK}: ",
        (LineKind.MESSAGE, r"(?P<name>\\w+) says (?P<text>.*)$"),
    ),
)
"""


def test_a_format_of_one_s_own(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "bot.txt").write_text("2020-01-01 at 12:21: ann says who has the key?\n")
    name = f"{tmp_path / 'mine.py'}:FORMAT"
    (log,) = find_logs([tmp_path / "bot.txt"], name)
    (message,) = read_log(log, ReadTally())
    assert (message.sender, message.text) == ("ann", "who has the key?")
    command = ["logs", "extract", str(tmp_path / "bot.txt"), "--format", name]
    result = CliRunner().invoke(app, [*command, "--out", str(tmp_path / "out"), "--json"])
    assert json.loads(result.output)["first"] == "2020-01-01T12:21:00Z"


def test_the_contents_of_a_zip_of_many_members_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not once for each member."""
    packed, opened = tmp_path / "logs.zip", list[Any]()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(200):
            archive.writestr(f"#help{number}.txt", f"[10:00] <ann> line of file {number}\n")
    real = zipfile.ZipFile.__init__

    def counted(archive: zipfile.ZipFile, *given: Any, **named: Any) -> None:
        opened.append(given)
        real(archive, *given, **named)

    monkeypatch.setattr(zipfile.ZipFile, "__init__", counted)
    assert len(read(packed)) == 200
    assert len(opened) < 10


def test_a_tar_that_points_outside_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "logs.tar", "w") as archive:
        member = tarfile.TarInfo("../outside.txt")
        member.size = len(ZNC)
        archive.addfile(member, io.BytesIO(ZNC.encode()))
    code, text = extracted(tmp_path / "logs.tar", tmp_path / "out")
    assert code != 0
    assert "points outside the archive" in text
