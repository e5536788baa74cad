"""Sampling goals from a world: the published generator with the world's own constants.

    sampler = goal_sampler(world)
    goals = [sampler.sample(goal_rng(seed, number)) for number in range(100)]

Goal `number` depends on the seed and its number alone, so that any one can be drawn again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from crosstalk.database.queries import Database
from crosstalk.database.tables import World
from crosstalk.dialogue.goals import Goal, GoalType, Tuples, goal_type
from crosstalk.errors import InputError
from crosstalk.goals.describe import Describer
from crosstalk.goals.exclusions import Excluder
from crosstalk.goals.options import GoalOptions, refuse_impossible
from crosstalk.goals.places import place_sampler
from crosstalk.goals.satisfiable import is_satisfiable
from crosstalk.goals.structure import StructureSampler, structure_sampler


def goal_rng(seed: int, number: int) -> Random:
    """The random numbers of one goal; text seeds give the same ones on every machine."""
    return Random(f"goal {seed}:{number}")


@dataclass(frozen=True, slots=True)
class GoalSampler:
    """Draws goals of one world; what the tables allow was worked out beforehand."""

    world: World
    options: GoalOptions
    structure: StructureSampler
    describer: Describer | None
    """None where the world's language has no goal sentences."""
    database: Database | None
    """None where nobody asks whether a goal can be met."""
    excluder: Excluder | None = None
    """None where nothing is to be excluded."""

    def sample(self, rng: Random) -> Goal:
        """One goal as the options wish; a wish hardly ever met is an error, not a long wait."""
        for tuples, kind in self._candidates(rng):
            if kind in self.options.types and self._can_be_met(tuples):
                told = self.describer.describe(tuples) if self.describer else ()
                return Goal(tuples, kind, told)
        raise InputError(
            f"{self.options.tries:,} goals drawn from world {self.world.name}, none as wished",
            remedy="Wish for less: more types, more sub-goals, or goals that need no match.",
        )

    def _candidates(self, rng: Random) -> Iterator[tuple[Tuples, GoalType]]:
        for _ in range(self.options.tries):
            tuples = self.structure.draw(rng)
            if self.excluder:
                tuples = self.excluder.exclude(tuples, rng)
            yield tuples, goal_type(tuples, self.world.rides)

    def _can_be_met(self, tuples: Tuples) -> bool:
        return self.database is None or is_satisfiable(tuples, self.database)


def goal_sampler(world: World, options: GoalOptions | None = None) -> GoalSampler:
    """A sampler for a world; raises when the options can never be met there."""
    wishes = options or GoalOptions()
    refuse_impossible(wishes, world.schema)
    odds = wishes.odds_for(world.schema)
    places = {
        place.key: place_sampler(world.tables[place.key], world.language, odds)
        for place in world.schema.places
    }
    structure = structure_sampler(world.schema, places, odds)
    describer = Describer(world) if world.language.goal else None
    database = Database(world) if wishes.satisfiable else None
    excluder = Excluder(Database(world), wishes.exclusions) if wishes.exclusions else None
    return GoalSampler(world, wishes, structure, describer, database, excluder)
