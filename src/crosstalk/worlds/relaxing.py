"""What to give up when nothing matches, as a wizard does who has no such place to offer."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol

from crosstalk.dialogue.schema import NOT_MARK, Domain, DomainKind, SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.worlds.conditions import Constraints, slot_of, terms
from crosstalk.worlds.tables import Row, World

FIRST_TO_GO = (
    SlotKind.NUMBER,
    SlotKind.RATING,
    SlotKind.DURATION,
    SlotKind.SERVICES,
    SlotKind.CATEGORY,
    SlotKind.LIST,
    SlotKind.NEARBY,
    SlotKind.NAME,
)
"""The default order. In the turns of CrossWOZ val with more than one query, wizards dropped or
changed 59 % of the prices, 48 % of ratings and durations, 42 % of services, 36 % of types, 34 % of
nearby places and 22 % of dishes; nearby places come late all the same, for they carry the goal
across domains, and names last of all."""

MOST_PARTS = 10
"""Up to 2 ** 10 combinations are tried; beyond, the terms of a list stay together."""

Part = tuple[str, SlotValue]
"""A constraint, or one term of one."""


class Searchable(Protocol):
    """What can be asked, again and again, without remembering: `Database`, `Scan`."""

    @property
    def world(self) -> World: ...
    def search(self, domain: str, constraints: Constraints) -> tuple[Row, ...]: ...


@dataclass(frozen=True, slots=True)
class Relaxation:
    """What was kept, what was dropped, and the rows that match what was kept."""

    kept: Constraints
    dropped: tuple[Part, ...]
    rows: tuple[Row, ...]

    @property
    def matched(self) -> bool:
        """Whether something meets all that was asked for."""
        return bool(self.rows) and not self.dropped

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "matched": self.matched,
            "kept": dict(self.kept),
            "dropped": [{"slot": slot, "value": value} for slot, value in self.dropped],
            "rows": [dict(row) for row in self.rows],
        }


def relax(
    database: Searchable,
    domain: str,
    constraints: Constraints,
    *,
    order: Sequence[SlotKind] = FIRST_TO_GO,
    keep: Collection[str] = (),
) -> Relaxation:
    """The constraints with as few dropped as possible so that something matches.

    Of several ways that drop equally many, the one that drops kinds that stand earlier in `order`
    (a kind it does not name goes last); among the same kinds, what stands later in the constraints.
    A list loses single terms. `keep` names slots that are never dropped; where nothing matches even
    so, there are no rows and nothing is dropped. What is excluded stays excluded. Rides have
    nothing to relax.
    """
    asked = database.world.schema.domain(domain)
    if asked is None or asked.kind is not DomainKind.PLACE:
        return Relaxation(constraints, (), database.search(domain, constraints))
    parts = _parts(database.world, asked, constraints)
    loose = [(key, value) for key, value in parts if not (key in keep or key.startswith(NOT_MARK))]
    loose.sort(key=lambda part: (_rank(asked, part[0], order), -parts.index(part)))
    for dropped in _fewest_first(loose):
        kept = _joined([part for part in parts if part not in dropped])
        if rows := database.search(domain, kept):
            return Relaxation(kept if dropped else constraints, dropped, rows)
    return Relaxation(constraints, (), ())


def _fewest_first(parts: Sequence[Part]) -> Iterator[tuple[Part, ...]]:
    """Every choice of parts, small ones first, those of early parts first."""
    for count in range(len(parts) + 1):
        yield from combinations(parts, count)


def _rank(domain: Domain, key: str, order: Sequence[SlotKind]) -> int:
    kind = slot_of(domain, key).kind
    return order.index(kind) if kind in order else len(order)


def _parts(world: World, domain: Domain, constraints: Constraints) -> list[Part]:
    whole = [(key, value) for key, value in constraints.items() if value]
    split: list[Part] = []
    for key, value in whole:
        slot = slot_of(domain, key)
        if slot.kind in (SlotKind.LIST, SlotKind.SERVICES) and key == slot.key:
            several = dict.fromkeys(terms(world.language, value))
            split.extend((key, (term,)) for term in several)
        else:
            split.append((key, value))
    return split if len(split) <= MOST_PARTS else whole


def _joined(parts: Sequence[Part]) -> dict[str, SlotValue]:
    """The constraints the parts make up; the terms of a list stand together again."""
    joined: dict[str, SlotValue] = {}
    for key, value in parts:
        before = joined.get(key, ())
        if isinstance(before, tuple) and isinstance(value, tuple):
            value = (*before, *value)
        joined[key] = value
    return joined
