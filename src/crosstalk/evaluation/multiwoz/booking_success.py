"""Whether people, or a system, booked what the goal wants: success by the state of the tables.

A booking goal is met if a booked row meets the constraints and the booking has the people, day,
time and stay of the goal. `info` and `book` are the last wishes of a goal (`fail_info` and
`fail_book` come before them), so the last state is compared.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from crosstalk.corpora.multiwoz import BOOK, BOOKED, EXTRAS
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.states import DomainState
from crosstalk.evaluation.multiwoz.spellings import state_slot
from crosstalk.evaluation.multiwoz.venue_tables import VenueTables, rows_meet
from crosstalk.evaluation.scores import Share

KEYS: Final = {"hotel": "name", "restaurant": "name", "train": "trainID"}
"""Domains that are booked, and what a booking names its row by."""


def booking_success(dialogue: Dialogue, tables: VenueTables) -> Share:
    """The booking goals of a dialogue, and how many of them its last state meets."""
    wishes = dict(_booking_goals(dialogue))
    last = next((turn for turn in reversed(dialogue.turns) if turn.first_query), None)
    if last is None or last.first_query is None:
        return Share(0, len(wishes))
    booked: Mapping[str, Any] = last.extras.get(EXTRAS, {}).get(BOOKED, {})
    met = sum(
        _is_met(domain, wish, last.first_query.get(domain), booked.get(domain) or (), tables)
        for domain, wish in wishes.items()
    )
    return Share(met, len(wishes))


def _booking_goals(dialogue: Dialogue) -> Iterator[tuple[str, dict[str, str]]]:
    """Domain and wishes, constraints and booking slots together."""
    wishes: dict[str, dict[str, str]] = {}
    for each in dialogue.goal.tuples if dialogue.goal else ():
        if each.domain in KEYS and not each.is_open:
            wishes.setdefault(each.domain, {})[each.slot] = str(each.value)
    for domain, wish in wishes.items():
        if any(slot.startswith(BOOK) for slot in wish):
            yield domain, wish


def _is_met(
    domain: str, wish: Mapping[str, str], tab: DomainState, booked: Any, tables: VenueTables
) -> bool:
    info = {state_slot(slot): value for slot, value in wish.items() if not slot.startswith(BOOK)}
    asked = {slot: value for slot, value in wish.items() if slot.startswith(BOOK)}
    if any(tab.get(slot) != value for slot, value in asked.items()):
        return False
    key = KEYS[domain]
    return any(
        rows_meet(tables, domain, {**info, state_slot(key): entry.get(key, "")}) for entry in booked
    )
