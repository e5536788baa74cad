"""A user and a system talk until it is over, whatever either of them does.

    finished = talk(user, system, schema=world.schema, goal=goal)

A participant that raises, hangs or answers nonsense ends the dialogue, not the run: the ending says
whose fault it was, `fault` says what happened.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from crosstalk.dialogue.acts import GENERAL, NOTHING, PUBLISHED, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple
from crosstalk.dialogue.participants import Participant, Reply
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState
from crosstalk.dialogue.turns import Conversation, Ending

AGAIN = 1.0
"""Seconds after which one who caught the first interruption is interrupted once more."""


class OutOfTimeError(BaseException):
    """A turn took too long. No `Exception`: code that catches everything shall not catch this."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError when the block takes longer; 0 waits for ever."""
    if not seconds:
        yield
        return
    began = time.monotonic()
    with _timer(seconds):
        yield
    if time.monotonic() - began > seconds:
        raise OutOfTimeError


@contextmanager
def _timer(seconds: float) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread() or not hasattr(
        signal, "setitimer"
    ):
        yield
        return
    before = signal.signal(signal.SIGALRM, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise OutOfTimeError


class BadMannersError(Exception):
    """An answer that is no turn; the message says why."""


def well_mannered(answer: Any, speaker: Speaker, schema: Schema, goal: Goal) -> Reply:
    """The reply in what a participant answered; raises BadMannersError where there is none."""
    reply = answer[0] if isinstance(answer, tuple) and len(answer) == 2 else None
    if not isinstance(reply, Reply) or not isinstance(reply.turn, Turn):
        raise BadMannersError(f"answered {_shown(answer)} instead of (Reply, state)")
    turn = reply.turn
    if turn.speaker is not speaker:
        raise BadMannersError(f"spoke as {turn.speaker!r}")
    if reply.done and speaker is not Speaker.USER:
        raise BadMannersError("said that everything is settled, which only users can")
    if not _is_text(turn.text):
        raise BadMannersError(f"said {_shown(turn.text)}, which is no text")
    _check_acts(turn.acts, schema)
    _check_states(turn, goal)
    return reply


def _check_acts(acts: Any, schema: Schema) -> None:
    if not isinstance(acts, tuple):
        raise BadMannersError(f"gave {_shown(acts)} as acts, which is no tuple")
    for act in acts:
        if not isinstance(act, Act) or not all(map(_is_text, _fields(act))):
            raise BadMannersError(f"gave {_shown(act)} as an act")
        domain = schema.domain(act.domain)
        nowhere = act.intent == GENERAL or (
            act.intent not in PUBLISHED and act.domain in ("", NOTHING)
        )
        if domain is None and not nowhere:
            raise BadMannersError(f"spoke of the domain {act.domain!r}, which the world has not")


def _check_states(turn: Turn, goal: Goal) -> None:
    for form in (turn.first_query, turn.last_query):
        if form is not None and not isinstance(form, SystemState):
            raise BadMannersError(f"gave {_shown(form)} as a query")
    state: Any = turn.user_state
    if turn.speaker is Speaker.SYSTEM:
        return
    if not isinstance(state, tuple) or not all(isinstance(each, SemanticTuple) for each in state):
        raise BadMannersError(f"gave {_shown(state)} as the state of its goal")
    if [_key(each) for each in state] != [_key(each) for each in goal.tuples]:
        raise BadMannersError("gave a state whose tuples are not those of its goal")
    for each in state:
        if not _is_value(each.value) or not isinstance(each.expressed, bool):
            raise BadMannersError(f"gave {_shown(each)} as a tuple of its state")


def _key(each: SemanticTuple) -> tuple[int, str, str]:
    return each.subgoal, each.domain, each.slot


def _fields(act: Act) -> tuple[Any, ...]:
    return act.intent, act.domain, act.slot, act.value


def _is_text(value: Any) -> bool:
    """Half of a surrogate pair is no text: no file could hold it."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False


def _is_value(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_text, value))
    return isinstance(value, Reference) or _is_text(value)


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:  # a value of anybody's class, whose repr may fail in any way
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


FAULTS = {Speaker.USER: Ending.USER_FAULT, Speaker.SYSTEM: Ending.SYSTEM_FAULT}
PATIENCE = 30.0
"""Seconds a turn may take; our own participants need a few thousandths."""


@dataclass(frozen=True, slots=True)
class HeldConversation:
    """A conversation that is over."""

    turns: tuple[Turn, ...]
    ending: Ending
    fault: str = ""
    """What the participant did wrong, where one did."""


class _FaultError(Exception):
    """What a participant did, in words."""


def talk(
    user: Participant[Any],
    system: Participant[Any],
    *,
    schema: Schema,
    goal: Goal,
    exchanges: int = 15,
    patience: float = PATIENCE,
) -> HeldConversation:
    """The whole conversation; `patience` is the seconds a turn may take, 0 for no limit."""
    sides = {Speaker.USER: user, Speaker.SYSTEM: system}
    states: dict[Speaker, Any] = {}
    conversation = Conversation(exchanges=exchanges)
    while speaker := conversation.next_speaker:
        heard = conversation.turns[-1] if conversation.turns else None
        try:
            answer = _answer(sides[speaker], heard, states, speaker, patience)
            reply = well_mannered(answer, speaker, schema, goal)
        except (_FaultError, BadMannersError) as fault:
            ended = conversation.end(FAULTS[speaker])
            return HeldConversation(ended.turns, FAULTS[speaker], str(fault))
        states[speaker] = answer[1]
        conversation = conversation.say(reply.turn, done=reply.done)
    return HeldConversation(conversation.turns, conversation.ending or Ending.ABORTED)


def _answer(
    side: Participant[Any],
    heard: Turn | None,
    states: dict[Speaker, Any],
    speaker: Speaker,
    patience: float,
) -> Any:
    try:
        with at_most(patience):
            if speaker not in states:
                states[speaker] = side.begin()
            return side.reply(heard, states[speaker])
    except OutOfTimeError:
        raise _FaultError(f"took longer than {patience:g} s for one turn") from None
    except (Exception, SystemExit) as error:
        raise _FaultError(f"raised {type(error).__name__}: {error}") from error
