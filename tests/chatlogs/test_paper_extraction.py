"""The two worked examples of the paper, and what its rules say elsewhere."""

from datetime import date

import pytest

from crosstalk.chatlogs.conversation_threads import Thread, turns
from crosstalk.chatlogs.formats.log_clock import LogClock
from crosstalk.chatlogs.formats.ubuntu import read_irc
from crosstalk.chatlogs.paper_extraction import PaperExtractor, PaperRules, PaperVariant

FIGURE_5 = """\
[03:44] <Old> I dont run graphical ubuntu, I run ubuntu server.
[03:45] <kuja> Taru: Haha sucker.
[03:45] <Taru> Kuja: ?
[03:45] <bur[n]er> Old: you can use "ps ax" and "kill (PID#)"
[03:45] <kuja> Taru: Anyways, you made the changes right?
[03:45] <Taru> Kuja: Yes.
[03:45] <LiveCD> or killall speedlink
[03:45] <kuja> Taru: Then from the terminal type: sudo apt-get update
[03:46] <_pm> if i install the beta version, how can i update it when the final version comes out?
[03:46] <Taru> Kuja: I did."""

FIGURE_6 = """\
[12:21] <dell> well, can I move the drives?
[12:21] <cucho> dell: ah not like that
[12:21] <RC> dell: you can't move the drives
[12:21] <RC> dell: definitely not
[12:21] <dell> ok
[12:21] <dell> lol
[12:21] <RC> this is the problem with RAID :)
[12:21] <dell> RC haha yeah
[12:22] <dell> cucho, I guess I could just get an enclosure and copy via USB...
[12:22] <cucho> dell: i would advise you to get the disk"""


def extract(log: str, rules: PaperRules | None = None) -> list[Thread]:
    extractor = PaperExtractor(rules or PaperRules())
    messages = list(read_irc(log.split("\n"), LogClock(date(2008, 1, 1))))
    threads = [*extractor.day(messages), *extractor.end()]
    return sorted(threads, key=lambda thread: thread[0].order)


def merged(thread: Thread) -> list[tuple[str, str]]:
    return [
        (turn[0].message.sender, ". ".join(line.text for line in turn)) for turn in turns(thread)
    ]


def test_figure_5_of_the_paper() -> None:
    old, kuja = extract(FIGURE_5)
    assert merged(old) == [
        ("Old", "I dont run graphical ubuntu, I run ubuntu server."),
        ("bur[n]er", 'you can use "ps ax" and "kill (PID#)"'),
    ]
    assert merged(kuja) == [
        ("kuja", "Haha sucker."),
        ("Taru", "?"),
        ("kuja", "Anyways, you made the changes right?"),
        ("Taru", "Yes."),
        ("kuja", "Then from the terminal type: sudo apt-get update"),
        ("Taru", "I did."),
    ]
    assert {line.recipient for line in kuja} == {"kuja", "Taru"}


def test_figure_6_of_the_paper() -> None:
    cucho, raid = sorted(extract(FIGURE_6), key=len)
    assert merged(cucho) == [
        ("dell", "well, can I move the drives?"),
        ("cucho", "ah not like that"),
        ("dell", "I guess I could just get an enclosure and copy via USB..."),
        ("cucho", "i would advise you to get the disk"),
    ]
    assert merged(raid) == [
        ("dell", "well, can I move the drives?"),
        ("RC", "you can't move the drives. definitely not. this is the problem with RAID :)"),
        ("dell", "haha yeah"),
    ]


def test_only_one_reading_gives_figure_6() -> None:
    for reading in (PaperVariant.PARTNER, PaperVariant.BOTH):
        words = [line.text for thread in extract(FIGURE_6, PaperRules(reading)) for line in thread]
        assert "ok" in words


def test_silence_ends_a_dialogue() -> None:
    log = "[10:00] <ann> bob: hi\n[10:01] <bob> ann: hi\n[12:30] <ann> bob: still there?"
    assert [len(thread) for thread in extract(log)] == [2, 1]
    assert [len(thread) for thread in extract(log, PaperRules(silence=None))] == [3]


def test_a_question_is_looked_for_three_minutes_back() -> None:
    log = "[10:00] <ann> which disk?\n[10:0{}] <bob> ann: the first"
    assert len(extract(log.format(2))[0]) == 2
    assert len(extract(log.format(3))[0]) == 1


def test_the_question_chain_of_the_released_program() -> None:
    log = "[10:00] <ann> hello\n[10:02] <ann> which disk?\n[10:04] <bob> ann: the first"
    assert len(extract(log)[0]) == 2
    assert len(extract(log, PaperRules(question_chain=True))[0]) == 3


@pytest.mark.parametrize("line", ["the end", "the: end"])
def test_a_name_that_is_a_common_word_needs_punctuation(line: str) -> None:
    threads = extract(f"[10:00] <the> is it?\n[10:01] <ann> {line}")
    assert bool(threads) == (":" in line)


def test_bots_have_no_dialogues() -> None:
    assert not extract("[10:00] <ann> ubottu: help\n[10:00] <ubottu> ann: see the wiki")
