from collections import Counter
from pathlib import Path

import pytest

from crosstalk.dialogue.schema import SlotKind
from crosstalk.errors import WorldError
from crosstalk.worlds.tables import World, texts
from crosstalk.worlds.world import built_in_worlds, load_world


def test_a_world_is_loaded_in_its_base_language(town: World) -> None:
    assert (town.name, town.language.code) == ("town", "en")
    assert [row["name"] for row in town.tables["inn"]] == ["The Oak", "Elm House"]
    assert town.tables["museum_shop"].rows[0]["goods"] == ("maps", "postcards", "gifts")
    assert town.tables["museum_shop"].rows[1]["price"] is None


def test_another_language_has_other_values_under_the_same_keys(town_folder: Path) -> None:
    german = load_world(town_folder, language="de")
    shop = german.tables["museum_shop"].rows[0]
    assert shop["name"] == "Grafikkabinett"
    assert shop["goods"] == ("Karten", "Postkarten", "Geschenke")
    assert shop["inns"] == ("Zur Eiche",), "nearby places are said by their names"
    goods = german.schema.domains[0].slot("goods")
    assert goods is not None and goods.tags == {"Geschenke"}
    extras = german.schema.domains[1].slot("extras")
    assert extras is not None and extras.exclusive == (frozenset({"Garten", "Wintergarten"}),)


def test_rows_keep_their_order_in_every_language() -> None:
    worlds = [load_world("harbour", language=code) for code in ("en", "zh", "de", "ar", "ru")]
    for other in worlds[1:]:
        for key, table in worlds[0].tables.items():
            assert len(other.tables[key]) == len(table)
            for ours, theirs in zip(table, other.tables[key], strict=True):
                numbers = [cell for cell in ours.values() if isinstance(cell, int | float)]
                assert numbers == [
                    cell for cell in theirs.values() if isinstance(cell, int | float)
                ]
                assert ours.keys() == theirs.keys()


def test_a_missing_rendering_leaves_the_value_of_the_table(town_folder: Path) -> None:
    (town_folder / "languages/de.values.json").write_text("{}")
    german = load_world(town_folder, language="de")
    assert german.tables["inn"].rows[0]["name"] == "The Oak"


def test_our_worlds_are_found_by_name() -> None:
    assert {"crosswoz", "harbour"} <= set(built_in_worlds())


@pytest.mark.parametrize(
    ("name", "language", "words"),
    [
        ("atlantis", None, "neither a world of ours nor a folder"),
        ("harbour", "tlh", "has no language 'tlh'"),
        (".", None, "has no world.toml"),
        (__file__, None, "is a file, not the folder of a world"),
    ],
)
def test_what_is_not_there_is_named(name: str, language: str | None, words: str) -> None:
    with pytest.raises(WorldError, match=words):
        load_world(name, language=language)


def test_fetched_tables_need_a_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CROSSTALK_DATA", raising=False)
    with pytest.raises(WorldError, match="no data folder is known"):
        load_world("crosswoz")
    with pytest.raises(WorldError, match="does not hold crosswoz/database") as caught:
        load_world("crosswoz", data=tmp_path)
    assert "crosstalk fetch crosswoz" in caught.value.remedy


def test_a_broken_world_is_refused_in_the_words_of_the_check(town_folder: Path) -> None:
    table = town_folder / "tables/inns.jsonl"
    table.write_text(table.read_text().replace('"quiet"', "7", 1))
    with pytest.raises(WorldError) as caught:
        load_world(town_folder)
    assert "tables/inns.jsonl, line 1, The Oak, mood: expected text or null" in str(caught.value)
    assert "crosstalk world check" in caught.value.remedy


def test_crosswoz_has_the_published_tables_and_forms(crosswoz: World) -> None:
    counts = {key: len(table) for key, table in crosswoz.tables.items()}
    assert counts == {"景点": 465, "餐馆": 951, "酒店": 1133, "出租": 1}
    forms = {domain.key: [slot.key for slot in domain.form] for domain in crosswoz.schema}
    assert forms == {
        "景点": ["名称", "门票", "游玩时间", "评分", "周边景点", "周边餐馆", "周边酒店"],
        "餐馆": ["名称", "推荐菜", "人均消费", "评分", "周边景点", "周边餐馆", "周边酒店"],
        "酒店": [
            "名称",
            "酒店类型",
            "酒店设施",
            "价格",
            "评分",
            "周边景点",
            "周边餐馆",
            "周边酒店",
        ],
        "地铁": ["出发地", "目的地"],
        "出租": ["出发地", "目的地"],
    }


def test_crosswoz_links_are_symmetric_and_none_dangles(crosswoz: World) -> None:
    links: Counter[tuple[str, object, str, str]] = Counter()
    for domain in crosswoz.schema.places:
        for row in crosswoz.tables[domain.key]:
            for slot in domain.of_kind(SlotKind.NEARBY):
                for other in texts(row[slot.key]):
                    links[domain.key, row["名称"], slot.target, other] += 1
    assert links.total() == 18_828
    assert all((there, other, here, name) in links for here, name, there, other in links)
    names = {(key, row["名称"]) for key in ("景点", "餐馆", "酒店") for row in crosswoz.tables[key]}
    assert all((there, other) in names for _, _, there, other in links)


def test_the_released_metro_table_is_the_places_stations(
    crosswoz: World, data_folder: Path
) -> None:
    """... row for row, which is why the world has no metro table of its own."""
    import json

    released = json.loads((data_folder / "crosswoz/database/metro_db.json").read_text("utf-8"))
    stations = [
        (row["名称"], row["地铁"])
        for key in ("景点", "餐馆", "酒店")
        for row in crosswoz.tables[key]
    ]
    assert stations == [(name, record["地铁"]) for name, record in released]
