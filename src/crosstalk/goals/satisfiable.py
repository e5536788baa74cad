"""Whether the tables of a world can meet a goal without any of its constraints being relaxed."""

from crosstalk.dialogue.goals import Reference, Tuples, Value, subgoals
from crosstalk.dialogue.schema import DomainKind, SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row


def is_satisfiable(tuples: Tuples, database: Database) -> bool:
    """Whether every place sub-goal has an entity that leaves one for each sub-goal near it.

    Requests are ignored: "no phone number is known" is an answer.
    """
    groups = dict(subgoals(tuples))
    roots = [number for number, group in groups.items() if _source(group) is None]
    places = (number for number in roots if _is_place(groups[number], database))
    return all(_fitting(number, groups, database) for number in places)


def can_be_met(tuples: Tuples, database: Database) -> bool:
    """Whether a goal is satisfiable and does not contradict itself.

    The database should be conjunctive, so that a name is one constraint among others.
    """
    return not contradictions(tuples, database) and is_satisfiable(tuples, database)


def contradictions(tuples: Tuples, database: Database) -> list[int]:
    """Sub-goals that want two values of a slot that has only one."""
    seen: dict[tuple[int, str], Value] = {}
    found = []
    for each in tuples:
        slot = database.domain(each.domain).slot(each.slot)
        single = slot is not None and slot.kind not in (SlotKind.LIST, SlotKind.NEARBY)
        if single and not each.is_open:
            before = seen.setdefault((each.subgoal, each.slot), each.value)
            if before != each.value:
                found.append(each.subgoal)
    return found


def _is_place(group: Tuples, database: Database) -> bool:
    return database.domain(group[0].domain).kind is DomainKind.PLACE


def _source(group: Tuples) -> int | None:
    """The sub-goal near whose entity this one's must be."""
    values = (each.value for each in group)
    near = (value for value in values if isinstance(value, Reference) and value.nearby)
    return next((reference.subgoal for reference in near), None)


def _fitting(number: int, groups: dict[int, Tuples], database: Database) -> list[Row]:
    """The entities that meet a sub-goal's constraints and have what its children want nearby."""
    group = groups[number]
    rows = list(database.search(group[0].domain, told_constraints(group)))
    for child, other in groups.items():
        if rows and _source(other) == number:
            wanted = _names(_fitting(child, groups, database), other[0].domain, database)
            slots = _nearby_slots(group[0].domain, other[0].domain, database)
            rows = [row for row in rows if any(_has(row, slot, wanted) for slot in slots)]
    return rows


def told_constraints(group: Tuples) -> dict[str, SlotValue]:
    """What a sub-goal wants, as constraints of a search; references are left out."""
    told = ((each.slot, each.value) for each in group if not each.is_open)
    return {slot: value for slot, value in told if not isinstance(value, Reference)}


def _names(rows: list[Row], domain: str, database: Database) -> set[object]:
    slot = database.domain(domain).name_slot
    return {row[slot.key] for row in rows} if slot else set()


def _nearby_slots(domain: str, target: str, database: Database) -> list[str]:
    slots = database.domain(domain).of_kind(SlotKind.NEARBY)
    return [slot.key for slot in slots if slot.target == target]


def _has(row: Row, slot: str, wanted: set[object]) -> bool:
    names = row.get(slot)
    return isinstance(names, tuple) and not wanted.isdisjoint(names)
