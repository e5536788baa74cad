"""What a participant's answer must be before it counts as a turn."""

from typing import Any

from crosstalk.conversation.participants import Reply
from crosstalk.dialogue.acts import GENERAL, NOTHING, PUBLISHED, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState


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
