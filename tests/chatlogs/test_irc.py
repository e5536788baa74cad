"""Lines of the Ubuntu archive's logs, of all kinds and clock eras."""

import io
from contextlib import nullcontext
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.chatlogs.formats.log_clock import LogClock
from crosstalk.chatlogs.formats.log_format import LogContent
from crosstalk.chatlogs.formats.text_blocks import decode_line
from crosstalk.chatlogs.formats.ubuntu import FORMAT, read_irc
from crosstalk.chatlogs.log_files import day_in_name
from crosstalk.chatlogs.log_messages import LineKind, LogMessage


def read(*lines: str, day: date = date(2010, 5, 1)) -> list[LogMessage]:
    content = "\n".join(lines).encode()
    return list(FORMAT.read(LogContent(day, lambda: nullcontext(io.BytesIO(content)))))


@pytest.mark.parametrize(
    ("line", "kind", "sender", "text"),
    [
        ("[12:21] <dell> can I move it?", LineKind.MESSAGE, "dell", "can I move it?"),
        ("[12:21] <bur[n]er> a > b", LineKind.MESSAGE, "bur[n]er", "a > b"),
        ("[12:21]  * dell shrugs", LineKind.ACTION, "dell", "shrugs"),
        ("=== dell shrugs at it", LineKind.ACTION, "dell", "shrugs at it"),
        ("=== dell is now known as dell_", LineKind.RENAME, "dell", "dell_"),
        ("=== dell [~d@host]  has joined #ubuntu", LineKind.SYSTEM, "", None),
        ("=== dell [~d@host]  has left #ubuntu []", LineKind.SYSTEM, "", None),
        ("=== mode/#ubuntu [+o x]  by y", LineKind.SYSTEM, "", None),
        ("=== ..[topic/#ubuntu:x] : welcome", LineKind.SYSTEM, "", None),
        ("[12:21] -x:#ubuntu- notice", LineKind.SYSTEM, "", None),
        ("[12:21] <dell>", LineKind.MESSAGE, "dell", ""),
        ("[12:21] <@dell> hi", LineKind.MESSAGE, "dell", "hi"),
        ("[12:21] <+dell> hi", LineKind.MESSAGE, "dell", "hi"),
        ("[12:21] < dell> hi", LineKind.MESSAGE, "dell", "hi"),
        ("[12:21]  * @dell shrugs", LineKind.ACTION, "dell", "shrugs"),
        ("12:21 hello", LineKind.UNREADABLE, "", None),
        ("\x00\x01 junk", LineKind.UNREADABLE, "", None),
    ],
)
def test_kinds_of_lines(line: str, kind: LineKind, sender: str, text: str | None) -> None:
    (message,) = read(line)
    assert (message.kind, message.sender) == (kind, sender)
    assert text is None or message.text == text


def test_colours_and_tabs_are_not_part_of_what_was_said() -> None:
    (message,) = read("[12:21] <a> \x02bold\x02 \x0304,01red\tblue")
    assert message.text == "bold red blue"


def test_every_line_keeps_its_number() -> None:
    assert [message.number for message in read("junk", "[01:00] <a> b", "=== c d")] == [0, 1, 2]


def test_before_october_2007_the_clock_has_twelve_hours() -> None:
    lines = [f"[{stamp}] <a> b" for stamp in ("12:30", "01:10", "11:50", "12:10", "01:00")]
    hours = [_hour(message) for message in read(*lines, day=date(2005, 3, 1))]
    assert hours == [0, 1, 11, 12, 13]


@pytest.mark.parametrize("day", [date(2005, 3, 1), date.min])
def test_a_morning_alone_is_read_as_written(day: date) -> None:
    """Only a clock that goes back by hours shows that it has twelve."""
    lines = [f"[{stamp}] <a> b" for stamp in ("09:00", "11:50", "12:10", "12:30")]
    times = [message.time for message in read(*lines, day=day)]
    assert [(time - times[0]) // 60 for time in times] == [0, 170, 190, 210]
    assert _hour(read("[12:30] <a> b", day=day)[0]) == 12


def test_after_it_twenty_four_and_midnight_leads_to_the_next_day() -> None:
    first, second = read("[23:59] <a> b", "[00:01] <a> b")
    assert second.time - first.time == 120


def test_a_clock_of_twenty_four_hours_is_noticed_in_the_older_era() -> None:
    lines = [f"[{stamp}] <a> b" for stamp in ("10:00", "13:00", "23:00", "00:30")]
    times = [message.time for message in read(*lines, day=date(2005, 3, 1))]
    assert [(time - times[0]) // 1800 for time in times] == [0, 6, 26, 29]


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99))), st.dates())
def test_time_never_runs_backwards(stamps: list[tuple[int, int]], day: date) -> None:
    lines = [f"[{h:02}:{m:02}] <a> b" for h, m in stamps]
    times = [message.time for message in read_irc(lines, LogClock(day))]
    assert times == sorted(times)
    assert LogClock(day).at(1, 2) >= LogClock(day).now


@given(st.text())
def test_any_text_is_one_message_a_line(text: str) -> None:
    (message,) = read_irc([text], LogClock(date(2010, 5, 1)))
    assert message.number == 0


@given(st.binary())
def test_any_bytes_can_be_decoded(raw: bytes) -> None:
    assert isinstance(decode_line(raw), str)


def test_lines_of_one_file_may_differ_in_encoding() -> None:
    assert (
        decode_line("caf\u00e9".encode())
        == decode_line("caf\u00e9".encode("cp1252"))
        == "caf\u00e9"
    )


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2007-01-19.train-a.raw.txt", date(2007, 1, 19)),
        ("2012/04/01/#ubuntu.txt", date(2012, 4, 1)),
        ("20120401.log", date(2012, 4, 1)),
        ("2012-13-01.log", None),
        ("chat.log", None),
    ],
)
def test_days_are_found_in_names(name: str, day: date | None) -> None:
    assert day_in_name(name) == day


def _hour(message: LogMessage) -> int:
    return datetime.fromtimestamp(message.time, UTC).hour


def test_a_clock_that_goes_back_by_hours_is_named_and_midnight_is_not() -> None:
    clock = LogClock(date(2010, 5, 1))
    read_irc(["[23:59] <a> b", "[00:01] <a> b"], clock)
    assert not list(clock.problems())
    read_irc(["[10:06] <a> b", "[09:00] <a> b"], clock)
    assert "goes back by hours 1 times" in next(clock.problems())


def test_lines_without_seconds_after_one_with_them_are_no_step_back() -> None:
    clock = LogClock(date(2010, 1, 4))
    opened = clock.at(22, 50, 11)
    assert clock.at(22, 50) == opened
    assert not [*clock.problems()]
    clock.at(22, 49)
    assert [*clock.problems()] == ["the clock steps back 1 times"]
