"""Annotations of the same dialogues, brought together."""

from dataclasses import replace

import pytest

from crosstalk.annotation.adjudication import match
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import InputError


def talk(id: str, *texts: str) -> Dialogue:
    return Dialogue(id, tuple(Turn(Speaker.USER, text) for text in texts))


def test_dialogues_are_matched_by_id_in_any_order() -> None:
    one, two = talk("1", "hello"), talk("2", "bye")
    matched = match({"a": [one, two], "b": [two, one]})
    assert matched.among("a", "b") == [(one, one), (two, two)]
    assert matched.left_out == ()


def test_what_is_missing_is_named() -> None:
    one, two = talk("1", "hello"), talk("2", "bye")
    matched = match({"a": [one, two], "b": [one]})
    assert matched.among("a", "b") == [(one, one)]
    assert [str(each) for each in matched.left_out] == ["dialogue 2, b: it is missing"]


def test_other_turns_are_named() -> None:
    one = talk("1", "hello", "bye")
    matched = match({"a": [one], "b": [one], "c": [talk("1", "hello", "good-bye")]})
    assert matched.among("a", "b") == [(one, one)] and matched.among("a", "c") == []
    assert "turn 2 is another than in a" in str(matched.left_out[0])
    longer = replace(one, turns=(*one.turns, *one.turns))
    assert "4 turns, other than in a" in str(
        match({"a": [one], "b": [one], "c": [longer]}).left_out[0]
    )


def test_nothing_in_common_is_refused() -> None:
    with pytest.raises(InputError, match="no dialogue in common"):
        match({"a": [talk("1", "hello")], "b": [talk("2", "hello")]})
