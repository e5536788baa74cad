"""Goals of MultiWOZ dialogues as goals of the world `multiwoz`, with their bookings.

    wish = multiwoz_goal(dialogue)
    wish.goal.tuples      # last wishes and questions
    wish.bookings         # calls of the world's actions

`info` and `book` are the last wishes of a goal; `fail_info` and `fail_book` are what the user tries
first. About a third of the first searches finds something all the same. Whether a first booking
is refused stands in no table: the goal says so (`pre_invalid`). `invalid` has no visible effect.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from crosstalk.corpora.multiwoz import BOOK, EXTRAS
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import Goal, SemanticTuple, Tuples, subgoals

ACTIONS: Final = {
    "restaurant": "book_restaurant",
    "hotel": "book_hotel",
    "train": "book_train",
    "taxi": "book_taxi",
}
"""Domain -> the action of the world that books it."""


@dataclass(frozen=True, slots=True)
class WishedBooking:
    """A booking that the goal wants; which entity, is found on the way."""

    action: str
    arguments: Mapping[str, str]
    first: Mapping[str, str] = field(default_factory=dict)
    """Arguments that the user tries first."""
    refused_first: bool = False
    """Whether the first attempt is to be refused."""


@dataclass(frozen=True, slots=True)
class MultiwozGoal:
    """A goal of the corpus in the terms of the world."""

    goal: Goal
    """Constraints as they are wished for last, and questions."""
    first_wishes: Tuples
    """The tuples of the sub-goals whose search is tried with other values first."""
    bookings: tuple[WishedBooking, ...]


def multiwoz_goal(dialogue: Dialogue) -> MultiwozGoal:
    """The goal of a dialogue; empty if it has none."""
    tuples = dialogue.goal.tuples if dialogue.goal else ()
    rest = dialogue.extras.get(EXTRAS, {}).get("goal", {})
    wishes = tuple(each for each in tuples if not each.slot.startswith(BOOK))
    told = dialogue.goal.description if dialogue.goal else ()
    return MultiwozGoal(
        Goal(wishes, description=told), _first_wishes(wishes, rest), _bookings(tuples, rest)
    )


def _part(rest: Mapping[str, Any], domain: str, part: str) -> dict[str, str]:
    """The texts of a part of the goal that is kept as the file has it."""
    parts = rest.get(domain, {})
    found = parts.get(part, {}) if isinstance(parts, dict) else {}
    return {slot: value for slot, value in found.items() if isinstance(value, str)}


def _first_wishes(wishes: Tuples, rest: Mapping[str, Any]) -> Tuples:
    found: list[SemanticTuple] = []
    for number, group in subgoals(wishes):
        domain = group[0].domain
        if tried := _part(rest, domain, "fail_info"):
            found += (SemanticTuple(number, domain, slot, value) for slot, value in tried.items())
            found += (each for each in group if each.is_open)
    return tuple(replace(each, expressed=False) for each in found)


def _bookings(tuples: Tuples, rest: Mapping[str, Any]) -> tuple[WishedBooking, ...]:
    found = []
    for _, group in subgoals(tuples):
        domain = group[0].domain
        arguments = {
            each.slot.removeprefix(BOOK): str(each.value)
            for each in group
            if each.slot.startswith(BOOK) or (domain == "taxi" and not each.is_open)
        }
        if domain in ACTIONS and arguments:
            parts = rest.get(domain, {})
            flagged = bool(parts.get("book", {}).get("pre_invalid"))
            first = _part(rest, domain, "fail_book")
            found.append(WishedBooking(ACTIONS[domain], arguments, first, flagged))
    return tuple(found)
