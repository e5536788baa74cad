"""A town written by hand, without Python: places no published world has, and two rides."""
# ruff: noqa: E501 -- a row of a table is one line

from pathlib import Path

import pytest

from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

WORLD = """\
name = "town"
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
key = "goods"
kind = "list"
search = true
constrain = true
request = true
tags = ["gifts"]

[[domains.slots]]
key = "price"
kind = "number"
search = true
constrain = true
request = true
bands = [{ low = 0, high = 0 }, { low = 10, high = 50 }, { high = 20 }, { low = 20 }]

[[domains.slots]]
key = "rating"
kind = "rating"
search = true
constrain = true
bands = [{ low = 4 }, { low = 5, high = 5 }]

[[domains.slots]]
key = "inns"
kind = "nearby"
target = "inn"
search = true
request = true

[[domains.slots]]
key = "stop"
kind = "station"

[[domains]]
key = "inn"
kind = "place"
table = "tables/inns.jsonl"

[[domains.slots]]
key = "name"
kind = "name"
search = true
request = true

[[domains.slots]]
key = "mood"
kind = "category"
search = true
constrain = true

[[domains.slots]]
key = "extras"
kind = "services"
search = true
constrain = true
request = true
exclusive = [["garden", "winter garden"]]

[[domains.slots]]
key = "shops"
kind = "nearby"
target = "museum_shop"
search = true
request = true

[[domains.slots]]
key = "stop"
kind = "station"

[[domains]]
key = "tram"
kind = "metro"

[[domains.slots]]
key = "from"
kind = "endpoint"
search = true

[[domains.slots]]
key = "to"
kind = "endpoint"
search = true

[[domains.slots]]
key = "from_stop"
kind = "station"
target = "from"
request = true

[[domains.slots]]
key = "to_stop"
kind = "station"
target = "to"
request = true

[[domains]]
key = "cab"
kind = "taxi"
table = "tables/cabs.jsonl"

[[domains.slots]]
key = "from"
kind = "endpoint"
search = true

[[domains.slots]]
key = "to"
kind = "endpoint"
search = true

[[domains.slots]]
key = "car"
kind = "text"
request = true
"""

SHOPS = """\
{"name": "Print Room", "goods": ["maps", "postcards", "gifts"], "price": 12, "rating": 4.5, "inns": ["The Oak"], "stop": "North"}
{"name": "Print Room Annexe", "goods": ["old maps"], "price": null, "rating": null, "inns": [], "stop": null}
{"name": "Fossil Desk", "goods": [], "price": 0, "rating": 5, "inns": ["The Oak", "Elm House"], "stop": "South"}
{"name": "Kiosk", "goods": ["postcards"], "price": 60, "rating": 3.9, "inns": [], "stop": "North"}
"""

INNS = """\
{"name": "The Oak", "mood": "quiet", "extras": ["garden", "breakfast"], "shops": ["Print Room", "Fossil Desk"], "stop": "North"}
{"name": "Elm House", "mood": "very quiet", "extras": ["winter garden"], "shops": ["Fossil Desk"], "stop": null}
"""

CABS = """\
{"car": "blue van"}
{"car": "red saloon"}
{"car": "green estate"}
"""

ENGLISH = """\
code = "en"
name = "English"

[domains]
museum_shop = "museum shop"
inn = "inn"
tram = "tram"
cab = "cab"

[slots]
name = "name"
goods = "goods"
price = "price"
rating = "rating"
inns = "inns nearby"
mood = "mood"
extras = "extras"
shops = "shops nearby"
from = "start"
to = "end"
from_stop = "stop at the start"
to_stop = "stop at the end"
car = "car"

[forms.price]
exact = "{value} crowns"
range = "{low} to {high} crowns"
above = "{low} crowns or more"
below = "under {high} crowns"
free = "free"
not_free = "not free"

[forms.rating]
exact = "{value} points"
above = "at least {low} points"

[goal]
whether = "whether it has {service}"
[goal.some]
museum_shop = "Find a museum shop (id={id})."
inn = "Find an inn (id={id})."
[goal.named]
museum_shop = "Find the museum shop {name} (id={id})."
inn = "Find the inn {name} (id={id})."
[goal.near]
museum_shop = "Find a museum shop near id={other} (id={id})."
inn = "Find an inn near id={other} (id={id})."
[goal.ride]
tram = "Take the tram from id={from} to id={to}."
cab = "Take a cab from id={from} to id={to}."
[goal.want]
"museum_shop.goods" = "It sells {value}."
"museum_shop.price" = "It costs {value}."
"museum_shop.rating" = "It is rated {value}."
"inn.mood" = "It is {value}."
"inn.extras" = "It has {value}."
[goal.ask]
museum_shop = "Ask for its {slots}."
inn = "Ask for its {slots}."
tram = "Ask for the {slots}."
cab = "Ask for the {slots}."
"""

GERMAN_NAMES = """\
{
  "name": {
    "Print Room": "Grafikkabinett",
    "Print Room Annexe": "Grafikkabinett Anbau",
    "Fossil Desk": "Fossilientisch",
    "Kiosk": "Kiosk am Tor",
    "The Oak": "Zur Eiche",
    "Elm House": "Ulmenhof"
  },
  "goods": {"maps": "Karten", "old maps": "alte Karten", "postcards": "Postkarten", "gifts": "Geschenke"},
  "mood": {"quiet": "ruhig", "very quiet": "sehr ruhig"},
  "extras": {"garden": "Garten", "winter garden": "Wintergarten", "breakfast": "Frühstück"},
  "stop": {"North": "Nord", "South": "Süd"},
  "car": {"blue van": "blauer Bus", "red saloon": "rote Limousine", "green estate": "grüner Kombi"}
}
"""


def german() -> str:
    words = {"English": "Deutsch", '"en"': '"de"', "crowns": "Kronen", '"free"': '"frei"'}
    text = ENGLISH
    for english, other in words.items():
        text = text.replace(english, other)
    return text


@pytest.fixture
def town_folder(tmp_path: Path) -> Path:
    """The town as files, to be damaged at will."""
    folder = tmp_path / "town"
    files = {
        "world.toml": WORLD,
        "tables/shops.jsonl": SHOPS,
        "tables/inns.jsonl": INNS,
        "tables/cabs.jsonl": CABS,
        "languages/en.toml": ENGLISH,
        "languages/de.toml": german(),
        "languages/de.values.json": GERMAN_NAMES,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def town(town_folder: Path) -> World:
    return load_world(town_folder)


@pytest.fixture
def database(town: World) -> Database:
    return Database(town)


@pytest.fixture(scope="session")
def crosswoz(data_folder: Path) -> World:
    return load_world("crosswoz", data=data_folder)
