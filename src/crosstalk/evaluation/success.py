"""Verified success: whether the user's final state is true in the database.

Task finish only asks that every question has some answer. Here every constraint that was not
relaxed must hold for the entity chosen, every answer must be what the table says about it, every
entity that was wanted near another must be near the one chosen there, and every ride must join the
entities chosen.

Texts are compared without regard to case and width: a generator may say `a口` where the table says
`A口`, and that is still true.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples, Value, subgoals
from crosstalk.dialogue.schema import Domain, DomainKind, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.language.normalize import comparable
from crosstalk.language.number_forms import Bounds, forms_of, read_bounds
from crosstalk.worlds.conditions import Constraints
from crosstalk.worlds.display import answer
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row, Table

LISTS = (SlotKind.LIST, SlotKind.NEARBY)
NUMBERS = (SlotKind.NUMBER, SlotKind.RATING)


_MARKS = re.compile(r"[\s,;、。]+")
fold = lru_cache(maxsize=1 << 16)(comparable)
"""A text without case and width, for comparing."""


@lru_cache(maxsize=1 << 16)
def unpunctuated(text: str) -> str:
    """A text without case, width and separators, which may differ between two phone numbers."""
    return _MARKS.sub(" ", fold(text)).strip()


def same(one: Value, other: Value) -> bool:
    """Whether two values are equal, however they are spelled."""
    if isinstance(one, str) and isinstance(other, str):
        return fold(one) == fold(other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return list(map(fold, one)) == list(map(fold, other))
    return one == other


class Flaw(StrEnum):
    """What can be wrong with a tuple at the end of a dialogue."""

    UNSETTLED = "unsettled"
    """Never said, never answered, or still depending on another sub-goal."""
    NO_ENTITY = "no such entity"
    """The name chosen stands in no table."""
    UNMET = "wish not met"
    """The entity chosen does not meet a constraint that was not relaxed."""
    WRONG_ANSWER = "wrong answer"
    """Not what the table says about the entity chosen."""
    NOT_NEAR = "not near"
    """The entity chosen is not near the one chosen in the other sub-goal."""
    WRONG_END = "wrong end"
    """The ride does not begin or end at the entity chosen."""
    FALSE_NO_OFFER = "refused though there was something"
    """The system said `NoOffer` although something matched."""
    GIVEN_UP = "given up without need"
    """The user relaxed a constraint that nobody had refused."""


@dataclass(frozen=True, slots=True)
class SuccessFinding:
    """A flaw and where it is."""

    flaw: Flaw
    position: int
    """Of the tuple in the goal."""
    subgoal: int
    domain: str
    slot: str
    value: Value
    """In the user's final state."""


class Truth:
    """What the tables of a world say about entities and rides."""

    def __init__(self, database: Database) -> None:
        self.world = database.world
        self._database = database
        self.all_fields = Database(database.world, conjunctive=True)
        """Queries in which a name is one constraint among others, as in goals."""
        self._names = {key: _folded_names(table) for key, table in self.world.tables.items()}

    def entity(self, domain: str, name: Value) -> Row | None:
        if not isinstance(name, str):
            return None
        return self._database.find(domain, self.spelled(domain, name))

    def spelled(self, domain: str, name: str) -> str:
        """A name as the table spells it; a name that no row has is returned as it is."""
        if self._database.find(domain, name):
            return name
        return self._names.get(domain, {}).get(fold(name), name)

    def domain(self, key: str) -> Domain:
        return self._database.domain(key)

    def anything(self, domain: str, constraints: Constraints) -> bool:
        """Whether some entity meets all constraints; a name is one constraint among others."""
        return bool(self.all_fields.search(domain, constraints))

    def meets(self, domain: str, row: Row, slot: str, value: Value) -> bool:
        """Whether the row meets a constraint; nothing meets a number that cannot be parsed."""
        found = self.domain(domain).slot(slot)
        if found is None or isinstance(value, Reference):
            return False
        if found.kind in NUMBERS and self._bounds(domain, found, value) is None:
            return False
        return not self._database.unmet(domain, row, {slot: value})

    def is_right(self, domain: Domain, row: Row, key: str, value: Value) -> bool:
        """Whether a value is what the row says about a slot; some items of a list are enough.

        "Yes" to a service is also right if the row has one that includes it; "no" is right, as
        published, if the row does not name the service itself.
        """
        slot = domain.slot(key)
        if slot is None or isinstance(value, Reference):
            return False
        pack = self.world.language
        true = answer(pack, domain, row, key)
        if slot.kind is SlotKind.SERVICES and key != slot.key and value == pack.yes:
            return self._database.offers(domain.key, row, key)
        if slot.kind in LISTS:
            given = (value,) if isinstance(value, str) else value
            return bool(given) and set(map(fold, given)) <= set(map(fold, true))
        is_told = isinstance(value, str) and unpunctuated(value) in map(unpunctuated, true)
        return is_told or self._same_number(domain, slot, row, value)

    def _same_number(self, domain: Domain, slot: Slot, row: Row, value: SlotValue) -> bool:
        """Numbers are compared as numbers: `75` equals `75 crowns`."""
        cell = row.get(slot.key)
        if slot.kind not in NUMBERS or not isinstance(cell, int | float):
            return False
        bounds = self._bounds(domain.key, slot, value)
        return bounds is not None and bounds.low == bounds.high == cell

    def _bounds(self, domain: str, slot: Slot, value: SlotValue) -> Bounds | None:
        if not isinstance(value, str):
            return None
        return read_bounds(forms_of(self.world.language, domain, slot), value)

    def rows(self, domain: str) -> tuple[Row, ...]:
        return self.world.tables[domain].rows

    def is_near(self, domain: str, name: str, other: str, other_name: str) -> bool:
        """Whether one of the rows lists the other entity as nearby."""
        name, other_name = self.spelled(domain, name), self.spelled(other, other_name)
        there = self._database.nearby(other, other_name, domain)
        if any(row is self.entity(domain, name) for row in there):
            return True
        here = self._database.nearby(domain, name, other)
        return any(row is self.entity(other, other_name) for row in here)

    def ride(self, domain: str, ends: Constraints) -> tuple[Row, ...]:
        return self._database.search(domain, {key: self._stop(end) for key, end in ends.items()})

    def _stop(self, end: SlotValue) -> SlotValue:
        """An end of a ride as the table of its place spells it."""
        if not isinstance(end, str):
            return end
        places = [domain.key for domain in self.world.schema.places]
        return next((self.spelled(key, end) for key in places if self.entity(key, end)), end)


def _folded_names(table: Table) -> dict[str, str]:
    """Folded name -> name, without names that differ only by case or width."""
    slot = table.domain.name_slot
    names = [str(row[slot.key]) for row in table] if slot else []
    alike = Counter(map(fold, names))
    return {fold(name): name for name in names if alike[fold(name)] == 1}


def findings(
    wanted: Tuples, final: Tuples, given_up: Collection[int], truth: Truth
) -> Iterator[SuccessFinding]:
    """All flaws of the final state; `given_up` are positions of justified relaxations.

    A relaxed constraint need not hold, but what the user was told instead must be true.
    """
    chosen = chosen_names(final, truth)
    before = 0
    for _, group in subgoals(final):
        wishes = wanted[before : before + len(group)]
        gone = {position - before for position in given_up}
        judge = _place if truth.domain(group[0].domain).kind is DomainKind.PLACE else _ride
        for at, flaw in judge(wishes, group, gone, chosen, truth):
            each = group[at]
            yield SuccessFinding(
                flaw, before + at, each.subgoal, each.domain, each.slot, each.value
            )
        before += len(group)


def chosen_names(final: Tuples, truth: Truth) -> dict[int, tuple[str, str]]:
    """Sub-goal -> (domain, name) of the entity that the user chose."""
    chosen = {}
    for each in final:
        slot = truth.domain(each.domain).name_slot
        if slot and each.slot == slot.key and isinstance(each.value, str) and each.value:
            chosen[each.subgoal] = each.domain, each.value
    return chosen


Chosen = dict[int, tuple[str, str]]
Flaws = Iterator[tuple[int, Flaw]]


def _place(wishes: Tuples, group: Tuples, gone: set[int], chosen: Chosen, truth: Truth) -> Flaws:
    domain = truth.domain(group[0].domain)
    name = domain.name_slot.key if domain.name_slot else ""
    row = truth.entity(domain.key, chosen.get(group[0].subgoal, ("", ""))[1])
    if all(each.slot != name for each in group):
        row = _likeliest(wishes, group, domain, truth)
    for at, (wish, each) in enumerate(zip(wishes, group, strict=True)):
        if not each.is_settled:
            yield at, Flaw.UNSETTLED
        elif each.slot == name:
            yield from _name(at, wish, each, row, at in gone, chosen, truth)
        elif row is not None and (flaw := _value(wish, each, row, domain, truth)):
            yield at, flaw


def _likeliest(wishes: Tuples, group: Tuples, domain: Domain, truth: Truth) -> Row | None:
    """The entity meant if the goal asks for no name: the one with the fewest flaws."""
    pairs = list(zip(wishes, group, strict=True))

    def flaws(row: Row) -> int:
        return sum(_value(wish, each, row, domain, truth) is not None for wish, each in pairs)

    return min(truth.rows(domain.key), key=flaws, default=None)


def _name(
    at: int,
    wish: SemanticTuple,
    each: SemanticTuple,
    row: Row | None,
    is_gone: bool,
    chosen: Chosen,
    truth: Truth,
) -> Flaws:
    if row is None:
        yield at, Flaw.NO_ENTITY
    elif isinstance(wish.value, Reference) and not is_gone:
        source = chosen.get(wish.value.subgoal, ("", ""))
        if not source[0] or not truth.is_near(each.domain, str(each.value), *source):
            yield at, Flaw.NOT_NEAR


def _value(
    wish: SemanticTuple, each: SemanticTuple, row: Row, domain: Domain, truth: Truth
) -> Flaw | None:
    """The flaw of a value: an unchanged constraint must be met, a changed one met or answered."""
    met = truth.meets(domain.key, row, each.slot, each.value)
    right = truth.is_right(domain, row, each.slot, each.value)
    if wish.is_open:
        return None if right else Flaw.WRONG_ANSWER
    if same(each.value, wish.value):
        return None if met else Flaw.UNMET
    return None if met or right else Flaw.WRONG_ANSWER


def _ride(wishes: Tuples, group: Tuples, gone: set[int], chosen: Chosen, truth: Truth) -> Flaws:
    domain = truth.domain(group[0].domain)
    ends = {slot.key for slot in domain.of_kind(SlotKind.ENDPOINT)}
    known = {
        each.slot: each.value
        for each in group
        if each.slot in ends and not isinstance(each.value, Reference)
    }
    rows = truth.ride(domain.key, known)
    for at, (wish, each) in enumerate(zip(wishes, group, strict=True)):
        if not each.is_settled:
            yield at, Flaw.UNSETTLED
        elif each.slot in ends:
            if not _is_end(wish, each, chosen):
                yield at, Flaw.WRONG_END
        elif not any(
            each.slot in row and truth.is_right(domain, row, each.slot, each.value) for row in rows
        ):
            yield at, Flaw.WRONG_ANSWER


def _is_end(wish: SemanticTuple, each: SemanticTuple, chosen: Chosen) -> bool:
    if isinstance(wish.value, Reference):
        return same(chosen.get(wish.value.subgoal, ("", ""))[1], each.value)
    return same(each.value, wish.value)
