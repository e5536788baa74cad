"""A user and a system talk until it is over, whatever either of them does.

    finished = talk(user, system, schema=world.schema, goal=goal)

A participant that raises, hangs or answers nonsense ends the dialogue, not the run: the ending says
whose fault it was, `fault` says what happened.
"""

from dataclasses import dataclass
from typing import Any

from crosstalk.conversation.participants import Participant
from crosstalk.conversation.turns import Conversation, Ending
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Goal
from crosstalk.dialogue.schema import Schema
from crosstalk.simulation.reply_validation import BadMannersError, well_mannered
from crosstalk.simulation.turn_timeout import OutOfTimeError, at_most

FAULTS = {Speaker.USER: Ending.USER_FAULT, Speaker.SYSTEM: Ending.SYSTEM_FAULT}
PATIENCE = 30.0
"""Seconds a turn may take; our own participants need a few thousandths."""


@dataclass(frozen=True, slots=True)
class Talk:
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
) -> Talk:
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
            return Talk(ended.turns, FAULTS[speaker], str(fault))
        states[speaker] = answer[1]
        conversation = conversation.say(reply.turn, done=reply.done)
    return Talk(conversation.turns, conversation.ending or Ending.ABORTED)


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
