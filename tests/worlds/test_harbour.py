"""The world that ships with Crosstalk: what it promises about its tables and its five languages."""

import csv
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from crosstalk.dialogue.schema import Band, Slot, SlotKind
from crosstalk.worlds.tables import Cell, Row, Table, World
from crosstalk.worlds.world import load_world

LANGUAGES = ("en", "zh", "de", "ar", "ru")
PLACES = ("attraction", "restaurant", "hotel")
SCRIPTS = {"zh": "CJK", "ar": "ARABIC", "ru": "CYRILLIC"}
RENDERED = ("name", "address", "station", "hours", "dishes", "services", "type", "duration", "car")
RECIPE = Path(__file__).parents[2] / "recipes" / "harbour"


@cache
def harbour(language: str = "en") -> World:
    return load_world("harbour", language=language)


def table(domain: str, language: str = "en") -> Table:
    return harbour(language).tables[domain]


def terms(cell: Cell) -> tuple[str, ...]:
    return cell if isinstance(cell, tuple) else (cell,) if isinstance(cell, str) else ()


def numbers(domain: str, slot: str) -> list[float]:
    return [cell for row in table(domain) if isinstance(cell := row[slot], int | float)]


def share(domain: str, holds: Callable[[Row], bool]) -> float:
    rows = table(domain).rows
    return sum(holds(row) for row in rows) / len(rows)


def texts(language: str, slot: str) -> Iterator[str]:
    """Every text a slot has in the tables, in table order, with repeats."""
    for each in harbour(language).tables.values():
        for row in each:
            yield from terms(row.get(slot))


def scripts(text: str) -> set[str]:
    return {unicodedata.name(letter).split()[0] for letter in text if letter.isalpha()}


def test_it_is_as_large_as_promised() -> None:
    assert len(table("attraction")) >= 60
    assert len(table("restaurant")) >= 150
    assert len(table("hotel")) >= 150
    assert len(table("taxi")) >= 12
    assert len(set(texts("en", "services"))) == 37
    assert len(set(texts("en", "dishes"))) >= 200


def test_names_are_unique_in_the_whole_city_in_every_language() -> None:
    for language in LANGUAGES:
        names = list(texts(language, "name"))
        assert len(names) == len(set(names))


def test_some_names_are_parts_of_others_as_in_the_real_tables() -> None:
    for language in LANGUAGES:
        for domain in PLACES:
            names = [str(row["name"]) for row in table(domain, language)]
            inside = {one for one in names for other in names if one != other and one in other}
            assert 2 <= len(inside) <= 10


@pytest.mark.parametrize("domain", PLACES)
def test_nearby_relations_go_both_ways(domain: str) -> None:
    plural = {place: f"nearby_{place}s" for place in PLACES}
    for other in PLACES:
        if domain == other == "hotel":
            continue
        back = {row["name"]: terms(row[plural[domain]]) for row in table(other)}
        for row in table(domain):
            for name in terms(row[plural[other]]):
                assert name != row["name"]
                assert row["name"] in back[name]


@pytest.mark.parametrize(
    ("domain", "slot", "low", "high"),
    [
        ("attraction", "nearby_attractions", 4, 5.5),
        ("attraction", "nearby_restaurants", 5, 8),
        ("attraction", "nearby_hotels", 1.5, 2.6),
        ("restaurant", "nearby_attractions", 2.8, 4),
        ("restaurant", "nearby_restaurants", 3.5, 5),
        ("restaurant", "nearby_hotels", 1.8, 3),
        ("hotel", "nearby_attractions", 0.6, 1.3),
        ("hotel", "nearby_restaurants", 1.5, 2.6),
    ],
)
def test_places_have_about_as_many_neighbours_as_real_ones(
    domain: str, slot: str, low: float, high: float
) -> None:
    links = sum(len(terms(row[slot])) for row in table(domain))
    assert low <= links / len(table(domain)) <= high


def test_half_of_the_hotels_are_near_no_attraction() -> None:
    assert share("hotel", lambda row: row["nearby_attractions"] == ()) >= 0.5


@pytest.mark.parametrize(
    ("domain", "slot", "rate"),
    [
        ("attraction", "fee", 0.06),
        ("attraction", "rating", 0.28),
        ("attraction", "station", 0.39),
        ("restaurant", "rating", 0.34),
        ("restaurant", "station", 0.29),
        ("restaurant", "cost", 0),
        ("hotel", "price", 0.11),
        ("hotel", "rating", 0),
        ("hotel", "station", 0),
    ],
)
def test_as_much_is_unknown_as_in_the_real_tables(domain: str, slot: str, rate: float) -> None:
    assert share(domain, lambda row: row[slot] is None) == pytest.approx(rate, abs=0.015)


def test_two_in_five_attractions_are_free() -> None:
    assert share("attraction", lambda row: row["fee"] == 0) == pytest.approx(0.42, abs=0.03)


def test_the_types_of_hotels_are_mixed_as_in_the_real_table() -> None:
    real = {"budget": 0.40, "comfort": 0.26, "upscale": 0.22, "luxury": 0.12}
    for kind, rate in real.items():
        found = share("hotel", lambda row, kind=kind: row["type"] == kind)  # type: ignore[misc]
        assert found == pytest.approx(rate, abs=0.05)


def banded() -> list[tuple[str, Slot, Band]]:
    places = harbour().schema.places
    return [
        (place.key, slot, band) for place in places for slot in place.slots for band in slot.bands
    ]


def test_every_band_a_goal_may_ask_for_has_an_answer() -> None:
    assert len(banded()) == 33
    for domain, slot, band in banded():
        low = -1.0 if band.low is None else band.low
        high = float("inf") if band.high is None else band.high
        found = [each for each in numbers(domain, slot.key) if low <= each <= high]
        assert found, f"{domain}.{slot.key} {band.low}-{band.high}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_tell_the_same_rows_in_the_same_order(language: str) -> None:
    for domain, base in harbour().tables.items():
        told = table(domain, language)
        assert len(told) == len(base)
        for row, base_row in zip(told, base, strict=True):
            assert row.keys() == base_row.keys()
            for slot, cell in row.items():
                assert len(terms(cell)) == len(terms(base_row[slot]))
                if slot in {"fee", "cost", "price", "rating", "phone", "plate"}:
                    assert cell == base_row[slot]


@pytest.mark.parametrize("slot", RENDERED)
@pytest.mark.parametrize("language", ["zh", "de", "ar", "ru"])
def test_every_value_has_a_rendering_of_its_own(language: str, slot: str) -> None:
    renderings = harbour(language).language.values[slot]
    base = set(texts("en", slot))
    assert base <= renderings.keys()
    assert len({renderings[each] for each in base}) == len(base)


@pytest.mark.parametrize("slot", RENDERED)
@pytest.mark.parametrize("language", ["zh", "ar", "ru"])
def test_every_value_is_written_in_the_language_s_script(language: str, slot: str) -> None:
    others = {*SCRIPTS.values()} - {SCRIPTS[language]}
    for text in set(texts(language, slot)):
        assert SCRIPTS[language] in scripts(text) or not scripts(text), text
        assert not scripts(text) & others, text


@pytest.mark.parametrize("slot", RENDERED)
@pytest.mark.parametrize("language", ["en", "de"])
def test_english_and_german_are_written_in_latin_letters(language: str, slot: str) -> None:
    assert {script for text in texts(language, slot) for script in scripts(text)} == {"LATIN"}


@pytest.mark.parametrize("language", ["zh", "ar", "ru"])
def test_names_hold_no_foreign_letters(language: str) -> None:
    found = {script for text in texts(language, "name") for script in scripts(text)}
    assert found == {SCRIPTS[language]}


def test_the_schema_knows_the_tags_and_the_exclusive_services_of_the_lists() -> None:
    slots = {slot.kind: slot for place in harbour().schema.places for slot in place.slots}
    assert slots[SlotKind.LIST].tags == {row["en"] for row in ingredients("dishes") if row["tag"]}
    wifi = {row["en"] for row in ingredients("services") if row["group"] == "wifi"}
    assert slots[SlotKind.SERVICES].exclusive == (frozenset(wifi),)
    assert len(wifi) == 5


def test_a_hotel_has_at_most_one_kind_of_wifi() -> None:
    for row in table("hotel"):
        assert sum("wifi" in service for service in terms(row["services"])) <= 1


def ingredients(name: str) -> list[dict[str, str]]:
    with (RECIPE / "ingredients" / f"{name}.tsv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_the_files_are_what_the_recipe_writes() -> None:
    command = [sys.executable, str(RECIPE / "build.py"), "--check"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
