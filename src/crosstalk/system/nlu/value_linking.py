"""Which table value people mean, however they put it: aliases, parts of names, numbers in words."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Final

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import Band, Slot, SlotKind
from crosstalk.language.gazetteer import SAID, Gazetteer, Match
from crosstalk.language.lexicon import Lexicon
from crosstalk.language.number_forms import Bounds, forms_of, say_band, say_number
from crosstalk.language.remembered import remembered
from crosstalk.language.tokenize import Unit, units
from crosstalk.language.training_phrases import Alias, AmountReader, TrainingPhrases
from crosstalk.system.nlu.entity_lookup import EntityLookup, TextSpan
from crosstalk.worlds.tables import World

AROUND: Final = 3
"""Words before and after a number that may say whether it is an upper or a lower bound."""
NUMBERS: Final = frozenset({SlotKind.NUMBER, SlotKind.RATING})
SAME: Final = 4.0
"""Weight of an alias compared with words of a name: it was written for exactly this value."""


def lookup_of(world: World, book: TrainingPhrases | None) -> EntityLookup:
    """A `ValueLinker` if there is a phrase book, even an empty one; else an `EntityLookup`."""
    if book is None:
        return EntityLookup(world, Gazetteer.of(world.columns(*SAID)))
    return ValueLinker(world, book)


class ValueLinker(EntityLookup):
    """An entity lookup that links what people type to table values."""

    def __init__(self, world: World, book: TrainingPhrases) -> None:
        pack = world.language
        called = (*pack.slots.values(), *pack.domains.values())
        self._lexicon = Lexicon(world.columns(*SAID), book, called)
        super().__init__(world, self._lexicon)
        self._book = book
        self._amounts = AmountReader(book.numbers)
        self._aliases = dict(_aliases(self._lexicon, book))
        self._columns = {column: n for n, column in enumerate(self._lexicon.columns)}
        self._holding: dict[tuple[str, str], frozenset[int]] = {}
        self._ask = self._numbered("ask")
        self._domains = self._numbered("domain")
        self.spans = remembered(self._spans, 4096)  # type: ignore[assignment, method-assign]

    def _numbered(self, what: str) -> dict[int, str]:
        concepts = enumerate(self._lexicon.concepts)
        return {number: name for number, (kind, name) in concepts if kind == what}

    def save(self, folder: Path) -> None:
        self._book.save(folder)

    def _spans(self, text: str) -> tuple[Match, ...]:
        aliased = (
            Match(start, end, (), "", 1.0, SAME)
            for start, end, concept in self._lexicon.phrases(text)
            if concept in self._aliases
        )
        return (*self.find(text), *aliased)

    def said_domains(self, text: str) -> dict[str, int]:
        found = dict.fromkeys((domain.key for domain in self.world.schema), -1)
        for start, _, concept in self._lexicon.phrases(text):
            if (key := self._domains.get(concept)) in found and found[key] < 0:
                found[key] = start
        return found if self._domains else super().said_domains(text)

    def said_slots(self, text: str) -> frozenset[str]:
        there = (concept for _, _, concept in self._lexicon.phrases(text))
        return frozenset(self._ask[concept] for concept in there if concept in self._ask)

    def slots_by_name(self, text: str) -> frozenset[str]:
        return frozenset()

    def durations_in(self, text: str) -> Iterator[tuple[str, str, str]]:
        """None: the lexicon finds durations like other values."""
        yield from ()

    def linked_values(
        self, domain: str, slot: Slot | None, heard: TextSpan, fixed: str = ""
    ) -> list[str]:
        if slot is None or fixed:
            return [fixed or heard.said]
        span = (heard.start, heard.end)
        meant = self._aliased(domain, slot, heard.text, span)
        if slot.kind in NUMBERS:
            bounds = read_spec(meant) if meant else self._amount(slot, heard)
            return [self.say_bounds(domain, slot, bounds)] if bounds else []
        return [meant] if meant else self._named(domain, slot, heard.text, span)

    def linked_services(self, heard: TextSpan) -> list[tuple[str, bool]]:
        for domain in self.world.schema:
            for slot in domain.of_kind(SlotKind.SERVICES):
                if found := self.linked_values(domain.key, slot, heard):
                    return [(name, name != heard.said) for name in found]
        return []

    def _aliased(self, domain: str, slot: Slot, text: str, span: tuple[int, int]) -> str:
        """The value that the longest alias inside a span has for a slot."""
        longest, value = 0, ""
        for start, end, concept in self._lexicon.phrases(text):
            alias = self._aliases.get(concept)
            size = min(end, span[1]) - max(start, span[0])
            if alias is None or 2 * size < end - start or size <= longest:
                continue
            if told := alias.slots.get(f"{domain}.{slot.key}") or alias.slots.get(slot.key):
                longest, value = size, told
        exact = max((m.end - m.start for m in self._matches(domain, slot, text, span)), default=0)
        return value if longest >= exact else ""

    def _named(self, domain: str, slot: Slot, text: str, span: tuple[int, int]) -> list[str]:
        """The table value that overlaps a span most."""
        found = max(
            self._matches(domain, slot, text, span),
            key=lambda m: (min(m.end, span[1]) - max(m.start, span[0]), m.weight),
            default=None,
        )
        return [found.value] if found else []

    def _matches(
        self, domain: str, slot: Slot, text: str, span: tuple[int, int]
    ) -> Iterator[Match]:
        for match in self.find(text):
            overlaps = match.start < span[1] and span[0] < match.end
            if overlaps and not self._held(domain, slot).isdisjoint(match.kinds):
                yield match

    def _held(self, domain: str, slot: Slot) -> frozenset[int]:
        """The columns that hold the values of a slot."""
        if (domain, slot.key) not in self._holding:
            self._holding[domain, slot.key] = frozenset(self._columns_of(domain, slot))
        return self._holding[domain, slot.key]

    def _columns_of(self, domain: str, slot: Slot) -> Iterator[int]:
        match slot.kind:
            case SlotKind.NEARBY:
                wanted: Iterable[str] = (slot.target,)
            case SlotKind.ENDPOINT:
                wanted = (place.key for place in self.world.schema.places)
            case SlotKind.STATION:
                for (_, key), number in self._columns.items():
                    if any(key == s.key for p in self.world.schema for s in p.of_kind(slot.kind)):
                        yield number
                return
            case _:
                yield from (
                    self._columns[key] for key in ((domain, slot.key),) if key in self._columns
                )
                return
        for place in wanted:
            found = self.world.schema.domain(place)
            if found and found.name_slot and (place, found.name_slot.key) in self._columns:
                yield self._columns[place, found.name_slot.key]

    def part_of(self, domain: str, slot: Slot, value: str, rng: Random) -> str:
        """A random word of a list value that is understood by itself; empty if there is none."""
        words = [value[unit.start : unit.end] for unit in units(value) if unit.end - unit.start > 2]
        word = rng.choice(words) if words else ""
        heard = TextSpan(Speaker.USER, word, 0, len(word))
        return word if word and self.linked_values(domain, slot, heard) == [word] else ""

    # Numbers

    def _amount(self, slot: Slot, heard: TextSpan) -> Bounds | None:
        bounds = self._amounts.read(heard.said)
        if bounds is None or bounds.low != bounds.high or heard.speaker is Speaker.SYSTEM:
            return bounds
        wider = self._amounts.read(self._around(heard.text, (heard.start, heard.end)))
        if wider and wider.low != wider.high:
            return wider
        if slot.kind is SlotKind.RATING:  # a better rating is welcome, and so is a lower price
            return Bounds(bounds.low, None)
        return Bounds(None, bounds.high)

    def _around(self, text: str, span: tuple[int, int]) -> str:
        """A span with the words next to it, up to the next number or punctuation mark."""
        there = units(text)
        inside = [n for n, unit in enumerate(there) if unit.start < span[1] and span[0] < unit.end]
        numbers = {n for each in self._amounts.numbers(there) for n in (each.start, each.end - 1)}

        def reach(at: int, step: int) -> int:
            for _ in range(AROUND):
                after = at + step
                if not 0 <= after < len(there) or after in numbers or _is_sign(there[after]):
                    break
                at = after
            return at

        first, last = reach(inside[0], -1), reach(inside[-1], 1)
        return text[there[first].start : there[last].end]

    def say_bounds(self, domain: str, slot: Slot, bounds: Bounds) -> str:
        """Bounds as goals write them, if a goal can have them."""
        forms = forms_of(self.world.language, domain, slot)
        if bounds.low is not None and bounds.low == bounds.high:
            return say_number(forms, bounds.low)
        for band in slot.bands:
            if (band.low, band.high) == (bounds.low, bounds.high):
                return say_band(forms, band)
            if slot.kind is SlotKind.RATING and band.low == band.high == bounds.low:
                return say_band(forms, band)
        return say_band(forms, Band(bounds.low, bounds.high))


def _is_sign(unit: Unit) -> bool:
    return not unit.plain[:1].isalnum() and unit.plain != "+"


def read_spec(told: str) -> Bounds:
    """Read `10..20`, `..20` or `10..`, as phrase books write bounds."""
    low, _, high = told.partition("..")
    return Bounds(float(low) if low else None, float(high) if high else None)


def _aliases(lexicon: Lexicon, book: TrainingPhrases) -> Iterator[tuple[int, Alias]]:
    for number, alias in enumerate(book.values):
        name = " ".join([*alias.slots, str(number)])
        if ("value", name) in lexicon.concepts:
            yield lexicon.concepts.index(("value", name)), alias
