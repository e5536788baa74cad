"""A town of three kinds of places, small enough to count by head."""

import pytest

from crosstalk.dialogue.languages import GoalPhrases, LanguagePack, NumberForms
from crosstalk.dialogue.schema import Band, Domain, DomainKind, Schema, Slot, SlotKind
from crosstalk.worlds.tables import Row, Table, World

SIGHT = Domain(
    "sight",
    DomainKind.PLACE,
    (
        Slot("name", SlotKind.NAME, search=True, request=True),
        Slot("address", SlotKind.TEXT, request=True),
        Slot(
            "fee",
            SlotKind.NUMBER,
            search=True,
            constrain=True,
            request=True,
            bands=(Band(0, 0, 10), Band(1, None, 1, "not_free"), Band(20, 50, 4)),
        ),
        Slot("visit", SlotKind.DURATION, search=True, constrain=True, request=True),
        Slot(
            "rating",
            SlotKind.RATING,
            search=True,
            constrain=True,
            request=True,
            bands=(Band(4, None, 2), Band(4.5, None, 6), Band(5, 5, 2)),
        ),
        Slot("near_sights", SlotKind.NEARBY, search=True, request=True, target="sight"),
        Slot("near_inns", SlotKind.NEARBY, search=True, request=True, target="inn"),
    ),
)
INN = Domain(
    "inn",
    DomainKind.PLACE,
    (
        Slot("name", SlotKind.NAME, search=True, request=True),
        Slot("class", SlotKind.CATEGORY, search=True, constrain=True, request=True),
        Slot(
            "services",
            SlotKind.SERVICES,
            search=True,
            constrain=True,
            request=True,
            exclusive=(frozenset({"wifi everywhere", "wifi in the hall"}),),
        ),
        Slot(
            "price",
            SlotKind.NUMBER,
            search=True,
            constrain=True,
            request=True,
            bands=(Band(100, 200), Band(200, 300), Band(300, None)),
        ),
        Slot("near_sights", SlotKind.NEARBY, search=True, request=True, target="sight"),
    ),
)
DINER = Domain(
    "diner",
    DomainKind.PLACE,
    (
        Slot("name", SlotKind.NAME, search=True, request=True),
        Slot("dishes", SlotKind.LIST, search=True, constrain=True, request=True),
        Slot("phone", SlotKind.TEXT, request=True),
    ),
)
TRAM = Domain(
    "tram",
    DomainKind.METRO,
    (
        Slot("from", SlotKind.ENDPOINT, search=True),
        Slot("to", SlotKind.ENDPOINT, search=True),
        Slot("from_stop", SlotKind.STATION, request=True, target="from"),
        Slot("to_stop", SlotKind.STATION, request=True, target="to"),
    ),
)
CAB = Domain(
    "cab",
    DomainKind.TAXI,
    (
        Slot("from", SlotKind.ENDPOINT, search=True),
        Slot("to", SlotKind.ENDPOINT, search=True),
        Slot("car", SlotKind.TEXT, request=True),
    ),
)

SIGHTS: tuple[Row, ...] = (
    {
        "name": "Mill",
        "address": "1 Mill Lane",
        "fee": 0,
        "visit": "1 hour",
        "rating": 4.6,
        "near_sights": ("Tower",),
        "near_inns": ("Anchor", "Crown"),
    },
    {
        "name": "Tower",
        "address": "Market",
        "fee": 30,
        "visit": "1 hour",
        "rating": 4.0,
        "near_sights": ("Mill",),
        "near_inns": (),
    },
    {
        "name": "Zoo",
        "address": None,
        "fee": None,
        "visit": "2 hours",
        "rating": None,
        "near_sights": (),
        "near_inns": (),
    },
)
INNS: tuple[Row, ...] = (
    {
        "name": "Anchor",
        "class": "simple",
        "services": ("breakfast", "wifi everywhere", "\n   "),
        "price": 200,
        "near_sights": ("Mill",),
    },
    {
        "name": "Crown",
        "class": "grand",
        "services": ("breakfast", "wifi in the hall", "sauna"),
        "price": 250,
        "near_sights": ("Mill",),
    },
    {
        "name": "Swan",
        "class": "simple",
        "services": ("breakfast", "sauna"),
        "price": None,
        "near_sights": (),
    },
)
DINERS: tuple[Row, ...] = (
    {"name": "Oven", "dishes": ("soup", "pie", "trout"), "phone": "11"},
    {"name": "Pot", "dishes": ("soup", "dumplings"), "phone": None},
    {"name": "Pan", "dishes": ("pie",), "phone": "33"},
)
PHRASES = GoalPhrases(
    some={
        "sight": "See a sight (id={id}).",
        "inn": "Find an inn (id={id}).",
        "diner": "Find a diner (id={id}).",
    },
    named={
        "sight": "See the {name} (id={id}).",
        "inn": "Stay at the {name} (id={id}).",
        "diner": "Eat at the {name} (id={id}).",
    },
    near={
        "sight": "See a sight near id={other} (id={id}).",
        "inn": "Find an inn near id={other} (id={id}).",
    },
    ride={
        "tram": "Take the tram from id={from} to id={to}.",
        "cab": "Call a cab from id={from} to id={to}.",
    },
    want={
        "sight.fee": "It should be {value}.",
        "sight.visit": "It should take {value}.",
        "sight.rating": "It should have {value}.",
        "inn.class": "It should be {value}.",
        "inn.services": "It should offer {value}.",
        "inn.price": "It should cost {value}.",
        "diner.dishes": "You want {value}.",
    },
    ask=dict.fromkeys(("sight", "inn", "diner", "tram", "cab"), "You want to know: {slots}."),
    whether="whether there is {service}",
    comma=", ",
    last_comma=" and ",
)
ENGLISH = LanguagePack(
    code="en",
    name="English",
    slots={"near_sights": "sights nearby", "near_inns": "inns nearby"},
    forms={
        "number": NumberForms("{value} marks", "{low}-{high} marks", "{low} marks or more"),
        "fee": NumberForms(
            "{value} marks", "{low}-{high} marks", "", "", free="free", not_free="not free"
        ),
        "rating": NumberForms("{value} stars", above="{low} stars or more"),
    },
    goal=PHRASES,
)


@pytest.fixture(scope="session")
def town() -> World:
    domains = (SIGHT, INN, DINER, TRAM, CAB)
    rows = {"sight": SIGHTS, "inn": INNS, "diner": DINERS, "cab": ({"car": "a red car"},)}
    tables = {domain.key: Table(domain, rows[domain.key]) for domain in domains if domain != TRAM}
    return World("town", Schema(domains), ENGLISH, tables)
