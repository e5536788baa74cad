"""What is true in the tables, and what only looks like it."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest

from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples, Value
from crosstalk.evaluation.success import Flaw, findings
from crosstalk.worlds.queries import Database
from crosstalk.worlds.truth import Truth
from crosstalk.worlds.world import load_world

AQUARIUM = "Ocean Aquarium"  # rating 5, fee 180, no station known, near the Orsena Tower Hotel
HOTEL = "Orsena Tower Hotel"  # luxury, rating 4.2, has breakfast, has no spa


def flaws(
    truth: Truth, *pairs: tuple[SemanticTuple, Value], given_up: Collection[int] = ()
) -> list[tuple[str, Flaw]]:
    wanted = tuple(wish for wish, _ in pairs)
    final = tuple(replace(wish, value=value, expressed=True) for wish, value in pairs)
    return [(each.slot, each.flaw) for each in findings(wanted, final, given_up, truth)]


def place(slot: str, value: Value = "", subgoal: int = 1) -> SemanticTuple:
    return SemanticTuple(subgoal, "attraction", slot, value)


def hotel(slot: str, value: Value = "", subgoal: int = 1) -> SemanticTuple:
    return SemanticTuple(subgoal, "hotel", slot, value)


def test_wishes_that_hold_and_answers_that_are_true(truth: Truth) -> None:
    assert not flaws(
        truth,
        (place("rating", "4.5 points or more"), "4.5 points or more"),
        (place("name"), AQUARIUM),
        (place("fee"), "180 crowns"),
        (place("nearby_hotels", ()), (HOTEL,)),
    )


@pytest.mark.parametrize(
    ("wish", "value", "flaw"),
    [
        (place("fee", "20 crowns or less"), "20 crowns or less", Flaw.UNMET),
        (place("fee"), "free", Flaw.WRONG_ANSWER),
        (place("fee"), "None crowns", Flaw.WRONG_ANSWER),
        (place("rating"), "4.9 points", Flaw.WRONG_ANSWER),
        (place("nearby_hotels", ()), (HOTEL, "Tamsin Hotel"), Flaw.WRONG_ANSWER),
        (place("nearby_hotels", ()), "none", Flaw.WRONG_ANSWER),
        (place("phone"), "", Flaw.UNSETTLED),
        (place("fee", "20 crowns or less"), "30 crowns", Flaw.WRONG_ANSWER),
    ],
)
def test_what_is_wrong_is_found(
    truth: Truth, wish: SemanticTuple, value: Value, flaw: Flaw
) -> None:
    assert flaws(truth, (place("name"), AQUARIUM), (wish, value)) == [(wish.slot, flaw)]


@pytest.mark.parametrize("answer", ["180 crowns", "180", "180.0 crowns"])
def test_numbers_are_compared_as_numbers(truth: Truth, answer: str) -> None:
    assert not flaws(truth, (place("name"), AQUARIUM), (place("fee"), answer))


def test_of_a_list_some_of_it_will_do_and_none_only_where_there_is_none(truth: Truth) -> None:
    seaside = truth.entity("hotel", "Grand Hotel Halmora")
    assert seaside is not None
    some = ("The Copper Ladle", "Golden Pleat")
    named = (hotel("name"), "Grand Hotel Halmora")

    assert not flaws(truth, named, (hotel("nearby_restaurants", ()), some))
    assert flaws(truth, named, (hotel("nearby_restaurants", ()), "none"))
    lonely = next(row for row in truth.rows("hotel") if not row["nearby_restaurants"])
    lonely_name = (hotel("name"), str(lonely["name"]))
    assert not flaws(truth, lonely_name, (hotel("nearby_restaurants", ()), "none"))


def test_services_are_answered_with_yes_and_no(truth: Truth) -> None:
    named = (hotel("name"), HOTEL)
    assert not flaws(truth, named, (hotel("services-breakfast"), "yes"))
    assert not flaws(truth, named, (hotel("services-spa treatments"), "no"))
    assert flaws(truth, named, (hotel("services-spa treatments"), "yes"))


def test_a_changed_wish_is_an_answer_or_a_smaller_wish(truth: Truth) -> None:
    wish = place("fee", "20 crowns or less")
    named = (place("name"), AQUARIUM)
    assert not flaws(truth, named, (wish, "180 crowns"))
    assert not flaws(truth, named, (wish, "150-200 crowns"))


def test_an_entity_that_no_table_has(truth: Truth) -> None:
    assert flaws(truth, (place("name"), "Atlantis"), (place("fee"), "free")) == [
        ("name", Flaw.NO_ENTITY)
    ]


def cross(name: str, near: str = AQUARIUM) -> tuple[tuple[SemanticTuple, Value], ...]:
    return (
        (place("name"), near),
        (hotel("name", Reference(1, nearby=True), subgoal=2), name),
    )


def test_an_entity_near_another_must_be_near_the_one_chosen(truth: Truth) -> None:
    assert not flaws(truth, *cross(HOTEL))
    assert flaws(truth, *cross("Grand Hotel Halmora")) == [("name", Flaw.NOT_NEAR)]
    assert not flaws(truth, *cross("Grand Hotel Halmora"), given_up={1})


def ride(domain: str, **values: str) -> list[tuple[str, Flaw]]:
    truth = Truth(Database(load_world("harbour")))
    ends = {"departure": Reference(1, nearby=False), "destination": Reference(2, nearby=False)}
    pairs = [
        (SemanticTuple(3, domain, slot, ends.get(slot, "")), value)
        for slot, value in values.items()
    ]
    return flaws(truth, *cross(HOTEL), *pairs)


def test_a_ride_joins_the_entities_chosen(database: Database) -> None:
    (row,) = database.search("taxi", {"departure": AQUARIUM, "destination": HOTEL})
    car, plate = str(row["car"]), str(row["plate"])

    assert not ride("taxi", departure=AQUARIUM, destination=HOTEL, car=car, plate=plate)
    assert ride("taxi", departure=HOTEL, destination=HOTEL, car=car)[:1] == [
        ("departure", Flaw.WRONG_END)
    ]
    assert ride("taxi", departure=AQUARIUM, destination=HOTEL, plate="XX 0000") == [
        ("plate", Flaw.WRONG_ANSWER)
    ]


def test_stations_are_those_of_the_two_ends() -> None:
    station = "Harbour Boulevard metro, exit C"
    ends = {"departure": AQUARIUM, "destination": HOTEL}

    assert not ride("metro", **ends, departure_station="none", destination_station=station)
    assert ride("metro", **ends, departure_station=station) == [
        ("departure_station", Flaw.WRONG_ANSWER)
    ]


def test_where_no_name_is_wanted_some_entity_must_fit(truth: Truth) -> None:
    assert not flaws(
        truth, (place("fee", "150-200 crowns"), "150-200 crowns"), (place("rating"), "5 points")
    )
    wrong = flaws(truth, (place("phone"), "no such phone"))
    assert wrong == [("phone", Flaw.WRONG_ANSWER)]


def test_a_wish_nobody_can_read_is_met_by_nothing(truth: Truth) -> None:
    wish: Tuples = (place("fee", "cheap"),)
    assert flaws(truth, (place("name"), AQUARIUM), (wish[0], "cheap")) == [("fee", Flaw.UNMET)]


def test_case_and_width_do_not_matter(truth: Truth) -> None:
    assert not flaws(
        truth,
        (place("name"), "ocean AQUARIUM"),
        (place("fee"), "180 ＣＲＯＷＮＳ"),
        (place("nearby_hotels", ()), (HOTEL.lower(),)),
        (hotel("name", Reference(1, nearby=True), subgoal=2), HOTEL.upper()),
        (SemanticTuple(3, "taxi", "departure", Reference(1, nearby=False)), "Ocean Aquarium"),
        (SemanticTuple(3, "taxi", "destination", Reference(2, nearby=False)), HOTEL.lower()),
    )


def test_a_station_is_right_in_any_case_and_width(data_folder: Path) -> None:
    """A generator that writes in lower case says `a口` of a station whose exit is `A口`."""
    world = load_world("crosswoz", data=data_folder)
    truth = Truth(Database(world))
    row = next(each for each in truth.rows("景点") if "A口" in str(each["地铁"]))
    wanted = SemanticTuple(1, "景点", "地铁", "")
    named = SemanticTuple(1, "景点", "名称", "")
    for spelled in ("a口", "Ａ口"):
        told = str(row["地铁"]).replace("A口", spelled)
        assert not flaws(truth, (named, str(row["名称"])), (wanted, told))
    assert flaws(truth, (named, str(row["名称"])), (wanted, str(row["地铁"]) + "B口"))
