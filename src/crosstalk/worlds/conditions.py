"""Constraints as people write them, read into conditions, and tables indexed to meet them fast."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, compress
from operator import or_

from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import EITHER, NOT_MARK, SERVICE_MARK, Domain, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.errors import InputError
from crosstalk.language.number_forms import Bounds, forms_of, read_bounds
from crosstalk.worlds.tables import Cell, Row, Table, World, texts

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
class AnyOf:
    """A cell that meets one of several conditions."""

    conditions: "tuple[Condition, ...]"

    def holds(self, cell: Cell) -> bool:
        return any(condition.holds(cell) for condition in self.conditions)


Condition = (
    Within | Contains | Excludes | Equals | Lacks | Lasts | Open | OfKind | NoneOfKind | AnyOf
)
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
        """The conditions, all of which must hold; a number that cannot be read gives none."""
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
            case SlotKind.NUMBER | SlotKind.RATING:
                for text in several(value):
                    yield from self._number(domain, slot, text)
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

    def _name(self, domain: str) -> Callable[[str], Condition]:
        """Exactly where the name is known, so that a short one does not bring its longer kin."""
        known = self._names.get(domain, ())
        return lambda name: Equals(name) if name in known else Contains(name)


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


_BETWEEN = "\0"
"""Between texts in the long one that is searched; no text of a table has it."""
_FEW = 24
"""Up to this many rows are picked bit by bit; for more, walking all bits at once is quicker."""
_AS_FLAGS = bytes.maketrans(b"01", b"\0\1")


class TextIndex:
    """Finds texts by their words: one search through all distinct texts, joined into one."""

    def __init__(self, cells: Iterable[Cell], *, folds: bool = True) -> None:
        """`folds`: capital and small letters count as the same."""
        self._folds = folds
        self._rows_of: dict[str, int] = {}
        for number, cell in enumerate(cells):
            for text in texts(cell):
                self._rows_of[text] = self._rows_of.get(text, 0) | 1 << number
        self._rows = list(self._rows_of.values())
        searched = [self._folded(text) for text in self._rows_of]
        self._all_texts = _BETWEEN.join(searched)
        lengths = (len(text) + len(_BETWEEN) for text in searched)
        self._starts = list(accumulate(lengths, initial=0))

    def _folded(self, text: str) -> str:
        return text.lower() if self._folds else text

    def equal(self, text: str) -> int:
        return self._rows_of.get(text, 0)

    def meeting(self, condition: Condition) -> int:
        """The rows with a text that meets a condition, tried text by text."""
        rows = 0
        for text, those in self._rows_of.items():
            rows |= those if condition.holds(text) else 0
        return rows

    def containing(self, words: str) -> int:
        """The rows with a text that has the words in it."""
        words = self._folded(words)
        if _BETWEEN in words:
            return 0
        rows = 0
        at = self._all_texts.find(words)
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            rows |= self._rows[number]
            at = self._all_texts.find(words, self._starts[number + 1])
        return rows


class NumberIndex:
    """Finds numbers by bounds: for each number, the rows that have it or less, and it or more."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        rows_of: dict[float, int] = {}
        for row, cell in enumerate(cells):
            if isinstance(cell, int | float):
                rows_of[cell] = rows_of.get(cell, 0) | 1 << row
        self._numbers = sorted(rows_of)
        rows = [rows_of[number] for number in self._numbers]
        self._at_most = list(accumulate(rows, or_, initial=0))
        self._at_least = list(accumulate(reversed(rows), or_, initial=0))[::-1]

    def within(self, bounds: Bounds) -> int:
        rows = self._at_most[-1]
        if bounds.low is not None:
            rows &= self._at_least[bisect_left(self._numbers, bounds.low)]
        if bounds.high is not None:
            rows &= self._at_most[bisect_right(self._numbers, bounds.high)]
        return rows


class IndexedTable:
    """A table that answers conditions without looking at its rows."""

    def __init__(self, table: Table, *, folds: bool = True) -> None:
        """`folds`: texts are searched without regard to case."""
        self.domain = table.domain
        self._rows = table.rows
        self._everything = (1 << len(table)) - 1
        self._numbers: dict[str, NumberIndex] = {}
        self._texts: dict[str, TextIndex] = {}
        for slot in table.domain.slots:
            cells = (row.get(slot.key) for row in table)
            if slot.kind in (SlotKind.NUMBER, SlotKind.RATING):
                self._numbers[slot.key] = NumberIndex(cells)
            else:
                self._texts[slot.key] = TextIndex(cells, folds=folds)

    def where(self, conditions: Iterable[tuple[str, Condition]]) -> tuple[Row, ...]:
        """The rows that meet all conditions, in file order."""
        found = self._everything
        for slot, condition in conditions:
            found &= self._meeting(slot, condition)
        return _picked(self._rows, found)

    def _meeting(self, slot: str, condition: Condition) -> int:
        match condition:
            case Within(bounds):
                return self._numbers[slot].within(bounds)
            case Equals(text):
                return self._texts[slot].equal(text)
            case Contains(words):
                return self._texts[slot].containing(words)
            case Excludes(words):
                return self._everything & ~self._texts[slot].containing(words)
            case Lasts() | Open() | OfKind():
                return self._texts[slot].meeting(condition)
            case NoneOfKind(kind, read):
                return self._everything & ~self._texts[slot].meeting(OfKind(kind, read))
            case AnyOf(conditions):
                return reduce(or_, (self._meeting(slot, each) for each in conditions))
            case Lacks(service):
                return self._everything & ~self._texts[slot].equal(service)


def _picked(rows: Sequence[Row], bits: int) -> tuple[Row, ...]:
    if bits.bit_count() > _FEW:
        flags = f"{bits:b}"[::-1].encode().translate(_AS_FLAGS)
        return tuple(compress(rows, flags))
    picked = []
    while bits:
        lowest = bits & -bits
        picked.append(rows[lowest.bit_length() - 1])
        bits ^= lowest
    return tuple(picked)
