"""Table 3: what a world's tables hold."""

from pathlib import Path

import pytest

from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Domain, DomainKind, Schema, Slot, SlotKind
from crosstalk.statistics.world_counts import PlaceCounts, count_world
from crosstalk.worlds.tables import Table, World
from crosstalk.worlds.world import load_world

CAFE = Domain(
    "cafe",
    DomainKind.PLACE,
    (
        Slot("name", SlotKind.NAME),
        Slot("phone", SlotKind.TEXT),
        Slot("station", SlotKind.STATION),
        Slot("extras", SlotKind.SERVICES),
        Slot("cafes", SlotKind.NEARBY, target="cafe"),
    ),
)
ROWS = (
    {"name": "Mole", "phone": None, "station": "Pier", "extras": ("wifi", "\n "), "cafes": ("Q",)},
    {"name": "Quay", "phone": None, "station": None, "extras": ("wifi", "bar"), "cafes": ()},
)


def world(*tables: Table) -> World:
    schema = Schema(tuple(table.domain for table in tables))
    named = {table.domain.key: table for table in tables}
    return World("tiny", schema, LanguagePack("en", "English"), named)


def test_a_table_counted_by_head() -> None:
    """Nobody has a phone, the station is the metro's: name and nearby cafes are left."""
    (cafe,) = count_world(world(Table(CAFE, ROWS)))
    assert cafe == PlaceCounts("cafe", entities=2, slots=2, services=2, links={"cafe": 1})
    assert cafe.nearby("cafe") == 0.5
    assert cafe.nearby("hotel") is None


def test_an_empty_table() -> None:
    (cafe,) = count_world(world(Table(CAFE, ())))
    assert (cafe.entities, cafe.slots, cafe.nearby("cafe")) == (0, 0, None)


def test_table_3_of_the_paper(data_folder: Path) -> None:
    places = count_world(load_world("crosswoz", data=data_folder))
    assert [place.entities for place in places] == [465, 951, 1133]
    assert [place.slots for place in places] == [9, 10, 8]
    assert [place.services for place in places] == [0, 0, 37]
    means = [[place.nearby(target) for target in ("景点", "餐馆", "酒店")] for place in places]
    published = [[4.72, 6.74, 2.06], [3.30, 4.15, 2.37], [0.85, 1.99, 0]]
    for mean, expected in zip(means, published, strict=True):
        assert mean == pytest.approx(expected, abs=0.005)
