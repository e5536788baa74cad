"""The training stage for workers: exercises with feedback, generated from the world.

    items = exercises_for(context, goal)

Nothing here depends on one world or language: the utterances are made of the goal's values, or with
the world's templates if it has any. The text of each question is on the pages.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from crosstalk.collection.user_table import plain_value, slot_label
from crosstalk.collection.wizard_form import NUMBERS, written_tab
from crosstalk.collection.world_context import WorldContext, is_several
from crosstalk.dialogue.acts import INFORM, REQUEST, Act
from crosstalk.dialogue.goals import Goal, SemanticTuple, Tuples
from crosstalk.dialogue.schema import SERVICE_MARK, DomainKind, SlotKind
from crosstalk.errors import Rejection
from crosstalk.worlds.conditions import several
from crosstalk.worlds.display import answer as said_of

Voice = Callable[[tuple[Act, ...]], str]
"""A user's acts in words."""


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise."""

    key: str
    kind: str
    """ticks: which cells does this utterance say? fill: what belongs into this cell? query: which
    fields would you fill in? choice: one of several rules."""
    text: str
    """The utterance of the exercise, in the world's language."""
    expected: Any
    shown: dict[str, Any] = field(default_factory=dict, hash=False)
    """Further fields for pages."""

    def to_page(self) -> dict[str, Any]:
        return {"item": self.key, "kind": self.kind, "text": self.text, **self.shown}


def exercises_for(context: WorldContext, goal: Goal, voice: Voice) -> tuple[Exercise, ...]:
    """The exercises about a goal with one place."""
    return (
        *_ticks(context, goal.tuples, voice),
        *_fill(context, goal.tuples),
        _choice("finish", "all_filled", ("any_time", "all_filled", "after_five_turns")),
        _choice("no_offer", "change_constraint", ("give_up", "change_constraint", "repeat")),
        *_query(context, goal.tuples, voice),
        _choice("first_query", "as_said", ("as_said", "what_exists", "nothing")),
        _choice("select", "what_i_name", ("all_results", "what_i_name", "never")),
    )


def _choice(key: str, right: str, options: tuple[str, ...]) -> Exercise:
    return Exercise(key, "choice", "", right, {"options": list(options)})


def _constraints(tuples: Tuples) -> list[int]:
    return [number for number, each in enumerate(tuples) if not each.is_open]


def _informed(context: WorldContext, tuples: Tuples, numbers: list[int]) -> tuple[Act, ...]:
    acts = [act for number in numbers for act in _acts(context, tuples[number])]
    return tuple(sorted(acts))


def _acts(context: WorldContext, each: SemanticTuple) -> Iterator[Act]:
    if each.is_open:
        yield Act(REQUEST, each.domain, each.slot, "")
    elif isinstance(each.value, str):
        yield Act(INFORM, each.domain, each.slot, each.value)
    elif isinstance(each.value, tuple):
        yield from (Act(INFORM, each.domain, each.slot, value) for value in each.value)


def _ticks(context: WorldContext, tuples: Tuples, voice: Voice) -> Iterator[Exercise]:
    said = _constraints(tuples)[:2]
    asked = [number for number, each in enumerate(tuples) if each.is_open][:1]
    wanted = sorted(said + asked)
    text = voice(_informed(context, tuples, wanted))
    yield Exercise("tick", "ticks", text, wanted, {"cells": _cells(context, tuples)})


def _cells(context: WorldContext, tuples: Tuples) -> list[dict[str, Any]]:
    return [
        {
            "cell": number,
            "domain": each.domain,
            "domain_name": context.pack.domain_name(each.domain),
            "slot": each.slot,
            "slot_name": slot_label(context, each.domain, each.slot),
            "value": plain_value(each.value),
            "several": is_several(context.slot(each.domain, each.slot), each.slot),
        }
        for number, each in enumerate(tuples)
    ]


def _fill(context: WorldContext, tuples: Tuples) -> Iterator[Exercise]:
    """An exercise in which a name is to be written into its cell."""
    for number, each in enumerate(tuples):
        slot = context.slot(each.domain, each.slot)
        if not each.is_open or slot is None or slot.kind is not SlotKind.NAME:
            continue
        row = context.world.tables[each.domain].rows[0]
        domain = context.database.domain(each.domain)
        name = said_of(context.pack, domain, row, each.slot)[0]
        shown = {"cells": _cells(context, tuples), "cell": number}
        yield Exercise("fill", "fill", name, name, shown)
        return


def _query(context: WorldContext, tuples: Tuples, voice: Voice) -> Iterator[Exercise]:
    domain = tuples[0].domain
    found = context.domain(domain)
    if found is None or found.kind is not DomainKind.PLACE:
        return
    said = _constraints(tuples)[:2]
    fields: dict[str, Any] = {}
    for number in said:
        each = tuples[number]
        slot = found.slot(each.slot)
        if slot is None or not slot.search:
            continue
        if slot.kind is SlotKind.SERVICES:
            service = each.slot.removeprefix(slot.key + SERVICE_MARK)
            fields[slot.key] = [*fields.get(slot.key, []), service]
        else:
            fields[slot.key] = plain_value(each.value)
    text = voice(_informed(context, tuples, said))
    yield Exercise("query", "query", text, fields, {"domain": domain})


def is_right(context: WorldContext, item: Exercise, answer: Any) -> bool:
    """Whether an answer is the expected one, ignoring order, case and number formats."""
    match item.kind:
        case "ticks":
            return isinstance(answer, list) and sorted(map(str, answer)) == [
                str(each) for each in item.expected
            ]
        case "fill":
            return isinstance(answer, str) and answer.strip().casefold() == item.expected.casefold()
        case "query":
            return isinstance(answer, dict) and _same_query(context, item, answer)
        case _:
            return bool(answer == item.expected)


def _same_query(context: WorldContext, item: Exercise, answer: dict[str, Any]) -> bool:
    domain = item.shown["domain"]
    try:
        given = written_tab(context, domain, answer)
    except Rejection:
        return False
    wanted = written_tab(context, domain, item.expected)
    return all(
        _alike(context, domain, key, one, other)
        for (key, one), (_, other) in zip(given, wanted, strict=True)
    )


def _alike(context: WorldContext, domain: str, key: str, one: Any, other: Any) -> bool:
    slot = context.slot(domain, key)
    if slot is not None and slot.kind in NUMBERS:
        return bool(one) == bool(other) and (one == other or _digits(one) == _digits(other))
    return sorted(several(one)) == sorted(several(other))


def _digits(text: Any) -> str:
    return "".join(sign for sign in str(text) if sign.isdigit())
