"""A second judge, who shares no code with the first, agrees on every dialogue."""

import sys
from pathlib import Path

import pytest

from crosstalk.evaluation.success_rates import judged
from crosstalk.simulation.build import Setup
from crosstalk.simulation.runner import simulate, world_of
from crosstalk.simulation.sessions import Plan, SessionRules
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import find_world

ROOT = Path(__file__).parents[2]


def disagreements(setup: Setup, plan: Plan, folder: Path, tables: Path) -> tuple[list[str], int]:
    """Ids of dialogues the two do not agree on, and how many are no success."""
    sys.path.insert(0, str(ROOT))
    try:
        from benchmarks.recheck import verdicts
    finally:
        sys.path.remove(str(ROOT))
    run = simulate(plan, setup, SessionRules(plan.seed), folder)
    theirs = verdicts(folder, find_world(setup.world), tables)
    ours = {
        dialogue.id: outcome.success
        for dialogue, outcome in judged(run, Database(world_of(run, setup.data)))
    }
    assert ours.keys() == theirs.keys()
    return [id for id in ours if ours[id] != theirs[id]], sum(not each for each in ours.values())


@pytest.mark.parametrize("tracker", ["search", "rule"])
@pytest.mark.parametrize("protocol", ["paper", "corrected"])
def test_in_harbour(tmp_path: Path, tracker: str, protocol: str) -> None:
    """With the published tracker, for which our policy is not made, many fail."""
    setup = Setup(policy="rule", dst=tracker, protocol=protocol)
    apart, failures = disagreements(
        setup, Plan(8, per_type=12), tmp_path / "run", find_world("harbour")
    )

    assert not apart
    assert failures or tracker == "search"


@pytest.mark.parametrize("tracker", ["search", "rule"])
def test_in_beijing(data_folder: Path, tmp_path: Path, tracker: str) -> None:
    setup = Setup("crosswoz", data=data_folder, policy="rule", dst=tracker)
    apart, _ = disagreements(setup, Plan(8, per_type=20), tmp_path / "run", data_folder)

    assert not apart
