import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosstalk.dialogue.goals import GoalType, goal_type
from crosstalk.goals.goal_files import count_goals, sample_stored_goals, to_line
from crosstalk.goals.goal_options import GoalOptions
from crosstalk.goals.goal_translation import GoalTranslator
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

MIX = {"S": 6.5, "M": 33.6, "M+T": 15.4, "CM": 33.2, "CM+T": 11.3}
"""The generator's natural mix as published, in percent."""
SUBGOALS = {"S": 1.00, "M": 2.49, "M+T": 3.62, "CM": 3.87, "CM+T": 4.57}
TUPLES = {"S": 4.5, "M": 11.3, "M+T": 15.8, "CM": 18.2, "CM+T": 20.7}
"""Table 7, training split."""


@settings(deadline=None)
@given(seed=st.integers(0, 2**64), number=st.integers(0, 10**9))
def test_a_goal_depends_on_its_seed_and_number_alone(town: World, seed: int, number: int) -> None:
    sampler = goal_sampler(town)
    goal = sampler.sample(goal_rng(seed, number))
    assert goal == sampler.sample(goal_rng(seed, number))
    [record] = sample_stored_goals(sampler, 1, seed=seed, start=number)
    assert record.goal == goal
    assert goal.type is goal_type(goal.tuples, town.rides)


def test_the_same_seed_gives_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    lines = [
        to_line(record)
        for record in sample_stored_goals(goal_sampler(load_world("harbour")), 20, seed=5)
    ]
    command = [sys.executable, "-m", "crosstalk", "goals", "sample", "-n", "20", "--seed", "5"]
    environment = {"PYTHONHASHSEED": "77", "PYTHONUTF8": "1"}
    done = subprocess.run(command, capture_output=True, check=True, env=environment, cwd=tmp_path)
    assert done.stdout.decode() == "".join(lines)
    assert json.loads(lines[3])["id"] == "harbour-5-3"


def test_another_seed_gives_other_goals(town: World) -> None:
    sampler = goal_sampler(town)
    assert sampler.sample(goal_rng(1, 0)) != sampler.sample(goal_rng(2, 0))


@pytest.mark.parametrize("code", ["zh", "de", "ar", "ru"])
def test_goals_are_parallel_in_all_languages(code: str) -> None:
    english, other = load_world("harbour"), load_world("harbour", language=code)
    translator = GoalTranslator(english, other)
    here, there = goal_sampler(english), goal_sampler(other)
    for number in range(150):
        goal = here.sample(goal_rng(9, number))
        assert translator.translate(goal) == there.sample(goal_rng(9, number))


def test_types_are_kept_and_forbidden(town: World) -> None:
    only = goal_sampler(town, GoalOptions(only=frozenset({GoalType.CM_T})))
    assert {only.sample(goal_rng(1, n)).type for n in range(30)} == {GoalType.CM_T}
    forbid = frozenset({GoalType.S, GoalType.M})
    rest = goal_sampler(town, GoalOptions(forbid=forbid))
    assert not {rest.sample(goal_rng(1, n)).type for n in range(60)} & forbid


def test_no_goal_has_more_subgoals_than_allowed(town: World) -> None:
    for most in (1, 2, 3):
        sampler = goal_sampler(town, GoalOptions(max_subgoals=most))
        goals = [sampler.sample(goal_rng(1, number)) for number in range(60)]
        assert max(goal.tuples[-1].subgoal for goal in goals) == most


def test_the_world_s_mix_on_harbour() -> None:
    sampler = goal_sampler(load_world("harbour"))
    counts = count_goals(sampler.sample(goal_rng(0, number)) for number in range(3000))
    assert {kind: counts.share(kind) for kind in MIX} == pytest.approx(MIX, abs=4)  # type: ignore[arg-type]


def test_the_published_mix_and_sizes_on_the_real_tables(data_folder: Path) -> None:
    sampler = goal_sampler(load_world("crosswoz", data=data_folder))
    counts = count_goals(sampler.sample(goal_rng(0, number)) for number in range(20_000))
    for kind, each in counts.by_type.items():
        assert counts.share(kind) == pytest.approx(MIX[kind], abs=3)
        assert each.subgoals_per_goal == pytest.approx(SUBGOALS[kind], rel=0.1)
        assert each.tuples_per_goal == pytest.approx(TUPLES[kind], rel=0.1)
