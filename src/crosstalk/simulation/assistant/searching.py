"""Searching: the form to places, and one of them, or a list, or the closest there is."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crosstalk.database.numbers import forms_of, read_bounds
from crosstalk.database.relaxing import relax
from crosstalk.database.saying import answer
from crosstalk.database.tables import Row
from crosstalk.dialogue.acts import INFORM, NO_OFFER, RECOMMEND, Act
from crosstalk.dialogue.schema import Domain, SlotKind
from crosstalk.dialogue.states import DomainState
from crosstalk.simulation.assistant.desk import Desk
from crosstalk.simulation.assistant.session import Asked
from crosstalk.simulation.assistant.telling import MOST
from crosstalk.simulation.assistant.wishing import ORDERS, RELATIVE, take_wishes

NARROWING: Final = (
    SlotKind.NUMBER,
    SlotKind.RATING,
    SlotKind.LIST,
    SlotKind.CATEGORY,
    SlotKind.SERVICES,
)
"""What people are asked about to narrow a search, in this order."""


def search(desk: Desk, domain: Domain, asked: Sequence[str]) -> None:
    """Look for what is wished for, and say what there is; `asked` is to be told of it as well."""
    if domain.key in desk.heard.near and desk.heard.near[domain.key] is None:
        desk.ask(Asked.NEAR, "near_what")
        return
    if not take_wishes(desk, domain):
        return
    tab = desk.session.form.get(domain.key)
    rows = _ordered(desk, domain, desk.office.finder.search(domain.key, tab.constraints))
    fresh = _unseen(desk, domain, rows)
    names = [desk.office.teller.name(domain, row) for row in rows]
    if not rows:
        _closest(desk, domain, tab, asked)
    elif not fresh and domain.key not in desk.heard.near:
        desk.note(domain, rows)
        desk.say("no_more")
    elif len(rows) == 1 and "listing" in desk.heard.cues and _nearby(desk, domain, names):
        _only_one(desk, domain, rows)
    elif desk.heard.cues & {"listing", "count"} and len(rows) > 1:
        _list(desk, domain, rows, fresh or rows)
    else:
        _offer(desk, domain, rows, _preferred(desk, domain, fresh or rows), asked)


def _offer(desk: Desk, domain: Domain, rows: Sequence[Row], row: Row, asked: Sequence[str]) -> None:
    tab = desk.session.form.get(domain.key)
    desk.note(domain, rows)
    _count(desk, domain, len(rows))
    _present(desk, domain, row, asked, tab)
    if not tab.constraints and len(rows) > MOST:
        desk.ask(Asked.WISH, "ask_wish", slots=desk.office.enumerated(_narrowing(desk, domain)))
    elif not asked:
        desk.ask(Asked.DETAILS, "ask_details")


def _present(
    desk: Desk,
    domain: Domain,
    row: Row,
    asked: Sequence[str],
    tab: DomainState,
    before: Sequence[Act] = (),
) -> None:
    """The place by name, then what is known of it: two sentences read better than one."""
    teller = desk.office.teller
    name = teller.name(domain, row)
    told = [act for slot in asked for act in teller.about(domain, row, slot)]
    desk.tell(before, teller.named(domain, row))
    desk.tell(teller.brief(domain, row), teller.wished(domain, row, tab), told)
    say_missing(desk, domain, row, asked)
    desk.session = desk.session.choosing((domain.key, name)).offering(domain.key, (name,))
    desk.session = replace(desk.session, listed=((domain.key, name),))
    if asked:
        desk.session = replace(desk.session, used=desk.session.used | {domain.key})


def say_missing(desk: Desk, domain: Domain, row: Row, asked: Sequence[str]) -> None:
    """Name what was asked for and stands in no table."""
    teller, office = desk.office.teller, desk.office
    missing = [slot for slot in asked if not teller.about(domain, row, slot)]
    if missing:
        slots = office.enumerated([office.called(domain, slot) for slot in missing])
        desk.say("not_recorded", name=teller.name(domain, row), slots=slots)


def _list(desk: Desk, domain: Domain, rows: Sequence[Row], fresh: Sequence[Row]) -> None:
    desk.note(domain, rows)
    _count(desk, domain, len(rows))
    names = tuple(desk.office.teller.name(domain, row) for row in fresh[:MOST])
    slot = domain.name_slot.key if domain.name_slot else ""
    key = "listed_all" if len(rows) <= MOST else "listed"
    acts = _nearby(desk, domain, names)
    acts = acts or [Act(RECOMMEND, domain.key, slot, name) for name in names]
    desk.say(key, *acts, names=desk.office.enumerated(names))
    source = {str(value) for value in desk.session.form.get(domain.key).constraints.values()}
    kept = {
        key: name
        for key, name in desk.session.chosen.items()
        if key != domain.key or name in source  # the place they are near stays under discussion
    }
    listed = tuple((domain.key, name) for name in names)
    desk.session = replace(desk.session, listed=listed, chosen=kept, focus=domain.key)
    desk.session = desk.session.offering(domain.key, names)


def _only_one(desk: Desk, domain: Domain, rows: Sequence[Row]) -> None:
    """The one place near another; the talk stays with that other."""
    desk.note(domain, rows)
    name = desk.office.teller.name(domain, rows[0])
    desk.tell(_source(desk, domain), _nearby(desk, domain, [name]))
    desk.session = replace(desk.session, listed=((domain.key, name),), focus=domain.key)
    desk.session = desk.session.offering(domain.key, (name,))
    desk.ask(Asked.NAME, "more_about_it")


def _source(desk: Desk, domain: Domain) -> list[Act]:
    """The name of the place that others are wanted near."""
    for key, value in desk.session.form.get(domain.key).constraints.items():
        slot = domain.slot(key)
        near = desk.office.schema.domain(slot.target) if slot else None
        if near and near.name_slot:
            return [Act(INFORM, near.key, near.name_slot.key, str(value))]
    return []


def _nearby(desk: Desk, domain: Domain, names: Sequence[str]) -> list[Act]:
    """What naming places says about the one they were wanted near, where that was the only wish."""
    wishes = desk.session.form.get(domain.key).constraints
    wish = domain.slot(next(iter(wishes), ""))
    if len(wishes) != 1 or wish is None or wish.kind is not SlotKind.NEARBY:
        return []
    near = desk.office.schema.domain(wish.target)
    row = desk.office.finder.database.find(wish.target, str(wishes[wish.key]))
    slots = (
        [slot for slot in near.of_kind(SlotKind.NEARBY) if slot.target == domain.key]
        if near
        else []
    )
    if near is None or row is None or not slots:
        return []
    listed = answer(desk.office.pack, near, row, slots[0].key)
    return [Act(INFORM, near.key, slots[0].key, name) for name in names if name in listed]


def _closest(desk: Desk, domain: Domain, tab: DomainState, asked: Sequence[str]) -> None:
    """Where nothing meets all wishes: what misses fewest of them, and which."""
    if nothing := _nearby(desk, domain, [desk.office.pack.nothing]):
        desk.note(domain, ())
        desk.tell(nothing)
        return
    relaxed = relax(desk.office.finder, domain.key, tab.constraints)
    rows = sorted(relaxed.rows, key=lambda row: _miss(desk, domain, row, tab))
    fresh = _unseen(desk, domain, _ordered(desk, domain, rows))
    no_offer = Act(NO_OFFER, domain.key)
    if not fresh:
        desk.note(domain, ())
        desk.tell([no_offer])
        return
    missed = desk.office.finder.unmet(domain.key, fresh[0], tab.constraints)
    desk.note(domain, fresh[:1], missed)
    kept = tuple((key, "" if key in missed else value) for key, value in tab.slots)
    _present(desk, domain, fresh[0], asked, DomainState(tab.domain, kept), [no_offer])
    desk.session = replace(desk.session, missed=tuple((domain.key, key) for key in missed))
    wishes = [desk.office.wish(domain, key, tab.get(key)) for key in missed]
    desk.say("not_met", wishes=desk.office.enumerated(wishes))
    desk.ask(Asked.DETAILS, "ask_details")


def _miss(desk: Desk, domain: Domain, row: Row, tab: DomainState) -> float:
    """By how much a place misses the numbers that were wished for, as a share of them."""
    total = 0.0
    for slot in domain.of_kind(SlotKind.NUMBER, SlotKind.RATING):
        wish, value = str(tab.get(slot.key)), row.get(slot.key)
        forms = forms_of(desk.office.pack, domain.key, slot)
        bounds = read_bounds(forms, wish) if wish else None
        if bounds and isinstance(value, int | float):
            over = value - bounds.high if bounds.high is not None else 0.0
            under = bounds.low - value if bounds.low is not None else 0.0
            total += max(over, under, 0.0) / max(bounds.high or bounds.low or 1.0, 1.0)
        elif bounds:
            total += 1.0
    return total


def _count(desk: Desk, domain: Domain, count: int) -> None:
    """How many there are and what was searched for, unless that has just been said."""
    cues, tab = desk.heard.cues, desk.session.form.get(domain.key)
    if "another" in cues and desk.session.seen.get(domain.key):
        return
    if not tab.constraints and not cues & {"count", "listing"}:
        return
    key = "found_one" if count == 1 else "found_many" if tab.constraints else "found_all"
    key = "counted" if "count" in cues else key
    desk.say(key, count=str(count), wishes=desk.office.wishes(domain, tab))


def _ordered(desk: Desk, domain: Domain, rows: Sequence[Row]) -> tuple[Row, ...]:
    order = desk.session.order.get(domain.key, "")
    kind = SlotKind.RATING if order == "best" else SlotKind.NUMBER
    slot = next(iter(domain.of_kind(kind)), None)
    if not order or slot is None:
        return tuple(rows)
    key, sign = slot.key, 1 if order == "cheapest" else -1

    def place(row: Row) -> tuple[bool, float]:
        value = row.get(key)
        known = isinstance(value, int | float)
        return not known, sign * float(value) if isinstance(value, int | float) else 0.0

    return tuple(sorted(rows, key=place))


def _unseen(desk: Desk, domain: Domain, rows: Sequence[Row]) -> tuple[Row, ...]:
    """Without those offered before, where another one is wanted."""
    if "another" not in desk.heard.cues:
        return tuple(rows)
    seen = desk.session.seen.get(domain.key, ())
    return tuple(row for row in rows if desk.office.teller.name(domain, row) not in seen)


def _preferred(desk: Desk, domain: Domain, rows: Sequence[Row]) -> Row:
    """The place under discussion where it still fits, unless others come first now."""
    current = desk.session.chosen.get(domain.key)
    if desk.heard.cues & (RELATIVE | ORDERS):
        return rows[0]
    named = (row for row in rows if desk.office.teller.name(domain, row) == current)
    return next(named, rows[0])


def _narrowing(desk: Desk, domain: Domain) -> list[str]:
    slots = [slot for kind in NARROWING for slot in domain.of_kind(kind) if slot.search]
    return [desk.office.pack.slot_name(domain.key, slot.key) for slot in slots[:3]]
