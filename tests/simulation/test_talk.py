"""Conversations end in words, whatever a participant does."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from crosstalk.dialogue.acts import GENERAL, INFORM, REQUEST, Act
from crosstalk.dialogue.conversation import Ending
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Goal, SemanticTuple
from crosstalk.dialogue.participants import Reply, Scripted
from crosstalk.simulation.dialogue_loop import FinishedConversation, talk
from crosstalk.worlds.world import load_world

SCHEMA = load_world("harbour").schema
GOAL = Goal((SemanticTuple(1, "hotel", "name", ""),))
ANSWERED = (SemanticTuple(1, "hotel", "name", "Hotel Tamesin", True),)
ASK = Reply(Turn(Speaker.USER, "", (Act(REQUEST, "hotel", "name", ""),), user_state=GOAL.tuples))
THANK = Reply(Turn(Speaker.USER, "", (Act(GENERAL, "thank"),), user_state=ANSWERED), done=True)
ANSWER = Reply(Turn(Speaker.SYSTEM, "", (Act(INFORM, "hotel", "name", "Hotel Tamesin"),)))


class Does:
    """A participant that does one thing, whenever it is asked."""

    def __init__(self, what: Callable[[], Any]) -> None:
        self._what = what

    def begin(self) -> int:
        return 0

    def reply(self, heard: Turn | None, state: int) -> Any:
        return self._what()


def held(user: Any, system: Any, **options: Any) -> FinishedConversation:
    return talk(user, system, schema=SCHEMA, goal=GOAL, **options)


def raises(error: BaseException) -> Callable[[], Any]:
    def raising() -> Any:
        raise error

    return raising


def test_a_conversation_ends_when_the_user_is_done_and_was_answered() -> None:
    ended = held(Scripted([ASK, THANK]), Scripted([ANSWER, ANSWER]))

    assert ended.ending is Ending.FINISHED
    assert len(ended.turns) == 4
    assert ended.fault == ""


def test_a_conversation_ends_at_its_limit() -> None:
    ended = held(Does(lambda: (ASK, 0)), Does(lambda: (ANSWER, 0)), exchanges=3)

    assert ended.ending is Ending.LIMIT
    assert len(ended.turns) == 6


@pytest.mark.parametrize("error", [KeyError("rating"), SystemExit(3), RecursionError("deep")])
def test_who_raises_is_at_fault(error: BaseException) -> None:
    ended = held(Scripted([ASK, THANK]), Does(raises(error)))

    assert ended.ending is Ending.SYSTEM_FAULT
    assert ended.fault == f"raised {type(error).__name__}: {error}"
    assert ended.turns == (ASK.turn,), "what was said until then is kept"


def test_an_interruption_by_the_person_at_the_keyboard_is_no_fault() -> None:
    with pytest.raises(KeyboardInterrupt):
        held(Scripted([ASK]), Does(raises(KeyboardInterrupt())))


def test_who_hangs_is_at_fault() -> None:
    began = time.monotonic()
    ended = held(Scripted([ASK]), Does(lambda: time.sleep(60)), patience=0.1)

    assert ended.ending is Ending.SYSTEM_FAULT
    assert ended.fault == "took longer than 0.1 s for one turn"
    assert time.monotonic() - began < 50


def test_who_hangs_and_catches_everything_is_at_fault_all_the_same() -> None:
    def stubborn() -> Any:
        try:
            time.sleep(60)
        except Exception:
            return None

    assert held(Does(stubborn), Scripted([]), patience=0.1).ending is Ending.USER_FAULT


def test_where_nobody_can_be_interrupted_a_late_turn_is_refused_when_it_comes() -> None:
    def late() -> Any:
        time.sleep(0.2)
        return ANSWER, 0

    with ThreadPoolExecutor(1) as threads:
        ended = threads.submit(held, Scripted([ASK]), Does(late), patience=0.1).result()

    assert ended.ending is Ending.SYSTEM_FAULT
    assert "took longer" in ended.fault


USER_TURN = ASK.turn


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "answered None instead of (Reply, state)"),
        ("hello", "answered 'hello' instead"),
        ((Reply(USER_TURN), 0), "spoke as <Speaker.USER: 'user'>"),
        ((Reply(ANSWER.turn, done=True), 0), "said that everything is settled"),
        ((Reply(Turn(Speaker.SYSTEM, 5)), 0), "said 5, which is no text"),  # type: ignore[arg-type]
        ((Reply(Turn(Speaker.SYSTEM, "\ud800")), 0), "which is no text"),
        ((Reply(Turn(Speaker.SYSTEM, "", [1])), 0), "which is no tuple"),  # type: ignore[arg-type]
        ((Reply(Turn(Speaker.SYSTEM, "", ("Inform",))), 0), "as an act"),  # type: ignore[arg-type]
        (
            (Reply(Turn(Speaker.SYSTEM, "", (Act(INFORM, "moon", "name", "x"),))), 0),
            "spoke of the domain 'moon', which the world has not",
        ),
        (
            (Reply(Turn(Speaker.SYSTEM, "", last_query={"hotel": 1})), 0),  # type: ignore[arg-type]
            "as a query",
        ),
    ],
)
def test_nonsense_of_a_system_is_its_fault(answer: Any, words: str) -> None:
    ended = held(Scripted([ASK]), Does(lambda: answer))

    assert ended.ending is Ending.SYSTEM_FAULT
    assert words in ended.fault


NO_VALUE: Any = 7


@pytest.mark.parametrize(
    "state",
    [
        None,
        (),
        "no state",
        (SemanticTuple(2, "hotel", "name", ""),),
        (SemanticTuple(1, "hotel", "name", NO_VALUE),),
    ],
)
def test_a_user_must_keep_to_its_goal(state: Any) -> None:
    ended = held(Does(lambda: (Reply(Turn(Speaker.USER, "", user_state=state)), 0)), Scripted([]))

    assert ended.ending is Ending.USER_FAULT
    assert "gave" in ended.fault
