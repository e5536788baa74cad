"""Telling the goals of a file: in their own words, or in another language of their world."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache

from crosstalk.database.tables import World
from crosstalk.goals.describe import describe
from crosstalk.goals.records import GoalRecord
from crosstalk.goals.translate import GoalTranslator

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
