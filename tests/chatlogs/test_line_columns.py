"""What is known of lines before they are linked."""

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.chatlogs.annotated_days import AnnotatedDay
from crosstalk.chatlogs.formats.log_clock import LogClock
from crosstalk.chatlogs.formats.ubuntu import read_irc
from crosstalk.chatlogs.linking import line_columns as reading
from crosstalk.chatlogs.linking.addressees import NOBODY
from crosstalk.chatlogs.linking.line_columns import (
    EDGES,
    FLAGS,
    LineColumns,
    LineReader,
    WordIds,
    split_words,
)
from crosstalk.chatlogs.linking.linker_training import without_addresses
from crosstalk.chatlogs.log_messages import LogMessage
from crosstalk.chatlogs.thread_tables import count_words

ANN, BOB, ZOE = 0, 1, 2


def messages(*said: str) -> list[LogMessage]:
    return read_irc([f"[10:00] {line}" for line in said], LogClock(date(2010, 1, 1)))


def flags(lines: LineColumns, place: int) -> set[str]:
    return {name for name, value in zip(FLAGS, lines.flags[place], strict=True) if value}


def test_whom_lines_speak_to_and_of() -> None:
    lines = LineReader().read(
        messages(
            "<ann> hello all",
            "<bob> ann: try what zoe said",
            "<zoe> bob, ann: I said nothing",
            "<ann> ask zoe or bob",
            "<zoe> bobb: me?",
        ),
        0,
    )
    assert lines.speakers.tolist() == [ANN, BOB, ZOE, ANN, ZOE]
    assert lines.targets.tolist() == [
        [NOBODY, NOBODY, NOBODY],
        [ANN, NOBODY, NOBODY],  # zoe has not been heard of yet
        [BOB, ANN, NOBODY],
        [NOBODY, ZOE, BOB],
        [BOB, NOBODY, NOBODY],
    ]


def test_a_common_word_is_a_name_only_at_the_head_and_with_a_mark() -> None:
    said = ("<the> hi", "<ann> the end", "<ann> the: what end?", "<ann> in the end")
    lines = LineReader().read(messages(*said), 0)
    assert lines.targets[:, 0].tolist() == [NOBODY, NOBODY, 0, NOBODY]


def test_what_a_line_is_for() -> None:
    said = (
        "<ann> hi all, can anyone help?",
        "<bob> ann: yes ...",
        "<ubottu> thanks",
        "<ann> !sudo",
    )
    lines = LineReader().read(messages(*said), 0)
    assert flags(lines, 0) >= {"question", "greets", "to_all", "asks", "trouble"}
    assert flags(lines, 1) == {"short_answer", "named", "trails_off", "length", "words"}
    assert flags(lines, 2) == {"thanks", "bot", "length", "words"}
    assert flags(lines, 3) == {"command", "length", "words"}


def test_lines_are_read_alike_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("ann", "bob", "cat", "dan")
    said = [
        f"<{names[at % 4]}> {names[at * 7 % 4]}: word{at % 5} {names[at % 3]}" for at in range(50)
    ]
    whole = LineReader().read(messages(*said), 0)
    monkeypatch.setattr(reading, "AT_ONCE", 7)
    monkeypatch.setattr(reading, "LARGEST_VOCABULARY", 10_000)
    in_blocks = LineReader().read(messages(*said), 0)
    for column in ("orders", "minutes", "speakers", "targets", "flags", "lengths"):
        assert np.array_equal(getattr(whole, column), getattr(in_blocks, column)), column
    assert whole.between(10, 20).words.tolist() == in_blocks.between(10, 20).words.tolist()


def test_a_vocabulary_that_grew_too_large_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "AT_ONCE", 10)
    said = [f"<ann> bob word{at}" if at % 2 else f"<bob> thanks ann word{at}" for at in range(100)]
    whole = LineReader().read(messages(*said), 0)
    monkeypatch.setattr(reading, "LARGEST_VOCABULARY", 80)
    renewed = LineReader().read(messages(*said), 0)
    assert renewed.words.max() > whole.words.max()
    assert np.array_equal(renewed.flags, whole.flags)
    assert np.array_equal(renewed.targets, whole.targets)


@given(st.lists(st.text(), max_size=5))
def test_words_are_those_of_each_text_alone(texts: list[str]) -> None:
    edges = str.maketrans(dict.fromkeys(EDGES, " "))
    assert split_words(texts) == [text.casefold().translate(edges).split() for text in texts]


def test_words_have_numbers_and_marks() -> None:
    vocabulary = WordIds(first=100)
    vocabulary.mark(["hi", "ann"], 1)
    vocabulary.mark(["ann"], 2)
    numbers = vocabulary.numbers([["ann", "says"], ["hi"]])
    assert numbers.tolist() == [101, 102, 100]
    assert vocabulary.marks(numbers).tolist() == [3, 0, 1]


def test_a_day_without_addresses_keeps_its_lines_and_links() -> None:
    said = messages("<ann> why?", "<bob> ann:  because", "<ann> bob: ok", "<cat> bob:")
    day = without_addresses(AnnotatedDay("day", tuple(said), frozenset({(1, 0)})))
    assert [message.text for message in day.messages] == ["why?", "because", "ok", "bob:"]
    assert day.links == {(1, 0)}


@given(st.lists(st.text("ab \t", max_size=8), max_size=5))
def test_words_are_counted_over_all_texts(texts: list[str]) -> None:
    assert count_words(texts) == sum(len(text.split()) for text in texts)
