"""Which slot a number is about, and how the language's number forms write the constraint."""

from collections.abc import Iterator, Sequence
from typing import Final

from crosstalk.dialogue.schema import Band, Domain, DomainKind, Slot, SlotKind
from crosstalk.language.normalize import plain
from crosstalk.language.number_forms import LEEWAY, forms_of, read_bounds, say_band
from crosstalk.language.quantities import TIMES, Quantities, Quantity, in_hours
from crosstalk.system.nlu.rules.context import TurnContext
from crosstalk.worlds.tables import World, texts

LEAST_PRICE: Final = 6
"""Smaller bare numbers are no prices."""
HIGHEST_RATING: Final = 5
RATING_STEP: Final = 0.1
"""Ratings have one decimal."""
GOOD: Final = 4.0
"""From here on people call a rating good."""
COUNTED: Final = frozenset({"uncounted", "persons", "nights", "rooms", "oclock"})


class Amounts:
    """Says numbers as constraints; cheap and expensive are measured by the domain's own table."""

    def __init__(self, world: World, quantities: Quantities) -> None:
        self._spans = {quantities.with_digits(plain(text)): text for text in _durations(world)}
        self._ranges = {quantities.read_hours(text): text for text in _durations(world)}
        self._pack = world.language
        self._schema = world.schema
        self._space = world.language.goal.sentence_space if world.language.goal else " "
        self.nightly = next(
            (domain.key for domain in world.schema.places if self._is_nightly(domain, quantities)),
            "",
        )
        """The domain whose price is for a night."""
        self._thirds = {domain.key: _thirds(world, domain) for domain in world.schema.places}

    def kind_of(self, amount: Quantity, rated: bool) -> SlotKind | None:
        """What a number is about: its unit says so, or its size; None: nothing to be searched."""
        highest = amount.middle or amount.bounds.high or amount.bounds.low or 0
        if amount.unit in COUNTED:
            return None
        if amount.unit in TIMES:
            return SlotKind.DURATION
        if amount.unit == "points" and highest <= HIGHEST_RATING:
            return SlotKind.RATING
        if amount.unit == "money":
            return SlotKind.NUMBER
        if highest <= HIGHEST_RATING:
            return SlotKind.RATING if rated or highest != int(highest) else None
        return None if amount.bare and highest < LEAST_PRICE else SlotKind.NUMBER

    def _is_nightly(self, domain: Domain, quantities: Quantities) -> bool:
        slots = domain.of_kind(SlotKind.NUMBER)
        names = (self._pack.slot_name(domain.key, slot.key) for slot in slots)
        return any(quantities.counts_nights(plain(name)) for name in names)

    def domain_with(self, kind: SlotKind, spoken: Sequence[str]) -> Domain | None:
        """The first domain mentioned that has such a slot; the only one, if none was."""
        having = [domain for domain in self._schema.places if domain.of_kind(kind)]
        found = (domain for key in spoken for domain in having if domain.key == key)
        return next(found, having[0] if len(having) == 1 else None)

    def said(
        self, amount: Quantity, words: str, domain: Domain, slot: Slot, context: TurnContext
    ) -> str:
        """A wish for a slot in the language's number forms; a visit's length in its own words."""
        if slot.kind is SlotKind.DURATION:
            return self._span(amount, words)
        low, high = amount.bounds.low, amount.bounds.high
        if slot.kind is SlotKind.RATING and amount.middle:
            low = high = amount.middle  # about 4 is met by 4 and more
        forms = forms_of(self._pack, domain.key, slot)
        if amount.bare and slot.kind is SlotKind.NUMBER and low:
            low, high = self._bare(low, domain, slot, context)
        if amount.strict:
            step = 1 if slot.kind is SlotKind.NUMBER else RATING_STEP
            low = round(low + step, 1) if low is not None and high is None else low
            high = round(high - step, 1) if high is not None and low is None else high
        return say_band(forms, Band(low, high))

    def _span(self, amount: Quantity, words: str) -> str:
        """A visit's length as the tables write it, if they do, or in the words said."""
        hours = None if amount.bare or amount.strict or amount.middle else in_hours(amount)
        closed = hours is not None and None not in (hours.low, hours.high)
        known = self._spans.get(words) or (self._ranges.get(hours) if closed else "")
        return known or self._space.join(words.split())

    def _bare(
        self, value: float, domain: Domain, slot: Slot, context: TurnContext
    ) -> tuple[float | None, float | None]:
        """A number alone moves a limit that stands; otherwise it is meant roughly."""
        forms = forms_of(self._pack, domain.key, slot)
        before = context.form.get(domain.key).get(slot.key) if context.form else ""
        bounds = read_bounds(forms, before) if isinstance(before, str) and before else None
        if bounds and bounds.low is None:
            return None, value
        if bounds and bounds.high is None:
            return value, None
        return round(value * (1 - LEEWAY)), round(value * (1 + LEEWAY))

    def cheap(self, level: str, domain: Domain) -> tuple[Slot, str] | None:
        """`cheap`, `dear` or `middling` as a third of the domain's table."""
        slot = next(iter(domain.of_kind(SlotKind.NUMBER)), None)
        low, high = self._thirds.get(domain.key, (None, None))
        if slot is None or low is None:
            return None
        forms = forms_of(self._pack, domain.key, slot)
        if level == "cheap" and low == 0 and forms.free:
            return slot, forms.free
        bands = {"cheap": Band(None, low), "dear": Band(high), "middling": Band(low, high)}
        return slot, say_band(forms, bands[level])

    def free(self, level: str, domain: Domain) -> tuple[Slot, str] | None:
        slot = next(iter(domain.of_kind(SlotKind.NUMBER)), None)
        forms = forms_of(self._pack, domain.key, slot) if slot else None
        if slot is None or forms is None or not forms.free:
            return None
        return slot, forms.not_free if level == "paid" else forms.free

    def domains_for_free(self) -> Iterator[str]:
        for domain in self._schema.places:
            if self.free("free", domain):
                yield domain.key

    def good(self, domain: Domain) -> tuple[Slot, str] | None:
        slot = next(iter(domain.of_kind(SlotKind.RATING)), None)
        return (
            (slot, say_band(forms_of(self._pack, domain.key, slot), Band(GOOD))) if slot else None
        )


def _durations(world: World) -> Iterator[str]:
    """How long visits take, as the tables write it."""
    for domain in world.schema.places:
        for slot in domain.of_kind(SlotKind.DURATION):
            for row in world.tables[domain.key]:
                yield from texts(row.get(slot.key))


def _thirds(world: World, domain: Domain) -> tuple[float | None, float | None]:
    """Numbers that part a table into the cheap, the middling and the expensive."""
    slots = domain.of_kind(SlotKind.NUMBER) if domain.kind is DomainKind.PLACE else ()
    cells = [row.get(slots[0].key) for row in world.tables[domain.key]] if slots else []
    numbers = sorted(cell for cell in cells if isinstance(cell, int | float))
    if not numbers:
        return None, None
    return numbers[len(numbers) // 3], numbers[2 * len(numbers) // 3]
