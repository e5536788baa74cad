"""A user whose goal has first wishes: it tries them, hears the answer, and then wants otherwise.

    user = FirstWishUser(RuleUser(schema, language))

Goals of MultiWOZ are like that: first a hotel in the west with four stars, then one in the north.
The first wish is over when the system has found nothing, or has offered something although
everything of the sub-goal was said, or when nothing is left to be learned about it. What the offer
was does not matter: the goal is the last wish.
"""

from dataclasses import dataclass, replace
from random import Random

from crosstalk.dialogue.acts import INFORM, NO_OFFER, RECOMMEND, Act
from crosstalk.dialogue.goals import Goal, SemanticTuple, Tuples
from crosstalk.users.simulator import Simulator, TupleRole, UserMove, role_of


@dataclass(frozen=True, slots=True)
class FirstWishUser:
    """Wraps another simulator, which sees one wish at a time; goals without first wishes pass."""

    within: Simulator

    def open(self, goal: Goal, rng: Random) -> UserMove:
        return _restored(goal, self.within.open(replace(goal, tuples=goal.in_force()), rng))

    def respond(
        self, goal: Goal, tuples: Tuples, said: tuple[Act, ...], heard: tuple[Act, ...], rng: Random
    ) -> UserMove:
        first = min((each.subgoal for each in goal.first_wishes), default=0)
        tried = [each for each in goal.first_wishes if each.subgoal == first]
        if tried and _is_over(tuples, tried, heard):
            rest = tuple(each for each in goal.first_wishes if each not in tried)
            goal = replace(goal, first_wishes=rest)
            tuples = _last_wishes(goal, tuples, tried)
            heard = tuple(act for act in heard if act.domain != tried[0].domain)
        move = self.within.respond(replace(goal, tuples=goal.in_force()), tuples, said, heard, rng)
        return _restored(goal, move)


def _restored(goal: Goal, move: UserMove) -> UserMove:
    """The move with the goal's last wishes in the place of first ones; other changes stay."""
    seen = goal.in_force()
    pairs = zip(goal.tuples, seen, move.goal.tuples, strict=True)
    tuples = tuple(last if now == shown else now for last, shown, now in pairs)
    return replace(move, goal=replace(move.goal, tuples=tuples))


def _is_over(tuples: Tuples, tried: list[SemanticTuple], heard: tuple[Act, ...]) -> bool:
    """Whether the system has answered the first wishes of a sub-goal."""
    slots = {each.slot for each in tried}
    here = [each for each in tuples if each.subgoal == tried[0].subgoal]
    if not all(each.expressed for each in here if each.slot in slots):
        return False
    about = [act for act in heard if act.domain == tried[0].domain]
    if any(act.intent == NO_OFFER for act in about):
        return True
    is_said = all(each.expressed for each in here if not each.is_open)
    is_settled = all(each.is_settled for each in here)
    return is_settled or (is_said and any(act.intent in (INFORM, RECOMMEND) for act in about))


def _last_wishes(goal: Goal, tuples: Tuples, tried: list[SemanticTuple]) -> Tuples:
    """The state with the last wishes still to be said, and the questions to be asked anew."""
    slots = {each.slot for each in tried}
    return tuple(
        wanted
        if wanted.subgoal == tried[0].subgoal
        and (wanted.slot in slots or role_of(wanted) is not TupleRole.CONSTRAINT)
        else each
        for wanted, each in zip(goal.tuples, tuples, strict=True)
    )
