"""Goal records: goals with their ids, and where they came from."""

from collections.abc import Iterator
from dataclasses import dataclass

from crosstalk.dialogue.goals import Goal
from crosstalk.goals.sampler import GoalSampler, goal_rng


@dataclass(frozen=True, slots=True)
class GoalRecord:
    """A goal and where it came from."""

    id: str
    """Unique in its file."""
    world: str
    language: str
    goal: Goal
    seed: int | None = None
    """None for goals written by hand."""


def sample_records(
    sampler: GoalSampler, count: int, *, seed: int, start: int = 0
) -> Iterator[GoalRecord]:
    """Goals number `start` and following of a seed; each can be drawn again without the others."""
    world = sampler.world
    for number in range(start, start + count):
        goal = sampler.sample(goal_rng(seed, number))
        name = f"{world.name}-{seed}-{number}"
        yield GoalRecord(name, world.name, world.language.code, goal, seed)
