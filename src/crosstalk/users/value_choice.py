"""Which values a user writes down after a system turn: candidates for each tuple, and features.

A candidate is the value that is there already or one that the system has just named for the slot.
"""

from dataclasses import dataclass
from enum import IntEnum

from crosstalk.dialogue.goals import Reference, Value
from crosstalk.language.number_forms import Bounds, forms_of, read_bounds, say_number
from crosstalk.users.user_context import (
    CONSTRAINT,
    ENDPOINT,
    NAME,
    NUMBERS,
    REQUESTED,
    SEVERAL,
    SlotKey,
    SlotKinds,
    UserContext,
)
from crosstalk.users.user_model import ListOrder


class ValueSource(IntEnum):
    """Where a candidate comes from."""

    KEPT = 0
    RECOMMENDED = 1
    INFORMED = 2
    LISTED = 3
    """All values just named for a list slot."""
    GATHERED = 4
    """The same together with the present value."""


@dataclass(frozen=True, slots=True)
class ValueCandidate:
    """A value a tuple may have next."""

    value: Value
    source: ValueSource


def value_candidates(
    now: UserContext, at: int, kinds: SlotKinds, order: ListOrder
) -> list[ValueCandidate]:
    """The candidates of one tuple, its present value first; no value twice."""
    each = now.before[at]
    answers = now.informed.get((each.domain, each.slot), [])
    found = [ValueCandidate(each.value, ValueSource.KEPT)]
    if now.kinds[at] == NAME:
        offered = now.recommended.get(each.domain, [])
        found += [ValueCandidate(name, ValueSource.RECOMMENDED) for name in offered]
        found += [ValueCandidate(name, ValueSource.INFORMED) for name in answers]
    elif now.kinds[at] in SEVERAL:
        found += _lists(now, at, answers, kinds.language.nothing, order)
    elif now.kinds[at] != ENDPOINT:
        found += [
            ValueCandidate(_with_unit(kinds, (each.domain, each.slot), text), ValueSource.INFORMED)
            for text in answers
        ]
    return list({candidate.value: candidate for candidate in reversed(found)}.values())[::-1]


def _lists(
    now: UserContext, at: int, answers: list[str], nothing: str, order: ListOrder
) -> list[ValueCandidate]:
    found = [ValueCandidate(nothing, ValueSource.INFORMED)] if nothing in answers else []
    before = now.before[at].value
    if several := [text for text in answers if text != nothing]:
        found.append(ValueCandidate(order.sort(several), ValueSource.LISTED))
        if isinstance(before, tuple) and before and now.roles[at] == REQUESTED:
            found.append(ValueCandidate(order.sort((*before, *several)), ValueSource.GATHERED))
    return found


def _with_unit(kinds: SlotKinds, key: SlotKey, text: str) -> str:
    """A bare number as the slot writes it: people note `4.7` as `4.7分`."""
    slot = kinds.slot(key)
    if slot is None or kinds.kind(key) not in NUMBERS or not text.replace(".", "", 1).isdecimal():
        return text
    return say_number(forms_of(kinds.language, key[0], slot), float(text))


def value_rows(
    now: UserContext, at: int, found: list[ValueCandidate], kinds: SlotKinds
) -> list[list[float]]:
    """One row of features per candidate."""
    shared = [*_tuple_features(now, at, kinds), len(found)]
    wish = _bounds(now, at, now.before[at].value, kinds)
    return [shared + _candidate_features(now, at, each, wish, kinds) for each in found]


def _tuple_features(now: UserContext, at: int, kinds: SlotKinds) -> list[float]:
    each, wanted = now.before[at], now.goal.tuples[at]
    here, key = now.positions[each.subgoal], (each.domain, each.slot)
    latest = max(
        (x.subgoal for x in now.before if x.expressed and x.domain == each.domain), default=0
    )
    unsaid = [i for i in here if not now.before[i].expressed]
    name = now.before[now.names[each.subgoal]] if each.subgoal in now.names else None
    told = [i for i in here if (each.domain, now.before[i].slot) in now.informed]
    return [
        # the tuple
        now.roles[at],
        now.kinds[at],
        each.expressed,
        each.is_open,
        each.value == wanted.value,
        key in now.asked,
        key in now.told,
        # its sub-goal
        each.subgoal - now.current,
        each.subgoal - now.last,
        each.subgoal == latest,
        sum(now.roles[i] != REQUESTED for i in unsaid),
        sum(now.roles[i] == REQUESTED for i in unsaid),
        sum(now.before[i].is_open and now.before[i].expressed for i in here),
        name.is_open if name else -1,
        isinstance(name.value, Reference) if name else -1,
        # what was said
        each.domain in now.refused,
        now.about[each.domain],
        len(now.recommended.get(each.domain, ())),
        len(now.informed.get((each.domain, kinds.names.get(each.domain, "")), ())),
        sum(now.roles[i] == CONSTRAINT for i in told),
        sum(now.roles[i] == REQUESTED for i in told),
        len(now.asked),
        len(now.said),
    ]


def _candidate_features(
    now: UserContext, at: int, candidate: ValueCandidate, wish: Bounds | None, kinds: SlotKinds
) -> list[float]:
    each, wanted, value = now.before[at], now.goal.tuples[at], candidate.value
    texts = isinstance(value, str) and isinstance(each.value, str) and each.value and value
    offer = _bounds(now, at, value, kinds)
    return [
        candidate.source,
        value == kinds.language.nothing,
        value == wanted.value,
        offer is not None,
        *_gap(wish, offer),
        len(value) if isinstance(value, tuple) else -1,
        bool(texts) and str(each.value) in str(value),
        bool(texts) and str(value) in str(each.value),
        value in now.informed.get((each.domain, each.slot), ()),
        _is_listed(now, at, value),
    ]


def _bounds(now: UserContext, at: int, value: Value, kinds: SlotKinds) -> Bounds | None:
    if now.kinds[at] not in NUMBERS or not isinstance(value, str):
        return None
    each = now.before[at]
    slot = kinds.slot((each.domain, each.slot))
    return read_bounds(forms_of(kinds.language, each.domain, slot), value) if slot else None


def _gap(wish: Bounds | None, offer: Bounds | None) -> tuple[float, float]:
    """Whether an offered number misses the wish, and by how much of it."""
    if wish is None or offer is None or offer.low is None:
        return -1, -1
    if wish.hold(offer.low):
        return 0, 0
    edge = wish.low if wish.low is not None and offer.low < wish.low else wish.high
    return 1, (offer.low - edge) / (abs(edge) + 1) if edge is not None else 0


def _is_listed(now: UserContext, at: int, value: Value) -> float:
    """Whether the sub-goal it shall be near lists the name; -1 if it is near none."""
    near = now.goal.tuples[at].value
    if now.kinds[at] != NAME or not isinstance(near, Reference):
        return -1
    lists = [now.before[i].value for i in now.positions.get(near.subgoal, ())]
    return any(isinstance(each, tuple) and value in each for each in lists)
