import pytest

from crosstalk.dialogue.schema import Slot
from crosstalk.language.gazetteer import SAID, Gazetteer
from crosstalk.system.nlu.entity_lookup import Entity, EntityLookup
from crosstalk.worlds.tables import World

GRAND = Entity("hotel", "Grand Hotel Halmora")


@pytest.fixture(scope="module")
def lookup(harbour: World) -> EntityLookup:
    return EntityLookup(harbour, Gazetteer.of(harbour.columns(*SAID)))


def slot(lookup: EntityLookup, domain: str, key: str) -> Slot:
    found = lookup.world.schema.domain(domain)
    its = found.slot(key) if found else None
    assert its
    return its


def test_entities_are_found_by_name(lookup: EntityLookup) -> None:
    [(match, entity)] = lookup.entities_in("We stay at the grand hotel halmora.")
    assert entity == GRAND
    assert match.start == 15


def test_a_phone_in_other_signs_is_still_that_phone(lookup: EntityLookup) -> None:
    told = dict(lookup.values_mentioned(GRAND, "Ring 0482 6111857."))
    assert told == {"phone": "0482-6111857"}
    assert not dict(lookup.values_mentioned(GRAND, "Ring 0482 6111858."))


def test_a_name_in_other_case_is_written_as_the_tables_write_it(lookup: EntityLookup) -> None:
    name = slot(lookup, "hotel", "name")
    assert list(lookup.canonical("hotel", name, "GRAND HOTEL HALMORA")) == ["Grand Hotel Halmora"]


def test_a_number_may_mean_itself_or_a_bound(lookup: EntityLookup) -> None:
    rating = slot(lookup, "hotel", "rating")
    said = list(lookup.canonical("hotel", rating, "4.5"))
    assert "4.5" in said
    assert len(said) >= 3  # the bare number, the number with its unit, "and more"


def test_stations_of_a_place(lookup: EntityLookup) -> None:
    assert lookup.stations("Grand Hotel Halmora") == {"Cathedral Square metro, exit D"}
    assert lookup.stations("Nowhere") == frozenset()
