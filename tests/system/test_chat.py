"""Talking to the system in five languages: what comes of what people type, whatever the wording."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosstalk.dialogue.acts import GENERAL, NO_OFFER, Act
from crosstalk.evaluation.claims import ClaimChecker, check_answers
from crosstalk.system.build import build_system
from crosstalk.system.chat import Answer, reply
from crosstalk.system.pipeline import System

LANGUAGES = ["en", "zh", "de", "ar", "ru"]
CONVERSATIONS = Path(__file__).parent / "conversations"


@cache
def system(language: str = "en") -> System:
    return build_system("harbour", language=language)


def talk(*utterances: str, language: str = "en") -> list[Answer]:
    session = system(language).begin()
    answers = []
    for utterance in utterances:
        answer, session = reply(system(language), utterance, session)
        answers.append(answer)
    return answers


def state(answer: Answer) -> dict[str, str]:
    return {
        f"{tab.domain}.{slot}": value if isinstance(value, str) else " + ".join(value)
        for tab in answer.form
        for slot, value in tab.constraints.items()
    }


def told(act: Act) -> str:
    return act.domain if act.intent == GENERAL else f"{act.domain}.{act.slot.partition('-')[0]}"


def holds(expected: str, answer: Answer) -> bool:
    """What a line of a conversation's file expects of the answer."""
    word, _, rest = expected.partition(" ")
    if word == "tells":
        return rest in {told(act) for act in answer.acts if act.intent != NO_OFFER}
    if word == "no":
        return rest not in state(answer)
    slot, _, value = expected.partition(" = ")
    return state(answer).get(slot) == value


def conversations() -> list[Any]:
    return [
        pytest.param(language, talk["turns"], id=f"{language}: {talk['turns'][0][0][:30]}")
        for language in LANGUAGES
        for talk in tomllib.loads((CONVERSATIONS / f"{language}.toml").read_text())["talk"]
    ]


@pytest.mark.parametrize(("language", "turns"), conversations())
def test_conversations(language: str, turns: list[list[str]]) -> None:
    answers = talk(*(turn[0] for turn in turns), language=language)
    for (utterance, *expected), answer in zip(turns, answers, strict=True):
        missed = [each for each in expected if not holds(each, answer)]
        assert not missed, f"{utterance!r} -> {answer.text!r}, {state(answer)}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_simulated_users_get_what_they_want_and_nothing_but_the_truth(language: str) -> None:
    tally = check_answers("harbour", language, dialogues=12, seed=7)
    assert tally.false == []
    assert tally.finished >= 11


def test_help_says_what_can_be_asked() -> None:
    lost, helped = talk("qwertz uiop", "what can you do?")
    assert lost.acts == (Act("Ignored", "none", "none", "qwertz uiop"),) or lost.acts == (
        Act(GENERAL, "misunderstood"),
    )
    assert helped.acts == (Act(GENERAL, "help"),)
    assert "restaurant" in helped.text


def test_what_it_left_out_is_said() -> None:
    [answer] = talk("a haunted restaurant under 100 crowns")
    assert state(answer) == {"restaurant.cost": "99 crowns or less"}
    assert "haunted" in answer.text


def test_a_wish_that_cannot_be_met_is_given_up_aloud() -> None:
    answer = talk("a luxury hotel for at most 100 crowns a night")[0]
    assert answer.results[0].count == 0
    assert "price" in answer.results[0].not_met
    assert Act(NO_OFFER, "hotel") in answer.acts


def test_a_slot_no_table_has_is_said_to_be_missing() -> None:
    answer = talk("tell me about the Grand Hotel Halmora", "what are the opening hours?")[-1]
    assert answer.acts == (Act("NoRecord", "hotel", "hours", "Grand Hotel Halmora"),)
    assert "opening hours" in answer.text and "Grand Hotel Halmora" in answer.text


def test_answers_to_its_questions_complete_what_was_said() -> None:
    asked, answered = talk("something under 50 crowns", "a restaurant")
    assert asked.results == ()
    assert list(state(answered)) == ["restaurant.cost"]


def test_a_ride_needs_two_places() -> None:
    where, there = talk("I need a taxi", "from Golden Pleat to the City Zoo")
    assert {act.intent for act in where.acts} == {"Ask"}
    assert {"car", "plate"} <= {act.slot for act in there.acts}


def test_the_same_words_get_the_same_answer() -> None:
    assert talk("a cheap hotel", "another one") == talk("a cheap hotel", "another one")


@cache
def claim_checker(language: str) -> ClaimChecker:
    database = system(language).database
    assert database is not None
    return ClaimChecker(database)


ODD = "\x00\x07\t\n\r\u200f\u202e\ufeff\ufffd\ud800½²①٣一百İßﬁ😀🇩🇪[]{}%\\\"'؟？«»"
WORDS = ["hotel", "cheap", "near", "it", "no", "100", "4.5", "taxi", "to", "Golden Pleat", "what"]
TYPED = st.lists(
    st.one_of(st.sampled_from(WORDS), st.text(max_size=12), st.sampled_from(list(ODD))), max_size=9
).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(st.lists(TYPED, min_size=1, max_size=4), st.sampled_from(LANGUAGES))
def test_whatever_is_typed_is_answered_truly(utterances: list[str], language: str) -> None:
    session, checker = system(language).begin(), claim_checker(language)
    for utterance in utterances:
        answer, session = reply(system(language), utterance, session)
        assert answer.text.strip()
        assert not checker.false_claims(session.history)


def test_a_very_long_utterance_is_read_from_its_beginning() -> None:
    [answer] = talk("a cheap hotel " + "and so on " * 100_000)
    assert "hotel.price" in state(answer)
