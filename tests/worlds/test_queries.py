"""Questions and answers; whatever the indexes answer, looking at every row answers too."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.worlds.scan import Scan

from crosstalk.dialogue.schema import FORMAT_1, SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.errors import InputError
from crosstalk.language.number_forms import forms_of, say_band
from crosstalk.worlds.conditions import Constraints
from crosstalk.worlds.queries import Database, Searchable
from crosstalk.worlds.tables import Row, World, texts
from crosstalk.worlds.world import load_world


def names(rows: tuple[Row, ...], slot: str = "name") -> list[object]:
    return [row[slot] for row in rows]


@pytest.mark.parametrize(
    ("domain", "constraints", "expected"),
    [
        ("museum_shop", {}, ["Print Room", "Print Room Annexe", "Fossil Desk", "Kiosk"]),
        ("museum_shop", {"price": "10 to 50 crowns"}, ["Print Room"]),
        ("museum_shop", {"price": "12 crowns or more"}, ["Print Room", "Kiosk"]),
        ("museum_shop", {"price": "under 12 crowns"}, ["Print Room", "Fossil Desk"]),
        ("museum_shop", {"price": "free"}, ["Fossil Desk"]),
        ("museum_shop", {"price": "not free"}, ["Print Room", "Kiosk"]),
        ("museum_shop", {"rating": "at least 4.5 points"}, ["Print Room", "Fossil Desk"]),
        ("museum_shop", {"rating": "4.5 points"}, ["Print Room", "Fossil Desk"]),
        ("museum_shop", {"goods": "maps"}, ["Print Room", "Print Room Annexe"]),
        ("museum_shop", {"goods": ("maps", "postcards")}, ["Print Room"]),
        ("museum_shop", {"inns": "The Oak"}, ["Print Room", "Fossil Desk"]),
        ("museum_shop", {"inns": "Oak", "price": "free"}, ["Fossil Desk"]),
        ("inn", {"mood": "quiet"}, ["The Oak", "Elm House"]),
        ("inn", {"extras": "garden"}, ["The Oak", "Elm House"]),
        ("inn", {"extras-breakfast": "yes"}, ["The Oak"]),
        ("inn", {"extras-breakfast": "no"}, ["Elm House"]),
        ("inn", {"mood": "", "extras": ()}, ["The Oak", "Elm House"]),
    ],
)
def test_places_are_found_by_what_is_wanted(
    database: Database, domain: str, constraints: Constraints, expected: list[str]
) -> None:
    assert names(database.search(domain, constraints)) == expected


def test_a_full_name_means_one_entity_and_part_of_a_name_all_that_have_it(
    database: Database,
) -> None:
    assert names(database.search("museum_shop", {"name": "Print Room"})) == ["Print Room"]
    assert names(database.search("museum_shop", {"name": "Print"})) == [
        "Print Room",
        "Print Room Annexe",
    ]
    assert database.search("museum_shop", {"name": "Bakery"}) == ()


def test_a_name_decides_alone_unless_all_fields_count(town: World) -> None:
    asked = {"name": "Kiosk", "price": "free"}
    assert names(Database(town).search("museum_shop", asked)) == ["Kiosk"]
    assert Database(town, conjunctive=True).search("museum_shop", asked) == ()


def test_a_number_nobody_can_read_constrains_nothing(database: Database) -> None:
    assert len(database.search("museum_shop", {"price": "cheap"})) == 4


def test_finding_and_looking_around(database: Database) -> None:
    shop = database.find("museum_shop", "Fossil Desk")
    assert shop is not None and shop["stop"] == "South"
    assert database.find("museum_shop", "Fossil") is None
    assert database.find("tram", "Fossil Desk") is None
    assert names(database.nearby("museum_shop", "Fossil Desk", "inn")) == ["The Oak", "Elm House"]
    assert database.nearby("museum_shop", "nowhere", "inn") == ()


def test_what_a_row_does_not_meet_is_named(database: Database) -> None:
    shop = database.find("museum_shop", "Kiosk")
    assert shop is not None
    wanted = {"name": "Print Room", "goods": "postcards", "price": "free"}
    assert database.unmet("museum_shop", shop, wanted) == ("name", "price")
    assert database.unmet("museum_shop", shop, {"goods": "postcards"}) == ()


def test_the_metro_answers_with_the_station_of_each_end(database: Database) -> None:
    rows = database.search("tram", {"from": "The Oak", "to": "Fossil"})
    assert rows == (
        {"from": "The Oak", "from_stop": "North"},
        {"to": "Fossil Desk", "to_stop": "South"},
    )
    assert database.search("tram", {"from": "The Oak"}) == ()
    assert database.search("tram", {"from": "The Oak", "to": "nowhere"}) == rows[:1]


def test_a_ride_has_the_same_car_whenever_and_in_whatever_language(town_folder: str) -> None:
    english, german = (load_world(town_folder, language=code) for code in ("en", "de"))
    (ours,) = Database(english).search("cab", {"from": "The Oak", "to": "Kiosk"})
    (theirs,) = Database(german).search("cab", {"from": "Zur Eiche", "to": "Kiosk am Tor"})
    cars = [[row["car"] for row in world.tables["cab"]] for world in (english, german)]
    assert cars[0].index(ours["car"]) == cars[1].index(theirs["car"])
    assert ours["from"] == "The Oak" and ours["to"] == "Kiosk"
    assert Database(english).search("cab", {"to": "Kiosk"}) == ()


def test_unknown_domains_and_slots_are_named(database: Database) -> None:
    with pytest.raises(InputError, match="no domain 'casino'"):
        database.search("casino", {})
    with pytest.raises(InputError, match="inn has no slot 'colour'"):
        database.search("inn", {"colour": "red"})
    with pytest.raises(InputError, match="tram has no slot 'colour'"):
        database.search("tram", {"colour": "red"})


def constraints_for(world: World, domain: str) -> st.SearchStrategy[dict[str, SlotValue]]:
    """Constraints made of what the table holds, parts of it, and anything else."""
    table = world.tables[domain]
    optional: dict[str, st.SearchStrategy[SlotValue]] = {}
    for slot in table.domain.form:
        words = sorted({text for row in table for text in texts(row[slot.key])}) or [""]
        whole = st.sampled_from(words)
        part = st.tuples(whole, st.integers(1, 3)).map(lambda pair: pair[0][: pair[1]])
        several = st.lists(whole, max_size=3).map(tuple)
        choices: list[st.SearchStrategy[SlotValue]] = [whole, part, several, st.text(max_size=3)]
        if slot.bands:
            forms = forms_of(world.language, domain, slot)
            choices = [st.sampled_from([say_band(forms, band) for band in slot.bands]), st.text()]
        optional[slot.key] = st.one_of(choices)
    named = {key: optional.pop(key) for key in [table.domain.form[0].key]}
    without = st.fixed_dictionaries({}, optional=optional)
    return st.one_of(without, without, st.fixed_dictionaries(named, optional=optional))


@pytest.mark.parametrize("conjunctive", [False, True])
@pytest.mark.parametrize("language", ["en", "zh", "ar"])
def test_indexes_answer_what_a_scan_answers(language: str, conjunctive: bool) -> None:
    world = load_world("harbour", language=language)
    database, scan = (way(world, conjunctive=conjunctive) for way in (Database, Scan))
    agree(world, database, scan, examples=30)


def agree(world: World, database: Searchable, scan: Searchable, *, examples: int) -> None:
    queries = {domain.key: constraints_for(world, domain.key) for domain in world.schema.places}

    @given(st.data(), st.sampled_from(sorted(queries)))
    @settings(max_examples=examples, deadline=None)
    def check(data: st.DataObject, domain: str) -> None:
        constraints = data.draw(queries[domain])
        assert database.search(domain, constraints) == scan.search(domain, constraints)

    check()


def test_indexes_answer_what_a_scan_answers_over_crosswoz(crosswoz: World) -> None:
    agree(crosswoz, Database(crosswoz), Scan(crosswoz), examples=150)


def test_the_published_examples(crosswoz: World) -> None:
    database = Database(crosswoz)
    attraction, hotel = (crosswoz.tables[key] for key in ("景点", "酒店"))
    free = database.search("景点", {"门票": "免费"})
    assert len(free) == 194
    hours = {row["游玩时间"] for row in database.search("景点", {"游玩时间": "1小时"})}
    assert {"1小时", "1小时 - 2小时"} <= hours
    top = database.search("酒店", {"酒店类型": "高档"})
    assert len(top) == 252 and {row["酒店类型"] for row in top} == {"高档型"}
    breakfast = database.search("酒店", {"酒店设施": "早餐服务"})
    either = {"早餐服务", "早餐服务免费"}
    assert list(breakfast) == [row for row in hotel if either & set(texts(row["酒店设施"]))]
    hundred = [row for row in attraction if row["门票"] == 100]
    for band in ("50-100元", "100-150元"):
        assert all(row in database.search("景点", {"门票": band}) for row in hundred)
    two = database.search("餐馆", {"推荐菜": "烤鸭 老字号"})
    assert two == database.search("餐馆", {"推荐菜": ("烤鸭", "老字号")}) != ()


def test_shorter_names_inside_longer_ones(crosswoz: World) -> None:
    inside = {}
    for key in ("景点", "餐馆", "酒店"):
        known = [str(row["名称"]) for row in crosswoz.tables[key]]
        inside[key] = sum(any(name in other for other in known if other != name) for name in known)
    assert inside == {"景点": 11, "餐馆": 43, "酒店": 5}
    assert names(Database(crosswoz).search("景点", {"名称": "故宫"}), "名称") == ["故宫"]


def test_kinds_that_are_searched_are_all_covered(crosswoz: World) -> None:
    searched = {slot.kind for domain in crosswoz.schema for slot in domain.form}
    assert searched == FORMAT_1 - {SlotKind.TEXT, SlotKind.STATION}
