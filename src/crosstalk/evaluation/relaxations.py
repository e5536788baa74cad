"""Wishes given up on the way: which ones, when, and whether there was need.

A wish is a constraint or a reference of the goal. It is given up where the user's state no longer
has it: a constraint with another value, a reference that became a question, or one that was filled,
when the system had nothing that fits, by something elsewhere. There was need when the system had
just said so (`NoOffer`) and, by the tables, truly had nothing that meets what the user had said by
then. A wish counts as said until the user asks an open question in its place: one that was given up
silently, by taking what was offered, is a wish for all that the system knows.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from crosstalk.dialogue.acts import NO_OFFER
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples
from crosstalk.dialogue.schema import SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.evaluation.success import Flaw, Truth, chosen_names, same


@dataclass(frozen=True, slots=True)
class Refusal:
    """A system turn that said: nothing matches."""

    turn: int
    domain: str
    subgoal: int
    """The sub-goal it was about; 0 where the goal has none in that domain."""
    is_true: bool
    """Whether nothing in the tables met the wishes said so far."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What became of a goal's wishes."""

    refusals: tuple[Refusal, ...]
    given_up: frozenset[int]
    """Positions of wishes that could not be had."""
    needless: tuple[tuple[int, Flaw], ...]
    """Positions of wishes given up though they could be had, and why."""


def follow(dialogue: Dialogue, truth: Truth) -> Wishes:
    """Walk through the dialogue, from user state to user state."""
    wanted = dialogue.goal.tuples if dialogue.goal else ()
    refusals: list[Refusal] = []
    gone: set[int] = set()
    said: set[int] = set()
    needless: dict[int, Flaw] = {}
    before, last = wanted, list[Refusal]()
    for number, turn in enumerate(dialogue.turns):
        if turn.speaker is Speaker.SYSTEM:
            last = list(_refusals(number, turn, wanted, before, said, truth))
            refusals += last
        elif turn.user_state is not None:
            for position in _changed(wanted, before, turn.user_state, gone, last, truth):
                flaw = _flaw(before[position], last)
                gone.add(position)
                if flaw:
                    needless.setdefault(position, flaw)
            before, last = turn.user_state, []
            said |= {position for position, each in enumerate(before) if each.expressed}
            said -= {position for position, each in enumerate(before) if each.is_open}
    return Wishes(
        tuple(refusals), frozenset(gone - needless.keys()), tuple(sorted(needless.items()))
    )


def _changed(
    wanted: Tuples,
    before: Tuples,
    after: Tuples,
    gone: set[int],
    last: list[Refusal],
    truth: Truth,
) -> Iterator[int]:
    refused = {refusal.subgoal for refusal in last}
    for position, (wish, old, new) in enumerate(zip(wanted, before, after, strict=True)):
        if wish.is_open or position in gone or same(old.value, new.value):
            continue
        if not isinstance(wish.value, Reference) or new.is_open:
            yield position
        elif new.subgoal in refused and not _is_near(wish.value, new, after, truth):
            yield position  # filled with what was offered instead


def _is_near(reference: Reference, each: SemanticTuple, state: Tuples, truth: Truth) -> bool:
    """True as well while nothing has been chosen, and for the ends of rides."""
    source = chosen_names(state, truth).get(reference.subgoal)
    if source is None or not reference.nearby or not isinstance(each.value, str):
        return True
    return truth.is_near(each.domain, each.value, *source)


def _flaw(each: SemanticTuple, last: list[Refusal]) -> Flaw | None:
    about = [refusal for refusal in last if refusal.subgoal == each.subgoal]
    if not about:
        return Flaw.GIVEN_UP
    return None if any(refusal.is_true for refusal in about) else Flaw.FALSE_NO_OFFER


def _refusals(
    number: int, turn: Turn, wanted: Tuples, state: Tuples, said: set[int], truth: Truth
) -> Iterator[Refusal]:
    for domain in dict.fromkeys(act.domain for act in turn.acts if act.intent == NO_OFFER):
        subgoal = _concerned(state, domain)
        wishes = said_wishes(wanted, state, subgoal, said, truth) if subgoal else {}
        yield Refusal(number, domain, subgoal, bool(subgoal) and not truth.anything(domain, wishes))


def _concerned(state: Tuples, domain: str) -> int:
    """The sub-goal the user is at in a domain: the first unsettled one, else the last."""
    here = [each for each in state if each.domain == domain]
    unsettled = [each.subgoal for each in here if not each.is_settled]
    return unsettled[0] if unsettled else max((each.subgoal for each in here), default=0)


def said_wishes(
    wanted: Tuples, state: Tuples, subgoal: int, said: set[int], truth: Truth
) -> dict[str, SlotValue]:
    """What the user has said of a sub-goal and not given up, as constraints of a search."""
    wishes: dict[str, SlotValue] = {}
    for position in sorted(said):
        wish, each = wanted[position], state[position]
        if each.subgoal != subgoal or wish.is_open:
            continue
        if isinstance(wish.value, Reference):
            wishes |= _near(each.domain, wish.value, state, truth)
        else:
            wishes[each.slot] = wish.value
    return wishes


def _near(domain: str, reference: Reference, state: Tuples, truth: Truth) -> dict[str, SlotValue]:
    source, name = chosen_names(state, truth).get(reference.subgoal, ("", ""))
    slots = [s for s in truth.domain(domain).of_kind(SlotKind.NEARBY) if s.target == source]
    return {slots[0].key: name} if slots and name else {}
