from random import Random

from crosstalk.dialogue.acts import INFORM, NO_OFFER, Act
from crosstalk.dialogue.goals import Goal, GoalType, SemanticTuple
from crosstalk.evaluation.outcomes import Judge
from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.sessions import simulated_dialogue
from crosstalk.users.first_wishes import FirstWishUser
from crosstalk.users.rule_user import RuleUser
from crosstalk.users.simulator import SimulatedUser
from crosstalk.worlds.world import load_world

WORLD = load_world("harbour")
GOAL = Goal(
    (
        SemanticTuple(1, "restaurant", "dishes", ("grilled sardines",)),
        SemanticTuple(1, "restaurant", "rating", "4.5 points or more"),
        SemanticTuple(1, "restaurant", "name", ""),
    ),
    GoalType.S,
    first_wishes=(SemanticTuple(1, "restaurant", "rating", "4 points or more"),),
)


def user() -> FirstWishUser:
    return FirstWishUser(RuleUser(WORLD.schema, WORLD.language))


def test_the_first_wish_is_said_first_and_the_last_one_after_the_answer() -> None:
    rng = Random(1)
    move = user().open(GOAL, rng)
    said = list(move.acts)
    for heard in ((), (Act(NO_OFFER, "restaurant"),)):
        move = user().respond(move.goal, move.tuples, move.acts, heard, rng)
        said += move.acts
    ratings = [act.value for act in said if (act.intent, act.slot) == (INFORM, "rating")]
    assert ratings == ["4 points or more", "4.5 points or more"]
    assert move.goal.first_wishes == () and move.goal.tuples == GOAL.tuples


def test_a_goal_without_first_wishes_is_pursued_as_ever() -> None:
    goal = Goal(GOAL.tuples, GoalType.S)
    plain = RuleUser(WORLD.schema, WORLD.language)
    assert user().open(goal, Random(3)) == plain.open(goal, Random(3))


def test_both_wishes_are_judged_as_the_goal_has_them() -> None:
    simulation = build(Setup(level="words"))
    dialogue = simulated_dialogue(simulation, GOAL, seed="first", id="first")
    said = [act.value for turn in dialogue.user_turns for act in turn.acts if act.slot == "rating"]
    assert said[0] == "4 points or more" and said[-1] == "4.5 points or more"
    outcome = Judge(simulation.database).judge(dialogue)
    assert outcome.false_refusals == 0 and not outcome.goal_changed
    assert dialogue.final_goal is not None
    assert dialogue.final_goal[1].value == "4.5 points or more"


def test_a_participant_keeps_the_last_wishes_in_its_goal() -> None:
    participant = SimulatedUser(user(), GOAL, "seed")
    reply, (move, _) = participant.reply(None, participant.begin())
    assert move.goal.tuples == GOAL.tuples
    assert reply.turn.user_state is not None
    assert reply.turn.user_state[1].value == "4 points or more"
