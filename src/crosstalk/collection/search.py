"""What the wizard finds: result lists, detail cards, places nearby."""

from typing import Any, Final

from crosstalk.collection.events import Slots
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.schema import Domain, DomainKind, SlotKind
from crosstalk.errors import Rejection
from crosstalk.worlds.display import say_cell
from crosstalk.worlds.tables import Row

MOST_ROWS: Final = 50
"""A longer list is not read; its length is told."""


def results(context: WorldContext, domain: str, slots: Slots) -> dict[str, Any]:
    """The result list as pages show it."""
    found, asked = context.search(domain, slots), context.database.domain(domain)
    shown = zip(found.names[:MOST_ROWS], found.rows, strict=False)
    place = asked.kind is DomainKind.PLACE
    return {
        "domain": domain,
        "slots": dict(slots),
        "count": len(found.rows),
        "rows": [
            {
                "name": name,
                "line": context.line(domain, name) if place else _ride(context, asked, row),
            }
            for name, row in shown
        ],
    }


def _ride(context: WorldContext, domain: Domain, row: Row) -> list[str]:
    """The stations, or the car."""
    told = [slot for slot in domain.of_kind(SlotKind.STATION, SlotKind.TEXT) if slot.key in row]
    return [" ".join(say_cell(context.pack, domain, slot, row[slot.key])) for slot in told]


def card(context: WorldContext, domain: str, name: str) -> dict[str, Any]:
    """Everything the table says about an entity, and what is near it."""
    asked = context.domain(domain)
    row = context.database.find(domain, name) if asked else None
    if asked is None or row is None:
        raise Rejection("unknown_entity", f"there is no {domain} called {name!r}")
    return {
        "domain": domain,
        "name": name,
        "rows": [
            {
                "slot": slot.key,
                "slot_name": context.pack.slot_name(domain, slot.key),
                "texts": list(say_cell(context.pack, asked, slot, row.get(slot.key))),
            }
            for slot in asked.slots
            if slot.kind is not SlotKind.NEARBY
        ],
        "nearby": [
            _near(context, row, slot.key, slot.target) for slot in asked.of_kind(SlotKind.NEARBY)
        ],
    }


def _near(context: WorldContext, row: Row, key: str, target: str) -> dict[str, Any]:
    cell = row.get(key)
    return {
        "slot": key,
        "domain": target,
        "domain_name": context.pack.domain_name(target),
        "names": list(cell) if isinstance(cell, tuple) else [],
    }
