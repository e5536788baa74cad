"""Cells, rows and whole worlds as text and as JSON: `75元`, `4.5 points`, `free`, `none`."""

from collections.abc import Iterable
from typing import Any

from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, DomainKind, Slot, SlotKind
from crosstalk.language.number_forms import forms_of, say_number
from crosstalk.worlds.queries import ends_of
from crosstalk.worlds.tables import Cell, Row, World


def say_cell(pack: LanguagePack, domain: Domain, slot: Slot, cell: Cell) -> tuple[str, ...]:
    """The texts that tell a cell; where nothing is known or there is none, the word for that."""
    if isinstance(cell, int | float):
        return (say_amount(pack, domain.key, slot, cell),)
    if isinstance(cell, tuple):
        return cell or (pack.nothing,)
    return (cell or pack.nothing,)


def say_amount(pack: LanguagePack, domain: str, slot: Slot, number: float) -> str:
    """A number with its unit; money that is not whole has two decimals: `16.50 pounds`."""
    said = say_number(forms_of(pack, domain, slot), number)
    if slot.kind is not SlotKind.MONEY or float(number).is_integer():
        return said
    decimal = forms_of(pack, domain, slot).decimal
    short = f"{number:g}".replace(".", decimal)
    return said.replace(short, f"{number:.2f}".replace(".", decimal), 1)


def answer(pack: LanguagePack, domain: Domain, row: Row, key: str) -> tuple[str, ...]:
    """What a row says when asked for a slot; `<services>-<service>` is answered with yes or no."""
    slot = domain.slot(key)
    if slot is None:
        return (pack.nothing,)
    cell = row.get(slot.key)
    if slot.kind is SlotKind.SERVICES and key != slot.key:
        service = key.removeprefix(slot.key + SERVICE_MARK)
        return (pack.yes if isinstance(cell, tuple) and service in cell else pack.no,)
    return say_cell(pack, domain, slot, cell)


def label(world: World, domain: Domain, row: Row) -> str:
    """What a result list calls a row: its name, `(起点) 故宫`, or `出租 (故宫 - 天坛)`."""
    pack = world.language
    if domain.kind is DomainKind.PLACE:
        return str(row[domain.name_slot.key]) if domain.name_slot else ""
    ends = [key for key in ends_of(domain) if key in row]
    if domain.kind is DomainKind.TAXI:
        return f"{pack.domain_name(domain.key)} ({' - '.join(str(row[key]) for key in ends)})"
    return f"({pack.slot_name(domain.key, ends[0])}) {row[ends[0]]}"


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
