"""A world described: its domains, slots and an example of each, as JSON and in words."""

from collections.abc import Iterable
from typing import Any

from crosstalk.dialogue.schema import Domain, Slot
from crosstalk.worlds.saying import answer
from crosstalk.worlds.tables import Row, World


def world_record(world: World, domains: Iterable[Domain]) -> dict[str, Any]:
    """As JSON."""
    return {
        "name": world.name,
        "language": world.language.code,
        "domains": [_domain_record(world, domain) for domain in domains],
    }


def _domain_record(world: World, domain: Domain) -> dict[str, Any]:
    return {
        "key": domain.key,
        "name": world.language.domain_name(domain.key),
        "kind": domain.kind,
        "entities": count_rows(world, domain),
        "slots": [_slot_record(world, domain, slot) for slot in domain.slots],
        "example": example_row(world, domain),
    }


def _slot_record(world: World, domain: Domain, slot: Slot) -> dict[str, Any]:
    return {
        "key": slot.key,
        "name": world.language.slot_name(domain.key, slot.key),
        "kind": slot.kind,
        "target": slot.target,
        "search": slot.search,
        "constrain": slot.constrain,
        "request": slot.request,
    }


def slot_table(world: World, domain: Domain) -> list[list[str]]:
    """For each slot: its key, its name, its kind, what it is used to, an example."""
    example = example_row(world, domain)
    rows = []
    for slot in domain.slots:
        uses = [use for use in ("search", "constrain", "request") if getattr(slot, use)]
        kind = f"{slot.kind} of {slot.target}" if slot.target else str(slot.kind)
        name = world.language.slot_name(domain.key, slot.key)
        said = cell_text(world, domain, slot.key, example) if example else ""
        rows.append([slot.key, name, kind, " ".join(uses), said])
    return rows


def count_rows(world: World, domain: Domain) -> int | None:
    """None for domains without a table."""
    table = world.tables.get(domain.key)
    return len(table) if table else None


def example_row(world: World, domain: Domain) -> Row | None:
    """The first row of a domain's table."""
    table = world.tables.get(domain.key)
    return table.rows[0] if table else None


def cell_text(world: World, domain: Domain, key: str, row: Row, most: int = 3) -> str:
    """What a row says of a slot; of long lists the first terms."""
    if key not in row:
        return ""
    texts = answer(world.language, domain, row, key)
    more = f", ... ({len(texts)})" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more
