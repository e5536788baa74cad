"""Telling the goals of a file: in their own words, or in another language of their world."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from crosstalk.goals.describe import Describer, describe
from crosstalk.goals.files import read_goals
from crosstalk.goals.records import GoalRecord, sample_records
from crosstalk.goals.sampler import goal_sampler
from crosstalk.goals.translate import GoalTranslator
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

Load = Callable[[str, str], World]
"""World name and language -> the world."""


def retell(
    records: Iterable[GoalRecord], load: Load, *, language: str | None = None
) -> Iterator[GoalRecord]:
    """The records with descriptions, in their own language or in the one wanted.

    A description that stands in the file is kept; a world is loaded once, when it is needed.
    """
    world_in = cache(load)

    @cache
    def translator(world: str, source: str, target: str) -> GoalTranslator:
        return GoalTranslator(world_in(world, source), world_in(world, target))

    for record in records:
        goal = record.goal
        spoken = language or record.language
        if spoken != record.language:
            goal = translator(record.world, record.language, spoken).translate(goal)
        elif not goal.description:
            told = describe(goal.tuples, world_in(record.world, spoken))
            goal = replace(goal, description=told)
        yield replace(record, goal=goal, language=spoken)


def retell_file(
    file: Path,
    *,
    world: str | None = None,
    language: str | None = None,
    data: Path | None = None,
) -> Iterator[GoalRecord]:
    """The goals of a file; `world` replaces the one that they name."""
    return retell(
        read_goals(file),
        lambda name, code: load_world(world or name, language=code, data=data),
        language=language,
    )


def fresh_goals(world: World, count: int, *, seed: int = 0) -> Iterator[GoalRecord]:
    """The first goals of a seed; a world that cannot tell them is refused before any is drawn."""
    Describer(world)
    return sample_records(goal_sampler(world), count, seed=seed)
