"""Goals in which something is to be done: the tables prove what comes of each."""

from pathlib import Path

import pytest

from crosstalk.dialogue.goals import Reference, Tuples, WantedAction
from crosstalk.errors import FormatError, InputError
from crosstalk.goals.action_goals import final_tables, forbidding, settled
from crosstalk.goals.goal_files import read_goals, sample_stored_goals, write_goals
from crosstalk.goals.goal_options import GoalOptions
from crosstalk.goals.goal_translation import GoalTranslator
from crosstalk.goals.sampler import GoalSampler, goal_rng, goal_sampler
from crosstalk.goals.satisfiable import told_constraints
from crosstalk.worlds.actions import Executor, same_tables
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world, languages_of, load_world

COUNT = 40


@pytest.fixture(scope="module")
def sampler() -> GoalSampler:
    return goal_sampler(load_world("harbour"), GoalOptions(satisfiable=True, actions=True))


@pytest.fixture(scope="module")
def executor(sampler: GoalSampler) -> Executor:
    return Executor(Database(sampler.world))


def test_what_is_to_be_found_stays_the_same(sampler: GoalSampler) -> None:
    plain = goal_sampler(sampler.world, GoalOptions(satisfiable=True))
    for number in range(10):
        goal = sampler.sample(goal_rng(1, number))
        assert goal.tuples == plain.sample(goal_rng(1, number)).tuples
        assert 1 <= len(goal.actions) <= 3


def test_every_goal_can_be_proved(sampler: GoalSampler, executor: Executor) -> None:
    sorts = set()
    for number in range(COUNT):
        goal = sampler.sample(goal_rng(2, number))
        wanted = goal.actions[0]
        sorts.add((len(wanted.wishes), wanted.forbidden))
        for entities in chosen(goal.tuples, wanted, executor):
            action = executor.action(wanted.action)
            outcomes = []
            for wish in wanted.wishes:
                arguments = settled(wish, entities)
                assert arguments is not None
                rules = forbidding(executor, executor.begin(), action, arguments)
                done = executor.perform(executor.begin(), wanted.action, arguments)[1].done
                outcomes.append(done)
                assert bool(rules) is wanted.forbidden
            assert outcomes == [False] * (len(outcomes) - 1) + [True]
            state, done_calls = final_tables(executor, goal.actions[:1], entities)
            unchanged = all(same_tables(executor.world, state, executor.begin()).values())
            assert unchanged is wanted.forbidden and len(done_calls) == (not wanted.forbidden)
    assert sorts == {(1, False), (2, False), (1, True)}, "done, instead, forbidden"


def test_minds_change(sampler: GoalSampler, executor: Executor) -> None:
    """What is booked is changed or cancelled in the same conversation, by the code it gives."""
    found = set()
    for number in range(COUNT):
        goal = sampler.sample(goal_rng(0, number))
        for at, wanted in enumerate(goal.actions):
            if wanted.wishes[0].get("reference") != f"${at}.reference":
                continue
            found.add(wanted.action.partition("_")[0])
            before = goal.actions[at - 1]
            for entities in chosen(goal.tuples, before, executor):
                *_, event = final_tables(executor, goal.actions[: at + 1], entities)[1]
                assert event.action == wanted.action
                assert event.changes[0].before is not None, "there is something to be changed"
    assert found == {"change", "cancel"}


def test_several_things_do_not_get_in_each_others_way(
    sampler: GoalSampler, executor: Executor
) -> None:
    several = [
        goal.actions
        for number in range(COUNT)
        if len((goal := sampler.sample(goal_rng(5, number))).actions) > 1
    ]
    assert several
    for wanted in several:
        first, second = (set(executor.action(each.action).tables) for each in wanted[:2])
        follows = str(wanted[1].wishes[0].get("reference", "")).startswith("$")
        assert bool(first & second) is follows


def chosen(tuples: Tuples, wanted: WantedAction, executor: Executor) -> list[dict[int, str]]:
    """Every choice of the entity that the action is about."""
    references = [v for v in wanted.wishes[0].values() if isinstance(v, Reference)]
    if not references:
        return [{}]
    number = references[0].subgoal
    group = tuple(each for each in tuples if each.subgoal == number)
    rows = executor.database.search(group[0].domain, told_constraints(group))
    return [{number: str(row["name"])} for row in rows]


def test_goals_are_kept_in_files(sampler: GoalSampler, tmp_path: Path) -> None:
    records = list(sample_stored_goals(sampler, 10, seed=3))
    write_goals(tmp_path / "goals.jsonl", records)
    assert list(read_goals(tmp_path / "goals.jsonl")) == records


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"wishes"', '"wish"', "expected an action"),
        ('"wishes": [{', '"wishes": [{"extra": [1], ', "expected a value"),
        ('"wishes": [{', '"wishes": [{"extra": {"at": 99}, ', "no sub-goal 99"),
    ],
)
def test_damaged_files(
    sampler: GoalSampler, tmp_path: Path, old: str, new: str, words: str
) -> None:
    file = tmp_path / "goals.jsonl"
    write_goals(file, sample_stored_goals(sampler, 1, seed=3))
    file.write_text(file.read_text("utf-8").replace(old, new, 1), "utf-8")
    with pytest.raises(FormatError, match=words):
        list(read_goals(file))


@pytest.mark.parametrize("code", languages_of(find_world("harbour")))
def test_descriptions_in_every_language(sampler: GoalSampler, code: str) -> None:
    other = load_world("harbour", language=code)
    translator = GoalTranslator(sampler.world, other)
    there = Executor(Database(other))
    for number in range(8):
        goal = sampler.sample(goal_rng(4, number))
        told = translator.translate(goal)
        assert len(told.description) == len(goal.description)
        assert "{" not in told.description[-1]
        entities = chosen(told.tuples, told.actions[0], there)[0]
        _, done = final_tables(there, told.actions[:1], entities)
        assert len(done) == (not told.actions[0].forbidden)


def test_worlds_without_actions(town: World) -> None:
    with pytest.raises(InputError, match="nothing can be done"):
        goal_sampler(town, GoalOptions(actions=True))
