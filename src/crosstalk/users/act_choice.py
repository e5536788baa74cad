"""What the learned user says: the features of its two choices, which tuples and which acts.

First one decision per tuple, in goal order, each knowing the former ones; only the first sub-goal
with anything unsaid is considered, since people leave that order in one turn of a hundred. Then one
decision per act: acts of the tuples just chosen, and what people add to them: naming the place they
mean, repeating wishes and questions, greeting and thanking.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import log

from crosstalk.dialogue.acts import EXCLUDE, GENERAL, INFORM, REQUEST, SELECT, Act
from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples
from crosstalk.users.simulator import BYE, GREET, THANK, GoalActs, TupleRole
from crosstalk.users.user_context import (
    CONSTRAINT,
    NAME,
    REFERENCE,
    REQUESTED,
    SEVERAL,
    SlotKinds,
    UserContext,
)
from crosstalk.users.user_model import Forest

State = Sequence[SemanticTuple]
"""The tuples with the values just learned, before anything is said."""


@dataclass(frozen=True, slots=True)
class TupleChoices:
    """The tuples of one turn that may be said, for one decision after the other."""

    now: UserContext
    unsaid: tuple[int, ...]
    """Positions of the tuples that may be said."""
    shared: list[float]
    """Features that all rows share."""

    def row(self, made: Sequence[bool]) -> list[float]:
        """The features of the next decision, after those already made."""
        return self.shared + _next_tuple_features(self.now, self.unsaid, made)


def tuple_choices(now: UserContext, state: State, kinds: SlotKinds) -> TupleChoices:
    subgoal = next((each.subgoal for each in state if not each.expressed), None)
    if subgoal is None:
        return TupleChoices(now, (), [])
    unsaid = tuple(at for at in now.positions[subgoal] if not state[at].expressed)
    return TupleChoices(now, unsaid, _tuple_turn_features(now, state, subgoal, unsaid, kinds))


def sample_choices(forest: Forest, turn: TupleChoices, toss: Callable[[float], bool]) -> list[bool]:
    """One decision after the other; `toss` draws each from its probability."""
    made: list[bool] = []
    for _ in turn.unsaid:
        made.append(toss(forest.probability(turn.row(made))))
    return made


def likeliest_choices(forest: Forest, turn: TupleChoices, width: int = 4) -> list[bool]:
    """The likeliest sequence of decisions, by beam search of this `width`."""
    beams: list[tuple[float, list[bool]]] = [(0.0, [])]
    for _ in turn.unsaid:
        longer = []
        for score, made in beams:
            p = min(max(forest.probability(turn.row(made)), 1e-9), 1 - 1e-9)
            longer += [(score + log(p), [*made, True]), (score + log(1 - p), [*made, False])]
        beams = sorted(longer, key=lambda beam: -beam[0])[:width]
    return beams[0][1]


def _tuple_turn_features(
    now: UserContext, state: State, subgoal: int, unsaid: tuple[int, ...], kinds: SlotKinds
) -> list[float]:
    here = now.positions[subgoal]
    domain = state[here[0]].domain
    name = now.names.get(subgoal)
    learned = [at for at, each in enumerate(state) if each.value != now.before[at].value]
    waiting = [each for each in state if each.expressed and each.is_open]
    earlier = state[: here[0]]
    return [
        now.opening,
        kinds.domain(domain),
        # the sub-goal
        now.subgoals - subgoal,
        len(here),
        len(unsaid),
        *(
            sum(now.roles[at] == role for at in unsaid)
            for role in (CONSTRAINT, REFERENCE, REQUESTED)
        ),
        sum(now.roles[at] == CONSTRAINT for at in here),
        sum(now.roles[at] == REQUESTED for at in here),
        sum(now.kinds[at] in SEVERAL for at in unsaid),
        any(now.kinds[at] == NAME for at in unsaid),
        now.current - subgoal,
        # its entity
        *((-1, -1, -1, -1) if name is None else _name_features(now, state, name)),
        # what was just learned, and what is still open
        len(learned),
        sum(at in learned for at in here),
        sum(now.kinds[at] == NAME for at in learned),
        sum(each.is_open or isinstance(each.value, Reference) for each in earlier),
        sum(each.subgoal == subgoal for each in waiting),
        sum((each.domain, each.slot) in now.asked for each in waiting),
        # what was said
        bool(now.refused),
        now.about[domain],
        len(now.about),
        len(now.heard),
        len(now.recommended.get(domain, ())),
        sum(key in now.informed and kinds.kind(key) in SEVERAL for key in now.informed),
        len(now.said),
        len(now.asked),
        len(now.told),
        sum(kinds.kind(key) in SEVERAL for key in now.asked),
    ]


def _name_features(now: UserContext, state: State, name: int) -> tuple[float, float, float, float]:
    value = state[name].value
    return (
        state[name].is_open,
        isinstance(value, Reference),
        value != now.before[name].value,
        now.roles[name],
    )


def _next_tuple_features(
    now: UserContext, unsaid: tuple[int, ...], made: Sequence[bool]
) -> list[float]:
    place = len(made)
    at = unsaid[place]
    chosen = [unsaid[i] for i, yes in enumerate(made) if yes]
    after = unsaid[place + 1] if place + 1 < len(unsaid) else None
    role = now.roles[at]
    return [
        role,
        now.kinds[at],
        place,
        len(unsaid) - place,
        sum(now.roles[i] == role for i in unsaid[:place]),
        sum(now.roles[i] == role for i in unsaid[place:]),
        len(chosen),
        sum(now.roles[i] == REQUESTED for i in chosen),
        sum(now.kinds[i] in SEVERAL for i in chosen),
        any(now.kinds[i] == NAME for i in chosen),
        made[-1] if made else -1,
        now.kinds[unsaid[place - 1]] if place else -1,
        -1 if after is None else now.kinds[after],
        -1 if after is None else now.roles[after],
    ]


INTENTS = (INFORM, REQUEST, SELECT, GENERAL)
COURTESIES = (GREET, THANK, BYE)


class ActReason(IntEnum):
    """Why an act may be said."""

    NEW = 0
    """It says a tuple for the first time."""
    SOURCE = 1
    """It names the place that a new Select refers to."""
    AGAIN = 2
    """It says a tuple once more."""
    NAMING = 3
    """It says which place is meant."""
    COURTESY = 4


@dataclass(frozen=True, slots=True)
class ActOption:
    """An act that may be said."""

    act: Act
    reason: ActReason
    at: int
    """The tuple it is about; -1 for courtesies."""


def newly_said(now: UserContext, after: Tuples) -> list[int]:
    """Positions of the tuples said for the first time, without those the system filled."""
    return [
        at
        for at, (old, new) in enumerate(zip(now.before, after, strict=True))
        if (new.expressed and (not old.expressed or now.opening))
        and (old.value == new.value or isinstance(old.value, Reference))
    ]


def act_options(
    now: UserContext, after: Tuples, new: Sequence[int], goal_acts: GoalActs
) -> list[ActOption]:
    """Every candidate act, each once, with its strongest reason."""
    found: list[ActOption] = []
    for at in new:
        found += _first_time(now, after, at, goal_acts)
    talked_of = {after[at].subgoal for at in new} | {now.current, now.last}
    for at, each in enumerate(after):
        if each.subgoal in talked_of and each.expressed and at not in new:
            found += _once_more(now, after, at, goal_acts)
    for subgoal, at in now.names.items():
        if after[at].expressed and after[at].value:
            found += [
                ActOption(act, ActReason.NAMING, at) for act in goal_acts.name_act(after, subgoal)
            ]
    found += [ActOption(act, ActReason.COURTESY, -1) for act in COURTESIES]
    return list({option.act: option for option in reversed(found)}.values())[::-1]


def _first_time(now: UserContext, after: Tuples, at: int, goal_acts: GoalActs) -> list[ActOption]:
    if after[at].is_open:
        return [
            ActOption(act, ActReason.NEW, at)
            for act in goal_acts.say(after[at], after, TupleRole.REQUEST)
        ]
    acts = goal_acts.inform(after[at], now.before[at].value, after)
    is_nearby = now.kinds[at] == NAME and isinstance(now.before[at].value, Reference)
    return [
        ActOption(
            act, ActReason.SOURCE if is_nearby and act.intent == INFORM else ActReason.NEW, at
        )
        for act in acts
    ]


def _once_more(now: UserContext, after: Tuples, at: int, goal_acts: GoalActs) -> list[ActOption]:
    """Acts that repeat open questions, wishes and unresolved references."""
    each, role = after[at], now.roles[at]
    if each.is_open:
        acts = goal_acts.say(each, after, TupleRole.REQUEST)
    elif role == CONSTRAINT or (
        role == REFERENCE and (now.kinds[at] != NAME or isinstance(each.value, Reference))
    ):
        acts = goal_acts.inform(each, each.value, after)
    else:
        return []
    return [ActOption(act, ActReason.AGAIN, at) for act in acts]


def act_option_rows(
    now: UserContext,
    after: Tuples,
    new: Sequence[int],
    found: Sequence[ActOption],
    kinds: SlotKinds,
) -> list[list[float]]:
    """One row of features per candidate act."""
    subgoal = after[new[0]].subgoal if new else now.current
    shared = _act_turn_features(now, after, new, subgoal, kinds)
    return [shared + _act_option_features(now, after, new, each, subgoal, kinds) for each in found]


def _act_turn_features(
    now: UserContext, after: Tuples, new: Sequence[int], subgoal: int, kinds: SlotKinds
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


def _act_option_features(
    now: UserContext,
    after: Tuples,
    new: Sequence[int],
    option: ActOption,
    subgoal: int,
    kinds: SlotKinds,
) -> list[float]:
    act = option.act
    key = (act.domain, act.slot)
    each = after[option.at] if option.at >= 0 else None
    own = each.subgoal if each else 0
    return [
        option.reason,
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
        *((-1,) * 6 if each is None else _own_tuple_features(now, after, new, option.at, each)),
    ]


def _own_tuple_features(
    now: UserContext, after: Tuples, new: Sequence[int], at: int, each: SemanticTuple
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
