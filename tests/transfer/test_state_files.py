"""What is read out of a text: times, numbers, mentions; and the scores of states."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import InputError
from crosstalk.evaluation.state_transfer import StateScore, same_value, score_labels, score_turn
from crosstalk.language.state_words import numbers, times, words_of
from crosstalk.transfer.states.ontology import build
from crosstalk.transfer.states.state_candidates import UtteranceReader
from crosstalk.transfer.states.state_dialogues import (
    StateTurn,
    label_language,
    state_dialogue,
    state_turns,
    system_language,
    with_states,
)
from crosstalk.transfer.states.state_slots import multiwoz_slots


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("en", "I leave after 13:30 .", ["13:30"]),
        ("en", "at 5:45 pm or 9 am", ["17:45", "09:00"]),
        ("en", "by 7pm", ["19:00"]),
        ("en", "around 1345 please", ["13:45"]),
        ("zh", "我需要在16点15分到达", ["16:15"]),
        ("zh", "下午5:45离开", ["17:45"]),
        ("zh", "8点半", ["08:30"]),
        ("en", "the phone is 01223351880", []),
    ],
)
def test_times(language: str, text: str, found: list[str]) -> None:
    words = words_of(language)
    assert [each.what for each in times(words.tokens(text), words)] == found


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("en", "8 people for three nights at 16:15", ["8", "3"]),
        ("zh", "五个人住3晚", ["5", "3"]),
        ("zh", "星期一", []),
        ("en", "just me", ["1"]),
    ],
)
def test_numbers(language: str, text: str, found: list[str]) -> None:
    words = words_of(language)
    assert [each.what for each in numbers(words.tokens(text), words)] == found


@given(st.text(), st.sampled_from(["en", "zh", "de", "it"]))
def test_any_text_can_be_read(text: str, language: str) -> None:
    ontology = build(multiwoz_slots(), {"hotel-name": ["acorn guest house"]}, language=language)
    read = UtteranceReader(ontology, language).read(text)
    assert len(read.clauses) == len(read.tokens)


def test_a_longer_name_covers_a_shorter_one_of_the_same_slot() -> None:
    values = {"hotel-name": ["cambridge belfry"], "train-destination": ["cambridge"]}
    ontology = build(
        multiwoz_slots(), {**values, "taxi-destination": ["cambridge", "cambridge belfry"]}
    )
    read = UtteranceReader(ontology, "en").read("a taxi to the cambridge belfry")
    assert list(read.values_of("taxi-destination")) == ["cambridge belfry"]
    assert read.values_of("train-destination")["cambridge"].inside


def test_a_turn_is_right_if_all_slots_are() -> None:
    score = score_turn({"a": "1"}, {"a": "1"}, ["a", "b"])
    score += score_turn({"a": "1", "b": "2"}, {"a": "1"}, ["a", "b"])
    assert (score.joint.right, score.joint.total) == (1, 2)
    assert score.slots.percent == 75
    assert score.wrong == {"b": 1}


def test_one_of_several_values_is_right() -> None:
    assert same_value("cheap", "cheap|moderate")
    assert not same_value("expensive", "cheap|moderate")


def test_states_must_fit_the_turns() -> None:
    dialogue = state_dialogue("1", "en", (StateTurn("", "hello"),))
    assert score_labels([[{}]], [dialogue], multiwoz_slots()).joint.percent == 100
    assert StateScore().joint.percent is None
    with pytest.raises(InputError, match="0 states for 1 turns"):
        score_labels([[]], [dialogue], multiwoz_slots())


def test_a_dialogue_gives_back_its_turns() -> None:
    turns = (
        StateTurn("", "a hotel in the north", {"hotel-area": "north"}),
        StateTurn("for how long ?", "2 nights", {"hotel-area": "north", "hotel-book stay": "2"}),
        StateTurn("done", "and food", {"hotel-area": "north", "food": "thai"}),
    )
    dialogue = state_dialogue("1", "de", turns, system_language="en")
    assert state_turns(dialogue) == turns
    assert (system_language(dialogue), label_language(dialogue)) == ("en", "de")
    assert [turn.speaker for turn in dialogue.turns] == [Speaker.USER, Speaker.SYSTEM] * 3
    form = dialogue.turns[3].first_query
    assert form and form.get("hotel").constraints == {"area": "north", "book stay": "2"}
    bare = with_states(dialogue, [{}, {}, {"hotel-area": "south"}])
    assert [dict(turn.state) for turn in state_turns(bare)] == [{}, {}, {"hotel-area": "south"}]
