"""Constraints as people write them, read into conditions."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rapidfuzz.fuzz import partial_ratio

from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import (
    EITHER,
    NOT_MARK,
    SERVICE_MARK,
    Domain,
    Match,
    Slot,
    SlotKind,
)
from crosstalk.dialogue.states import SlotValue
from crosstalk.errors import InputError
from crosstalk.language.number_forms import Bounds, forms_of, read_bounds
from crosstalk.worlds.moments import Moments
from crosstalk.worlds.tables import Cell, Table, World, texts

Constraints = Mapping[str, SlotValue]
"""Slot key, or `<services>-<service>` -> what is wanted; empty values say nothing."""


@dataclass(frozen=True, slots=True)
class Within:
    """A number inside bounds; an unknown one is not."""

    bounds: Bounds

    def holds(self, cell: Cell) -> bool:
        return isinstance(cell, int | float) and self.bounds.hold(cell)


@dataclass(frozen=True, slots=True)
class Contains:
    """A text, or one of several, that has the words in it, in any case."""

    words: str

    def holds(self, cell: Cell) -> bool:
        return any(self.words.lower() in text.lower() for text in texts(cell))


@dataclass(frozen=True, slots=True)
class Excludes:
    """Texts none of which has the words in it; an unknown cell has none."""

    words: str

    def holds(self, cell: Cell) -> bool:
        return not Contains(self.words).holds(cell)


@dataclass(frozen=True, slots=True)
class Lasts:
    """A time span that lies within bounds, in hours; `read` understands the cell."""

    bounds: Bounds
    read: "ReadHours"

    def holds(self, cell: Cell) -> bool:
        span = self.read(cell) if isinstance(cell, str) else None
        return span is not None and _fits(span, self.bounds)


@dataclass(frozen=True, slots=True)
class Equals:
    """A text, or one of several, that is exactly this one."""

    text: str

    def holds(self, cell: Cell) -> bool:
        return self.text in texts(cell)


@dataclass(frozen=True, slots=True)
class Lacks:
    """Texts among which the service does not stand."""

    service: str

    def holds(self, cell: Cell) -> bool:
        return self.service not in texts(cell)


@dataclass(frozen=True, slots=True)
class Open:
    """Opening hours that meet a wish such as `mon` or `fri 22:00`; `read` understands both."""

    wish: str
    read: "IsOpen"

    def holds(self, cell: Cell) -> bool:
        return isinstance(cell, str) and self.read(cell, self.wish) is True


@dataclass(frozen=True, slots=True)
class OfKind:
    """Texts one of which is of a kind, such as a dish that is seafood; `read` knows the kinds."""

    kind: str
    read: "IsOfKind"

    def holds(self, cell: Cell) -> bool:
        return any(self.read(text, self.kind) for text in texts(cell))


@dataclass(frozen=True, slots=True)
class NoneOfKind:
    """Texts none of which is of a kind; an unknown cell has none."""

    kind: str
    read: "IsOfKind"

    def holds(self, cell: Cell) -> bool:
        return not any(self.read(text, self.kind) for text in texts(cell))


@dataclass(frozen=True, slots=True)
class Same:
    """A text that is this one, in any case."""

    text: str

    def holds(self, cell: Cell) -> bool:
        return any(self.text.lower() == text.lower() for text in texts(cell))


@dataclass(frozen=True, slots=True)
class Like:
    """A text that has the words in it, or nearly so: a slip of the pen."""

    words: str

    def holds(self, cell: Cell) -> bool:
        wanted = self.words.lower()
        return any(partial_ratio(wanted, text.lower()) >= LIKE for text in texts(cell))


LIKE: Final = 90
"""Least partial ratio of `fuzzy`, as in the standard evaluation of MultiWOZ."""


@dataclass(frozen=True, slots=True)
class InTime:
    """A time or a date that is not earlier, not later, or the very one; both in one writing."""

    match: Match
    wanted: str

    def holds(self, cell: Cell) -> bool:
        if not isinstance(cell, str):
            return False
        if self.match is Match.FROM:
            return cell >= self.wanted
        return cell <= self.wanted if self.match is Match.UNTIL else cell == self.wanted


@dataclass(frozen=True, slots=True)
class OrUnknown:
    """A cell that meets a condition, or of which nothing is known."""

    condition: "Condition"

    def holds(self, cell: Cell) -> bool:
        return cell is None or self.condition.holds(cell)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A cell that meets one of several conditions."""

    conditions: "tuple[Condition, ...]"

    def holds(self, cell: Cell) -> bool:
        return any(condition.holds(cell) for condition in self.conditions)


Condition = (
    Within | Contains | Excludes | Equals | Lacks | Lasts | Open | OfKind | NoneOfKind | AnyOf
    | Same | Like | InTime | OrUnknown
)  # fmt: skip
ReadHours = Callable[[str], Bounds | None]
"""How long a text says that something takes, in hours; None where it does not say."""
IsOpen = Callable[[str, str], bool | None]
"""Whether opening hours meet a wish about them; None where one of the two says nothing of that."""

IsOfKind = Callable[[str, str], bool | None]
"""Whether a term of a list is of a kind; None where nobody knows the kind."""


@dataclass(frozen=True, slots=True)
class LanguageReaders:
    """What a language layer can read beyond what the tables have word for word."""

    hours: ReadHours | None = None
    is_open: IsOpen | None = None
    is_of_kind: IsOfKind | None = None


def _fits(span: Bounds, wanted: Bounds) -> bool:
    """Whether something that takes `span` takes as long as wanted, and no longer."""
    low, high = span.low or 0.0, span.high if span.high is not None else float("inf")
    if wanted.low is None:
        return wanted.high is None or high <= wanted.high
    if wanted.high is None:
        return low >= wanted.low
    if wanted.low < wanted.high < high < float("inf"):
        return wanted.low <= (low + high) / 2 <= wanted.high  # 2 to 3 hours are no 1 to 2 hours
    return low <= wanted.high and wanted.low <= high


class ConditionReader:
    """Reads constraints in the words of a world's language."""

    def __init__(self, world: World, readers: LanguageReaders = LanguageReaders()) -> None:  # noqa: B008  frozen
        self._pack = world.language
        self.read_hours = readers.hours
        self._is_open = readers.is_open
        self._is_of_kind = readers.is_of_kind
        self.moments = Moments(world)
        self._spans = {text for table in world.tables.values() for text in _spans(table)}
        self._names = {key: _names(table) for key, table in world.tables.items()}
        self._slots = {
            (domain.key, slot.key): slot for domain in world.schema for slot in domain.slots
        }

    def read_all(self, domain: Domain, constraints: Constraints) -> Iterator[tuple[str, Condition]]:
        """(slot of the table, condition) for everything the constraints say."""
        for key, value in constraints.items():
            slot = self._slots.get((domain.key, key)) or slot_of(domain, key)
            for condition in self.read(domain, slot, key, value):
                yield slot.key, condition

    def read(self, domain: Domain, slot: Slot, key: str, value: SlotValue) -> Iterator[Condition]:
        """The conditions, all of which must hold; what cannot be read gives none."""
        if slot.aliases:
            value = _spelled(slot, value)
        for condition in self._conditions(domain, slot, key, value):
            yield OrUnknown(condition) if slot.unknown else condition

    def _conditions(
        self, domain: Domain, slot: Slot, key: str, value: SlotValue
    ) -> Iterator[Condition]:
        if key.startswith(NOT_MARK):
            excluded = (each for text in terms(self._pack, value) for each in text.split(EITHER))
            yield from (self._term(text, wanted=False) for text in excluded)
            return
        match slot.kind:
            case SlotKind.SERVICES if key != slot.key:
                service = key.removeprefix(slot.key + SERVICE_MARK)
                if value:
                    yield Lacks(service) if value == self._pack.no else Contains(service)
            case SlotKind.LIST | SlotKind.SERVICES:
                yield from (_any(text, self._term) for text in terms(self._pack, value))
            case kind if kind.is_number:
                for text in several(value):
                    yield from self._number(domain, slot, text)
            case SlotKind.TIME | SlotKind.DATE:
                for text in several(value):
                    yield from self._in_time(slot, text)
            case SlotKind.HOURS:
                yield from (Open(text, self._opening) for text in several(value))
            case SlotKind.DAY | SlotKind.FLAG | SlotKind.KEY:
                yield from (_any(text, Same) for text in several(value))
            case SlotKind.CATEGORY if slot.match in _TEXT_MATCHES:
                read = _TEXT_MATCHES[slot.match]
                yield from (_any(text, read) for text in several(value))
            case SlotKind.NAME:
                yield from (_any(name, self._name(domain.key)) for name in several(value))
            case SlotKind.NEARBY:
                yield from (_any(name, self._name(slot.target)) for name in several(value))
            case SlotKind.TEXT if self._is_open:
                yield from (Open(text, self._is_open) for text in several(value))
            case SlotKind.DURATION:
                yield from map(self._duration, several(value))
            case _:
                yield from (_any(text, Contains) for text in several(value))

    def _term(self, text: str, *, wanted: bool = True) -> Condition:
        """A kind of terms that the language layer knows, or words in a term."""
        if self._is_of_kind and self._is_of_kind("", text) is not None:
            return (OfKind if wanted else NoneOfKind)(text, self._is_of_kind)
        return Contains(text) if wanted else Excludes(text)

    def _duration(self, text: str) -> Condition:
        """As the tables write it, or what the words say in hours."""
        if self.read_hours and not any(text in span for span in self._spans):
            bounds = self.read_hours(text)
            if bounds is not None:
                return Lasts(bounds, self.read_hours)
        return Contains(text)

    def _number(self, domain: Domain, slot: Slot, text: str) -> Iterator[Condition]:
        bounds = read_bounds(forms_of(self._pack, domain.key, slot), text)
        if bounds is None:
            return
        if slot.kind is SlotKind.RATING and bounds.low == bounds.high:
            bounds = Bounds(bounds.low, None)  # nobody minds a better one
        yield Within(bounds)

    def _in_time(self, slot: Slot, text: str) -> Iterator[Condition]:
        wanted = self.moments.read(slot, text)
        if wanted is not None:
            yield InTime(slot.match or Match.AT, wanted)

    def _opening(self, hours: str, wish: str) -> bool | None:
        """Whether somewhere is open then; `Monday 9:00` is read in the language's words."""
        if self._is_open is None:
            return self.moments.is_open(hours, wish)
        return self._is_open(hours, self.moments.wish(wish))

    def _name(self, domain: str) -> Callable[[str], Condition]:
        """Exactly where the name is known, so that a short one does not bring its longer kin."""
        known = self._names.get(domain, ())
        return lambda name: Equals(name) if name in known else Contains(name)


_TEXT_MATCHES: Final[Mapping[Match | None, Callable[[str], Condition]]] = {
    Match.EXACT: Same,
    Match.FUZZY: Like,
}


def _spelled(slot: Slot, value: SlotValue) -> SlotValue:
    """The value as the table spells it, where another spelling was used."""
    known = dict(slot.aliases)
    if isinstance(value, str):
        return EITHER.join(known.get(text.strip().lower(), text) for text in value.split(EITHER))
    return tuple(known.get(text.strip().lower(), text) for text in value)


def _any(text: str, read: Callable[[str], Condition]) -> Condition:
    """What a text wants; of alternatives, one is enough."""
    if EITHER not in text:
        return read(text)
    return AnyOf(tuple(map(read, text.split(EITHER))))


def slot_of(domain: Domain, key: str) -> Slot:
    slot = domain.slot(key)
    if slot is None:
        known = ", ".join(each.key for each in domain.form)
        raise InputError(
            f"{domain.key} has no slot {key!r}", remedy=f"It can be searched by {known}."
        )
    return slot


def several(value: SlotValue) -> tuple[str, ...]:
    """The texts of a value, without blank ones."""
    given = (value,) if isinstance(value, str) else value
    return tuple(text.strip() for text in given if text.strip())


def terms(pack: LanguagePack, value: SlotValue) -> tuple[str, ...]:
    """The terms of a list; one text is split where the language joins terms in its forms."""
    if isinstance(value, str) and pack.term_separator:
        return several(tuple(value.split(pack.term_separator.strip() or None)))
    return several(value)


def _spans(table: Table) -> Iterator[str]:
    for slot in table.domain.of_kind(SlotKind.DURATION):
        for row in table:
            yield from texts(row.get(slot.key))


def _names(table: Table) -> frozenset[Cell]:
    slot = table.domain.name_slot
    return frozenset(row[slot.key] for row in table) if slot else frozenset()
