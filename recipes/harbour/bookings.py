"""Write what is left and what is booked in harbour (`python recipes/harbour/bookings.py`).

The tables of amounts list the days that differ from the default in `world.toml`. The bookings are
those that guests made before a conversation; some of them may not be changed or cancelled any more.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

TABLES = Path(__file__).parents[2] / "src/crosstalk/worlds/harbour/tables"
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
Rows = list[dict[str, Any]]


def main() -> None:
    rng = Random("harbour bookings")
    hotels, restaurants, attractions = map(names, ("hotels", "restaurants", "attractions"))
    write("rooms", "Rooms left where it is not the usual three.", rooms(hotels, rng))
    write("seats", "Tables left where it is not the usual three.", seats(restaurants, rng))
    write("tickets", "Tickets left where it is not the usual twenty.", tickets(attractions, rng))
    before = "Bookings that guests made before."
    write("room_bookings", before, room_bookings(hotels, rng))
    write("table_bookings", before, table_bookings(restaurants, rng))
    write("ticket_bookings", before, ticket_bookings(attractions, rng))


def names(table: str) -> list[str]:
    lines = (TABLES / f"{table}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["name"] for line in lines if line and not line.startswith("#")]


def write(table: str, comment: str, rows: Iterable[dict[str, Any]]) -> None:
    lines = [f"# {comment}", *(json.dumps(row, ensure_ascii=False) for row in rows)]
    (TABLES / f"{table}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


def date(day: int) -> str:
    return f"2026-06-{day:02}"


def some_days(rng: Random, count: int) -> list[str]:
    return [date(day) for day in sorted(rng.sample(range(1, 31), count))]


def rooms(hotels: list[str], rng: Random) -> Rows:
    return [
        {"entity": name, "date": day, "left": rng.choice([0, 0, 1])}
        for name in hotels
        for day in some_days(rng, 6)
    ]


def seats(restaurants: list[str], rng: Random) -> Rows:
    return [
        {"entity": name, "date": day, "time": time, "left": rng.choice([0, 0, 1])}
        for name in restaurants
        for day in some_days(rng, 6)
        for time in ("19:00", "20:00")
    ]


def tickets(attractions: list[str], rng: Random) -> Rows:
    return [
        {"entity": name, "date": day, "left": rng.choice([0, 1, 2, 4])}
        for name in attractions
        for day in some_days(rng, 5)
    ]


def code(rng: Random) -> str:
    return "".join(rng.choice(LETTERS) for _ in range(8))


def room_bookings(hotels: list[str], rng: Random) -> Rows:
    """Every fourth guest arrives today."""
    return [
        {
            "reference": code(rng),
            "entity": name,
            "arrival": date(1 if number % 4 == 0 else rng.randint(2, 25)),
            "nights": rng.randint(1, 4),
            "people": rng.randint(1, 4),
            "status": "booked",
        }
        for number, name in enumerate(rng.sample(hotels, 16))
    ]


def table_bookings(restaurants: list[str], rng: Random) -> Rows:
    """Every fourth guest comes today."""
    return [
        {
            "reference": code(rng),
            "entity": name,
            "date": date(1 if number % 4 == 0 else rng.randint(2, 28)),
            "time": rng.choice(["12:30", "19:00", "19:30", "20:00"]),
            "people": rng.randint(1, 8),
            "status": "booked",
        }
        for number, name in enumerate(rng.sample(restaurants, 16))
    ]


def ticket_bookings(attractions: list[str], rng: Random) -> Rows:
    """Every fourth booking is for more people than may be cancelled."""
    return [
        {
            "reference": code(rng),
            "entity": name,
            "date": date(rng.randint(2, 28)),
            "people": rng.randint(6, 10) if number % 4 == 0 else rng.randint(1, 5),
            "status": "booked",
        }
        for number, name in enumerate(rng.sample(attractions, 16))
    ]


if __name__ == "__main__":
    main()
