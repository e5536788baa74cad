"""The results that a form shows: which places, and how far down one stands."""

from collections.abc import Mapping

from crosstalk.dialogue.schema import Domain
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row

MANY = 99
"""Stands for more results than anyone looks at."""


def results(
    database: Database, domain: Domain, constraints: Mapping[str, SlotValue]
) -> tuple[Row, ...]:
    """The rows that meet all constraints but a name."""
    name = domain.name_slot.key if domain.name_slot else ""
    rest = {key: value for key, value in constraints.items() if key != name and value}
    return database.search(domain.key, rest)


def place_of(database: Database, domain: Domain, form: SystemState, name: SlotValue) -> int:
    """Where a place stands among the results of a form, from 0; MANY where it is not seen."""
    assert domain.name_slot is not None
    rows = results(database, domain, form.get(domain.key).constraints)[:MANY]
    names = [row[domain.name_slot.key] for row in rows]
    return names.index(name) if name in names else MANY
