"""Wishes into the form: what to search for after what was said."""

from dataclasses import replace
from typing import Final

from crosstalk.database.conditions import terms
from crosstalk.database.numbers import forms_of, say_band
from crosstalk.database.tables import Row
from crosstalk.dialogue.schema import Band, Domain, Slot, SlotKind
from crosstalk.dialogue.states import DomainState
from crosstalk.language.names import Place
from crosstalk.simulation.assistant.desk import Desk
from crosstalk.system.dst.rule import appended, nearby_slot

RELATIVE: Final = frozenset({"another", "cheaper", "dearer", "better"})
"""Moves that go on from the place under discussion."""
ORDERS: Final = frozenset({"cheapest", "dearest", "best"})
"""Moves that say which places come first."""
CLEARLY: Final = 0.8
"""Who asks for something cheaper wants at least a fifth off, where that can be had."""
STEPS: Final = {
    "cheaper": (SlotKind.NUMBER, False, "cheapest"),
    "dearer": (SlotKind.NUMBER, True, "dearest"),
    "better": (SlotKind.RATING, True, "best"),
}
"""Move -> the kind of number it is about, whether upwards, and the order that serves instead."""


def take_wishes(desk: Desk, domain: Domain) -> bool:
    """Write what was said about a domain into the form; False where no place could be left."""
    if _starts_anew(desk, domain):
        source = desk.heard.near.get(domain.key)
        desk.session = desk.session.anew(domain.key)
        if source and source[0] == domain.key:
            desk.session = desk.session.choosing(source)
    chosen = desk.chosen(domain)
    tab = _without_dropped(desk, domain, desk.session.form.get(domain.key))
    tab = _without_unwanted(desk, domain, tab)
    name = domain.name_slot
    if name and desk.office.finder.database.find(domain.key, str(tab.get(name.key))):
        tab = tab.with_slot(name.key, "")  # a search ends with one place and begins with none
    if place := desk.heard.near.get(domain.key):
        tab = _near(desk, domain, tab, place)
    for where, slot, value in desk.heard.wishes:
        if where == domain.key:
            tab = _with(desk, domain, tab, slot, value)
    for order in desk.heard.cues & ORDERS:
        _order(desk, domain, order)
    stepped = _stepped(desk, domain, tab, chosen)
    desk.keep(stepped or tab)
    return stepped is not None


def _starts_anew(desk: Desk, domain: Domain) -> bool:
    """Whether a domain that was named opens a new search instead of narrowing the old one."""
    heard, session, key = desk.heard, desk.session, domain.key
    if key not in heard.domains or heard.cues & RELATIVE:
        return False
    if key in heard.near or heard.cues & ORDERS:
        return True
    return session.focus != key or key in session.used


def _without_dropped(desk: Desk, domain: Domain, tab: DomainState) -> DomainState:
    dropped = [slot for key, slot in desk.heard.dropped if key == domain.key and tab.get(slot)]
    for slot in dropped:
        tab = tab.with_slot(slot, "")
    if dropped:
        names = [desk.office.called(domain, slot) for slot in dropped]
        desk.say("dropped", slots=desk.office.enumerated(names))
    return tab


def _without_unwanted(desk: Desk, domain: Domain, tab: DomainState) -> DomainState:
    """The tab without wishes that were taken back."""
    for where, key, value in desk.heard.unwanted:
        before = terms(desk.office.pack, tab.get(key)) if where == domain.key else ()
        left = tuple(term for term in before if value not in term)  # breakfast: the free one too
        if left == tuple(before):
            continue
        separator = desk.office.pack.term_separator
        tab = tab.with_slot(key, appended("", left, separator) if left else "")
        desk.say("dropped", slots=value)
    return tab


def _near(desk: Desk, domain: Domain, tab: DomainState, place: Place) -> DomainState:
    key = nearby_slot(desk.office.schema, domain.key, place[0])
    if domain.slot(key) not in domain.form:
        desk.say("not_near")
        return tab
    for other in domain.of_kind(SlotKind.NEARBY):
        tab = tab.with_slot(other.key, "") if other.search else tab
    return tab.with_slot(key, place[1])


def _with(desk: Desk, domain: Domain, tab: DomainState, key: str, value: str) -> DomainState:
    slot = domain.slot(key)
    if slot is None or not slot.search:
        return tab
    if slot.kind not in (SlotKind.LIST, SlotKind.SERVICES):
        return tab.with_slot(key, value)
    before = tab.get(key)
    if value in terms(desk.office.pack, before):
        return tab
    return tab.with_slot(key, appended(before, (value,), desk.office.pack.term_separator))


def _order(desk: Desk, domain: Domain, order: str) -> None:
    desk.session = replace(desk.session, order={**desk.session.order, domain.key: order})


def _stepped(
    desk: Desk, domain: Domain, tab: DomainState, chosen: Row | None
) -> DomainState | None:
    """Cheaper, dearer or better than the place under discussion; None where there is none."""
    for move, (kind, upwards, order) in STEPS.items():
        slot = next(iter(domain.of_kind(kind)), None)
        if move not in desk.heard.cues or slot is None:
            continue
        if chosen is None or not isinstance(chosen.get(slot.key), int | float):
            _order(desk, domain, order)
            tab = tab.with_slot(slot.key, "")
            continue
        band = _beyond(desk, domain, tab, slot, chosen, upwards)
        if band is None:
            desk.say(f"no_{move}")
            return None
        tab = tab.with_slot(slot.key, say_band(forms_of(desk.office.pack, domain.key, slot), band))
    return tab


def _beyond(
    desk: Desk, domain: Domain, tab: DomainState, slot: Slot, chosen: Row, upwards: bool
) -> Band | None:
    """The numbers beyond the chosen place's; None where no place that fits has any."""
    base = float(str(chosen[slot.key]))
    others = {key: value for key, value in tab.constraints.items() if key != slot.key}
    rows = desk.office.finder.search(domain.key, others)
    numbers = [float(each) for row in rows if isinstance(each := row.get(slot.key), int | float)]
    if upwards:
        higher = [number for number in numbers if number > base]
        return Band(min(higher), None) if higher else None
    lower = [number for number in numbers if number < base]
    clearly = [number for number in lower if number <= base * CLEARLY]
    return Band(None, max(clearly or lower)) if lower else None
