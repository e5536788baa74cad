"""Values for delexicalised acts: the published way with its defects, and the mended one."""

from collections.abc import Mapping, Sequence

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.system.policy.delexicalised_acts import lexicalise, lexicalise_as_published
from crosstalk.worlds.tables import Row, World
from crosstalk.worlds.world import load_world

KETTLE: Row = {
    "name": "The Kettle",
    "dishes": ("live music", "plum cake", "rye bread"),
    "cost": None,
    "rating": 4.0,
    "nearby_hotels": ("Pilot House", "Old Mint Hotel"),
    "nearby_attractions": (),
}
LADLE: Row = {**KETTLE, "name": "The Ladle"}
PIER: Row = {"name": "The Pier", "fee": 0, "phone": None}
MINT: Row = {"name": "Old Mint Hotel", "services": ("breakfast",)}


@pytest.fixture(scope="module")
def harbour() -> World:
    return load_world("harbour")


def both(
    world: World, acts: Sequence[Act], domain: str, found: Mapping[str, Sequence[Row]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The values said in the published way, and in the mended one."""
    results = {key: tuple(rows) for key, rows in found.items()}

    def rows_of(key: str) -> Sequence[Row]:
        return results.get(key, ())

    published = lexicalise_as_published(world, acts, domain, rows_of)
    mended = lexicalise(world, acts, domain, rows_of)
    return tuple(act.value for act in published), tuple(act.value for act in mended)


def inform(domain: str, slot: str, *numbers: int) -> list[Act]:
    return [Act("Inform", domain, slot, str(number)) for number in numbers]


def test_recommendations_are_the_rows_in_their_order(harbour: World) -> None:
    acts = [Act("Recommend", "restaurant", "name", str(number)) for number in (1, 2, 3)]
    said = both(harbour, acts, "restaurant", {"restaurant": [KETTLE, LADLE]})
    assert said == (("The Kettle", "The Ladle"), ("The Kettle", "The Ladle"))


def test_lists_longer_than_the_results_are_cut_only_in_the_published_way(harbour: World) -> None:
    acts = inform("restaurant", "nearby_hotels", 1, 2)
    said = both(harbour, acts, "restaurant", {"restaurant": [KETTLE]})
    assert said == (("Pilot House",), ("Pilot House", "Old Mint Hotel"))


def test_an_empty_list_is_told_only_in_the_mended_way(harbour: World) -> None:
    acts = inform("restaurant", "nearby_attractions", 1, 2)
    said = both(harbour, acts, "restaurant", {"restaurant": [KETTLE, LADLE]})
    assert said == ((), ("none",))


def test_a_dish_too_many_is_a_number_in_the_published_way(harbour: World) -> None:
    acts = inform("restaurant", "dishes", 1, 2, 3)
    said = both(harbour, acts, "restaurant", {"restaurant": [KETTLE, LADLE, LADLE]})
    assert said == (("plum cake", "rye bread", "2"), ("plum cake", "rye bread"))


def test_unknown_numbers_are_none_of_something_in_the_published_way(harbour: World) -> None:
    acts = inform("restaurant", "cost", 1) + inform("restaurant", "rating", 1)
    said = both(harbour, acts, "restaurant", {"restaurant": [KETTLE]})
    assert said == (("None crowns", "4.0 points"), ("none", "4 points"))


def test_free_is_a_price_of_zero_in_the_published_way(harbour: World) -> None:
    acts = inform("attraction", "fee", 1) + inform("attraction", "phone", 1)
    said = both(harbour, acts, "attraction", {"attraction": [PIER]})
    assert said == (("0 crowns", "None"), ("free", "none"))


def test_services_are_answered_with_yes_or_no(harbour: World) -> None:
    acts = inform("hotel", "services-breakfast", 1) + inform("hotel", "services-sauna", 1)
    said = both(harbour, acts, "hotel", {"hotel": [MINT]})
    assert said == (("yes", "no"), ("yes", "no"))


def test_other_domains_are_spoken_of_only_in_the_mended_way(harbour: World) -> None:
    acts = inform("restaurant", "name", 1) + inform("hotel", "name", 1)
    said = both(harbour, acts, "hotel", {"restaurant": [KETTLE], "hotel": [MINT]})
    assert said == (("Old Mint Hotel",), ("The Kettle", "Old Mint Hotel"))


def test_stations_belong_to_their_end_of_the_ride(harbour: World) -> None:
    found: list[Row] = [
        {"departure": "The Pier", "departure_station": "Pier metro"},
        {"destination": "The Ladle", "destination_station": None},
    ]
    acts = inform("metro", "departure_station", 1) + inform("metro", "destination_station", 1)
    said = both(harbour, acts, "metro", {"metro": found})
    assert said == (("Pier metro", "none"), ("Pier metro", "none"))


def test_a_taxi_without_ends_has_no_plate(harbour: World) -> None:
    assert both(harbour, inform("taxi", "plate", 1), "taxi", {"taxi": [{}]})[0] == ()


def test_courtesy_needs_no_rows(harbour: World) -> None:
    acts = [Act("General", "bye"), Act("NoOffer", "hotel")]
    assert lexicalise(harbour, acts, "", lambda _: ()) == tuple(acts)
    assert lexicalise_as_published(harbour, acts, "", lambda _: ()) == tuple(acts)
