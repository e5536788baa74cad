"""A sound town is damaged in one place; the check says where, what was expected and what to do."""
# ruff: noqa: E501 -- one damage a line

from pathlib import Path

import pytest

from crosstalk.dialogue.schema import Domain, DomainKind, Schema, Slot, SlotKind
from crosstalk.errors import WorldError
from crosstalk.worlds.check import check_world
from crosstalk.worlds.scaffold import write_schema_world
from crosstalk.worlds.world import find_world, load_world


def damage(folder: Path, file: str, old: str, new: str) -> None:
    text = (folder / file).read_text("utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), "utf-8")


def test_nothing_is_wrong_with_the_town(town_folder: Path) -> None:
    assert check_world(town_folder) == []


def test_a_world_without_tables_needs_no_names_and_sentences(tmp_path: Path) -> None:
    """It has no goals that could be told; names of what does not exist are found all the same."""
    phase = Slot("release date", SlotKind.CATEGORY, search=True, values=("full",))
    write_schema_world(
        tmp_path / "sky", Schema((Domain("moon", DomainKind.PLACE, (phase,)),)), language="fr"
    )
    assert check_world(tmp_path / "sky") == []
    with (tmp_path / "sky/languages/fr.toml").open("a") as file:
        file.write('[slots]\nphases = "phases"\n')
    assert ["phases" in str(problem) for problem in check_world(tmp_path / "sky")] == [True]


def test_keys_with_spaces_stand_between_quotes(town_folder: Path) -> None:
    damage(town_folder, "world.toml", 'key = "goods"', 'key = "sold there"')
    told = [str(problem) for problem in check_world(town_folder)]
    assert any('Add "sold there" = "..." under [slots].' in each for each in told)


def test_nothing_is_wrong_with_harbour() -> None:
    assert [str(problem) for problem in check_world(find_world("harbour"))] == []


FATAL = [
    ("world.toml", 'base = "en"', "base = en", "world.toml, line 3: not valid TOML"),
    ("world.toml", "format = 1", "format = 3", "world.toml, line 2: `format` is 3"),
    ("world.toml", "search = true", "serach = true", "line 13: unknown field `serach`"),
    ("world.toml", "search = true", 'search = "yes"', "line 13: `search` is 'yes'"),
    ("world.toml", 'kind = "list"', 'kind = "lst"', "line 18: `kind` is 'lst'"),
    ("world.toml", 'kind = "place"', 'kind = "palace"', "line 7: `kind` is 'palace'"),
    ("world.toml", 'key = "museum_shop"\n', "", "line 5: the field `key` is missing"),
    ("world.toml", 'key = "museum_shop"', 'key = "shop.s"', "Use a key without full stops"),
    ("world.toml", 'key = "inn"', 'key = "museum_shop"', "the key `museum_shop` is used twice"),
    ("world.toml", 'key = "goods"', 'key = "name"', "line 17: the key `name` is used twice"),
    ("world.toml", 'kind = "name"', 'kind = "text"', "has 0 slots of kind `name`"),
    ("world.toml", 'target = "inn"', 'target = "pub"', "needs a place domain as its target"),
    ("world.toml", 'target = "from"', 'target = "to"', "the targets `to`, `to`"),
    ("world.toml", 'table = "tables/cabs.jsonl"\n', "", "the domain `cab` has no table"),
    ("world.toml", "tables/cabs.jsonl", "../cabs.jsonl", "leaves the world folder"),
    ("world.toml", "tables/cabs.jsonl", "tables/cars.jsonl", "tables/cars.jsonl: no such file"),
    ("world.toml", "{ low = 10, high = 50 }", "{ low = 50, high = 10 }", "from 50 down to 10"),
    ("world.toml", "{ low = 20 }", "{ weight = 2 }", "a band of `price` has no bounds"),
    ("world.toml", 'kind = "list"', 'kind = "category"', "`tags` does not belong"),
    ("tables/inns.jsonl", '"quiet"', "true", "line 1, The Oak, mood: expected text or null"),
    ("tables/shops.jsonl", "12", '"12"', 'price: expected a whole number or null, found the text "12"'),
    ("tables/shops.jsonl", "12", "12.5", "price: expected a whole number or null"),
    ("tables/shops.jsonl", "4.5", "NaN", "rating: expected a number or null"),
    ("tables/shops.jsonl", '["old maps"]', '"old maps"', "line 2, Print Room Annexe, goods: expected a list"),
    ("tables/shops.jsonl", '"price": 12', '"prize": 12', "`prize` is no slot of museum_shop"),
    ("tables/shops.jsonl", '"price": 12', '"name": "x"', "the slot `name` stands twice"),
    ("tables/shops.jsonl", '"Kiosk"', '"Print Room"', "another row (line 1) has the same name"),
    ("tables/shops.jsonl", '"name": "Kiosk", ', "", "line 4, name: expected a name, found nothing"),
    ("tables/inns.jsonl", '{"name": "Elm', '"name": "Elm', "line 2: not valid JSON at column 7"),
    ("tables/inns.jsonl", "quiet", "\\ud800", "half of a surrogate pair"),
    ("languages/en.toml", 'code = "en"', 'code = "fr"', "languages/en.toml, line 1: the code is 'fr'"),
    ("languages/en.toml", 'name = "English"', "", "the field `name` is missing"),
    ("languages/en.toml", "near id={other}", "near id={place}", "{place}, which nobody fills"),
    ("languages/en.toml", "{value} crowns", "{value crowns", "cannot be filled in"),
    ("languages/de.values.json", '"mood": {', '"mood": [{', "not valid JSON"),
    ("languages/de.values.json", '"quiet": "ruhig"', '"quiet": 3', "expected slot keys with renderings"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "words"), FATAL)
def test_what_keeps_a_world_from_loading(
    town_folder: Path, file: str, old: str, new: str, words: str
) -> None:
    damage(town_folder, file, old, new)
    found = check_world(town_folder)
    assert any(words in str(problem) and problem.fatal for problem in found), [*map(str, found)]
    assert all(problem.remedy for problem in found)
    with pytest.raises(WorldError) as caught:
        load_world(town_folder, language="de" if file.startswith("languages/de") else None)
    assert words in str(caught.value), "the same words"


MINOR = [
    ("tables/inns.jsonl", '["Print Room", "Fossil Desk"]', '["Print Room", "Fossil Dusk"]',
     "there is no museum_shop called 'Fossil Dusk'. Did you mean 'Fossil Desk'?"),
    ("tables/inns.jsonl", '["Print Room", "Fossil Desk"]', '["Print Room"]',
     "line 3, Fossil Desk, inns: 'The Oak' is near, and does not have this one near it"),
    ("tables/inns.jsonl", '["garden", ', '["garden", "garden", ', "stands in the list 2 times"),
    ("tables/inns.jsonl", '["garden", ', '["garden", " ", ', "a blank text"),
    ("tables/shops.jsonl", '"name": "Kiosk"', '"name": "Elm House"', "a museum_shop has the same name"),
    ("world.toml", "{ low = 20 }", "{ low = 2000 }", "no row falls into the band 2000 to ..."),
    ("world.toml", '["gifts"]', '["presents"]', "no row has the term 'presents'"),
    ("world.toml", '"winter garden"', '"summer garden"', "no row has the term 'summer garden'"),
    ("languages/en.toml", 'inn = "inn"\n', "", "the domain `inn` has no name"),
    ("languages/en.toml", 'mood = "mood"\n', 'moood = "mood"\n', "the slot `inn.mood` has no name"),
    ("languages/en.toml", 'mood = "mood"\n', 'moood = "mood"\n', "`moood` under [slots]"),
    ("languages/en.toml", 'below = "under {high} crowns"\n', "", "no number form says the band"),
    ("languages/en.toml", 'inn = "Find an inn (id={id})."\n', "", "no sentence `inn` under [goal.some]"),
    ("languages/en.toml", '"inn.mood" = "It is {value}."\n', "", "no sentence `inn.mood`"),
    ("languages/en.toml", "It sells {value}.", "It sells.", "lacks the placeholder {value}"),
    ("languages/en.toml", 'whether = "whether it has {service}"\n', "", "there is no `whether`"),
    ("languages/de.values.json", '"quiet": "ruhig", ', "", "line 1, The Oak, mood: 'quiet' has no rendering in Deutsch"),
    ("languages/de.values.json", '"sehr ruhig"', '"ruhig"', "both rendered as 'ruhig'"),
    ("languages/de.values.json", '"maps": "Karten"', '"maps": " "', "the rendering of 'maps' is blank"),
    ("languages/de.values.json", '"maps": "Karten"', '"mapps": "Karten"', "stands in no table"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "words"), MINOR)
def test_what_reads_badly_and_loads_all_the_same(
    town_folder: Path, file: str, old: str, new: str, words: str
) -> None:
    damage(town_folder, file, old, new)
    found = check_world(town_folder)
    assert any(words in str(problem) for problem in found), [*map(str, found)]
    assert not any(problem.fatal for problem in found)
    assert all(problem.remedy for problem in found)
    load_world(town_folder, language="de")


def test_all_problems_are_reported_and_the_worst_come_first(town_folder: Path) -> None:
    damage(town_folder, "tables/shops.jsonl", "12", '"12"')
    damage(town_folder, "tables/shops.jsonl", "60", '"60"')
    damage(town_folder, "tables/inns.jsonl", "null", "3")
    damage(town_folder, "languages/en.toml", 'inn = "inn"\n', "")
    damage(town_folder, "languages/de.values.json", '"sehr ruhig"', '"ruhig"')
    fatal = [problem.fatal for problem in check_world(town_folder)]
    assert fatal == [True] * 3 + [False] * 2


def test_empty_undecodable_and_missing_files(town_folder: Path) -> None:
    (town_folder / "tables/cabs.jsonl").write_bytes(b"")
    (town_folder / "tables/inns.jsonl").write_bytes(b"\n\n")
    (town_folder / "tables/shops.jsonl").write_bytes('{"name": "Größe"}'.encode("latin-1"))
    (town_folder / "languages/en.toml").unlink()
    (town_folder / "languages/fr.values.json").write_text("{}")
    words = "\n".join(map(str, check_world(town_folder)))
    assert "tables/cabs.jsonl: the file is empty" in words
    assert "tables/inns.jsonl: the table has no rows" in words
    assert "is not UTF-8" in words and "tables/shops.jsonl" in words
    assert "the base language 'en' has no file" in words
    assert "languages/fr.values.json: there is no language file beside it" in words


def test_a_problem_names_its_place_in_parts(town_folder: Path) -> None:
    damage(town_folder, "tables/shops.jsonl", "12", '"12"')
    (problem,) = check_world(town_folder)
    assert (problem.file, problem.line) == ("tables/shops.jsonl", 1)
    assert (problem.entity, problem.slot) == ("Print Room", "price")
    assert problem.remedy == "Write 60, without quotes or unit."


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(town_folder: Path) -> None:
    for file in [*town_folder.rglob("*.toml"), *town_folder.rglob("*.json*")]:
        text = file.read_text("utf-8")
        file.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert check_world(town_folder) == []


def test_the_released_tables_have_four_slips(data_folder: Path) -> None:
    found = check_world(find_world("crosswoz"), data=data_folder)
    places = [(problem.entity, problem.slot) for problem in found]
    assert places == [
        ("青龙湖公园", "周边餐馆"),
        ("福寿斋", "周边餐馆"),
        ("北京洪城铭豪商务酒店", "酒店设施"),
        ("北京洪城铭豪商务酒店", "酒店设施"),
    ]
