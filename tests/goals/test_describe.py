from dataclasses import replace
from pathlib import Path

import pytest

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.goals import Reference, SemanticTuple
from crosstalk.errors import InputError, WorldError
from crosstalk.goals.describe import describe, for_people
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world


def test_a_goal_in_words(town: World) -> None:
    goal = (
        SemanticTuple(1, "sight", "fee", "free"),
        SemanticTuple(1, "sight", "rating", "5 stars"),
        SemanticTuple(1, "sight", "name", ""),
        SemanticTuple(1, "sight", "near_inns", ()),
        SemanticTuple(1, "sight", "visit", ""),
        SemanticTuple(2, "inn", "name", Reference(1, nearby=True)),
        SemanticTuple(2, "inn", "services-sauna", "yes"),
        SemanticTuple(2, "inn", "services-breakfast", ""),
        SemanticTuple(2, "inn", "price", ""),
        SemanticTuple(3, "cab", "from", Reference(1, nearby=False)),
        SemanticTuple(3, "cab", "to", Reference(2, nearby=False)),
        SemanticTuple(3, "cab", "car", ""),
        SemanticTuple(4, "diner", "name", "Oven"),
        SemanticTuple(4, "diner", "dishes", ("soup", "pie")),
    )
    assert describe(goal, town) == (
        "See a sight (id=1). It should be free. It should have 5 stars. "
        "You want to know: name, inns nearby and visit.",
        "Find an inn near id=1 (id=2). It should offer sauna. "
        "You want to know: whether there is breakfast and price.",
        "Call a cab from id=1 to id=2. You want to know: car.",
        "Eat at the Oven (id=4). You want soup and pie.",
    )


def test_a_missing_sentence_is_named(town: World) -> None:
    goal = (SemanticTuple(1, "diner", "name", Reference(1, nearby=True)),)
    with pytest.raises(WorldError, match=r"languages/en.toml: the sentence goal.near.diner is m"):
        describe(goal, town)


def test_a_sentence_with_a_wrong_mark_is_named(town: World) -> None:
    assert town.language.goal is not None
    phrases = replace(town.language.goal, some={"inn": "An inn called {nmae}."})
    world = replace(town, language=replace(town.language, goal=phrases))
    with pytest.raises(WorldError, match=r"goal.some.inn cannot be filled in.*\n.*{id}"):
        describe((SemanticTuple(1, "inn", "name", ""),), world)


def test_a_language_without_goal_sentences(town: World) -> None:
    world = replace(town, language=replace(town.language, goal=None))
    with pytest.raises(WorldError, match="no goal sentences in English"):
        describe((SemanticTuple(1, "inn", "name", ""),), world)
    assert goal_sampler(world).sample(goal_rng(1, 1)).description == ()


def test_a_domain_the_world_has_not(town: World) -> None:
    with pytest.raises(InputError, match="'pub' that world town has not"):
        describe((SemanticTuple(1, "pub", "name", ""),), town)


@pytest.mark.parametrize("code", ["en", "zh", "de", "ar", "ru"])
def test_every_goal_can_be_told_in_every_language(code: str) -> None:
    sampler = goal_sampler(load_world("harbour", language=code))
    for number in range(200):
        goal = sampler.sample(goal_rng(4, number))
        assert len(goal.description) == goal.tuples[-1].subgoal
        assert not any(mark in text for text in goal.description for mark in "{}")


def test_all_released_descriptions_are_told_word_for_word(data_folder: Path) -> None:
    """1,630 paragraphs of the validation split."""
    world = load_world("crosswoz", data=data_folder)
    goals = [each.goal for each in read_corpus(data_folder / "crosswoz" / "val.json.zip")]
    told = [describe(goal.tuples, world) for goal in goals if goal]
    assert told == [goal.description for goal in goals if goal]
    assert sum(map(len, told)) == 1630


def test_people_read_numbers_in_circles() -> None:
    told = for_people(["An inn near id=1 (id=2).", "去id=3附近的酒店(id=21)。", "Grid=4."])
    assert told == ["An inn near ① ②.", "去③附近的酒店(21)。", "Grid=4."]
