"""Verified success: whether the user's final state is true in the database.

Task finish only asks that every question has some answer. Here every constraint that was not
relaxed must hold for the entity chosen, every answer must be what the table says about it, every
entity that was wanted near another must be near the one chosen there, and every ride must join the
entities chosen.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples, Value, subgoals
from crosstalk.dialogue.schema import Domain, DomainKind, SlotKind
from crosstalk.worlds.tables import Row
from crosstalk.worlds.truth import Truth, same


class Flaw(StrEnum):
    """What can be wrong with a tuple at the end of a dialogue."""

    UNSETTLED = "unsettled"
    """Never said, never answered, or still depending on another sub-goal."""
    NO_ENTITY = "no such entity"
    """The name chosen stands in no table."""
    UNMET = "wish not met"
    """The entity chosen does not meet a constraint that was not relaxed."""
    WRONG_ANSWER = "wrong answer"
    """Not what the table says about the entity chosen."""
    NOT_NEAR = "not near"
    """The entity chosen is not near the one chosen in the other sub-goal."""
    WRONG_END = "wrong end"
    """The ride does not begin or end at the entity chosen."""
    FALSE_NO_OFFER = "refused though there was something"
    """The system said `NoOffer` although something matched."""
    GIVEN_UP = "given up without need"
    """The user relaxed a constraint that nobody had refused."""


@dataclass(frozen=True, slots=True)
class SuccessFinding:
    """A flaw and where it is."""

    flaw: Flaw
    position: int
    """Of the tuple in the goal."""
    subgoal: int
    domain: str
    slot: str
    value: Value
    """In the user's final state."""


def findings(
    wanted: Tuples, final: Tuples, given_up: Collection[int], truth: Truth
) -> Iterator[SuccessFinding]:
    """All flaws of the final state; `given_up` are positions of justified relaxations.

    A relaxed constraint need not hold, but what the user was told instead must be true.
    """
    chosen = chosen_names(final, truth)
    before = 0
    for _, group in subgoals(final):
        wishes = wanted[before : before + len(group)]
        gone = {position - before for position in given_up}
        judge = _place if truth.domain(group[0].domain).kind is DomainKind.PLACE else _ride
        for at, flaw in judge(wishes, group, gone, chosen, truth):
            each = group[at]
            yield SuccessFinding(
                flaw, before + at, each.subgoal, each.domain, each.slot, each.value
            )
        before += len(group)


def chosen_names(final: Tuples, truth: Truth) -> dict[int, tuple[str, str]]:
    """Sub-goal -> (domain, name) of the entity that the user chose."""
    chosen = {}
    for each in final:
        slot = truth.domain(each.domain).name_slot
        if slot and each.slot == slot.key and isinstance(each.value, str) and each.value:
            chosen[each.subgoal] = each.domain, each.value
    return chosen


Chosen = dict[int, tuple[str, str]]
Flaws = Iterator[tuple[int, Flaw]]


def _place(wishes: Tuples, group: Tuples, gone: set[int], chosen: Chosen, truth: Truth) -> Flaws:
    domain = truth.domain(group[0].domain)
    name = domain.name_slot.key if domain.name_slot else ""
    row = truth.entity(domain.key, chosen.get(group[0].subgoal, ("", ""))[1])
    if all(each.slot != name for each in group):
        row = _likeliest(wishes, group, domain, truth)
    for at, (wish, each) in enumerate(zip(wishes, group, strict=True)):
        if not each.is_settled:
            yield at, Flaw.UNSETTLED
        elif each.slot == name:
            yield from _name(at, wish, each, row, at in gone, chosen, truth)
        elif row is not None and (flaw := _value(wish, each, row, domain, truth)):
            yield at, flaw


def _likeliest(wishes: Tuples, group: Tuples, domain: Domain, truth: Truth) -> Row | None:
    """The entity meant if the goal asks for no name: the one with the fewest flaws."""
    pairs = list(zip(wishes, group, strict=True))

    def flaws(row: Row) -> int:
        return sum(_value(wish, each, row, domain, truth) is not None for wish, each in pairs)

    return min(truth.rows(domain.key), key=flaws, default=None)


def _name(
    at: int,
    wish: SemanticTuple,
    each: SemanticTuple,
    row: Row | None,
    is_gone: bool,
    chosen: Chosen,
    truth: Truth,
) -> Flaws:
    if row is None:
        yield at, Flaw.NO_ENTITY
    elif isinstance(wish.value, Reference) and not is_gone:
        source = chosen.get(wish.value.subgoal, ("", ""))
        if not source[0] or not truth.is_near(each.domain, str(each.value), *source):
            yield at, Flaw.NOT_NEAR


def _value(
    wish: SemanticTuple, each: SemanticTuple, row: Row, domain: Domain, truth: Truth
) -> Flaw | None:
    """The flaw of a value: an unchanged constraint must be met, a changed one met or answered."""
    met = truth.meets(domain.key, row, each.slot, each.value)
    right = truth.is_right(domain, row, each.slot, each.value)
    if wish.is_open:
        return None if right else Flaw.WRONG_ANSWER
    if same(each.value, wish.value):
        return None if met else Flaw.UNMET
    return None if met or right else Flaw.WRONG_ANSWER


def _ride(wishes: Tuples, group: Tuples, gone: set[int], chosen: Chosen, truth: Truth) -> Flaws:
    domain = truth.domain(group[0].domain)
    ends = {slot.key for slot in domain.of_kind(SlotKind.ENDPOINT)}
    known = {
        each.slot: each.value
        for each in group
        if each.slot in ends and not isinstance(each.value, Reference)
    }
    rows = truth.ride(domain.key, known)
    for at, (wish, each) in enumerate(zip(wishes, group, strict=True)):
        if not each.is_settled:
            yield at, Flaw.UNSETTLED
        elif each.slot in ends:
            if not _is_end(wish, each, chosen):
                yield at, Flaw.WRONG_END
        elif not any(
            each.slot in row and truth.is_right(domain, row, each.slot, each.value) for row in rows
        ):
            yield at, Flaw.WRONG_ANSWER


def _is_end(wish: SemanticTuple, each: SemanticTuple, chosen: Chosen) -> bool:
    if isinstance(wish.value, Reference):
        return same(chosen.get(wish.value.subgoal, ("", ""))[1], each.value)
    return same(each.value, wish.value)
