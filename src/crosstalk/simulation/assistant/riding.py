"""Rides between two places, and what can be said about how far apart they are."""

from dataclasses import replace

from crosstalk.database.rides import ends_of
from crosstalk.database.saying import answer
from crosstalk.dialogue.acts import INFORM, Act
from crosstalk.dialogue.schema import Domain, DomainKind
from crosstalk.dialogue.states import DomainState
from crosstalk.language.names import Place
from crosstalk.simulation.assistant.desk import Desk
from crosstalk.simulation.assistant.outcome import Result
from crosstalk.simulation.assistant.session import Asked


def ride(desk: Desk, domain: Domain) -> None:
    """Complete both ends of a ride, or ask for what is missing, and tell of it."""
    departure, destination = ends_of(domain)
    tab = _begun(desk, domain)
    for slot, place in desk.heard.ends.items():
        tab = tab.with_slot(slot, place[1])
    tab = _completed(desk, tab, departure, destination)
    desk.keep(tab)
    start, end = tab.get(departure), tab.get(destination)
    if not end:
        desk.ask(Asked.DESTINATION, "ask_destination", domain=domain.key)
    elif not start:
        desk.ask(Asked.DEPARTURE, "ask_departure", domain=domain.key)
    elif start == end:
        desk.keep(tab.with_slot(destination, ""))
        desk.ask(Asked.DESTINATION, "same_ends", domain=domain.key)
    else:
        tell_ride(desk, domain)


def _begun(desk: Desk, domain: Domain) -> DomainState:
    """The ends known so far: of this ride, or of one by other means that was just spoken of."""
    before = desk.office.schema.domain(desk.session.focus)
    tab = desk.session.form.get(domain.key)
    if before is None or before.kind is DomainKind.PLACE:
        return tab.cleared()
    ended = desk.session.form.get(before.key)
    for slot, other in zip(ends_of(domain), ends_of(before), strict=True):
        tab = tab.with_slot(slot, ended.get(other))
    return tab


def _completed(desk: Desk, tab: DomainState, departure: str, destination: str) -> DomainState:
    """Where one end is given, the other is the last place that was named or settled on."""
    start, end = tab.get(departure), tab.get(destination)
    offered = {name for names in desk.session.seen.values() for name in names}
    left = offered - set(desk.session.chosen.values()) | {start, end}
    recent = [name for _, name in desk.session.recent if name not in left]
    if recent and end and not start:
        return tab.with_slot(departure, recent[0])
    if recent and start and not end:
        return tab.with_slot(destination, recent[0])
    return tab


def tell_ride(desk: Desk, domain: Domain) -> None:
    """The stations or the car for the ends in the form."""
    tab = desk.session.form.get(domain.key)
    rows = desk.office.finder.search(domain.key, tab.constraints)
    start, end = (str(tab.get(slot)) for slot in ends_of(domain))
    if not (rows and start and end):
        desk.ask(Asked.DESTINATION, "ask_destination", domain=domain.key)
        return
    acts = [
        Act(INFORM, domain.key, slot.key, value)
        for slot in domain.slots
        for row in rows
        if slot.request and slot.key in row
        for value in answer(desk.office.pack, domain, row, slot.key)
    ]
    desk.say("ride", departure=start, destination=end)
    desk.tell(acts)
    wishes = {key: str(value) for key, value in tab.constraints.items()}
    desk.results.append(Result(domain.key, wishes, 1, (f"{start} - {end}",)))
    desk.session = replace(desk.session, focus=domain.key).passing(*desk.heard.ends.values())


def distance(desk: Desk) -> None:
    """Distances stand in no table; whether two places are listed as near each other does."""
    places = dict.fromkeys([*desk.heard.places, *desk.session.recent])
    desk.say("no_distance")
    if len(places) > 1:
        one, other = list(places)[:2]
        near = _is_listed(desk, one, other) or _is_listed(desk, other, one)
        desk.say("lies_near" if near else "not_listed_near", name=one[1], other=other[1])
    desk.say("distance_help")
    for place in reversed(desk.heard.places):
        desk.session = desk.session.choosing(place)


def _is_listed(desk: Desk, place: Place, other: Place) -> bool:
    domain = desk.office.schema.domain(other[0])
    rows = desk.office.finder.database.nearby(place[0], place[1], other[0])
    return any(domain and desk.office.teller.name(domain, row) == other[1] for row in rows)
