"""Wishes in an utterance: values, numbers, and words such as cheap and good."""

from collections.abc import Iterator, Sequence
from typing import Final

from crosstalk.database.numbers import forms_of, say_band
from crosstalk.database.tables import World
from crosstalk.dialogue.schema import Band, Domain, DomainKind, Slot, SlotKind
from crosstalk.language.quantities import LEEWAY, Quantity
from crosstalk.simulation.assistant.session import Session
from crosstalk.simulation.assistant.utterance import Utterance

Wish = tuple[str, str, str]
"""Domain, slot, value; without a domain where nobody can tell which is meant."""

LEAST_PRICE: Final = 6
"""Smaller bare numbers are no prices."""
HIGHEST_RATING: Final = 5
GOOD: Final = 4.0
"""From here on people call a rating good."""
PRICES: Final = frozenset({"cheap", "dear", "middling"})


class Wants:
    """Reads wishes; cheap and dear are measured by the domain's own table."""

    def __init__(self, world: World) -> None:
        self._pack = world.language
        self._schema = world.schema
        self._space = world.language.goal.sentence_space if world.language.goal else " "
        self._thirds = {domain.key: _thirds(world, domain) for domain in world.schema.places}

    def find(self, said: Utterance, focus: Sequence[str], session: Session) -> list[Wish]:
        """All wishes; `focus` are the domains spoken of, the session's comes after them."""
        wishes = [(each.domain, each.slot, each.value) for each in (*said.values, *said.kinds)]
        spoken = [*focus, session.focus]
        for amount in said.quantities:
            wishes += self._amount(amount, said, spoken)
        if not self.names_price(said):
            wishes += self._price(said, spoken)
        if focus and not any(each.unit == "points" for each in said.quantities):
            wishes += self._quality(said, spoken)
        return list(dict.fromkeys(wishes))

    def names_price(self, said: Utterance) -> bool:
        """Whether an amount of money is said: then cheap and too dear say no more than it does."""
        return any(self._kind_of(each, said) is SlotKind.NUMBER for each in said.quantities)

    def _amount(self, amount: Quantity, said: Utterance, spoken: Sequence[str]) -> Iterator[Wish]:
        kind = self._kind_of(amount, said)
        domain = self._domain_with(kind, spoken) if kind else None
        slot = domain.of_kind(kind)[0] if domain and kind else None
        if kind is None:
            return
        if domain is None or slot is None:
            yield "", kind, said.text[amount.start : amount.end]
        elif kind is SlotKind.DURATION:
            words = said.text[amount.start : amount.end].split()
            yield domain.key, slot.key, self._space.join(words)
        else:
            yield domain.key, slot.key, self._band(domain, slot, amount)

    def _kind_of(self, amount: Quantity, said: Utterance) -> SlotKind | None:
        """What a number is about: its unit says so, or its size."""
        highest = amount.bounds.high or amount.bounds.low or 0
        match amount.unit:
            case "uncounted":
                return None
            case "hours" | "minutes" | "days":
                return SlotKind.DURATION
            case "points" if highest <= HIGHEST_RATING:
                return SlotKind.RATING
            case "money":
                return SlotKind.NUMBER
        if highest <= HIGHEST_RATING:
            rated = any(self._is_rating(each.key) for each in said.slots)
            return SlotKind.RATING if rated or highest != int(highest) else None
        return None if amount.bare and highest < LEAST_PRICE else SlotKind.NUMBER

    def _is_rating(self, key: str) -> bool:
        slots = (domain.slot(key.rpartition(".")[2]) for domain in self._schema)
        return any(slot is not None and slot.kind is SlotKind.RATING for slot in slots)

    def _band(self, domain: Domain, slot: Slot, amount: Quantity) -> str:
        """A bare price is meant roughly; nobody looks for exactly 100 crowns."""
        low, high = amount.bounds.low, amount.bounds.high
        if amount.bare and slot.kind is SlotKind.NUMBER and low:
            low, high = round(low * (1 - LEEWAY)), round(low * (1 + LEEWAY))
        return say_band(forms_of(self._pack, domain.key, slot), Band(low, high))

    def _price(self, said: Utterance, spoken: Sequence[str]) -> Iterator[Wish]:
        moves = {each.key for each in said.moves}
        wanted, charged = moves & PRICES, "paid" if "paid" in moves else "free" * ("free" in moves)
        domain = self._domain_with(SlotKind.NUMBER, spoken)
        if not (wanted or charged):
            return
        if domain is None:
            yield "", SlotKind.NUMBER, charged or next(iter(wanted))
            return
        slot = domain.of_kind(SlotKind.NUMBER)[0]
        forms, (low, high) = forms_of(self._pack, domain.key, slot), self._thirds[domain.key]
        if charged and forms.free:
            yield domain.key, slot.key, forms.not_free if charged == "paid" else forms.free
        elif "cheap" in wanted and low == 0 and forms.free:
            yield domain.key, slot.key, forms.free
        elif wanted and low is not None:
            bands = {"cheap": Band(None, low), "dear": Band(high), "middling": Band(low, high)}
            yield domain.key, slot.key, say_band(forms, bands[next(iter(wanted))])

    def _quality(self, said: Utterance, spoken: Sequence[str]) -> Iterator[Wish]:
        domain = self._domain_with(SlotKind.RATING, spoken)
        if domain and any(each.key == "good" for each in said.moves):
            slot = domain.of_kind(SlotKind.RATING)[0]
            forms = forms_of(self._pack, domain.key, slot)
            yield domain.key, slot.key, say_band(forms, Band(GOOD))

    def _domain_with(self, kind: SlotKind, spoken: Sequence[str]) -> Domain | None:
        """The first domain spoken of that has such a slot; the only one, where none was."""
        having = [domain for domain in self._schema.places if domain.of_kind(kind)]
        found = (domain for key in spoken for domain in having if domain.key == key)
        return next(found, having[0] if len(having) == 1 else None)


def _thirds(world: World, domain: Domain) -> tuple[float | None, float | None]:
    """Numbers that part a table into the cheap, the middling and the dear."""
    slots = domain.of_kind(SlotKind.NUMBER) if domain.kind is DomainKind.PLACE else ()
    cells = [row.get(slots[0].key) for row in world.tables[domain.key]] if slots else []
    numbers = sorted(cell for cell in cells if isinstance(cell, int | float))
    if not numbers:
        return None, None
    return numbers[len(numbers) // 3], numbers[2 * len(numbers) // 3]
