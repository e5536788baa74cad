"""The sentences of a world's own templates, read back: each means the acts it was written for.

    WrittenSentences(world, folder, Speaker.USER).read("I need a clinic for eye care.", ("clinic",))

A world that somebody has just made by hand has no other words for its domains and slots.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crosstalk.database.tables import World
from crosstalk.dialogue.acts import GENERAL, NOTHING, Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, Slot, SlotKind
from crosstalk.language.number_forms import forms_of
from crosstalk.system.nlg.banks import MANY
from crosstalk.system.nlg.keys import JOIN, PART, VALUED, WHOLE
from crosstalk.system.nlg.templates import Hole, Template
from crosstalk.system.nlg.written import load_written

_NUMBER: Final = r"\d[\d.,]*"
_END: Final = re.compile(r"[.!?。！？؟]+\s*")
_NAMES: Final = (SlotKind.NAME, SlotKind.NEARBY, SlotKind.ENDPOINT)
_AMOUNTS: Final = (SlotKind.NUMBER, SlotKind.RATING)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A template as a pattern, with the keys of its acts."""

    pattern: re.Pattern[str]
    keys: tuple[str, ...]
    holes: tuple[Hole, ...]


@dataclass(frozen=True, slots=True)
class WrittenReading:
    """What the sentences mean, and what none of them says."""

    acts: tuple[Act, ...]
    rest: str


class WrittenSentences:
    """The templates of one side of a world."""

    def __init__(self, world: World, folder: Path, speaker: Speaker) -> None:
        self._world = world
        self._values: dict[str, str] = {}
        bank = load_written(folder, world.schema, world.language, speaker)
        self._sentences = [
            self._sentence(signature, template)
            for table in (bank.first, bank.then)
            for signature, templates in table.items()
            for template in templates
        ]

    def read(self, text: str, domains: Sequence[str]) -> WrittenReading:
        """`domains`: those spoken of last, the latest first; they tell equal sentences apart."""
        acts: dict[Act, None] = {}
        rest: list[str] = []
        at = 0
        while at < len(text):
            if found := self._longest(text, at):
                meant = min(found, key=lambda each: _rank(self._acts(each), domains))
                acts |= dict.fromkeys(self._acts(meant))
                at = meant[1].end()
                continue
            end = _END.search(text, at)
            stop = end.end() if end else len(text)
            rest.append(text[at:stop].strip())
            at = stop
        return WrittenReading(tuple(acts), " ".join(rest))

    def _longest(self, text: str, at: int) -> list[tuple[_Sentence, re.Match[str]]]:
        found = [
            (sentence, match)
            for sentence in self._sentences
            if (match := sentence.pattern.match(text, at))
        ]
        end = max((match.end() for _, match in found), default=at)
        return [each for each in found if each[1].end() == end > at]

    def _acts(self, said: tuple[_Sentence, re.Match[str]]) -> list[Act]:
        sentence, match = said
        texts = {hole.key: text for hole, text in zip(sentence.holes, match.groups(), strict=True)}
        return [act for key in sentence.keys for act in self._acts_of(key, texts)]

    def _acts_of(self, key: str, texts: Mapping[str, str]) -> Iterator[Act]:
        intent, domain, slot, *rest = key.split(PART)
        if key not in texts:
            general = intent == GENERAL or intent in WHOLE
            yield Act(intent, domain, slot, rest[0] if rest else NOTHING if general else "")
            return
        for value in re.findall(self._value(key), texts[key], re.IGNORECASE):
            if self._slot(key).kind is SlotKind.SERVICES:
                yield Act(intent, domain, slot + SERVICE_MARK + value, rest[0] if rest else "")
            else:
                yield Act(intent, domain, slot, value)

    def _sentence(self, signature: str, template: Template) -> _Sentence:
        keys = tuple(key.removesuffix(MANY) for key in signature.split(JOIN) if key)
        parts = (
            re.escape(part) if isinstance(part, str) else self._hole(part)
            for part in template.parts
        )
        pattern = re.compile("".join(parts) + r"(?:(?<![.!?。])[.。]|(?<=[.!?。！？؟])|$)\s*", re.I)
        return _Sentence(pattern, keys, template.holes)

    def _hole(self, hole: Hole) -> str:
        value = self._value(hole.key)
        commas = f"(?:{re.escape(hole.comma)}|{re.escape(hole.last_comma)})"
        return f"((?:{value})(?:{commas}(?:{value}))*)"

    def _value(self, key: str) -> str:
        """A pattern of what may fill the hole of a key, long values first."""
        if key not in self._values:
            self._values[key] = "|".join(self._alternatives(key)) or r"[^.!?]+"
        return self._values[key]

    def _alternatives(self, key: str) -> list[str]:
        intent, domain, _, *rest = key.split(PART)
        slot = self._slot(key)
        if slot.kind in _AMOUNTS and intent in VALUED:
            return [re.escape(rest[0])] if rest else self._amounts(domain, slot)
        values = self._known(self._domain(domain), slot)
        return [re.escape(value) for value in sorted(values, key=len, reverse=True)]

    def _amounts(self, domain: str, slot: Slot) -> list[str]:
        forms = forms_of(self._world.language, domain, slot)
        texts = (forms.range, forms.above, forms.below, forms.not_free, forms.free, forms.exact)
        return [
            re.sub(r"\\{(?:value|low|high)\\}", lambda _: _NUMBER, re.escape(text))
            for text in texts
            if text
        ]

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


def _texts(cell: object) -> Iterable[str]:
    if isinstance(cell, str):
        return (cell,)
    return map(str, cell) if isinstance(cell, (list, tuple)) else ()


def _rank(acts: Sequence[Act], domains: Sequence[str]) -> int:
    """Sentences about the domain spoken of last come first."""
    places = [domains.index(act.domain) for act in acts if act.domain in domains]
    return min(places, default=len(domains))
