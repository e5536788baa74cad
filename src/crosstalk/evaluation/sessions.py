"""Sessions: which goals are talked about, in which order, with which randomness.

A session depends on the run's seed, its goal and its repeat alone, so that any worker may hold it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType, Tuples
from crosstalk.dialogue.turns import Ending
from crosstalk.errors import InputError
from crosstalk.goals.files import read_goals
from crosstalk.goals.options import GoalOptions, why_impossible
from crosstalk.goals.sampler import GoalSampler, goal_rng, goal_sampler
from crosstalk.simulation.build import Setup, Simulation, build
from crosstalk.simulation.dialogue_loop import PATIENCE, HeldConversation, talk
from crosstalk.simulation.voices import in_words
from crosstalk.worlds.tables import World

DEFAULT_COUNT = 100
DRAWS = 200_000
"""Goals drawn in vain for a type that is still missing before giving up: about a minute."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which goals a run is about: one of the three ways is set."""

    seed: int = 0
    per_type: int = 0
    """So many goals of each type, drawn in natural order; a type that is full is passed over."""
    count: int = 0
    """So many goals in the natural mix."""
    goals: Path | None = None
    """The goals of a file, in its order."""
    repeat: int = 1
    """How often each goal is talked about."""
    exclusions: float = 0.0
    """Share of place sub-goals that exclude something; goals of a file stay as they are."""


def plan_of(
    seed: int = 0,
    per_type: int | None = None,
    count: int | None = None,
    goals: Path | None = None,
    repeat: int = 1,
    exclusions: float = 0.0,
) -> Plan:
    """One of the three ways, 100 goals where none is given; raises where several are."""
    ways = {"--per-type": per_type, "-n": count, "--goals": goals}
    given = [name for name, value in ways.items() if value is not None]
    if len(given) > 1:
        raise InputError(
            f"{' and '.join(given)} cannot go together", remedy="Give one of the three."
        )
    if goals and exclusions:
        raise InputError(
            "--goals and --exclusions cannot go together",
            remedy="Draw the goals with `crosstalk goals sample --exclusions SHARE` instead.",
        )
    if not given:
        count = DEFAULT_COUNT
    return Plan(seed, per_type or 0, count or 0, goals, repeat, exclusions)


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation to be held."""

    number: int
    """Position in the run, from 0."""
    goal_number: int
    """The goal's number in its seed, or its position in the goal file."""
    repeat: int
    id: str
    goal: Goal


@dataclass(frozen=True, slots=True)
class SessionRules:
    """What every session of a run keeps to."""

    seed: int = 0
    exchanges: int = 15
    patience: float = PATIENCE
    """Seconds for one turn."""


def sessions(plan: Plan, world: World, *, start: int = 0) -> Iterator[Session]:
    """The sessions of a plan from number `start` on, all repeats of a goal together."""
    skipped, begun = divmod(start, plan.repeat)
    number = start
    for goal_number, id, goal in _goals(plan, world, skipped):
        for repeat in range(begun, plan.repeat):
            name = f"{id}-{repeat + 1}" if plan.repeat > 1 else id
            yield Session(number, goal_number, repeat, name, goal)
            number += 1
        begun = 0


def possible_types(world: World) -> tuple[GoalType, ...]:
    """The goal types that can be drawn in a world, from easy to hard."""
    odds = world.schema.odds
    return tuple(kind for kind in GoalType if not why_impossible(kind, world.schema, odds))


def planned(plan: Plan, world: World) -> int:
    """How many sessions a plan has."""
    if plan.goals is not None:
        return plan.repeat * sum(1 for _ in read_goals(plan.goals))
    return plan.repeat * (plan.count or plan.per_type * len(possible_types(world)))


def hold(session: Session, simulation: Simulation, rules: SessionRules) -> Dialogue:
    """One session from greeting to end, as a dialogue; `extras` say how it ended."""
    seed = f"session {rules.seed}:{session.goal_number}:{session.repeat}"
    user, system = simulation.cast(session.goal, seed)
    held = talk(
        user,
        system,
        schema=simulation.world.schema,
        goal=session.goal,
        exchanges=rules.exchanges,
        patience=rules.patience,
    )
    return Dialogue(
        id=session.id,
        turns=in_words(held.turns, simulation.voices, seed),
        goal=session.goal,
        final_goal=_last_state(held.turns) or session.goal.tuples,
        language=simulation.world.language.code,
        world=simulation.world.name,
        extras=_extras(session, held),
    )


def simulated_dialogues(plan: Plan, setup: Setup) -> Iterator[Dialogue]:
    """The dialogues of a plan, held in this process and not written anywhere."""
    simulation = build(setup)
    for session in sessions(plan, simulation.world):
        yield hold(session, simulation, SessionRules(plan.seed))


def _extras(session: Session, held: HeldConversation) -> dict[str, object]:
    extras: dict[str, object] = {
        "number": session.number,
        "goal_number": session.goal_number,
        "repeat": session.repeat,
        "ending": str(held.ending),
    }
    return {**extras, "fault": held.fault} if held.ending in _FAULTS else extras


_FAULTS = (Ending.USER_FAULT, Ending.SYSTEM_FAULT)


def _last_state(turns: Iterable[Turn]) -> Tuples | None:
    states = [turn.user_state for turn in turns if turn.speaker is Speaker.USER]
    return states[-1] if states else None


# Goals


def _goals(plan: Plan, world: World, skipped: int) -> Iterator[tuple[int, str, Goal]]:
    if plan.goals is not None:
        for number, record in islice(enumerate(read_goals(plan.goals)), skipped, None):
            yield number, record.id, record.goal
        return
    sampler = goal_sampler(world, GoalOptions(exclusions=plan.exclusions))
    untold = replace(sampler, describer=None)  # telling costs as much as drawing
    drawn = (
        islice(_balanced(plan, untold), skipped, None)
        if plan.per_type
        else _natural(range(skipped, plan.count), plan.seed, untold)
    )
    for number, goal in drawn:
        told = sampler.describer.describe(goal.tuples) if sampler.describer else ()
        yield number, f"{world.name}-{plan.seed}-{number}", replace(goal, description=told)


def _natural(numbers: range, seed: int, sampler: GoalSampler) -> Iterator[tuple[int, Goal]]:
    for number in numbers:
        yield number, sampler.sample(goal_rng(seed, number))


def _balanced(plan: Plan, sampler: GoalSampler) -> Iterator[tuple[int, Goal]]:
    missing = Counter(dict.fromkeys(possible_types(sampler.world), plan.per_type))
    number, vain = 0, 0
    while missing:
        goal = sampler.sample(goal_rng(plan.seed, number))
        vain += 1
        if goal.type is not None and missing[goal.type]:
            missing = +(missing - Counter([goal.type]))
            yield number, goal
            vain = 0
        elif vain > DRAWS:
            raise InputError(
                f"no goal of type {', '.join(missing)} among {DRAWS:,} drawn from world "
                f"{sampler.world.name}",
                remedy="Draw in the natural mix (-n), or change the odds of the world.",
            )
        number += 1
