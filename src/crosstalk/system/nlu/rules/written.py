"""The sentences of a world's own templates, read back: each means the acts it was written for.

    WrittenSentences(world, folder, Speaker.USER).read("I need a clinic for eye care.", ("clinic",))

A world that somebody has just made by hand has no other words for its domains and slots.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from crosstalk.dialogue.acts import GENERAL, NOTHING, REQUEST, Act, in_order
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, Slot, SlotKind
from crosstalk.language.number_forms import forms_of
from crosstalk.language.writing import writing_of
from crosstalk.system.nlg.act_keys import JOIN, PART, VALUED, WHOLE
from crosstalk.system.nlg.template_bank import MANY, Hole, Template
from crosstalk.system.nlg.world_templates import load_written
from crosstalk.system.nlu.understanding import Acts, Understanding
from crosstalk.worlds.tables import World

_NUMBER: Final = r"\d+(?:[.,]\d+)*"
_MARKS: Final = ".!?。！？؟"
_DECIMAL: Final = re.compile(r"(?<=\d)\.\d")
"""A full stop inside a number, which ends no sentence."""
_END: Final = re.compile(rf"(?!{_DECIMAL.pattern})[{_MARKS}]+\s*")
_NAMES: Final = (SlotKind.NAME, SlotKind.NEARBY, SlotKind.ENDPOINT)
_AMOUNTS: Final = (SlotKind.NUMBER, SlotKind.RATING, SlotKind.MONEY)
_DIGITS: Final = r"\d+"
_MOMENTS: Final = {
    SlotKind.TIME: re.compile(r"\d{1,2}:\d{2}"),
    SlotKind.DATE: re.compile(r"\d{4}-\d{2}-\d{2}"),
    SlotKind.COUNT: re.compile(_DIGITS),
}
"""Kinds whose values need not stand in a table to be said."""
_UNKNOWN: Final = re.compile(rf"[^\s,;:，；：、{_MARKS}]+(?: [^\s,;:{_MARKS}]+){{0,2}}")
"""A value that no table has: up to three words."""
_PREFIX: Final = 4
"""Characters of a template's beginning by which it is looked up."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A template with the keys of its acts."""

    parts: tuple[str | Hole, ...]
    """Text in small letters."""
    keys: tuple[str, ...]
    continues: bool
    """Whether it may leave open which domain it is about, the one spoken of: a question, or what
    follows a sentence about the same domain."""

    @property
    def beginning(self) -> str:
        """Empty where it begins with a value."""
        return self.parts[0][:_PREFIX] if self.parts and isinstance(self.parts[0], str) else ""

    def is_about(self, domains: Sequence[str]) -> bool:
        return not domains or any(key.split(PART)[1] in domains for key in self.keys)


@dataclass(frozen=True, slots=True)
class _Match:
    """A sentence found in a text: where it ends, and where the values of its keys stand."""

    sentence: _Sentence
    end: int
    spans: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class WrittenReading:
    """What the sentences mean, and what none of them says."""

    acts: tuple[Act, ...]
    rest: str


class WrittenSentences:
    """The templates of one side of a world."""

    def __init__(
        self,
        world: World,
        folder: Path,
        speaker: Speaker,
        *,
        strict: bool = False,
        unknown: bool = False,
    ) -> None:
        """`strict`: what may leave its domain open counts for the current domain alone.

        `unknown`: a category may be one that no table has, where nothing else can be meant.
        """
        self._strict = strict
        self._unknown = unknown
        self._world = world
        self._stop = writing_of(world.language.code).full_stop
        self._fillers: dict[str, _Fillers] = {}
        bank = load_written(folder, world.schema, world.language, speaker)
        self._sentences: dict[str, list[_Sentence]] = defaultdict(list)
        for continues, table in ((False, bank.first), (True, bank.then)):
            for signature, templates in table.items():
                for template in templates:
                    sentence = _sentence(signature, template, continues=continues)
                    self._sentences[sentence.beginning].append(sentence)

    def read(self, text: str, domains: Sequence[str]) -> WrittenReading:
        """`domains`: those mentioned last, the latest first; they tell equal sentences apart."""
        small = text.lower()
        if len(small) != len(text):  # a letter whose small form is two: nothing can be pointed at
            return WrittenReading((), text)
        acts: dict[Act, None] = {}
        rest: list[str] = []
        at = 0
        while at < len(text):
            known = [
                each for each in (*_domains(acts), *domains) if self._world.schema.domain(each)
            ]
            found = self._longest(small, at, known[:1])
            if not found and self._unknown:
                found = self._longest(small, at, known[:1], unknown=True)
            if found:
                meant = min(
                    (self._acts(each, text) for each in found),
                    key=lambda acts: _rank(acts, known),
                )
                acts |= dict.fromkeys(meant)
                at = found[0].end
                continue
            end = _END.search(text, at)
            stop = end.end() if end else len(text)
            rest.append(text[at:stop].strip())
            at = stop
        return WrittenReading(tuple(acts), " ".join(rest))

    def _longest(
        self, text: str, at: int, latest: Sequence[str], *, unknown: bool = False
    ) -> list[_Match]:
        beginnings = {"", *(text[at : at + size] for size in range(1, _PREFIX + 1))}
        found = [
            _Match(sentence, end, spans)
            for beginning in beginnings
            for sentence in self._sentences.get(beginning, ())
            if not (self._strict and sentence.continues) or sentence.is_about(latest)
            for end, spans in self._matches(sentence.parts, text, at, unknown=unknown)
        ]
        end = max((match.end for match in found), default=at)
        return [match for match in found if match.end == end > at]

    def _matches(
        self, parts: Sequence[str | Hole], text: str, at: int, *, unknown: bool = False
    ) -> Iterator[tuple[int, dict[str, tuple[int, int]]]]:
        """Where the parts can end that begin here, with the places of the values in their holes."""
        if not parts:
            if (end := self._end(text, at)) is not None:
                yield end, {}
            return
        first, *others = parts
        if isinstance(first, str):
            if text.startswith(first, at):
                yield from self._matches(others, text, at + len(first), unknown=unknown)
            return
        for stop in self._stops(text, at, others):
            if self._values(first, text[at:stop], unknown=unknown):
                for end, more in self._matches(others, text, stop, unknown=unknown):
                    yield end, {first.key: (at, stop), **more}

    def _values(self, hole: Hole, text: str, *, unknown: bool = True) -> tuple[str, ...]:
        """What a text says in a hole; if `unknown`, also a category that no table has."""
        if known := self._filler(hole).values(text):
            return known
        is_category = self._slot(hole.key).kind is SlotKind.CATEGORY
        return (text,) if unknown and is_category and _UNKNOWN.fullmatch(text) else ()

    def _end(self, text: str, at: int) -> int | None:
        """Where the next sentence begins, if this one can end here."""
        if _DECIMAL.match(text, at):
            return None
        if text.startswith(self._stop, at) and text[at - 1] not in _MARKS:
            at += len(self._stop)
        elif at < len(text) and text[at - 1] not in _MARKS:
            return None
        return at + len(text[at:]) - len(text[at:].lstrip())

    def _stops(self, text: str, at: int, others: Sequence[str | Hole]) -> Iterator[int]:
        """Where a value that begins here may end: before the text that follows it."""
        after = others[0] if others else self._stop
        if not isinstance(after, str):
            yield from range(at + 1, len(text))
            return
        found = text.find(after, at + 1)
        while found >= 0:
            yield found
            found = text.find(after, found + 1)
        if not others:
            yield len(text)

    def _acts(self, match: _Match, text: str) -> list[Act]:
        holes = [part for part in match.sentence.parts if isinstance(part, Hole)]
        values = {
            hole.key: self._values(hole, text[slice(*match.spans[hole.key])]) for hole in holes
        }
        return [act for key in match.sentence.keys for act in self._acts_of(key, values)]

    def _acts_of(self, key: str, values: Mapping[str, tuple[str, ...]]) -> Iterator[Act]:
        intent, domain, slot, *rest = key.split(PART)
        if key not in values:
            general = intent == GENERAL or intent in WHOLE
            yield Act(intent, domain, slot, rest[0] if rest else NOTHING if general else "")
            return
        for value in values[key]:
            if self._slot(key).kind is SlotKind.SERVICES:
                yield Act(intent, domain, slot + SERVICE_MARK + value, rest[0] if rest else "")
            else:
                yield Act(intent, domain, slot, value)

    def _filler(self, hole: Hole) -> "_Fillers":
        """What may fill the hole of a key."""
        key = hole.key
        if key not in self._fillers:
            intent, domain, _, *rest = key.split(PART)
            slot = self._slot(key)
            amounts = None
            if slot.kind in _AMOUNTS and intent in VALUED and not rest:
                known, amounts = set(), self._amounts(domain, slot)
            elif slot.kind in _AMOUNTS and intent in VALUED:
                known = set(rest)
            elif slot.kind is SlotKind.COUNT and intent in VALUED and not rest:
                known, amounts = set(), self._amounts(domain, slot, _DIGITS)
            elif slot.kind in _MOMENTS:
                known, amounts = set(), _MOMENTS[slot.kind]
            else:
                known = self._known(self._domain(domain), slot)
            spellings = {value: value for value in known} | dict(slot.aliases)
            self._fillers[key] = _Fillers(spellings, amounts, (hole.comma, hole.last_comma))
        return self._fillers[key]

    def _amounts(self, domain: str, slot: Slot, *others: str) -> re.Pattern[str]:
        """Numbers as the world's language writes those of a slot, or as `others` have it."""
        forms = forms_of(self._world.language, domain, slot)
        texts = (forms.range, forms.above, forms.below, forms.not_free, forms.free, forms.exact)
        patterns = (
            re.sub(r"\\{(?:value|low|high)\\}", lambda _: _NUMBER, re.escape(text))
            for text in texts
            if text
        )
        return re.compile("|".join((*patterns, *others)), re.IGNORECASE)

    def _known(self, domain: Domain, slot: Slot) -> set[str]:
        if slot.kind in _NAMES:
            targets = [slot.target] if slot.kind is SlotKind.NEARBY else [domain.key]
            if slot.kind is SlotKind.ENDPOINT:
                targets = [each.key for each in self._world.schema.places]
            return {name for target in targets for name in self._place_names(str(target))}
        places = self._world.schema.places if slot.kind is SlotKind.STATION else [domain]
        return {value for place in places for value in self._cells(place, slot)}

    def _place_names(self, domain: str) -> Iterator[str]:
        name = self._domain(domain).name_slot
        assert name is not None, "places have names"
        for row in self._world.tables[domain]:
            yield str(row[name.key])

    def _cells(self, domain: Domain, slot: Slot) -> Iterator[str]:
        keys = [slot.key]
        if slot.kind is SlotKind.STATION:
            keys = [each.key for each in domain.slots if each.kind is SlotKind.STATION]
        for row in self._world.tables.get(domain.key, ()):
            for key in keys:
                yield from _texts(row.get(key))

    def _domain(self, key: str) -> Domain:
        domain = self._world.schema.domain(key)
        assert domain is not None, "the keys of templates are those of the world"
        return domain

    def _slot(self, key: str) -> Slot:
        _, domain, slot, *_ = key.split(PART)
        found = self._domain(domain).slot(slot)
        assert found is not None, "as above"
        return found


class _Fillers:
    """What may stand in a hole: values of the tables, or amounts; several of them enumerated."""

    def __init__(
        self, known: Mapping[str, str], amounts: re.Pattern[str] | None, commas: Iterable[str]
    ) -> None:
        """`known`: each value, and other spellings of it -> the value."""
        self._known = {text.lower(): value for text, value in known.items()}
        self._amounts = amounts
        self._commas = tuple(dict.fromkeys(comma for comma in commas if comma))

    def values(self, text: str) -> tuple[str, ...]:
        """The values that a text enumerates; empty where it is something else."""
        if value := self._value(text):
            return (value,)
        for comma in self._commas:
            at = text.find(comma)
            while at >= 0:
                if (first := self._value(text[:at])) and (
                    others := self.values(text[at + len(comma) :])
                ):
                    return (first, *others)
                at = text.find(comma, at + 1)
        return ()

    def _value(self, text: str) -> str:
        if self._amounts:
            return text if self._amounts.fullmatch(text) else ""
        if not self._known:  # no table has it: an address, a car
            return "" if any(mark in text for mark in _MARKS) else text
        return self._known.get(text.lower(), "")


def _sentence(signature: str, template: Template, *, continues: bool) -> _Sentence:
    keys = tuple(key.removesuffix(MANY) for key in signature.split(JOIN) if key)
    parts = (part.lower() if isinstance(part, str) else part for part in template.parts)
    continues = continues or all(key.split(PART)[0] == REQUEST for key in keys)
    return _Sentence(tuple(parts), keys, continues)


def _domains(acts: Iterable[Act]) -> list[str]:
    """The domains of acts, the latest first."""
    return [act.domain for act in reversed(list(acts))]


def _texts(cell: object) -> Iterable[str]:
    if isinstance(cell, str):
        return (cell,)
    return map(str, cell) if isinstance(cell, (list, tuple)) else ()


def spoken_of(history: Sequence[Turn]) -> list[str]:
    """The domains of the turns before, the latest first."""
    domains = (act.domain for turn in reversed(history[-6:]) for act in turn.acts)
    return list(dict.fromkeys(domains))


def _rank(acts: Sequence[Act], domains: Sequence[str]) -> int:
    """Sentences about the domain mentioned last come first."""
    places = [domains.index(act.domain) for act in acts if act.domain in domains]
    return min(places, default=len(domains))


class SentenceNLU:
    """Knows the templates of both sides; those of a side are read when it first speaks."""

    def __init__(self, world: World, folder: Path, otherwise: Understanding | None = None) -> None:
        """`folder` is the world's folder; `otherwise` understands what no sentence says."""
        self._sentences = cache(lambda speaker: WrittenSentences(world, folder, speaker))
        self._otherwise = otherwise

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> Acts:
        sentences: WrittenSentences = self._sentences(utterance.speaker)
        acts = sentences.read(utterance.text, spoken_of(history)).acts
        if acts or self._otherwise is None:
            return in_order(acts)
        return self._otherwise.understand(utterance, history)
