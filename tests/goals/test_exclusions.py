"""Goals that exclude something: they say something, and a place is left."""

from pathlib import Path

import pytest

from crosstalk.dialogue.goals import Goal, SemanticTuple, Tuples, subgoals
from crosstalk.dialogue.schema import NOT_MARK
from crosstalk.errors import InputError
from crosstalk.goals.describe import describe
from crosstalk.goals.goal_files import read_goals, sample_stored_goals, write_goals
from crosstalk.goals.goal_options import GoalOptions
from crosstalk.goals.goal_translation import GoalTranslator
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.goals.satisfiable import is_satisfiable, told_constraints
from crosstalk.goals.website_export import to_website
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

EVERYWHERE = GoalOptions(exclusions=1.0)
NO_SPA = (SemanticTuple(1, "hotel", "!services", ("spa",)), SemanticTuple(1, "hotel", "name", ""))


@pytest.fixture(scope="module")
def harbour() -> World:
    return load_world("harbour")


def drawn(world: World, options: GoalOptions, count: int = 60) -> list[Goal]:
    sampler = goal_sampler(world, options)
    return [sampler.sample(goal_rng(5, number)) for number in range(count)]


def with_exclusion(goals: list[Goal]) -> list[tuple[Tuples, SemanticTuple]]:
    """Sub-goals that exclude something, and what."""
    groups = [group for goal in goals for _, group in subgoals(goal.tuples)]
    return [(group, each) for group in groups for each in group if each.is_exclusion]


def test_an_exclusion_leaves_some_of_the_places_and_not_all(harbour: World) -> None:
    database = Database(harbour)
    found = with_exclusion(drawn(harbour, EVERYWHERE))
    assert len(found) > 40
    for group, excluded in found:
        wishes = told_constraints(group)
        rest = {slot: value for slot, value in wishes.items() if slot != excluded.slot}
        left = database.search(excluded.domain, wishes)
        assert 0 < len(left) < len(database.search(excluded.domain, rest))


def test_a_goal_that_could_be_met_can_be_met_with_its_exclusions(harbour: World) -> None:
    database, before = Database(harbour), drawn(harbour, GoalOptions())
    after = drawn(harbour, EVERYWHERE)
    pairs = zip(before, after, strict=True)
    met = [new for old, new in pairs if is_satisfiable(old.tuples, database)]
    assert met and all(is_satisfiable(goal.tuples, database) for goal in met)


def test_without_exclusions_goals_stay_as_they_were(harbour: World) -> None:
    assert drawn(harbour, GoalOptions(exclusions=0.0)) == drawn(harbour, GoalOptions())


def test_the_rest_of_a_goal_is_that_of_the_same_seed_without_exclusions(harbour: World) -> None:
    for old, new in zip(drawn(harbour, GoalOptions()), drawn(harbour, EVERYWHERE), strict=True):
        kept = [each for each in new.tuples if not each.is_exclusion]
        assert set(kept) <= set(old.tuples)
        assert old.type == new.type


def test_one_seed_excludes_the_same_in_every_language(harbour: World) -> None:
    german = load_world("harbour", language="de")
    translator = GoalTranslator(harbour, german)
    for ours, theirs in zip(drawn(harbour, EVERYWHERE), drawn(german, EVERYWHERE), strict=True):
        assert translator.translate(ours) == theirs


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("en", "You do not want this (services): spa."),
        ("de", "Das möchten Sie nicht (Ausstattung): spa."),
        ("zh", "spa"),
        ("ar", "spa"),
        ("ru", "spa"),
    ],
)
def test_what_is_excluded_is_told_in_words(code: str, words: str) -> None:
    world = load_world("harbour", language=code)
    told = describe(NO_SPA, world)[0]
    assert words in told or world.language.slots["services"] in told
    assert NOT_MARK not in told


def test_a_language_without_the_sentence_still_tells_it(harbour: World) -> None:
    from dataclasses import replace

    phrases = harbour.language.goal
    assert phrases is not None
    plain = replace(harbour.language, goal=replace(phrases, want_not=""))
    assert "services (spa): no." in describe(NO_SPA, replace(harbour, language=plain))[0]


def test_goal_files_keep_exclusions(harbour: World, tmp_path: Path) -> None:
    records = list(sample_stored_goals(goal_sampler(harbour, EVERYWHERE), 20, seed=1))
    write_goals(tmp_path / "goals.jsonl", records)
    assert list(read_goals(tmp_path / "goals.jsonl")) == records


def test_the_published_website_cannot_show_them() -> None:
    with pytest.raises(InputError, match="the website cannot show what a goal excludes"):
        to_website(NO_SPA)
