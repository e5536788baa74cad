"""Hard users that behave otherwise: all wishes at once, one at a time, or a change of mind.

    user = AllAtOnceUser(RuleUser(schema, language), acts)

Each wraps another simulator and changes how a goal is told, never the goal: what the user wants in
the end is what it wanted before, and what it says wrongly first it puts right in its next turn.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from crosstalk.dialogue.acts import GENERAL, INFORM, Act, in_order
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Tuples
from crosstalk.dialogue.schema import SlotKind
from crosstalk.users.simulator import GoalActs, Simulator, UserMove, role_of
from crosstalk.worlds.tables import World


@dataclass(frozen=True, slots=True)
class AllAtOnceUser:
    """Says every wish and question of a sub-goal in the turn that begins it."""

    within: Simulator
    acts: GoalActs

    def open(self, goal: Goal, rng: Random) -> UserMove:
        return self._all(self.within.open(goal, rng))

    def respond(
        self, goal: Goal, tuples: Tuples, said: tuple[Act, ...], heard: tuple[Act, ...], rng: Random
    ) -> UserMove:
        return self._all(self.within.respond(goal, tuples, said, heard, rng))

    def _all(self, move: UserMove) -> UserMove:
        begun = {each.subgoal for each in _just_said(move)}
        tuples, acts = list(move.tuples), list(move.acts)
        for at, each in enumerate(move.tuples):
            if each.subgoal in begun and not each.expressed and not _waits(each):
                tuples[at] = each.said()
                wanted = move.goal.tuples[at]
                acts += self.acts.say(each, move.tuples, role_of(wanted))
        return replace(move, tuples=tuple(tuples), acts=in_order(acts))


def _just_said(move: UserMove) -> list[SemanticTuple]:
    """The tuples that the acts of a move speak of."""
    spoken = {(act.domain, act.slot) for act in move.acts if act.intent != GENERAL}
    return [each for each in move.tuples if each.expressed and (each.domain, each.slot) in spoken]


def _waits(each: SemanticTuple) -> bool:
    """Whether a tuple depends on another sub-goal that is still open."""
    return isinstance(each.value, Reference)


@dataclass(frozen=True, slots=True)
class OneByOneUser:
    """Says one wish or question a turn, however many its simulator would say."""

    within: Simulator

    def open(self, goal: Goal, rng: Random) -> UserMove:
        return _first_only(self.within.open(goal, rng), goal.tuples)

    def respond(
        self, goal: Goal, tuples: Tuples, said: tuple[Act, ...], heard: tuple[Act, ...], rng: Random
    ) -> UserMove:
        return _first_only(self.within.respond(goal, tuples, said, heard, rng), tuples)


def _first_only(move: UserMove, before: Tuples) -> UserMove:
    """The move with the first of its newly said tuples alone; the others stay to be said."""
    new = [
        at
        for at, (old, now) in enumerate(zip(before, move.tuples, strict=True))
        if now.expressed and not old.expressed and not isinstance(now.value, Reference)
    ]
    later = new[1:]
    if not later:
        return move
    tuples = list(move.tuples)
    for at in later:
        tuples[at] = replace(tuples[at], expressed=False)
    held_back = {(tuples[at].domain, tuples[at].slot) for at in later}
    acts = tuple(act for act in move.acts if (act.domain, act.slot) not in held_back)
    return replace(move, tuples=tuple(tuples), acts=acts) if acts else move


@dataclass(frozen=True, slots=True)
class ChangedMindUser:
    """Begins with a wish that is not its goal's, and says the right one in its next turn."""

    within: Simulator
    world: World

    def open(self, goal: Goal, rng: Random) -> UserMove:
        move = self.within.open(goal, rng)
        others = [(act, other) for act in move.acts if (other := self._other(act, rng))]
        if not others:
            return move
        act, other = rng.choice(others)
        acts = tuple(replace(act, value=other) if each == act else each for each in move.acts)
        return replace(move, acts=acts)

    def respond(
        self, goal: Goal, tuples: Tuples, said: tuple[Act, ...], heard: tuple[Act, ...], rng: Random
    ) -> UserMove:
        put_right = [right for act in said if (right := _meant(act, goal, tuples))]
        wrong = {act.domain for act in put_right}
        kept = tuple(act for act in heard if act.domain not in wrong)  # answers to the wrong wish
        move = self.within.respond(goal, tuples, said, kept, rng)
        return replace(move, acts=in_order([*move.acts, *put_right])) if put_right else move

    def _other(self, act: Act, rng: Random) -> str:
        """Another value of a slot with few values; empty where there is none."""
        domain = self.world.schema.domain(act.domain) if act.intent == INFORM else None
        slot = domain.slot(act.slot) if domain else None
        if slot is None or slot.kind not in (SlotKind.CATEGORY, SlotKind.DURATION):
            return ""
        values = [each for each in self.world.texts(act.domain, act.slot) if each != act.value]
        return rng.choice(values) if values else ""


def _meant(act: Act, goal: Goal, tuples: Tuples) -> Act | None:
    """The act that puts a wrong wish right; None where some sub-goal wants it."""
    wanted = [
        each
        for each, now in zip(goal.tuples, tuples, strict=True)
        if (each.domain, each.slot) == (act.domain, act.slot) and now.expressed
    ]
    if act.intent != INFORM or any(act.value in _texts(each) for each in wanted):
        return None
    right = next((each.value for each in wanted if isinstance(each.value, str) and each.value), "")
    return replace(act, value=right) if right else None


def _texts(each: SemanticTuple) -> tuple[str, ...]:
    if isinstance(each.value, Reference):
        return ()
    return (each.value,) if isinstance(each.value, str) else each.value


BEHAVIOURS: Final[Mapping[str, Callable[[Simulator, World], Simulator]]] = {
    "all-at-once": lambda within, world: AllAtOnceUser(
        within, GoalActs.of(world.schema, world.language)
    ),
    "one-by-one": lambda within, world: OneByOneUser(within),
    "change-of-mind": ChangedMindUser,
}
"""Name -> the simulator around another that behaves so."""
