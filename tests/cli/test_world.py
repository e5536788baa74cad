"""`crosstalk world`, as a user types it."""

import json
from pathlib import Path
from typing import Any

import pytest

from crosstalk.cli.main import run
from crosstalk.worlds.world import load_world

MUSEUM = {
    "world.toml": """\
name = "museum"
format = 1
base = "en"

[[domains]]
key = "museum_shop"
kind = "place"
table = "tables/shops.jsonl"

[[domains.slots]]
key = "name"
kind = "name"
search = true
request = true

[[domains.slots]]
key = "opened"
kind = "number"
search = true
constrain = true
bands = [{ low = 1900 }]
""",
    "tables/shops.jsonl": """\
{"name": "Map Room", "opened": 1890}
{"name": "Kiosk", "opened": 1999}
""",
    "languages/en.toml": """\
code = "en"
name = "English"
[domains]
museum_shop = "museum shop"
[slots]
name = "name"
opened = "year of opening"
[forms.opened]
exact = "{value}"
above = "after {low}"
[goal.some]
museum_shop = "You want to see a museum shop (id={id})."
[goal.named]
museum_shop = "You want to see the museum shop {name} (id={id})."
[goal.want]
"museum_shop.opened" = "It opened {value}."
[goal.ask]
museum_shop = "You want to know its {slots}."
""",
}


class Shell:
    """Runs commands in an empty folder and keeps what they print."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self.out = ""
        self.err = ""

    def __call__(self, *words: str) -> int:
        self._monkeypatch.setattr("sys.argv", ["crosstalk", "world", *words])
        with pytest.raises(SystemExit) as ended:
            run()
        self.out, self.err = self._capsys.readouterr()
        return int(ended.value.code or 0)

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def world(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(monkeypatch, capsys)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def test_list(world: Shell) -> None:
    assert world("list") == 0
    assert "harbour (ar, de, en, ru, zh)" in world.out
    assert world("list", "--json") == 0
    assert {each["name"] for each in world.json} >= {"crosswoz", "harbour"}


def test_a_new_world_begins_as_a_copy(world: Shell) -> None:
    assert world("new", "my/town", "--from", "harbour") == 0
    assert world("check", "my/town") == 0
    assert "nothing is wrong" in world.out
    assert load_world("my/town").name == "town"
    assert [path.name for path in Path("my").iterdir()] == ["town"], "nothing is left beside it"


def test_a_new_world_begins_as_a_scaffold(world: Shell) -> None:
    assert world("new", "town", "--empty", "--language", "de", "--json") == 0
    assert world.json == {"folder": "town", "language": "de"}
    assert world("check", "town") == 0
    assert load_world("town").language.name == "Deutsch"
    assert world("new", "other", "--empty", "--from", "harbour") == 2
    assert "--empty copies nothing, and --from harbour was given" in world.err
    assert world("new", "other", "--language", "de") == 2
    assert "--language is for --empty" in world.err
    assert not Path("other").exists()


def test_nothing_is_overwritten(world: Shell) -> None:
    Path("town").mkdir()
    assert world("new", "town") == 2
    assert "town exists already; nothing was changed" in world.err
    assert list(Path("town").iterdir()) == []


def test_a_world_needs_tables_of_its_own_to_be_copied(world: Shell) -> None:
    assert world("new", "town", "--from", "crosswoz") == 2
    assert "Start from a world that has its own" in world.err
    assert not Path("town").exists()


def test_a_folder_that_cannot_be_made(world: Shell) -> None:
    Path("file").write_text("")
    assert world("new", "file/town") == 2
    assert "cannot be written" in world.err


def test_a_domain_nobody_has_thought_of_needs_no_python(world: Shell) -> None:
    write(Path("museum"), MUSEUM)
    assert world("check", "museum") == 0
    assert world("show", "museum", "--json") == 0
    assert world.json["domains"][0]["name"] == "museum shop"
    assert world("search", "museum", "--domain", "museum_shop", "opened=after 1900") == 0
    assert "Kiosk" in world.out and "Map Room" not in world.out


def test_check_says_what_is_wrong(world: Shell) -> None:
    shops = MUSEUM["tables/shops.jsonl"].replace("1999", '"1999"')
    write(Path("museum"), {**MUSEUM, "tables/shops.jsonl": shops})
    assert world("check", "museum") == 1
    assert "tables/shops.jsonl, line 2, Kiosk, opened: expected a whole number" in world.out
    assert "museum: 1 problem; 1 to mend before it loads." in world.out
    assert world("check", "museum", "--json") == 1
    (problem,) = world.json["problems"]
    assert (problem["line"], problem["slot"], problem["fatal"]) == (2, "opened", True)
    assert world("show", "museum") == 2
    assert "cannot be loaded" in world.err and "Traceback" not in world.err


def test_long_lists_of_problems_are_cut_for_people(world: Shell) -> None:
    rows = "".join(f'{{"name": "Shop {number}", "opened": "?"}}\n' for number in range(40))
    write(Path("museum"), {**MUSEUM, "tables/shops.jsonl": rows})
    world("check", "museum")
    assert "... and 10 more (--all prints them)" in world.out
    world("check", "museum", "--all")
    assert "Shop 39" in world.out


@pytest.mark.parametrize("given", ["nowhere", ".", "/dev/null"])
def test_what_is_no_world_is_named(world: Shell, given: str) -> None:
    assert world("check", given) == 2
    assert repr(given) in world.err and "crosstalk world new" in world.err


def test_show_speaks_the_language_asked_for(world: Shell) -> None:
    assert world("show", "harbour", "--domain", "hotel", "--language", "de", "--json") == 0
    (hotel,) = world.json["domains"]
    assert hotel["entities"] >= 150
    assert {slot["key"]: slot["name"] for slot in hotel["slots"]}["price"] == "Preis pro Nacht"
    assert world("show", "harbour", "--domain", "hotel", "--language", "de") == 0
    assert "Preis pro" in world.out
    assert world("show", "harbour", "--domain", "casino") == 2
    assert "It has attraction, restaurant, hotel, metro, taxi." in world.err


def test_search_shows_what_to_give_up(world: Shell) -> None:
    asked = ("search", "harbour", "--domain", "hotel", "type=luxury", "price=100-200 crowns")
    assert world(*asked) == 1
    assert "Nothing matches all of it. Without price=100-200 crowns:" in world.out
    assert world(*asked, "--json") == 1
    assert world.json["matched"] is False
    assert world.json["dropped"] == [{"slot": "price", "value": ["100-200 crowns"]}]
    assert all(row["type"] == "luxury" for row in world.json["rows"])


def test_search_finds_rides(world: Shell) -> None:
    ends = ("departure=City Zoo", "destination=Maritime Museum")
    assert world("search", "harbour", "--domain", "metro", *ends) == 0
    assert "metro" in world.out
    assert world("search", "harbour", "--domain", "taxi", *ends, "--json") == 0
    (ride,) = world.json["rows"]
    assert ride["departure"] == "City Zoo" and ride["plate"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--domain", "hotel", "cheap"), "'cheap' is no constraint"),
        (("--domain", "hotel", "colour=red"), "hotel has no slot 'colour'"),
        (("--domain", "casino"), "no domain 'casino'"),
        ((), "Missing option"),
    ],
)
def test_wrong_questions_are_answered_in_words(
    world: Shell, words: tuple[str, ...], message: str
) -> None:
    assert world("search", "harbour", *words) == 2
    assert message in world.err
