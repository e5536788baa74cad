"""A small MultiWOZ: three hotels, two restaurants, two trains, and dialogues made for a rule."""

import json
from pathlib import Path
from typing import Any

from crosstalk.evaluation.multiwoz.venue_tables import VenueTables, read_tables

HOTELS = [
    {"id": "0", "name": "acorn guest house", "area": "north", "stars": "4", "type": "guesthouse"},
    {"id": "1", "name": "allenbell", "area": "east", "stars": "4", "type": "guesthouse"},
    {"id": "2", "name": "gonville hotel", "area": "centre", "stars": "3", "type": "hotel"},
]
RESTAURANTS = [
    {"id": "10", "name": "curry garden", "area": "centre", "food": "indian", "phone": "01"},
    {"id": "11", "name": "de luca", "area": "centre", "food": "modern european", "phone": "02"},
]
ATTRACTIONS = [
    {"id": "20", "name": "jesus green pool", "area": "north", "type": "swimmingpool", "fee": "?"},
    {"id": "21", "name": "kettles yard", "area": "west", "type": "museum", "fee": "free"},
]
TRAINS = [
    {"trainID": "TR1", "departure": "cambridge", "destination": "ely", "day": "monday",
     "leaveAt": "09:50", "arriveBy": "10:07"},
    {"trainID": "TR2", "departure": "cambridge", "destination": "ely", "day": "monday",
     "leaveAt": "11:50", "arriveBy": "12:07"},
]  # fmt: skip


def write_tables(data: Path) -> Path:
    folder = data / "multiwoz" / "db"
    folder.mkdir(parents=True)
    tables = {
        "hotel": HOTELS,
        "restaurant": RESTAURANTS,
        "attraction": ATTRACTIONS,
        "train": TRAINS,
    }
    for domain, rows in tables.items():
        (folder / f"{domain}_db.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder


def tables(data: Path) -> VenueTables:
    return read_tables(write_tables(data))


def metadata(**domains: Any) -> dict[str, Any]:
    """The state of a log entry: `hotel={"area": "north"}`, `hotel_booked=[...]`."""
    found: dict[str, Any] = {}
    for domain in ("restaurant", "hotel", "attraction", "train", "taxi"):
        slots = dict(domains.get(domain, {}))
        book = {slot: slots.pop(slot) for slot in ("people", "stay") if slot in slots}
        booked = domains.get(f"{domain}_booked", [])
        found[domain] = {"semi": slots, "book": {"booked": booked, **book}}
    return found


def write_corpus(path: Path) -> Path:
    """One dialogue: a hotel in the north, booked for two people, its phone asked for."""
    hotel = {"area": "north", "people": "", "stay": ""}
    booked = {"area": "north", "people": "2", "stay": "3"}
    entry = [{"name": "acorn guest house", "reference": "ABCDEFGH"}]
    log = [
        {"text": "A hotel in the north ?", "metadata": {}, "dialog_act": {}},
        {
            "text": "Acorn Guest House , phone 0123 .",
            "metadata": metadata(hotel=hotel),
            "dialog_act": {"Hotel-Inform": [["Name", "Acorn Guest House"], ["Phone", "0123"]]},
            "span_info": [
                ["Hotel-Inform", "Phone", "0123", 5, 5],
                ["Hotel-Inform", "Name", "Acorn Guest House", 0, 2],
            ],
        },
        {"text": "Book it for 2 people and 3 nights .", "metadata": {}, "dialog_act": {}},
        {
            "text": "Done , ABCDEFGH .",
            "metadata": metadata(hotel=booked, hotel_booked=entry),
            "dialog_act": {"Booking-Book": [["Ref", "ABCDEFGH"]]},
            "span_info": [["Booking-Book", "Ref", "ABCDEFGH", 2, 2]],
        },
    ]
    goal = {
        "hotel": {
            "info": {"area": "north"},
            "book": {"people": "2", "stay": "3", "invalid": False},
            "reqt": ["phone", "stars"],
        },
        "message": ["A hotel."],
    }
    path.write_text(json.dumps({"MUL0001.json": {"goal": goal, "log": log}}), encoding="utf-8")
    return path
