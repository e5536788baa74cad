"""Which acts a person says: those of the newly said tuples, and what people add to them.

People say which place they mean, repeat wishes and questions, greet and thank.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from crosstalk.dialogue.acts import EXCLUDE, GENERAL, INFORM, REQUEST, SELECT, Act
from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples
from crosstalk.users.progress import TupleRole
from crosstalk.users.situation import (
    CONSTRAINT,
    NAME,
    REFERENCE,
    SEVERAL,
    Kinds,
    Situation,
)
from crosstalk.users.speech import BYE, GREET, THANK, GoalSpeech

INTENTS = (INFORM, REQUEST, SELECT, GENERAL)
COURTESIES = (GREET, THANK, BYE)


class Why(IntEnum):
    """What an act is said for."""

    NEW = 0
    """It says a tuple for the first time."""
    SOURCE = 1
    """It names the place that a new Select starts from."""
    AGAIN = 2
    """It says a tuple once more."""
    NAMING = 3
    """It says which place is meant."""
    COURTESY = 4


@dataclass(frozen=True, slots=True)
class ActOption:
    """An act that may be said."""

    act: Act
    why: Why
    at: int
    """The tuple it is about; -1 for courtesies."""


def newly_said(now: Situation, after: Tuples) -> list[int]:
    """The tuples said for the first time; what the system volunteered needs no saying."""
    return [
        at
        for at, (old, new) in enumerate(zip(now.before, after, strict=True))
        if (new.expressed and (not old.expressed or now.opening))
        and (old.value == new.value or isinstance(old.value, Reference))
    ]


def sayings(
    now: Situation, after: Tuples, new: Sequence[int], speech: GoalSpeech
) -> list[ActOption]:
    """Every act worth considering, each once, the most compelling reason first."""
    found: list[ActOption] = []
    for at in new:
        found += _first_time(now, after, at, speech)
    talked_of = {after[at].subgoal for at in new} | {now.current, now.last}
    for at, each in enumerate(after):
        if each.subgoal in talked_of and each.expressed and at not in new:
            found += _once_more(now, after, at, speech)
    for subgoal, at in now.names.items():
        if after[at].expressed and after[at].value:
            found += [ActOption(act, Why.NAMING, at) for act in speech.name_act(after, subgoal)]
    found += [ActOption(act, Why.COURTESY, -1) for act in COURTESIES]
    return list({saying.act: saying for saying in reversed(found)}.values())[::-1]


def _first_time(now: Situation, after: Tuples, at: int, speech: GoalSpeech) -> list[ActOption]:
    if after[at].is_open:
        return [
            ActOption(act, Why.NEW, at) for act in speech.say(after[at], after, TupleRole.REQUEST)
        ]
    acts = speech.inform(after[at], now.before[at].value, after)
    is_nearby = now.kinds[at] == NAME and isinstance(now.before[at].value, Reference)
    return [
        ActOption(act, Why.SOURCE if is_nearby and act.intent == INFORM else Why.NEW, at)
        for act in acts
    ]


def _once_more(now: Situation, after: Tuples, at: int, speech: GoalSpeech) -> list[ActOption]:
    """Questions still open, wishes, and references not yet resolved."""
    each, role = after[at], now.roles[at]
    if each.is_open:
        acts = speech.say(each, after, TupleRole.REQUEST)
    elif role == CONSTRAINT or (
        role == REFERENCE and (now.kinds[at] != NAME or isinstance(each.value, Reference))
    ):
        acts = speech.inform(each, each.value, after)
    else:
        return []
    return [ActOption(act, Why.AGAIN, at) for act in acts]


def wording_rows(
    now: Situation, after: Tuples, new: Sequence[int], found: Sequence[ActOption], kinds: Kinds
) -> list[list[float]]:
    """One row of features a saying."""
    subgoal = after[new[0]].subgoal if new else now.current
    shared = _about_turn(now, after, new, subgoal, kinds)
    return [shared + _about_saying(now, after, new, each, subgoal, kinds) for each in found]


def _about_turn(
    now: Situation, after: Tuples, new: Sequence[int], subgoal: int, kinds: Kinds
) -> list[float]:
    here = now.positions.get(subgoal, ())
    domain = after[here[0]].domain if here else ""
    name = now.names.get(subgoal)
    return [
        now.opening,
        all(each.is_settled for each in after),
        len(new),
        sum(after[at].is_open for at in new),
        sum(now.roles[at] == CONSTRAINT for at in new),
        sum(now.roles[at] == REFERENCE for at in new),
        sum(now.kinds[at] in SEVERAL for at in new),
        any(now.kinds[at] == NAME for at in new),
        sum(old.value != each.value for old, each in zip(now.before, after, strict=True)),
        -1 if name is None else after[name].value != now.before[name].value,
        -1 if name is None else after[name].is_open,
        sum(not each.expressed for each in after),
        sum(each.expressed and each.is_open for each in after),
        subgoal,
        subgoal != now.last,
        kinds.domain(domain),
        domain in now.about,
        len(now.about),
        len(now.heard),
        len(now.informed),
        now.offers,
        len(now.said),
        len(now.told),
    ]


def _about_saying(
    now: Situation, after: Tuples, new: Sequence[int], saying: ActOption, subgoal: int, kinds: Kinds
) -> list[float]:
    act = saying.act
    key = (act.domain, act.slot)
    each = after[saying.at] if saying.at >= 0 else None
    own = each.subgoal if each else 0
    return [
        saying.why,
        INTENTS.index(INFORM if act.intent == EXCLUDE else act.intent),
        COURTESIES.index(act) if act in COURTESIES else -1,
        kinds.kind(key),
        own - subgoal if each else -9,
        own == now.last,
        act in now.said,
        key in now.informed,
        key in now.asked,
        act.domain in now.refused,
        now.about[act.domain],
        act.value in now.recommended.get(act.domain, ()),
        act.value in now.informed.get(key, ()),
        sum(k[0] == act.domain for k in now.asked),
        *((-1,) * 6 if each is None else _about_its_tuple(now, after, new, saying.at, each)),
    ]


def _about_its_tuple(
    now: Situation, after: Tuples, new: Sequence[int], at: int, each: SemanticTuple
) -> tuple[float, ...]:
    here = now.positions[each.subgoal]
    pointed_at = [
        now.before[i].value
        for i in new
        if isinstance(value := now.before[i].value, Reference) and value.subgoal == each.subgoal
    ]
    return (
        now.roles[at],
        each.value != now.before[at].value,
        each.value != now.goal.tuples[at].value,
        sum(after[i].is_open for i in new if i in here),
        sum(after[i].is_open and after[i].expressed for i in here),
        len(pointed_at),
    )
