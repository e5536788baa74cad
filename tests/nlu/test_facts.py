import pytest

from crosstalk.dialogue.schema import Slot
from crosstalk.language.gazetteer import SAID, Gazetteer
from crosstalk.system.nlu.facts import Entity, Facts
from crosstalk.worlds.tables import World

GRAND = Entity("hotel", "Grand Hotel Halmora")


@pytest.fixture(scope="module")
def facts(harbour: World) -> Facts:
    return Facts(harbour, Gazetteer.of(harbour.columns(*SAID)))


def slot(facts: Facts, domain: str, key: str) -> Slot:
    found = facts.world.schema.domain(domain)
    its = found.slot(key) if found else None
    assert its
    return its


def test_entities_are_found_by_name(facts: Facts) -> None:
    [(match, entity)] = facts.entities_in("We stay at the grand hotel halmora.")
    assert entity == GRAND
    assert match.start == 15


def test_a_phone_in_other_signs_is_still_that_phone(facts: Facts) -> None:
    told = dict(facts.told_loosely(GRAND, "Ring 0482 6111857."))
    assert told == {"phone": "0482-6111857"}
    assert not dict(facts.told_loosely(GRAND, "Ring 0482 6111858."))


def test_a_name_in_other_case_is_written_as_the_tables_write_it(facts: Facts) -> None:
    name = slot(facts, "hotel", "name")
    assert list(facts.canonical("hotel", name, "GRAND HOTEL HALMORA")) == ["Grand Hotel Halmora"]


def test_a_number_may_mean_itself_or_a_bound(facts: Facts) -> None:
    rating = slot(facts, "hotel", "rating")
    said = list(facts.canonical("hotel", rating, "4.5"))
    assert "4.5" in said
    assert len(said) >= 3  # the bare number, the number with its unit, "and more"


def test_stations_of_a_place(facts: Facts) -> None:
    assert facts.stations("Grand Hotel Halmora") == {"Cathedral Square metro, exit D"}
    assert facts.stations("Nowhere") == frozenset()
