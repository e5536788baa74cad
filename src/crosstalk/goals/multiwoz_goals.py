"""Goals of MultiWOZ dialogues as goals of the world `multiwoz`, with their bookings.

    for record in import_goals(path, "multiwoz"):
        record.goal.tuples          # last wishes and questions
        record.goal.first_wishes    # what the user tries first
        record.goal.actions         # bookings

`info` and `book` are the last wishes of a goal; `fail_info` and `fail_book` are what the user tries
first. About a third of the first searches finds something all the same. Whether a first booking
is refused stands in no table: the goal says so (`pre_invalid`). `invalid` has no visible effect.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

from crosstalk.corpora.corpus import read_corpus
from crosstalk.corpora.multiwoz import BOOK, EXTRAS
from crosstalk.dialogue.actions import ENTITY, Action, Exists, argument_slot
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import (
    ArgumentValue,
    Goal,
    Reference,
    Scenario,
    SemanticTuple,
    Tuples,
    Value,
    WantedAction,
    goal_type,
    subgoals,
)
from crosstalk.dialogue.schema import DomainKind, SlotKind
from crosstalk.goals.goal_files import StoredGoal
from crosstalk.goals.goal_translation import with_descriptions
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

REFUSED_FIRST: Final = "pre_invalid"
"""The flag of a booking that says whether the first attempt is refused."""
_MARKUP: Final = re.compile(r"<[^>]*>")
_LEAVES: Final = re.compile(r"\bleave the (\w+)\b")
_ARRIVES: Final = re.compile(r"\barrives the (\w+)\b")
"""Where a ride begins or ends whose goal names no ends: `You want to leave the hotel by 08:00`."""


def import_goals(
    file: Path,
    world: str | None = None,
    *,
    language: str | None = None,
    data: Path | None = None,
    actions: bool = True,
) -> Iterator[StoredGoal]:
    """The goals of a corpus, in a language of the world; None: the world its dialogues name.

    Without `actions`, bookings are left out, and with them goals that do nothing else.
    """
    dialogues = read_corpus(file)
    first = next(dialogues, None)
    named = world or (first.world if first else "") or "none"

    def load(name: str, code: str | None) -> World:
        return load_world(named, language=code, data=data)

    records = corpus_goals(chain([first] if first else [], dialogues), load(named, None))
    if not actions:
        finding = (replace(each, goal=replace(each.goal, actions=())) for each in records)
        records = (each for each in finding if each.goal.tuples)
    return with_descriptions(records, load, language=language)


def corpus_goals(dialogues: Iterable[Dialogue], world: World) -> Iterator[StoredGoal]:
    """The goals of dialogues as a goal file of the world has them, under the dialogues' ids.

    Dialogues without a goal are left out.
    """
    reader = CorpusGoals(world)
    for dialogue in dialogues:
        goal = reader.goal(dialogue)
        if goal.tuples or goal.actions:
            yield StoredGoal(dialogue.id, world.name, world.language.code, goal)


class CorpusGoals:
    """Puts goals of dialogues into the terms of one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._schema = world.schema
        self._actions = {each.domain: each for each in world.schema.actions if each.domain}

    def goal(self, dialogue: Dialogue) -> Goal:
        """The goal with bookings as actions; empty if the dialogue has none."""
        tuples = dialogue.goal.tuples if dialogue.goal else ()
        rest = dialogue.extras.get(EXTRAS, {}).get("goal", {})
        groups = [group for _, group in subgoals(tuples)]
        found = [group for group in groups if self._is_place(group[0].domain)]
        numbers = {group[0].subgoal: at for at, group in enumerate(found, start=1)}
        wishes = [self._wishes(group, numbers[group[0].subgoal]) for group in found]
        last = tuple(each for group in wishes for each in group)
        first = tuple(each for group in wishes for each in self._first(group, rest))
        told = [
            _MARKUP.sub("", each) for each in (dialogue.goal.description if dialogue.goal else ())
        ]
        actions = tuple(self._bookings(groups, numbers, rest, " ".join(told)))
        return Goal(
            last,
            goal_type(last, ()),
            tuple(told),
            actions,
            first,
            self._scenario(actions, rest),
        )

    def _is_place(self, key: str) -> bool:
        domain = self._schema.domain(key)
        return domain is not None and domain.kind is DomainKind.PLACE

    def _wishes(self, group: Tuples, number: int) -> Tuples:
        """A sub-goal without its booking, and with the question which place is recommended."""
        domain = self._schema.domain(group[0].domain)
        assert domain is not None and domain.name_slot is not None, "a place has a name"
        kept = [
            replace(each, subgoal=number, value=self._known(each), expressed=False)
            for each in group
            if not each.slot.startswith(BOOK)
        ]
        name = domain.name_slot.key
        if all(each.slot != name for each in kept):
            asks = sum(not each.is_open for each in kept)
            kept.insert(asks, SemanticTuple(number, domain.key, name, ""))
        return tuple(kept)

    def _known(self, each: SemanticTuple) -> Value:
        """A value as the tables write it: other spellings, and parts of one name alone."""
        domain = self._schema.domain(each.domain)
        slot = domain.slot(each.slot) if domain else None
        if slot is None or not isinstance(each.value, str) or not each.value:
            return each.value
        if slot.kind is not SlotKind.NAME:
            return dict(slot.aliases).get(each.value, each.value)
        return _named(each.value, self._world.texts(each.domain, slot.key))

    def _first(self, group: Tuples, rest: Mapping[str, Any]) -> Iterator[SemanticTuple]:
        """The wishes of a sub-goal that are others at first."""
        tried = _part(rest, group[0].domain, "fail_info")
        for each in group:
            if not each.is_open and each.slot in tried:
                first = each.filled(self._known(each.filled(tried[each.slot])))
                if first != each:
                    yield first

    # Bookings

    def _bookings(
        self,
        groups: Sequence[Tuples],
        numbers: Mapping[int, int],
        rest: Mapping[str, Any],
        told: str,
    ) -> Iterator[WantedAction]:
        """What is to be booked; rides last, since they join the places of the goal."""
        for group in sorted(groups, key=lambda group: group[0].subgoal not in numbers):
            action = self._actions.get(group[0].domain)
            number = numbers.get(group[0].subgoal)
            wanted: dict[str, ArgumentValue] = {
                each.slot.removeprefix(BOOK): str(each.value)
                for each in group
                if not each.is_open and each.slot.startswith(BOOK if number else "")
            }
            if action is None or not wanted:
                continue
            if number:
                wanted = {ENTITY: Reference(number, nearby=False), **wanted}
            else:
                wanted = self._ride(action, wanted, groups, numbers, told)
            first = {**wanted, **_part(rest, action.domain, "fail_book")}
            yield WantedAction(action.key, (wanted,) if first == wanted else (first, wanted))

    def _scenario(self, actions: Sequence[WantedAction], rest: Mapping[str, Any]) -> Scenario:
        """Rows for which first bookings are refused: those that the action says must not be."""
        found: dict[str, tuple[dict[str, str], ...]] = {}
        for wanted in actions:
            action = self._schema.action(wanted.action)
            flags = rest.get(action.domain, {}).get("book", {}) if action else {}
            if action is None or len(wanted.wishes) < 2 or not flags.get(REFUSED_FIRST):
                continue
            for step in action.steps:
                known = wanted.wishes[0]
                if (
                    isinstance(step, Exists)
                    and not step.wanted
                    and all(key in known for key, _ in step.where)
                ):
                    row = {key: str(wanted.wishes[0][key]) for key, _ in step.where}
                    found[step.table] = (*found.get(step.table, ()), row)
        return found

    def _ride(
        self,
        action: Action,
        wanted: Mapping[str, ArgumentValue],
        groups: Sequence[Tuples],
        numbers: Mapping[int, int],
        told: str,
    ) -> dict[str, ArgumentValue]:
        """A ride between places that the goal names, else between the two that it looks for."""
        slots = [argument_slot(self._schema, action, name) for name in action.needs]
        start, end = [slot.key for slot in slots if slot and slot.kind is SlotKind.ENDPOINT]
        if start in wanted:
            names = [
                name
                for place in self._schema.places
                if place.name_slot and not place.key_slots
                for name in self._world.texts(place.key, place.name_slot.key)
            ]
            return {
                key: _named(str(value), names) if key in (start, end) else value
                for key, value in wanted.items()
            }
        places = {group[0].domain: numbers.get(group[0].subgoal) for group in groups}
        joined = [key for key, number in places.items() if number]
        if (left := _LEAVES.search(told)) and left[1] in joined:
            joined.sort(key=lambda key: key != left[1])
        if (reached := _ARRIVES.search(told)) and reached[1] in joined:
            joined.sort(key=lambda key: key == reached[1])
        ends = [places[key] for key in (joined[0], joined[-1])]
        here, there = (Reference(number or 0, nearby=False) for number in ends)
        return {start: here, end: there, **wanted}


def _named(value: str, names: Sequence[str]) -> str:
    """The name that a text means: the same in other letters, else the only one like it."""
    alike = [name for name in names if name.lower() == value.lower()] or [
        name for name in names if value in name or name in value
    ]
    return value if value in names or len(alike) != 1 else alike[0]


def _part(rest: Mapping[str, Any], domain: str, part: str) -> dict[str, str]:
    """The texts of a part of the goal that is kept as the file has it."""
    parts = rest.get(domain, {})
    found = parts.get(part, {}) if isinstance(parts, dict) else {}
    return {slot: value for slot, value in found.items() if isinstance(value, str)}
