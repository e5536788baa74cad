"""The system participant: track, decide, say."""

import pytest

from crosstalk.dialogue.acts import GENERAL, INFORM, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.system.dst.rule_tracker import RuleTracker
from crosstalk.system.dst.tracker import DialogueState
from crosstalk.system.pipeline import System
from crosstalk.system.policy.policy import Decision
from crosstalk.worlds.world import load_world

WELCOME = Act(GENERAL, "welcome")


class Polite:
    """Answers everything with a welcome, and ticks a hotel."""

    def decide(self, belief: DialogueState, history: tuple[Turn, ...]) -> Decision:
        tab = belief.form.get("hotel").with_slot("name", "Hotel Tamesin")
        return Decision((WELCOME,), belief.form.with_domain(tab))


def polite_system() -> System:
    world = load_world("harbour")
    return System(world.schema, RuleTracker(world.schema, world.language), Polite())


def test_a_reply_holds_both_queries_and_the_acts() -> None:
    system = polite_system()
    asked = Turn(Speaker.USER, "", (Act(INFORM, "hotel", "rating", "4 points or more"),))

    reply, _ = system.reply(asked, system.begin())

    assert reply.turn.speaker is Speaker.SYSTEM
    assert reply.turn.acts == (WELCOME,)
    assert reply.turn.first_query and reply.turn.last_query
    assert reply.turn.first_query.get("hotel").constraints == {"rating": "4 points or more"}
    assert reply.turn.last_query.get("hotel").get("name") == "Hotel Tamesin"


def test_the_belief_is_carried_from_turn_to_turn_and_the_state_is_never_changed() -> None:
    system = polite_system()
    begun = system.begin()
    _, after_one = system.reply(
        Turn(Speaker.USER, "", (Act(INFORM, "hotel", "rating", "5 points"),)), begun
    )
    reply, after_two = system.reply(
        Turn(Speaker.USER, "", (Act(INFORM, "hotel", "price", "100-200 crowns"),)), after_one
    )

    assert reply.turn.first_query
    assert reply.turn.first_query.get("hotel").constraints == {
        "rating": "5 points",
        "price": "100-200 crowns",
    }
    assert [len(mind.history) for mind in (begun, after_one, after_two)] == [0, 2, 4]


def test_words_come_from_the_generator() -> None:
    world = load_world("harbour")
    system = System(
        world.schema,
        RuleTracker(world.schema, world.language),
        Polite(),
        say=lambda acts, history: " ".join(act.domain for act in acts),
    )

    reply, _ = system.reply(Turn(Speaker.USER, "Thank you"), system.begin())

    assert reply.turn.text == "welcome"


def test_a_system_does_not_speak_first() -> None:
    system = polite_system()
    with pytest.raises(ValueError, match="never first"):
        system.reply(None, system.begin())
