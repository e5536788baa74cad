from hypothesis import given, settings
from hypothesis import strategies as st

from crosstalk.dialogue.schema import SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.worlds.queries import Database, relax
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world


def test_what_matches_stays_as_it_is(database: Database) -> None:
    found = relax(database, "museum_shop", {"goods": "maps", "price": "10 to 50 crowns"})
    assert found.dropped == ()
    assert found.kept == {"goods": "maps", "price": "10 to 50 crowns"}


def test_prices_go_before_goods(database: Database) -> None:
    found = relax(database, "museum_shop", {"goods": "maps", "price": "free"})
    assert found.dropped == (("price", "free"),)
    assert [row["name"] for row in found.rows] == ["Print Room", "Print Room Annexe"]


def test_the_order_can_be_another(database: Database) -> None:
    asked: dict[str, SlotValue] = {"goods": "maps", "price": "free"}
    found = relax(database, "museum_shop", asked, order=(SlotKind.LIST, SlotKind.NUMBER))
    assert found.dropped == (("goods", ("maps",)),)


def test_fewest_are_dropped_even_if_they_are_dear(database: Database) -> None:
    asked = {
        "price": "60 crowns",
        "rating": "3.9 points",
        "goods": "postcards",
        "inns": "Elm House",
    }
    assert relax(database, "museum_shop", asked).dropped == (("inns", "Elm House"),)


def test_a_list_loses_single_terms(database: Database) -> None:
    found = relax(database, "museum_shop", {"goods": ("maps", "postcards", "stamps")})
    assert found.dropped == (("goods", ("stamps",)),)
    assert found.kept == {"goods": ("maps", "postcards")}


def test_what_is_to_be_kept_is_kept(database: Database) -> None:
    asked = {"goods": "maps", "price": "free"}
    assert relax(database, "museum_shop", asked, keep=["price"]).kept == {"price": "free"}
    found = relax(database, "museum_shop", asked, keep=["price", "goods"])
    assert (found.rows, found.dropped) == ((), ())


def test_an_unknown_name_goes_and_the_rest_counts_again(database: Database) -> None:
    found = relax(database, "museum_shop", {"name": "Bakery", "goods": "maps"})
    assert found.dropped == (("name", "Bakery"),)
    assert len(found.rows) == 2


def test_rides_have_nothing_to_give_up(database: Database) -> None:
    assert relax(database, "tram", {"from": "The Oak"}).rows == ()


HARBOUR = load_world("harbour")
DATABASE = Database(HARBOUR)
WANTED: dict[str, st.SearchStrategy[SlotValue]] = {
    "price": st.sampled_from(["100-200 crowns", "900-1000 crowns", "1000 crowns or more"]),
    "rating": st.sampled_from(["4 points or more", "5 points"]),
    "type": st.sampled_from(["luxury", "budget", "igloo"]),
    "services": st.lists(
        st.sampled_from(["breakfast", "sauna facilities", "heating", "a helipad"]), unique=True
    ).map(tuple),
    "nearby_attractions": st.sampled_from(["City Wall Walk", "Bell Gate", "the Moon"]),
}


@given(st.fixed_dictionaries({}, optional=WANTED), st.permutations(list(SlotKind)))
@settings(max_examples=200, deadline=None)
def test_rows_match_what_was_kept_and_no_fewer_could_be_dropped(
    asked: dict[str, SlotValue], order: list[SlotKind]
) -> None:
    found = relax(DATABASE, "hotel", asked, order=order)
    assert found.rows == DATABASE.search("hotel", found.kept) != ()
    assert all(not DATABASE.unmet("hotel", row, found.kept) for row in found.rows)
    if found.dropped:
        assert not DATABASE.search("hotel", asked)
    for slot, value in found.dropped:
        back = found.kept.get(slot, ())
        both = (*back, *value) if isinstance(back, tuple) and isinstance(value, tuple) else value
        assert not DATABASE.search("hotel", {**found.kept, slot: both}), "dropped without need"


def test_real_dead_ends_are_relaxed(crosswoz: World) -> None:
    asked = {"推荐菜": "驴杂汤", "人均消费": "100-150元"}
    found = relax(Database(crosswoz), "餐馆", asked)
    assert found.dropped == (("人均消费", "100-150元"),)
    assert "讲礼驴肉馆" in [row["名称"] for row in found.rows], "as the wizard did on val"
