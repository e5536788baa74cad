"""The words of a field: which values a search form may hold, and which are nearest to others.

nearest_words(words, domain, slot, "breakf")  ->  ("breakfast", "free breakfast")
"""

from typing import Final

from rapidfuzz import process

from crosstalk.dialogue.schema import NUMBERS, Domain, Slot, SlotKind
from crosstalk.labels.word_traces import WordTraces
from crosstalk.language.normalize import folded
from crosstalk.language.number_forms import forms_of, read_bounds, say_number

CLOSED: Final = frozenset(
    {SlotKind.CATEGORY, SlotKind.DURATION, SlotKind.SERVICES, SlotKind.NAME, SlotKind.NEARBY}
    | {SlotKind.LIST, SlotKind.ENDPOINT, SlotKind.STATION}
)
"""Kinds whose fields hold words of the tables and nothing else."""
NEAREST: Final = 3


def field_words(words: WordTraces, domain: Domain, slot: Slot) -> tuple[str, ...]:
    """The words of a closed field, in the order of the tables; empty for other fields."""
    if slot.kind is SlotKind.NEARBY:
        target = words.world.schema.domain(slot.target)
        own = target.name_slot if target else None
        return tuple(words.world.texts(slot.target, own.key)) if own else ()
    if slot.kind is SlotKind.STATION:
        return tuple(
            dict.fromkeys(
                name
                for place in words.world.schema.places
                for each in place.of_kind(SlotKind.STATION)
                for name in words.world.texts(place.key, each.key)
            )
        )
    if slot.kind is SlotKind.ENDPOINT:
        return tuple(
            name
            for place in words.world.schema.places
            if place.name_slot
            for name in words.world.texts(place.key, place.name_slot.key)
        )
    if slot.kind not in CLOSED:
        return ()
    return tuple(words.world.texts(domain.key, slot.key))


def is_word_of(words: WordTraces, domain: Domain, slot: Slot, value: str) -> bool:
    """Whether a field may hold a value: a word of the tables, or a number that some row has."""
    if slot.kind in NUMBERS:
        return _is_possible(words, domain, slot, value)
    if slot.kind not in CLOSED:
        return True
    known = words.known_words(domain, slot)
    return not known or unspaced(value) in known or _is_part_of_name(slot, known, unspaced(value))


def unspaced(text: str) -> str:
    """A text without case, width and spaces; signs count, for a decorated value is none."""
    return "".join(folded(text).split())


def _is_part_of_name(slot: Slot, known: frozenset[str], value: str) -> bool:
    """Whether a value is a telling part of a name, not the name without its last letter."""
    if slot.kind is not SlotKind.NAME or len(value) < 2:
        return False
    longer = [each for each in known if value in each]
    return bool(longer) and not any(each[:-1] == value for each in longer)


def _is_possible(words: WordTraces, domain: Domain, slot: Slot, value: str) -> bool:
    bounds = read_bounds(forms_of(words.pack, domain.key, slot), value)
    if bounds is None:
        return False
    held = _held(words, domain, slot)
    if not held:
        return True
    highest, lowest = max(held), min(held)
    if bounds.low is not None and bounds.low > highest:
        return False
    if bounds.high is not None and bounds.high < lowest:
        return False
    return isinstance(bounds.low or 0.0, int) or _fits_kind(slot, bounds.low)


def _held(words: WordTraces, domain: Domain, slot: Slot) -> list[float]:
    """The numbers that rows have."""
    cells = [row.get(slot.key) for row in words.world.tables.get(domain.key, ())]
    return [cell for cell in cells if isinstance(cell, int | float)]


def _fits_kind(slot: Slot, low: float | None) -> bool:
    """Whether a bound is as fine as the numbers of a slot: whole, but for ratings and money."""
    whole = slot.kind in (SlotKind.NUMBER, SlotKind.COUNT)
    return not whole or low is None or low < 1 or float(low).is_integer()


def nearest_words(words: WordTraces, domain: Domain, slot: Slot, value: str) -> tuple[str, ...]:
    """The three words of a field that are most like what was typed; of numbers, both ends."""
    if slot.kind in NUMBERS:
        held = _held(words, domain, slot)
        forms = forms_of(words.pack, domain.key, slot)
        return tuple(
            say_number(forms, each) for each in sorted({min(held), max(held)} if held else ())
        )
    known, wanted = field_words(words, domain, slot), unspaced(value)
    having = [each for each in known if wanted and wanted in unspaced(each)][:NEAREST]
    alike = (each for each, _, _ in process.extract(value, known, limit=NEAREST))
    return tuple(dict.fromkeys((*having, *alike)))[:NEAREST]


def completed(words: WordTraces, domain: Domain, slot: Slot, typed: str) -> str | None:
    """The word of a closed field that was typed, in any case, or begun; None if there is none.

    What several words begin with is completed only if one of them is it exactly, and what stands
    inside a word never: `hot` is no *round-the-clock hot water* until somebody says so.
    """
    known, wanted = field_words(words, domain, slot), unspaced(typed)
    same = {each for each in known if unspaced(each) == wanted}
    if same:
        return typed if typed in same else min(same)
    if slot.kind is SlotKind.DURATION and wanted in words.known_words(domain, slot):
        return typed  # one end of a span
    begun = {each for each in known if wanted and unspaced(each).startswith(wanted)}
    return begun.pop() if len(begun) == 1 else None
