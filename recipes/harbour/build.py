"""Writes the tables and value renderings of the world `harbour` from the lists in `ingredients/`.

    python recipes/harbour/build.py            write them
    python recipes/harbour/build.py --check    say whether the files are what it would write

The lists hold what a person must write: names in five languages, districts, typical prices, fame.
Everything else is drawn here, from one seed, at the rates of the real CrossWOZ tables.
"""

import argparse
import csv
import json
import math
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORLD = HERE.parents[1] / "src" / "crosstalk" / "worlds" / "harbour"
SEED = 1747
LANGUAGES = ("en", "zh", "de", "ar", "ru")
BASE = "en"

Ingredient = Mapping[str, str]
"""One line of a list; its first five columns are the same text in the five languages."""
Texts = Mapping[str, str]
"""Language -> text."""
Row = dict[str, object]
Spot = tuple[float, float]
"""Kilometres east and north on the map of the city."""

PLACES = {"attraction": "attractions", "restaurant": "restaurants", "hotel": "hotels"}
NO_STATION = {"attraction": 0.39, "restaurant": 0.29, "hotel": 0.0}
NO_RATING = {"attraction": 0.28, "restaurant": 0.34, "hotel": 0.0}
NO_FEE = 0.06
NO_PRICE = 0.11
SECOND_PHONE = 0.04
RATINGS = {
    "attraction": (4.48, 0.42, 3.5),
    "restaurant": (4.1, 0.55, 3.5),
    "hotel": (4.42, 0.28, 3.3),
}
"""Mean, spread and floor of each domain's ratings, as in the real tables."""
NEARBY = {
    ("attraction", "attraction"): (4.7, 4.7),
    ("attraction", "restaurant"): (6.7, 3.3),
    ("attraction", "hotel"): (2.1, 0.9),
    ("restaurant", "restaurant"): (4.2, 4.2),
    ("restaurant", "hotel"): (2.4, 2.0),
}
"""Links an entity of each side should have on average; hotels list no hotels."""

ADDRESS = {
    "en": "{number} {street}",
    "zh": "{street}{number}号",
    "de": "{street} {number}",
    "ar": "{street}، رقم {number}",
    "ru": "{street}, д. {number}",
}
WITH_DISTRICT = {
    "en": "{address}, {district}",
    "zh": "{district}{address}",
    "de": "{address}, {district}",
    "ar": "{address}، {district}",
    "ru": "{address}, {district}",
}
STATION = {
    "en": "{station} metro, exit {exit}",
    "zh": "{station}地铁站{exit}口",
    "de": "U-Bahnhof {station}, Ausgang {exit}",
    "ar": "محطة مترو {station}، المخرج {exit}",
    "ru": "станция метро «{station}», выход {exit}",
}
EXITS = {"en": "ABCD", "zh": "ABCD", "de": "ABCD", "ar": "أبجد", "ru": "1234"}

LATE = "late-night kitchen"
DAYTIME = {"bakery_cafe", "sweets"}
SEASIDE = {"docks", "lighthouse_point", "fishing_village", "new_harbour", "island", "palm_beach"}
EQUIPPED = {"budget": 1, "comfort": 2, "upscale": 4, "luxury": 8}
"""How likely a hotel is to be among those that have a service."""


@dataclass(frozen=True, eq=False)
class Place:
    """An attraction, restaurant or hotel, put on the map."""

    domain: str
    ingredient: Ingredient
    spot: Spot

    @property
    def name(self) -> str:
        return self.ingredient[BASE]

    @property
    def fame(self) -> int:
        return int(self.ingredient["fame"])


@dataclass
class Renderings:
    """How the other languages write what the tables say: language, slot, base value, text."""

    texts: dict[str, dict[str, dict[str, str]]] = field(
        default_factory=lambda: {code: {} for code in LANGUAGES if code != BASE}
    )

    def base(self, slot: str, texts: Texts) -> str:
        """The base text, after noting the others."""
        for code, slots in self.texts.items():
            known = slots.setdefault(slot, {})
            if known.setdefault(texts[BASE], texts[code]) != texts[code]:
                raise ValueError(f"{slot} {texts[BASE]!r} has two renderings in {code}")
        return texts[BASE]


@dataclass
class City:
    """The lists, the map, and the one source of chance."""

    rng: random.Random = field(default_factory=lambda: random.Random(SEED))
    renderings: Renderings = field(default_factory=Renderings)
    lists: Mapping[str, list[Ingredient]] = field(
        default_factory=lambda: {path.stem: read_list(path) for path in sorted(ingredient_files())}
    )

    def spot(self, district: str, *, part: float = 1.0) -> Spot:
        """Somewhere in a district, or in the inner part of it."""
        where = next(each for each in self.lists["districts"] if each["key"] == district)
        spread = part * float(where["spread"])
        return (
            self.rng.gauss(float(where["x"]), spread),
            self.rng.gauss(float(where["y"]), spread),
        )

    def renown(self, place: Place) -> float:
        """Fame with luck: of well-known places more is known, as a rule."""
        return place.fame + self.rng.gauss(0, 25)

    def places(self, domain: str) -> list[Place]:
        """A domain's places, from well known to little known."""
        found = [
            Place(domain, each, self.spot(each["district"])) for each in self.lists[PLACES[domain]]
        ]
        return sorted(found, key=lambda place: -place.fame)


def ingredient_files() -> Iterator[Path]:
    return (HERE / "ingredients").glob("*.tsv")


def read_list(path: Path) -> list[Ingredient]:
    with path.open(encoding="utf-8", newline="") as lines:
        rows: list[Ingredient] = list(
            csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True)
        )
    for number, row in enumerate(rows, start=2):
        if None in row or any(not row.get(code) for code in LANGUAGES):
            raise ValueError(f"{path.name}, line {number}: a column too many or too few")
    return rows


# --- what each domain's rows hold ---------------------------------------------------------------


def build(city: City) -> dict[str, list[Row]]:
    """File name -> rows."""
    places = {domain: city.places(domain) for domain in PLACES}
    common = Common.of(city, places)
    nearby = nearby_relations(places)
    paid = [place for place in places["attraction"] if place.ingredient["fee"] != "0"]
    fees = unknown(paid, NO_FEE * len(places["attraction"]) / len(paid), city.renown)
    prices = unknown(places["hotel"], NO_PRICE, city.renown)
    offers = services(city, places["hotel"])
    return {
        "attractions": [
            {**common.head(p), **attraction(city, p, fees), **common.rating(p), **nearby(p)}
            for p in places["attraction"]
        ],
        "restaurants": [
            {**common.head(p), **restaurant(city, p), **common.rating(p), **nearby(p)}
            for p in places["restaurant"]
        ],
        "hotels": [
            hotel(city, p, common.head(p), offers, prices) | common.rating(p) | nearby(p)
            for p in places["hotel"]
        ],
        "taxis": [taxi(city, each) for each in city.lists["taxis"]],
    }


def attraction(city: City, place: Place, without_fee: set[str]) -> Row:
    fee = None if place.name in without_fee else int(place.ingredient["fee"])
    return {"fee": fee, "duration": duration(city, float(place.ingredient["duration_hint"]))}


def duration(city: City, hint: float) -> str:
    """A time near the hint; among near ones, as often as people say them."""
    spans = city.lists["durations"]
    weights = [
        float(each["weight"]) * math.exp(-3 * math.log(float(each["hours"]) / hint) ** 2)
        for each in spans
    ]
    return city.renderings.base("duration", city.rng.choices(spans, weights)[0])


def restaurant(city: City, place: Place) -> Row:
    price = int(place.ingredient["price"])
    terms = [*tags(city, place), *dishes(city, place)]
    return {
        "hours": hours(city, place, late=LATE in terms),
        "dishes": terms,
        "cost": in_fives(price * city.rng.uniform(0.93, 1.07)),
    }


def in_fives(amount: float) -> int:
    """As price lists round; after such a number every language has one word for crowns."""
    return 5 * round(amount / 5)


def tags(city: City, place: Place) -> list[str]:
    fitting = [each for each in served(city, place) if each["tag"] and fits(each[BASE], place)]
    drawn = city.rng.sample(fitting, min(len(fitting), city.rng.choice((0, 0, 1, 1, 2))))
    return [city.renderings.base("dishes", each) for each in drawn]


def fits(tag: str, place: Place) -> bool:
    """Whether a tag can be true of a place."""
    match tag:
        case "late-night kitchen":
            return place.ingredient["cuisine"] not in DAYTIME
        case "harbour view":
            return place.ingredient["district"] in SEASIDE
        case "visits from celebrities":
            return int(place.ingredient["price"]) >= 150
        case _:
            return True


def dishes(city: City, place: Place) -> list[str]:
    kitchen = [each for each in served(city, place) if not each["tag"]]
    drawn = city.rng.sample(kitchen, city.rng.randint(4, 10))
    return [city.renderings.base("dishes", each) for each in drawn]


def served(city: City, place: Place) -> list[Ingredient]:
    cuisine = place.ingredient["cuisine"]
    return [each for each in city.lists["dishes"] if cuisine in each["cuisine"].split(",")]


def hours(city: City, place: Place, *, late: bool) -> str:
    kind = "late" if late else hours_kind(city, place)
    fitting = [each for each in city.lists["hours"] if each["kind"] == kind]
    return city.renderings.base("hours", city.rng.choice(fitting))


def hours_kind(city: City, place: Place) -> str:
    price = int(place.ingredient["price"])
    if place.ingredient["cuisine"] in DAYTIME:
        return "cafe"
    if price >= 250:
        return "dinner"
    markets = place.ingredient["district"] in {"market_quarter", "fishing_village"}
    if markets and price < 100 and city.rng.random() < 0.4:
        return "market"
    return city.rng.choices(("allday", "dinner"), (4, 1))[0]


def hotel(
    city: City, place: Place, head: Row, offers: Mapping[str, list[str]], without_price: set[str]
) -> Row:
    """The type stands between the name and the address, as in the form."""
    kind = next(t for t in city.lists["types"] if t[BASE] == place.ingredient["type"])
    low, high = float(kind["low"]), float(kind["high"])
    price = in_fives(low * (high / low) ** city.rng.betavariate(2, 2.5))
    return {
        "name": head["name"],
        "type": city.renderings.base("type", kind),
        **head,
        "services": offers[place.name],
        "price": None if place.name in without_price else price,
    }


def services(city: City, hotels: Sequence[Place]) -> dict[str, list[str]]:
    """What each hotel offers: exactly each service's share of hotels, rather the better ones.

    The wifi services are dealt out one a hotel; their shares add up to nearly one.
    """
    offers: dict[str, list[str]] = {place.name: [] for place in hotels}
    without_wifi = city.rng.sample(hotels, len(hotels))
    for service in city.lists["services"]:
        count = max(1, round(float(service["rate"]) * len(hotels)))
        if service["group"]:
            having, without_wifi = without_wifi[:count], without_wifi[count:]
        else:
            having = sorted(hotels, key=lambda place: equipment(city, place))[-count:]
        for place in having:
            offers[place.name].append(city.renderings.base("services", service))
    return offers


def equipment(city: City, place: Place) -> float:
    """Luck, weighted so that a place of twice the weight is chosen about twice as often."""
    return float(city.rng.random() ** (1 / EQUIPPED[place.ingredient["type"]]))


def taxi(city: City, car: Ingredient) -> Row:
    return {"car": city.renderings.base("car", car), "plate": car["plate"]}


# --- what all places have -----------------------------------------------------------------------


@dataclass
class Common:
    """Names, addresses, stations, phones and ratings: what all places have."""

    city: City
    streets: list[tuple[Ingredient, Spot]]
    stations: list[tuple[Ingredient, Spot]]
    off_metro: set[str]
    unrated: set[str]
    numbers: dict[str, list[int]]
    """House numbers not given away yet, by street."""

    @classmethod
    def of(cls, city: City, places: Mapping[str, Sequence[Place]]) -> "Common":
        streets = [(each, city.spot(each["district"], part=0.6)) for each in city.lists["streets"]]
        named = {each[BASE]: spot for each, spot in streets}
        stations = [
            (each, named.get(each[BASE]) or city.spot(each["district"], part=0.6))
            for each in city.lists["stations"]
        ]

        def closeness(place: Place) -> float:
            return -min(math.dist(place.spot, spot) for _, spot in stations)

        numbers = {each[BASE]: list(range(1, 61)) for each in city.lists["streets"]}
        for street in numbers.values():
            city.rng.shuffle(street)
        return cls(
            city,
            streets,
            stations,
            {
                name
                for d, found in places.items()
                for name in unknown(found, NO_STATION[d], closeness)
            },
            {
                name
                for d, found in places.items()
                for name in unknown(found, NO_RATING[d], city.renown)
            },
            numbers,
        )

    def head(self, place: Place) -> Row:
        return {
            "name": self.city.renderings.base("name", place.ingredient),
            "address": self.address(place),
            "station": None if place.name in self.off_metro else self.station(place),
            "phone": self.phone(),
        }

    def address(self, place: Place) -> str:
        """The nearest street of the district; all but restaurants name the district too."""
        district = place.ingredient["district"]
        streets = [each for each in self.streets if each[0]["district"] == district]
        street, _ = min(streets, key=lambda each: math.dist(place.spot, each[1]))
        number = self.numbers[street[BASE]].pop()
        texts = {c: ADDRESS[c].format(street=street[c], number=number) for c in LANGUAGES}
        if place.domain != "restaurant":
            quarter = next(each for each in self.city.lists["districts"] if each["key"] == district)
            texts = {
                c: WITH_DISTRICT[c].format(address=texts[c], district=quarter[c]) for c in LANGUAGES
            }
        return self.city.renderings.base("address", texts)

    def station(self, place: Place) -> str:
        """The nearest station, and the exit on the place's side of it."""
        station, spot = min(self.stations, key=lambda each: math.dist(place.spot, each[1]))
        side = 2 * (place.spot[0] > spot[0]) + (place.spot[1] > spot[1])
        texts = {c: STATION[c].format(station=station[c], exit=EXITS[c][side]) for c in LANGUAGES}
        return self.city.renderings.base("station", texts)

    def phone(self) -> str:
        count = 2 if self.city.rng.random() < SECOND_PHONE else 1
        return " ".join(f"0482-{self.city.rng.randint(2_000_000, 7_999_999)}" for _ in range(count))

    def rating(self, place: Place) -> Row:
        mean, spread, floor = RATINGS[place.domain]
        drawn = self.city.rng.gauss(mean + (place.fame - 50) / 250, spread)
        rating = round(min(5.0, max(floor, drawn)), 1)
        return {"rating": None if place.name in self.unrated else rating}


def unknown(places: Sequence[Place], share: float, known: Callable[[Place], float]) -> set[str]:
    """The share of places of which something is not known: those least likely to be known."""
    ranked = sorted(places, key=known)
    return {place.name for place in ranked[: round(share * len(places))]}


# --- nearby -------------------------------------------------------------------------------------


def nearby_relations(places: Mapping[str, Sequence[Place]]) -> Callable[[Place], Row]:
    """Who is near whom, both ways; each list goes from well known to little known."""
    links = {pair: closest(places[pair[0]], places[pair[1]], pair) for pair in NEARBY}

    def near(place: Place) -> Row:
        found: Row = {}
        for domain, table in PLACES.items():
            if place.domain == domain == "hotel":
                continue
            pair = next(p for p in NEARBY if p in ((place.domain, domain), (domain, place.domain)))
            names = {name for link in links[pair] if place.name in link for name in link}
            found[f"nearby_{table}"] = [
                other.name for other in places[domain] if other.name in names - {place.name}
            ]
        return found

    return near


def closest(
    ones: Sequence[Place], others: Sequence[Place], pair: tuple[str, str]
) -> set[frozenset[str]]:
    """The nearest pairs, as many as come close to the wanted means of both sides."""
    same = pair[0] == pair[1]
    pairs = list(combinations(ones, 2) if same else product(ones, others))
    wanted = [
        mean * count for mean, count in zip(NEARBY[pair], (len(ones), len(others)), strict=True)
    ]
    count = round(math.sqrt(math.prod(wanted)) / (2 if same else 1))
    pairs.sort(
        key=lambda two: math.dist(two[0].spot, two[1].spot) / (reach(two[0]) * reach(two[1]))
    )
    return {frozenset((one.name, other.name)) for one, other in pairs[:count]}


def reach(place: Place) -> float:
    """Well-known places are named from farther away; most hotels from nowhere at all."""
    return 0.2 + (place.fame / 100) ** (5 if place.domain == "hotel" else 2)


# --- files --------------------------------------------------------------------------------------


def files() -> dict[Path, str]:
    """Everything the recipe writes: path -> content."""
    city = City()
    written = {
        WORLD / "tables" / f"{name}.jsonl": "".join(
            json.dumps(row, ensure_ascii=False) + "\n" for row in rows
        )
        for name, rows in build(city).items()
    }
    for code, slots in city.renderings.texts.items():
        path = WORLD / "languages" / f"{code}.values.json"
        written[path] = json.dumps(slots, ensure_ascii=False, indent=1) + "\n"
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Builds the world harbour.")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args(arguments).check
    stale = {path: text for path, text in files().items() if differs(path, text)}
    for path, text in stale.items():
        print(f"{'differs' if check else 'written'}: {path.relative_to(WORLD)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
    return 1 if check and stale else 0


def differs(path: Path, text: str) -> bool:
    return not path.exists() or path.read_bytes() != text.encode()


if __name__ == "__main__":
    sys.exit(main())
