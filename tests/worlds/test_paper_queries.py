"""The published query object: what it does that nobody would want, kept on purpose."""

import pytest

from crosstalk.worlds.paper_queries import PaperDatabase
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World


def names(
    world: World, constraints: dict[str, str], before: dict[str, str] | None = None
) -> list[object]:
    database = PaperDatabase(world)
    if before is not None:
        database.search("museum_shop", before)
    return [row["name"] for row in database.search("museum_shop", constraints)]


def test_a_bound_stays_until_it_is_set_anew(town: World) -> None:
    above = {"price": "12 crowns or more"}
    assert names(town, above) == ["Print Room", "Kiosk"]
    assert names(town, above, before={"price": "10 to 50 crowns"}) == ["Print Room"]
    assert names(town, {"price": "not free"}, before={"price": "under 20 crowns"}) == ["Print Room"]
    assert names(town, {"price": "cheap"}, before={"price": "free"}) == ["Fossil Desk"]


def test_a_bound_stays_also_while_other_slots_are_asked(town: World) -> None:
    database = PaperDatabase(town)
    database.search("museum_shop", {"price": "under 20 crowns"})
    assert len(database.search("museum_shop", {"goods": "postcards"})) == 2
    assert len(database.search("museum_shop", {"price": "10 crowns or more"})) == 1


def test_ends_of_rides_stay(town: World) -> None:
    database = PaperDatabase(town)
    assert database.search("cab", {"from": "The Oak"}) == ({},)
    assert database.search("tram", {"from": "The Oak"}) == ()
    (ride,) = database.search("cab", {"to": "Kiosk"})
    assert ride["from"] == "The Oak"


def test_names_match_as_parts_of_names(town: World) -> None:
    assert names(town, {"name": "Print Room"}) == ["Print Room", "Print Room Annexe"]
    assert names(town, {"name": "Kiosk", "price": "free"}) == ["Kiosk"]


def test_decimals_of_prices_are_not_read(crosswoz: World) -> None:
    paper, corrected = PaperDatabase(crosswoz), Database(crosswoz)
    asked = {"人均消费": "4.5元以上"}
    assert len(paper.search("餐馆", asked)) == len(
        corrected.search("餐馆", {"人均消费": "4元以上"})
    )
    assert len(corrected.search("餐馆", asked)) == len(
        corrected.search("餐馆", {"人均消费": "5元以上"})
    )


@pytest.mark.parametrize(
    "constraints",
    [
        {"门票": "免费", "评分": "4.5分以上"},
        {"门票": "100-150元", "游玩时间": "1小时"},
        {"周边餐馆": "北京全聚德"},
        {"评分": "5分"},
        {"门票": "便宜"},
    ],
)
def test_a_fresh_object_and_a_plain_question_agree_with_the_corrected_one(
    crosswoz: World, constraints: dict[str, str]
) -> None:
    paper = PaperDatabase(crosswoz).search("景点", constraints)
    if constraints == {"门票": "便宜"}:
        assert len(paper) == 436, "rows without a price are passed over"
    elif "周边餐馆" in constraints:
        assert set(map(id, paper)) >= set(map(id, Database(crosswoz).search("景点", constraints)))
    else:
        assert paper == Database(crosswoz).search("景点", constraints)


def test_metro_takes_the_first_name_that_has_the_origin_in_it(crosswoz: World) -> None:
    origin, destination = PaperDatabase(crosswoz).search(
        "地铁", {"出发地": "故宫", "目的地": "天坛"}
    )
    assert origin == {"出发地": "故宫", "出发地附近地铁站": "灯市口地铁站A口"}
    assert destination["目的地"] == "天坛"
    assert PaperDatabase(crosswoz).search("", {"名称": "故宫"}) == ()
