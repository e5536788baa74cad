"""Turns in words, by the templates a world brings along."""

import pytest

from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.sessions import Plan, SessionRules, hold, sessions
from crosstalk.worlds.world import find_world, languages_of

LANGUAGES = languages_of(find_world("harbour"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_turn_is_said_in_every_language(language: str) -> None:
    stage = build(Setup("harbour", language, words=True))
    for session in sessions(Plan(3, count=5), stage.world):
        dialogue = hold(session, stage, SessionRules(3))
        assert all(turn.text for turn in dialogue.turns)
        for turn in dialogue.turns:
            told = [act.value for act in turn.acts if act.intent in ("Inform", "Recommend")]
            words = {stage.world.language.yes, stage.world.language.no}
            told = [value for value in told if value not in words | {stage.world.language.nothing}]
            assert all(value in turn.text for value in told), turn


def test_words_do_not_change_what_is_done() -> None:
    silent, speaking = (build(Setup("harbour", words=words)) for words in (False, True))
    (session,) = sessions(Plan(3, count=1), silent.world)
    one, other = (hold(session, stage, SessionRules(3)) for stage in (silent, speaking))
    assert [turn.acts for turn in one.turns] == [turn.acts for turn in other.turns]
    assert not any(turn.text for turn in one.turns)


def test_the_same_seed_gives_the_same_words() -> None:
    stage = build(Setup("harbour", words=True))
    (session,) = sessions(Plan(3, count=1), stage.world)
    assert hold(session, stage, SessionRules(3)) == hold(session, stage, SessionRules(3))
