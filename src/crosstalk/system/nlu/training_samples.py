"""Annotated utterances that the reader is trained on: filled templates and turns of dialogues.

Template files hold no dialogues and no values, only texts and their acts; `Filler` draws values
from the tables. `sample_of` marks the values in a turn of a dialogue.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Slot, SlotKind
from crosstalk.language.number_forms import forms_of, say_band, say_number, words_between
from crosstalk.language.writing import writing_of
from crosstalk.system.nlg.act_keys import JOIN, PART, ActKeys
from crosstalk.system.nlg.template_bank import Hole, Template, parse
from crosstalk.worlds.tables import World

LOOSELY: Final = 0.2
"""Share of numbers and durations that are written in another way than in the tables."""

_NUMBER: Final = re.compile(r"[\d.]+")


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text that is the value of an act."""

    start: int
    end: int
    key: str
    """Key of the act, without the value."""


@dataclass(frozen=True, slots=True)
class FilledUtterance:
    """An utterance with its marked values and the keys of its acts."""

    speaker: Speaker
    text: str
    spans: tuple[Span, ...]
    keys: frozenset[str]
    """Keys of all acts, with and without a span."""


@dataclass(frozen=True, slots=True)
class TemplateGroup:
    """The templates of one set of acts."""

    speaker: Speaker
    keys: tuple[str, ...]
    templates: tuple[Template, ...]


class Filler:
    """Fills templates with values drawn from a world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._pools: dict[tuple[Speaker, str], Sequence[str]] = {}

    def fill(self, group: TemplateGroup, template: Template, rng: Random) -> FilledUtterance:
        values: dict[str, list[str]] = {}
        text = ""
        spans = []
        for part in template.parts:
            if isinstance(part, Hole):
                drawn = values.setdefault(part.key, self._draw(group, part.key, rng))
                said = drawn[min(part.number, len(drawn)) - 1]
                spans.append(Span(len(text), len(text) + len(said), part.key))
                text += said
            else:
                text += part
        return FilledUtterance(group.speaker, text, tuple(spans), frozenset(group.keys))

    def _draw(self, group: TemplateGroup, key: str, rng: Random) -> list[str]:
        pool = self._pool(group.speaker, key)
        drawn = rng.sample(pool, min(group.keys.count(key), len(pool)))
        return [self._loosely(key, value, rng) for value in drawn]

    def _pool(self, speaker: Speaker, key: str) -> Sequence[str]:
        if (speaker, key) not in self._pools:
            self._pools[speaker, key] = pool_of(self._world, speaker, key) or ["?"]
        return self._pools[speaker, key]

    def _loosely(self, key: str, value: str, rng: Random) -> str:
        if rng.random() > LOOSELY or not any(letter.isdigit() for letter in value):
            return value
        slot = _slot(self._world, key)
        if slot is None or slot.kind not in (SlotKind.NUMBER, SlotKind.DURATION, SlotKind.RATING):
            return value
        return _otherwise(self._world.language, key.split(PART)[1], slot, value, rng)


def _otherwise(pack: LanguagePack, domain: str, slot: Slot, value: str, rng: Random) -> str:
    """A number or duration in another notation: `1到2小时` for `1小时 - 2小时`, `4` for `4分`."""
    forms = forms_of(pack, domain, slot)
    between = rng.choice(writing_of(pack.code).ranges)
    unit = forms.exact.split("}")[-1]
    if slot.kind is SlotKind.RATING and unit:
        return value.replace(unit, "")
    ends = [end.strip() for end in value.split(words_between(forms).strip())]
    if slot.kind is SlotKind.DURATION and len(ends) == 2:
        first, last = (_NUMBER.sub("", end) for end in ends)
        ends[0] = ends[0].removesuffix(first) if first == last else ends[0]
    return between.join(ends)


def groups_of(texts: Mapping[str, Sequence[str]], speaker: Speaker) -> Iterator[TemplateGroup]:
    """The groups of a template file."""
    for group, templates in texts.items():
        keys = tuple(group.split(JOIN)) if group else ()
        yield TemplateGroup(speaker, keys, tuple(parse(text, keys) for text in templates))


def pool_of(world: World, speaker: Speaker, key: str) -> Sequence[str]:
    """The values an act of this key may have."""
    _, domain, _, *fixed = key.split(PART)
    slot = _slot(world, key)
    if slot is None:
        return []
    if slot.kind is SlotKind.SERVICES or not fixed:
        return _by_kind(world, speaker, domain, slot)
    return fixed


def _by_kind(world: World, speaker: Speaker, domain: str, slot: Slot) -> Sequence[str]:
    match slot.kind:
        case SlotKind.NEARBY:
            return _names(world, slot.target)
        case SlotKind.ENDPOINT:
            return [name for each in world.tables for name in _names(world, each)]
        case SlotKind.STATION:
            return [
                station
                for each in world.tables
                for found in world.tables[each].domain.of_kind(SlotKind.STATION)
                for station in world.texts(each, found.key)
            ]
        case SlotKind.NUMBER | SlotKind.RATING:
            forms = forms_of(world.language, domain, slot)
            if speaker is Speaker.USER:
                return [say_band(forms, band) for band in slot.bands]
            cells = (row.get(slot.key) for row in world.tables[domain])
            return [say_number(forms, cell) for cell in cells if isinstance(cell, int | float)]
        case _:
            return world.texts(domain, slot.key)


def _names(world: World, domain: str) -> Sequence[str]:
    table = world.tables.get(domain)
    name = table.domain.name_slot if table else None
    return world.texts(domain, name.key) if name else []


def _slot(world: World, key: str) -> Slot | None:
    _, domain, slot, *_ = key.split(PART)
    found = world.schema.domain(domain)
    return found.slot(slot) if found else None


def sample_of(turn: Turn, keys: ActKeys) -> FilledUtterance:
    """Mark the first occurrence of each value; of two that overlap, the longer one."""
    spoken = [keys.spoken(act) for act in turn.acts]
    found = []
    for each in spoken:
        at = turn.text.find(each.value) if each.has_hole else -1
        if at >= 0:
            found.append(Span(at, at + len(each.value), each.key))
    found.sort(key=lambda span: (span.start - span.end, span.start))
    kept: list[Span] = []
    for span in found:
        if all(span.end <= other.start or other.end <= span.start for other in kept):
            kept.append(span)
    held = frozenset(each.key for each in spoken)
    return FilledUtterance(
        turn.speaker, turn.text, tuple(sorted(kept, key=lambda s: s.start)), held
    )
