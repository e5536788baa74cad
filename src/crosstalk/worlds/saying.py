"""Cells and results as people say them: `75元`, `4.5 points`, `free`, `none`."""

from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, DomainKind, Slot, SlotKind
from crosstalk.language.number_forms import forms_of, say_number
from crosstalk.worlds.rides import ends_of
from crosstalk.worlds.tables import Cell, Row, World


def say_cell(pack: LanguagePack, domain: Domain, slot: Slot, cell: Cell) -> tuple[str, ...]:
    """The texts that tell a cell; where nothing is known or there is none, the word for that."""
    if isinstance(cell, int | float):
        return (say_number(forms_of(pack, domain.key, slot), cell),)
    if isinstance(cell, tuple):
        return cell or (pack.nothing,)
    return (cell or pack.nothing,)


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
