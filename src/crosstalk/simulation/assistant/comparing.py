"""Comparing: which of the places just spoken of is the cheaper one, or the better."""

from typing import Final

from crosstalk.database.tables import Row
from crosstalk.dialogue.schema import Domain, SlotKind
from crosstalk.language.names import Place
from crosstalk.simulation.assistant.desk import Desk

WHICH: Final = "which_of"
"""The cue of somebody who asks for one of several."""
MEASURES: Final = {
    "cheaper": (SlotKind.NUMBER, False),
    "cheapest": (SlotKind.NUMBER, False),
    "cheap": (SlotKind.NUMBER, False),
    "dearer": (SlotKind.NUMBER, True),
    "dearest": (SlotKind.NUMBER, True),
    "dear": (SlotKind.NUMBER, True),
    "better": (SlotKind.RATING, True),
    "best": (SlotKind.RATING, True),
    "good": (SlotKind.RATING, True),
}
"""Move -> the kind of number that is compared, and whether more of it is meant."""


def is_comparison(desk: Desk) -> bool:
    """Whether places of the last answer are to be compared."""
    alike = len({domain for domain, _ in desk.session.listed}) == 1
    several = alike and len(desk.session.listed) > 1
    return several and WHICH in desk.heard.cues and bool(desk.heard.cues & MEASURES.keys())


def compare(desk: Desk) -> None:
    """Tell each place's number, and which place that makes the choice."""
    places = desk.session.listed
    domain = desk.office.schema.domain(places[0][0])
    kind, more = next(MEASURES[cue] for cue in MEASURES if cue in desk.heard.cues)
    slot = next(iter(domain.of_kind(kind)), None) if domain else None
    if domain is None or slot is None:
        return
    rows = [(place, desk.office.finder.database.find(*place)) for place in places]
    measured = {
        place: float(str(row[slot.key]))
        for place, row in rows
        if row is not None and isinstance(row.get(slot.key), int | float)
    }
    for _, row in rows:
        if row is not None:
            _tell(desk, domain, row, slot.key)
    _name_first(desk, measured, more)


def _tell(desk: Desk, domain: Domain, row: Row, slot: str) -> None:
    teller = desk.office.teller
    desk.tell(teller.named(domain, row), list(teller.about(domain, row, slot)))


def _name_first(desk: Desk, measured: dict[Place, float], more: bool) -> None:
    """The one place that is ahead becomes what the talk is about; two that are equal do not."""
    ahead = (max if more else min)(measured.values(), default=0.0)
    first = [place for place, number in measured.items() if number == ahead]
    if len(first) == 1:
        desk.say("winner", name=first[0][1])
        desk.session = desk.session.choosing(first[0])
