from dataclasses import replace

import pytest

from crosstalk.dialogue.goals import Goal, SemanticTuple
from crosstalk.errors import InputError
from crosstalk.goals.goal_files import sample_stored_goals
from crosstalk.goals.goal_translation import GoalTranslator, with_descriptions
from crosstalk.goals.sampler import goal_sampler
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world


def load(name: str, language: str) -> World:
    return load_world(name, language=language)


def test_there_and_back_again() -> None:
    english, german = load("harbour", "en"), load("harbour", "de")
    there, back = GoalTranslator(english, german), GoalTranslator(german, english)
    for record in sample_stored_goals(goal_sampler(english), 100, seed=2):
        assert back.translate(there.translate(record.goal)) == record.goal


def test_a_value_the_world_has_not() -> None:
    translator = GoalTranslator(load("harbour", "en"), load("harbour", "de"))
    with pytest.raises(InputError, match=r"hotel.name: 'Hotel 17' is no value of world harbour"):
        translator.translate(Goal((SemanticTuple(1, "hotel", "name", "Hotel 17"),)))
    with pytest.raises(InputError, match=r"no slot hotel.colour"):
        translator.translate(Goal((SemanticTuple(1, "hotel", "colour", ""),)))


def test_goals_are_told_in_their_own_words_or_in_those_of_another_language() -> None:
    [record] = sample_stored_goals(goal_sampler(load("harbour", "en")), 1, seed=2)
    bare = replace(record, goal=replace(record.goal, description=()))
    assert list(with_descriptions([record, bare], load)) == [record, record]
    [arabic] = with_descriptions([bare], load, language="ar")
    assert [arabic] == list(sample_stored_goals(goal_sampler(load("harbour", "ar")), 1, seed=2))
