"""Goals in another language of their world, and descriptions of the goals of a file.

A translation takes the same rows and bands as the target language writes them; all languages of a
world have the same tables, so that no dictionary is needed.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path

from crosstalk.dialogue.goals import (
    ArgumentValue,
    Goal,
    Reference,
    SemanticTuple,
    Value,
    WantedAction,
)
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, Slot, SlotKind
from crosstalk.errors import InputError
from crosstalk.goals.describe import Describer, describe
from crosstalk.goals.goal_files import StoredGoal, read_goals, sample_stored_goals
from crosstalk.goals.sampler import goal_sampler
from crosstalk.language.number_forms import forms_of, say_band
from crosstalk.worlds.tables import World, texts
from crosstalk.worlds.world import load_world


class GoalTranslator:
    """Translates goals from one language of a world into another."""

    def __init__(self, source: World, target: World) -> None:
        self._source, self._target = source, target
        self._values = {
            (domain.key, slot.key): _renderings(domain, slot, source, target)
            for domain in source.schema
            for slot in domain.slots
        }

        places = [
            (place.key, place.name_slot.key) for place in source.schema.places if place.name_slot
        ]
        here, there = source.language, target.language
        self._names = dict(zip(here.days, there.days, strict=False)) | {
            name: rendering for key in places for name, rendering in self._values[key].items()
        }

    def translate(self, goal: Goal) -> Goal:
        tuples = tuple(map(self._tuple, goal.tuples))
        actions = tuple(map(self._action, goal.actions))
        told = describe(tuples, self._target, actions) if self._target.language.goal else ()
        first = tuple(map(self._tuple, goal.first_wishes))
        scenario = {
            table: tuple(
                {key: self._names.get(str(v), v) for key, v in row.items()} for row in rows
            )
            for table, rows in goal.scenario.items()
        }
        return Goal(tuples, goal.type, told, actions, first, scenario)

    def _action(self, wanted: WantedAction) -> WantedAction:
        wishes = ({key: self._given(v) for key, v in wish.items()} for wish in wanted.wishes)
        return replace(wanted, wishes=tuple(wishes))

    def _given(self, value: ArgumentValue) -> ArgumentValue:
        """The value of an argument: names of places differ, dates and numbers do not."""
        return self._names.get(value, value) if isinstance(value, str) else value

    def _tuple(self, each: SemanticTuple) -> SemanticTuple:
        domain = self._source.schema.domain(each.domain)
        slot = domain.slot(each.slot) if domain else None
        if slot is None:
            raise InputError(f"world {self._source.name} has no slot {each.domain}.{each.slot}")
        if slot.kind is SlotKind.SERVICES and not each.is_exclusion:
            service = self._text(each.slot.removeprefix(slot.key + SERVICE_MARK), each, slot)
            each = replace(each, slot=f"{slot.key}{SERVICE_MARK}{service}")
        return each.filled(self._value(each, slot))

    def _value(self, each: SemanticTuple, slot: Slot) -> Value:
        if isinstance(each.value, Reference):
            return each.value
        if isinstance(each.value, str):
            return self._text(each.value, each, slot)
        return tuple(self._text(text, each, slot) for text in each.value)

    def _text(self, text: str, each: SemanticTuple, slot: Slot) -> str:
        if slot.kind in (SlotKind.TIME, SlotKind.DATE, SlotKind.COUNT):
            return text
        known = self._values[each.domain, slot.key]
        if text and text not in known:
            raise InputError(
                f"{each.domain}.{slot.key}: {text!r} is no value of world {self._source.name} "
                f"in {self._source.language.name}",
                remedy="Describe the goal in the language it was drawn in.",
            )
        return known.get(text, text)


def _renderings(domain: Domain, slot: Slot, source: World, target: World) -> dict[str, str]:
    """Source text -> target text, for every cell and every band of a slot."""
    here, there = source.language, target.language
    said = {here.yes: there.yes, here.no: there.no, here.nothing: there.nothing}
    forms = forms_of(here, domain.key, slot), forms_of(there, domain.key, slot)
    said |= {say_band(forms[0], band): say_band(forms[1], band) for band in slot.bands}
    said |= there.values.get(slot.key, {})
    if domain.key in source.tables:
        said |= dict(zip(_said(domain, slot, source), _said(domain, slot, target), strict=True))
    return said


def _said(domain: Domain, slot: Slot, world: World) -> chain[str]:
    rows = world.tables[domain.key]
    return chain.from_iterable(texts(row.get(slot.key)) for row in rows)


Load = Callable[[str, str], World]
"""World name and language -> the world."""


def with_descriptions(
    records: Iterable[StoredGoal], load: Load, *, language: str | None = None
) -> Iterator[StoredGoal]:
    """Goals with descriptions, in their own language or in the one given.

    A description in the file is kept; a world is loaded once, when it is needed.
    """
    world_in = cache(load)

    @cache
    def translator(world: str, source: str, target: str) -> GoalTranslator:
        return GoalTranslator(world_in(world, source), world_in(world, target))

    for record in records:
        goal = record.goal
        spoken = language or record.language
        if spoken != record.language:
            goal = translator(record.world, record.language, spoken).translate(goal)
        elif not goal.description:
            told = describe(goal.tuples, world_in(record.world, spoken), goal.actions)
            goal = replace(goal, description=told)
        yield replace(record, goal=goal, language=spoken)


def describe_file(
    file: Path,
    *,
    world: str | None = None,
    language: str | None = None,
    data: Path | None = None,
) -> Iterator[StoredGoal]:
    """The goals of a file with descriptions; `world` replaces the one that they name."""
    return with_descriptions(
        read_goals(file),
        lambda name, code: load_world(world or name, language=code, data=data),
        language=language,
    )


def describe_sampled(world: World, count: int, *, seed: int = 0) -> Iterator[StoredGoal]:
    """The first goals of a seed; raises at once if the world has no goal sentences."""
    Describer(world)
    return sample_stored_goals(goal_sampler(world), count, seed=seed)
