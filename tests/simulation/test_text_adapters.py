"""Conversations in words: who hears what, and what is kept of it."""

from collections.abc import Iterator, Sequence
from random import Random

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import SemanticTuple
from crosstalk.dialogue.participants import Reply, Scripted
from crosstalk.errors import FormatError
from crosstalk.simulation.build import SpokenUser
from crosstalk.system.dst.search_tracker import SearchTracker
from crosstalk.system.dst.tracker import DialogueState
from crosstalk.system.nlu.understanding import RememberedNLU
from crosstalk.system.pipeline import System
from crosstalk.system.policy.policy import Decision
from crosstalk.system.text_adapters import (
    History,
    NLUAdapter,
    SelfCheckingGenerator,
    act_errors,
    understood_acts,
)
from crosstalk.worlds.world import load_world

ASK = (Act("Request", "hotel", "price", ""),)
TELL = (Act("Inform", "hotel", "price", "90 crowns"),)
KNOWN = RememberedNLU(
    {
        (Speaker.USER, "How much?"): ASK,
        (Speaker.SYSTEM, "90 crowns."): TELL,
        (Speaker.SYSTEM, "Some money."): (),
    }
)


class Clerk:
    """Tells the price."""

    def decide(self, belief: DialogueState, history: tuple[Turn, ...]) -> Decision:
        return Decision(TELL, belief.form)


class Sayings:
    """Knows two ways to say anything, the worse one first."""

    def say(self, acts: Sequence[Act], rng: Random) -> str:
        return "Some money."

    def ways(self, acts: Sequence[Act], rng: Random, most: int) -> Iterator[str]:
        yield from ("Some money.", "90 crowns.")


class Spy:
    """Remembers what it was given to understand."""

    def __init__(self) -> None:
        self.heard: list[tuple[Turn, History]] = []

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> tuple[Act, ...]:
        self.heard.append((utterance, tuple(history)))
        return ASK


def test_ears_get_words_and_nothing_else() -> None:
    spy = Spy()
    goal = (SemanticTuple(1, "hotel", "price", ""),)
    heard = Turn(Speaker.USER, "How much?", TELL, user_state=goal, extras={"secret": 1})

    taken = NLUAdapter(spy)(heard, ())

    assert spy.heard == [(Turn(Speaker.USER, "How much?"), ())]
    assert taken == Turn(Speaker.USER, "How much?", ASK)


def test_without_context_every_utterance_stands_alone() -> None:
    spy = Spy()
    before = (Turn(Speaker.USER, "Hello"),)
    NLUAdapter(spy)(Turn(Speaker.USER, "How much?"), before)
    NLUAdapter(spy, in_context=False)(Turn(Speaker.USER, "How much?"), before)
    assert [history for _, history in spy.heard] == [before, ()]


def test_a_system_answers_what_it_understood_and_keeps_that() -> None:
    world = load_world("harbour")
    tracker = SearchTracker(world.schema, world.language)
    system = System(
        world.schema, tracker, Clerk(), NLUAdapter(KNOWN), lambda acts, history: "90 crowns."
    )
    meant = (Act("General", "greet"),)

    reply, mind = system.reply(Turn(Speaker.USER, "How much?", meant), system.begin())

    assert understood_acts(reply.turn) == ASK, "not what was meant"
    assert reply.turn.text == "90 crowns." and reply.turn.acts == TELL
    assert [turn.acts for turn in mind.history] == [ASK, TELL]


def test_a_user_hears_words_too() -> None:
    within = Scripted(
        [Reply(Turn(Speaker.USER, "", ASK)), Reply(Turn(Speaker.USER, ""), done=True)]
    )
    user = SpokenUser(
        within, NLUAdapter(KNOWN), lambda acts, history: "How much?" if acts else "Thanks."
    )

    first, state = user.reply(None, user.begin())
    second, _ = user.reply(Turn(Speaker.SYSTEM, "Some money.", TELL), state)

    assert first.turn.text == "How much?" and understood_acts(first.turn) is None
    assert second.turn.text == "Thanks." and understood_acts(second.turn) == ()
    assert second.done


def test_a_careful_voice_says_what_it_would_understand_itself() -> None:
    voice = SelfCheckingGenerator(Sayings(), KNOWN, Speaker.SYSTEM, "seed")
    assert voice(TELL, ()) == "90 crowns."
    assert voice((), ()) == "Some money.", "it means nothing, and is understood so"


def test_a_voice_says_it_otherwise_the_second_time() -> None:
    voice = SelfCheckingGenerator(Sayings(), KNOWN, Speaker.SYSTEM, "seed")
    once = (Turn(Speaker.SYSTEM, "90 crowns.", TELL), Turn(Speaker.USER, "What?"))
    assert voice(TELL, once) == "Some money."
    assert voice(ASK, once) == "Some money.", "other acts are said for the first time"


def test_what_is_lost_counts_twice() -> None:
    assert act_errors(TELL, TELL) == 0
    assert act_errors(TELL, ()) == 2
    assert act_errors((), TELL) == 1


@pytest.mark.parametrize("odd", [[{"domain": "hotel"}], [5], 7, [{"intent": []}]])
def test_acts_that_are_none_are_told(odd: object) -> None:
    with pytest.raises(FormatError, match="no acts"):
        understood_acts(Turn(Speaker.USER, "Hello", extras={"understood": odd}))
