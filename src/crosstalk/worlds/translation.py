"""A world's values in another of its languages."""

from collections.abc import Mapping
from dataclasses import replace

from crosstalk.dialogue.schema import Domain, Schema, Slot, SlotKind
from crosstalk.worlds.tables import Cell, Row, Table, World


def translated(world: World) -> World:
    """The world with the values of its language in the place of the base language's."""
    values = world.language.values
    domains = tuple(_translated_domain(domain, values) for domain in world.schema)
    tables = {
        domain.key: Table(domain, _translated_rows(world.schema, world.tables[domain.key], values))
        for domain in domains
        if domain.key in world.tables
    }
    return replace(world, schema=replace(world.schema, domains=domains), tables=tables)


def _translated_domain(domain: Domain, values: Mapping[str, Mapping[str, str]]) -> Domain:
    return replace(domain, slots=tuple(_translated_slot(slot, values) for slot in domain.slots))


def _translated_slot(slot: Slot, values: Mapping[str, Mapping[str, str]]) -> Slot:
    terms = values.get(slot.key, {})
    return replace(
        slot,
        tags=frozenset(terms.get(tag, tag) for tag in slot.tags),
        exclusive=tuple(frozenset(terms.get(each, each) for each in g) for g in slot.exclusive),
    )


def _translated_rows(
    schema: Schema, table: Table, values: Mapping[str, Mapping[str, str]]
) -> tuple[Row, ...]:
    renderings = {
        slot.key: values.get(rendering_key(schema, slot), {}) for slot in table.domain.slots
    }
    return tuple(
        {key: _translated_cell(cell, renderings[key]) for key, cell in row.items()}
        for row in table.rows
    )


def rendering_key(schema: Schema, slot: Slot) -> str:
    """Whose renderings a slot's values use: nearby places are said by their names."""
    if slot.kind is not SlotKind.NEARBY:
        return slot.key
    target = schema.domain(slot.target)
    name_slot = target.name_slot if target else None
    return name_slot.key if name_slot else slot.key


def _translated_cell(cell: Cell, renderings: Mapping[str, str]) -> Cell:
    """A value without a rendering stays as the table has it; `world check` reports it."""
    if isinstance(cell, str):
        return renderings.get(cell, cell)
    if isinstance(cell, tuple):
        return tuple(renderings.get(term, term) for term in cell)
    return cell
