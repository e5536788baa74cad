"""A world's database as tools."""

import json

import pytest
from jsonschema import Draft202012Validator

from crosstalk.worlds.queries import Database
from crosstalk.worlds.tools import WorldTools
from crosstalk.worlds.world import load_world


@pytest.fixture(scope="module")
def tools() -> WorldTools:
    return WorldTools(Database(load_world("harbour", language="en")))


def test_names_are_those_of_the_worlds_domains(tools: WorldTools) -> None:
    names = ["search_attraction", "get_attraction", "search_restaurant", "get_restaurant"]
    assert list(tools.tools) == [*names, "search_hotel", "get_hotel", "nearby", "ride"]


def test_definitions_are_valid_json_schema(tools: WorldTools) -> None:
    for definition in tools.definitions():
        Draft202012Validator.check_schema(definition["function"]["parameters"])


def test_a_search_gives_rows_that_meet_it(tools: WorldTools) -> None:
    found = tools.run("search_hotel", {"price_max": 500, "rating_min": 4.0, "limit": 20})
    assert 0 < len(found["results"]) <= found["count"]
    assert all(int(row["price"].split()[0]) <= 500 for row in found["results"])
    assert all(float(row["rating"].split()[0]) >= 4.0 for row in found["results"])


def test_details_and_places_nearby(tools: WorldTools) -> None:
    name = tools.run("search_attraction", {"limit": 1})["results"][0]["name"]
    row = tools.run("get_attraction", {"name": name})["result"]
    near = tools.run("nearby", {"domain": "attraction", "name": name, "target": "restaurant"})
    assert [each["name"] for each in near["results"]] == row["nearby_restaurants"]


def test_a_ride_has_stations_or_a_car(tools: WorldTools) -> None:
    names = [row["name"] for row in tools.run("search_attraction", {"limit": 2})["results"]]
    places = {"departure": names[0], "destination": names[1]}
    assert tools.run("ride", {"kind": "taxi", **places})["results"][0]["plate"]
    assert len(tools.run("ride", {"kind": "metro", **places})["results"]) == 2


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("search_castle", {}, "there is no tool 'search_castle'"),
        ("search_hotel", {"prize": 3}, "has no field 'prize'"),
        ("search_hotel", {"price_max": "cheap"}, "should be of type number"),
        ("get_hotel", {}, "needs name"),
        ("get_hotel", {"name": "Glas Pier Hotel"}, "did you mean Glass Pier Hotel"),
        ("ride", {"kind": "boat", "departure": "a", "destination": "b"}, "should be one of"),
    ],
)
def test_wrong_calls_are_answered_in_words(
    tools: WorldTools, name: str, arguments: dict[str, object], words: str
) -> None:
    assert words in tools.run(name, arguments)["error"]


def test_a_search_by_a_name_that_no_place_has_is_told_so(tools: WorldTools) -> None:
    told = json.loads(tools.run_text("search_hotel", '{"name": "None", "price_max": 500}'))
    assert "no place is called 'None'" in told["error"]
    assert "leave the field out" in told["error"]


def test_arguments_that_are_no_json_are_answered_in_words(tools: WorldTools) -> None:
    assert "no JSON object" in json.loads(tools.run_text("get_hotel", "{broken"))["error"]


def test_worlds_in_other_scripts_have_names_that_every_provider_takes() -> None:
    world = load_world("harbour", language="zh")
    assert WorldTools(Database(world)).run("search_hotel", {})["count"] > 0
