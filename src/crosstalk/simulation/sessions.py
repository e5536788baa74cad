"""Sessions: the conversations of a run, each with its goal and its random seed.

`sessions` lists what a `Plan` asks for; `hold` simulates one of them and returns the dialogue. Both
are called by `simulate` (runner.py), and by whoever wants dialogues without a run folder. A session
depends only on the run's seed, its goal and its repeat, so that any worker may hold it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType, Tuples
from crosstalk.errors import InputError
from crosstalk.goals.goal_files import read_goals
from crosstalk.goals.goal_options import GoalOptions, why_impossible
from crosstalk.goals.sampler import GoalSampler, goal_rng, goal_sampler
from crosstalk.simulation.build import Setup, Simulation, build
from crosstalk.simulation.dialogue_loop import PATIENCE, FinishedConversation, in_words, talk
from crosstalk.worlds.tables import World

DEFAULT_COUNT = 100
EXCHANGES = 15
"""Turns that each side may take, where nothing else is said."""
EXCHANGES_WITH_ACTIONS = 25
"""The same where something is to be done: a booking takes three turns or more."""
DRAWS = 200_000
"""Goals drawn without finding a missing type before an error is raised: about a minute."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The goals of a run; one of `per_type`, `count` and `goals` is set."""

    seed: int = 0
    per_type: int = 0
    """Number of goals of each type, drawn in natural order; surplus goals are skipped."""
    count: int = 0
    """Number of goals in the natural mix of types."""
    goals: Path | None = None
    """A goal file, in its order."""
    repeat: int = 1
    """Number of conversations per goal."""
    exclusions: float = 0.0
    """Share of place sub-goals that exclude something; goals of a file stay as they are."""
    actions: bool = False
    """Whether something is to be done in each goal; goals of a file stay as they are."""


def plan_of(
    seed: int = 0,
    per_type: int | None = None,
    count: int | None = None,
    goals: Path | None = None,
    repeat: int = 1,
    exclusions: float = 0.0,
    actions: bool = False,
) -> Plan:
    """The plan of the options; 100 goals if none of the three is given, an error if several are."""
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
    return Plan(seed, per_type or 0, count or 0, goals, repeat, exclusions, actions)


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
    """Seed and limits that hold for all sessions of a run."""

    seed: int = 0
    exchanges: int = EXCHANGES
    """Turns that each side may take."""
    patience: float = PATIENCE
    """Seconds that one turn may take; 0: no limit."""


def session_rules(
    seed: int, exchanges: int | None, patience: float, *, actions: bool = False
) -> SessionRules:
    """The rules of a run; `exchanges` None: as many as such conversations need."""
    usual = EXCHANGES_WITH_ACTIONS if actions else EXCHANGES
    return SessionRules(seed, usual if exchanges is None else exchanges, patience)


def sessions(plan: Plan, world: World, *, start: int = 0) -> Iterator[Session]:
    """The sessions of a plan from number `start` on; the repeats of a goal follow each other."""
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
    """The number of sessions of a plan."""
    if plan.goals is not None:
        return plan.repeat * sum(1 for _ in read_goals(plan.goals))
    return plan.repeat * (plan.count or plan.per_type * len(possible_types(world)))


def hold(session: Session, simulation: Simulation, rules: SessionRules) -> Dialogue:
    """Simulate one session; `extras` of the dialogue tell its numbers and how it ended."""
    dialogue = simulated_dialogue(
        simulation,
        session.goal,
        seed=f"session {rules.seed}:{session.goal_number}:{session.repeat}",
        id=session.id,
        exchanges=rules.exchanges,
        patience=rules.patience,
    )
    numbers = {
        "number": session.number,
        "goal_number": session.goal_number,
        "repeat": session.repeat,
    }
    return replace(dialogue, extras={**numbers, **dialogue.extras})


def simulated_dialogue(
    simulation: Simulation,
    goal: Goal,
    *,
    seed: str,
    id: str,
    exchanges: int = EXCHANGES,
    patience: float = PATIENCE,
) -> Dialogue:
    """One conversation about a goal, in words if the simulation has generators for them."""
    user, system = simulation.cast(goal, seed)
    held = talk(
        user,
        system,
        schema=simulation.world.schema,
        goal=goal,
        exchanges=exchanges,
        patience=patience,
    )
    return Dialogue(
        id=id,
        turns=in_words(held.turns, simulation.generators, seed),
        goal=goal,
        final_goal=_last_state(held.turns) or goal.tuples,
        language=simulation.world.language.code,
        world=simulation.world.name,
        extras=_how_it_ended(held),
    )


def simulated_dialogues(plan: Plan, setup: Setup) -> Iterator[Dialogue]:
    """The dialogues of a plan, simulated in this process and not written anywhere."""
    simulation = build(setup)
    for session in sessions(plan, simulation.world):
        yield hold(session, simulation, SessionRules(plan.seed))


def _how_it_ended(held: FinishedConversation) -> dict[str, object]:
    return {"ending": str(held.ending), **({"fault": held.fault} if held.fault else {})}


def _last_state(turns: Iterable[Turn]) -> Tuples | None:
    states = [turn.user_state for turn in turns if turn.speaker is Speaker.USER]
    return states[-1] if states else None


# Goals


def _goals(plan: Plan, world: World, skipped: int) -> Iterator[tuple[int, str, Goal]]:
    if plan.goals is not None:
        for number, record in islice(enumerate(read_goals(plan.goals)), skipped, None):
            yield number, record.id, record.goal
        return
    sampler = goal_sampler(world, GoalOptions(exclusions=plan.exclusions, actions=plan.actions))
    undescribed = replace(sampler, describer=None)  # a description costs as much as a goal
    drawn = (
        islice(_balanced(plan, undescribed), skipped, None)
        if plan.per_type
        else _natural(range(skipped, plan.count), plan.seed, undescribed)
    )
    for number, goal in drawn:
        text = sampler.describer.describe(goal.tuples, goal.actions) if sampler.describer else ()
        yield number, f"{world.name}-{plan.seed}-{number}", replace(goal, description=text)


def _natural(numbers: range, seed: int, sampler: GoalSampler) -> Iterator[tuple[int, Goal]]:
    for number in numbers:
        yield number, sampler.sample(goal_rng(seed, number))


def _balanced(plan: Plan, sampler: GoalSampler) -> Iterator[tuple[int, Goal]]:
    missing = Counter(dict.fromkeys(possible_types(sampler.world), plan.per_type))
    number, unused = 0, 0
    while missing:
        goal = sampler.sample(goal_rng(plan.seed, number))
        unused += 1
        if goal.type is not None and missing[goal.type]:
            missing = +(missing - Counter([goal.type]))
            yield number, goal
            unused = 0
        elif unused > DRAWS:
            raise InputError(
                f"no goal of type {', '.join(missing)} among {DRAWS:,} drawn from world "
                f"{sampler.world.name}",
                remedy="Draw in the natural mix (-n), or change the odds of the world.",
            )
        number += 1
