"""Sampling goals from a world: the published generator with the world's own constants.

    sampler = goal_sampler(world)
    goals = [sampler.sample(goal_rng(seed, number)) for number in range(100)]

A goal depends only on the seed and its number, so that any one can be drawn again.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from crosstalk.dialogue.goals import (
    Goal,
    GoalType,
    Reference,
    SemanticTuple,
    Tuples,
    goal_type,
    subgoals,
)
from crosstalk.dialogue.schema import NOT_MARK, Domain, DomainKind, Slot, SlotKind
from crosstalk.errors import InputError
from crosstalk.goals.action_goals import ActionSampler
from crosstalk.goals.describe import Describer
from crosstalk.goals.goal_options import GoalOptions, refuse_impossible
from crosstalk.goals.place_subgoals import WeightedItems, clean, place_sampler, some
from crosstalk.goals.satisfiable import is_satisfiable, told_constraints
from crosstalk.goals.structure import StructureSampler, structure_sampler
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row, World, texts
from crosstalk.worlds.world import refuse_tableless

EXCLUDED = (SlotKind.SERVICES, SlotKind.LIST, SlotKind.CATEGORY)
"""Kinds of slots that an exclusion can be about."""


@dataclass(frozen=True, slots=True)
class Excluder:
    """Turns constraints of sampled goals into exclusions."""

    database: Database
    share: float
    """Share of place sub-goals that get an exclusion, if one is possible."""

    def exclude(self, tuples: Tuples, rng: Random) -> Tuples:
        """The goal with one constraint replaced by an exclusion, in a share of its sub-goals."""
        for number, group in list(subgoals(tuples)):
            is_place = self.database.domain(group[0].domain).kind is DomainKind.PLACE
            if is_place and rng.random() < self.share:
                tuples = self._with_exclusion(tuples, number, rng)
        return tuples

    def _with_exclusion(self, tuples: Tuples, number: int, rng: Random) -> Tuples:
        """The goal with an exclusion in one sub-goal; unchanged if none is possible."""
        could_be_met = is_satisfiable(tuples, self.database)
        group = dict(subgoals(tuples))[number]
        wishes = self._constraints(group)
        for slot in some(list(wishes), len(wishes), rng):
            rest = tuple(each for each in group if each not in wishes[slot])
            for excluded in self._choices(group[0], rest, rng):
                changed = _exchanged(tuples, wishes[slot], excluded)
                if not could_be_met or is_satisfiable(changed, self.database):
                    return changed
        return tuples

    def _constraints(self, group: Tuples) -> dict[str, list[SemanticTuple]]:
        """Slot -> its constraints, without names and references."""
        domain, wishes = self.database.domain(group[0].domain), dict[str, list[SemanticTuple]]()
        for each in group:
            slot = domain.slot(each.slot)
            if slot is None or slot.kind is SlotKind.NAME:
                continue
            if not each.is_open and not isinstance(each.value, Reference):
                wishes.setdefault(slot.key, []).append(each)
        return wishes

    def _choices(self, like: SemanticTuple, rest: Tuples, rng: Random) -> Iterator[SemanticTuple]:
        """Exclusions that rule out some, but not all, of the entities that meet the rest."""
        domain, constraints = self.database.domain(like.domain), told_constraints(rest)
        rows = self.database.search(domain.key, constraints)
        slots = _open_slots(domain, rest)
        for slot in some(slots, len(slots), rng):
            key, pool = NOT_MARK + slot.key, _terms(rows, slot)
            while pool:
                term = pool.draw(rng)
                pool = pool.without({term})
                if self.database.search(domain.key, {**constraints, key: (term,)}):
                    yield SemanticTuple(like.subgoal, domain.key, key, (term,))


def _open_slots(domain: Domain, rest: Tuples) -> list[Slot]:
    """The slots that can have an exclusion and that the other tuples do not mention."""
    taken = {domain.slot(each.slot) for each in rest}
    slots = [slot for slot in domain.of_kind(*EXCLUDED) if slot.constrain and slot.search]
    return [slot for slot in slots if slot not in taken]


def _terms(rows: tuple[Row, ...], slot: Slot) -> WeightedItems[str]:
    """The terms of the rows, weighted by their number of rows."""
    cells = (dict.fromkeys(texts(row.get(slot.key))) for row in rows)
    return WeightedItems.of(
        Counter(term for terms in cells for term in terms if clean(term)).items()
    )


def _exchanged(tuples: Tuples, gone: list[SemanticTuple], new: SemanticTuple) -> Tuples:
    """The tuples with `gone` replaced by one new tuple."""
    kept = (new if each == gone[0] else each for each in tuples if each not in gone[1:])
    return tuple(kept)


def goal_rng(seed: int, number: int) -> Random:
    """The random generator of one goal; text seeds give the same numbers on every machine."""
    return Random(f"goal {seed}:{number}")


@dataclass(frozen=True, slots=True)
class GoalSampler:
    """Draws goals of one world."""

    world: World
    options: GoalOptions
    structure: StructureSampler
    describer: Describer | None
    """None if the language has no goal sentences, or nobody needs descriptions."""
    database: Database | None
    """None if goals need not be satisfiable."""
    excluder: Excluder | None = None
    """None without exclusions."""
    actions: ActionSampler | None = None
    """None without actions."""

    def sample(self, rng: Random) -> Goal:
        """One goal that meets the options; raises after `tries` goals that do not."""
        for tuples, kind in self._candidates(rng):
            if kind in self.options.types and self._can_be_met(tuples):
                wanted = self.actions.draw(tuples, rng) if self.actions else ()
                told = self.describer.describe(tuples, wanted) if self.describer else ()
                return Goal(tuples, kind, told, wanted)
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
    """A sampler for a world; raises if no goal can meet the options."""
    wishes = options or GoalOptions()
    refuse_tableless(world, "no goals can be drawn")
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
    actions = ActionSampler(Executor(Database(world))) if wishes.actions else None
    return GoalSampler(world, wishes, structure, describer, database, excluder, actions)
