"""One conversation: a user and a system are asked for a reply in turn, until it ends.

    finished = talk(user, system, schema=world.schema, goal=goal)

`talk` is called by `simulated_dialogue` (sessions.py) and by tests of participants. A participant
that raises, takes too long or returns an invalid reply ends the conversation, not the run: the
ending says whose fault it was, `fault` says what happened.
"""

import queue
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, replace
from random import Random
from types import FrameType
from typing import Any

from crosstalk.dialogue.acts import GENERAL, NOTHING, PUBLISHED, Act
from crosstalk.dialogue.conversation import Conversation, Ending
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple
from crosstalk.dialogue.participants import Participant, Reply
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState
from crosstalk.dialogue.turn_clock import TurnClock, running
from crosstalk.errors import AgentFault, BudgetSpent, InfrastructureError, UnusableAgent
from crosstalk.system.nlg.generator import Generator

FAULTS = {Speaker.USER: Ending.USER_FAULT, Speaker.SYSTEM: Ending.SYSTEM_FAULT}
PATIENCE = 30.0
"""Seconds a turn may take; our own participants need a few thousandths."""


@dataclass(frozen=True, slots=True)
class FinishedConversation:
    """A conversation that is over."""

    turns: tuple[Turn, ...]
    ending: Ending
    fault: str = ""
    """What the participant did wrong, where one did."""


class _FaultError(Exception):
    """A participant raised or timed out; the message says which."""


def talk(
    user: Participant[Any],
    system: Participant[Any],
    *,
    schema: Schema,
    goal: Goal,
    exchanges: int = 15,
    patience: float = PATIENCE,
) -> FinishedConversation:
    """The whole conversation; `patience` is the seconds a turn may take, 0 for no limit."""
    sides = {Speaker.USER: user, Speaker.SYSTEM: system}
    states: dict[Speaker, Any] = {}
    try:
        return _talk(sides, states, Conversation(exchanges=exchanges), schema, goal, patience)
    finally:
        for speaker, state in states.items():
            if end := getattr(sides[speaker], "end", None):
                end(state)  # participants that hold a process or a connection let it go


def _talk(
    sides: Mapping[Speaker, Participant[Any]],
    states: dict[Speaker, Any],
    conversation: Conversation,
    schema: Schema,
    goal: Goal,
    patience: float,
) -> FinishedConversation:
    while speaker := conversation.next_speaker:
        heard = conversation.turns[-1] if conversation.turns else None
        try:
            answer = _answer(sides[speaker], heard, states, speaker, patience)
            reply = checked_reply(answer, speaker, schema, goal)
        except (_FaultError, InvalidReplyError) as fault:
            return FinishedConversation(conversation.turns, FAULTS[speaker], str(fault))
        except BudgetSpent:
            raise  # no further conversation can be held
        except InfrastructureError as fault:
            ending = Ending.INFRASTRUCTURE
            return FinishedConversation(conversation.turns, ending, fault.message)
        states[speaker] = answer[1]
        conversation = conversation.say(reply.turn, done=reply.done)
    return FinishedConversation(conversation.turns, conversation.ending or Ending.ABORTED)


def _answer(
    side: Participant[Any],
    heard: Turn | None,
    states: dict[Speaker, Any],
    speaker: Speaker,
    patience: float,
) -> Any:
    def reply() -> Any:
        if speaker not in states:
            states[speaker] = side.begin()
        return side.reply(heard, states[speaker])

    try:
        return within_time(reply, patience)
    except TurnTimeoutError:
        raise _FaultError(f"took longer than {patience:g} s for one turn") from None
    except (InfrastructureError, UnusableAgent):
        raise
    except AgentFault as fault:
        raise _FaultError(fault.message) from fault
    except (Exception, SystemExit) as error:
        raise _FaultError(f"raised {type(error).__name__}: {error}") from error


# Words for conversations in acts


Generators = Mapping[Speaker, Generator]
"""Who generates the words of each side; empty: turns stay without words."""


def in_words(turns: tuple[Turn, ...], generators: Generators, seed: str) -> tuple[Turn, ...]:
    """The turns of a finished conversation with texts; the same seed gives the same words."""
    if not generators:
        return turns
    rng = Random(f"words {seed}")
    return tuple(
        replace(turn, text=generators[turn.speaker].say(turn.acts, rng)) if not turn.text else turn
        for turn in turns
    )


# Validation of replies


class InvalidReplyError(Exception):
    """What a participant returned is not a valid reply; the message says why."""


def checked_reply(answer: Any, speaker: Speaker, schema: Schema, goal: Goal) -> Reply:
    """The reply in what a participant returned; raises InvalidReplyError if it is not valid."""
    reply = answer[0] if isinstance(answer, tuple) and len(answer) == 2 else None
    if not isinstance(reply, Reply) or not isinstance(reply.turn, Turn):
        raise InvalidReplyError(f"answered {_shown(answer)} instead of (Reply, state)")
    turn = reply.turn
    if turn.speaker is not speaker:
        raise InvalidReplyError(f"spoke as {turn.speaker!r}")
    if reply.done and speaker is not Speaker.USER:
        raise InvalidReplyError("said that everything is settled, which only users can")
    if not _is_text(turn.text):
        raise InvalidReplyError(f"said {_shown(turn.text)}, which is no text")
    _check_acts(turn.acts, schema)
    _check_states(turn, goal)
    return reply


def _check_acts(acts: Any, schema: Schema) -> None:
    if not isinstance(acts, tuple):
        raise InvalidReplyError(f"gave {_shown(acts)} as acts, which is no tuple")
    for act in acts:
        if not isinstance(act, Act) or not all(map(_is_text, _fields(act))):
            raise InvalidReplyError(f"gave {_shown(act)} as an act")
        domain = schema.domain(act.domain)
        nowhere = act.intent == GENERAL or (
            act.intent not in PUBLISHED and act.domain in ("", NOTHING)
        )
        if domain is None and not nowhere and schema.action(act.domain) is None:
            raise InvalidReplyError(f"spoke of the domain {act.domain!r}, which the world has not")


def _check_states(turn: Turn, goal: Goal) -> None:
    for form in (turn.first_query, turn.last_query):
        if form is not None and not isinstance(form, SystemState):
            raise InvalidReplyError(f"gave {_shown(form)} as a query")
    state: Any = turn.user_state
    if turn.speaker is Speaker.SYSTEM:
        return
    if not isinstance(state, tuple) or not all(isinstance(each, SemanticTuple) for each in state):
        raise InvalidReplyError(f"gave {_shown(state)} as the state of its goal")
    if [_key(each) for each in state] != [_key(each) for each in goal.tuples]:
        raise InvalidReplyError("gave a state whose tuples are not those of its goal")
    for each in state:
        if not _is_value(each.value) or not isinstance(each.expressed, bool):
            raise InvalidReplyError(f"gave {_shown(each)} as a tuple of its state")


def _key(each: SemanticTuple) -> tuple[int, str, str]:
    return each.subgoal, each.domain, each.slot


def _fields(act: Act) -> tuple[Any, ...]:
    return act.intent, act.domain, act.slot, act.value


def _is_text(value: Any) -> bool:
    """Whether a value is a text that UTF-8 can encode: half of a surrogate pair is not."""
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
    except Exception:  # the repr of a foreign class may fail in any way
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else text[:77] + "..."


# Time limit of a turn

AGAIN = 1.0
"""Seconds between interruptions, for participants that catch the first one."""


class TurnTimeoutError(BaseException):
    """A turn took too long. Not an `Exception`, so that `except Exception` does not catch it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TurnTimeoutError if the block takes longer; 0: no limit.

    Pauses that a service asks for do not count (`turn_clock.stop_for`), and requests count once
    they are over (`turn_clock.asking`).
    """
    if not seconds:
        yield
        return
    with running(TurnClock(seconds)) as clock:
        with _timer(clock):
            yield
        if clock.left < 0:
            raise TurnTimeoutError


def within_time(work: Callable[[], Any], seconds: float) -> Any:
    """The result of some work; raises TurnTimeoutError if it takes longer. 0: no limit."""
    if not seconds or _interruptible():
        with time_limit(seconds):
            return work()
    with running(TurnClock(seconds)) as clock:
        return _in_thread(work, clock)


def _interruptible() -> bool:
    """Whether signals reach this thread, which is how a turn that takes too long is ended."""
    return threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")


def _in_thread(work: Callable[[], Any], clock: TurnClock) -> Any:
    """Do some work in a thread that is left behind where it takes too long."""
    outcome: queue.Queue[tuple[Any, BaseException | None]] = queue.Queue()
    context = copy_context()

    def run() -> None:
        try:
            outcome.put((context.run(work), None))
        except BaseException as error:  # handed to the thread that waits
            outcome.put((None, error))

    threading.Thread(target=run, daemon=True).start()
    while clock.left > 0:
        try:
            value, error = outcome.get(timeout=min(clock.left, AGAIN))
        except (queue.Empty, ValueError):  # ValueError: nothing is left by now
            continue
        if error is not None:
            raise error
        if clock.left > 0:
            return value
    raise TurnTimeoutError


@contextmanager
def _timer(clock: TurnClock) -> Iterator[None]:
    if not _interruptible():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        if clock.left > 0:  # it was stopped for a while, or a request is under way
            signal.setitimer(signal.ITIMER_REAL, min(clock.left, AGAIN), AGAIN)
            return
        raise TurnTimeoutError

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, clock.seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
