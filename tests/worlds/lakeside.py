"""A town at a lake where something can be done: rooms by date, ferries by day and time."""
# ruff: noqa: E501 -- a row of a table is one line

from pathlib import Path

WORLD = """\
name = "lakeside"
format = 2
base = "en"
today = "2026-06-01"

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
key = "price"
kind = "money"
search = true
constrain = true
request = true
bands = [{ high = 50 }]

[[domains.slots]]
key = "stars"
kind = "count"
search = true
constrain = true

[[domains.slots]]
key = "bookable"
kind = "flag"
search = true
constrain = true

[[domains.slots]]
key = "view"
kind = "category"
search = true
constrain = true
match = "exact"
unknown = "?"
aliases = { "lake side" = "lake" }

[[domains.slots]]
key = "hours"
kind = "hours"
search = true
request = true

[[domains]]
key = "ferry"
kind = "table"
table = "tables/ferries.jsonl"
key_slots = ["number", "day", "leave"]

[[domains.slots]]
key = "number"
kind = "key"
search = true
request = true

[[domains.slots]]
key = "day"
kind = "day"
search = true
constrain = true

[[domains.slots]]
key = "leave"
kind = "time"
match = "from"
search = true
constrain = true
request = true

[[domains.slots]]
key = "arrive"
kind = "time"
match = "until"
search = true
request = true

[[tables]]
key = "rooms"
columns = { entity = { kind = "name", target = "inn" }, date = "date", left = "count" }
day = "date"
amount = "left"
default = 2
file = "tables/rooms.jsonl"

[[tables]]
key = "bookings"
columns = { reference = "key", entity = { kind = "name", target = "inn" }, arrival = { kind = "date", low = "2026-06-01", high = "2026-06-30" }, nights = { kind = "count", low = 1, high = 14 }, people = { kind = "count", low = 1, high = 4 }, price = "money", status = { kind = "category", values = ["booked", "cancelled"] } }

[[actions]]
key = "book_room"
domain = "inn"
needs = ["entity", "arrival", "nights", "people"]
confirm = true
require = [
    { slot = "bookable", is = "yes", refuse = "not_bookable" },
    { free = "rooms", where = { entity = "$entity" }, on = ["$arrival", "$nights"], refuse = "full" },
]
effect = [
    { insert = "bookings", set = { status = "booked" } },
    { decrease = "rooms", where = { entity = "$entity" }, on = ["$arrival", "$nights"] },
]
gives = ["reference", { key = "price", times = ["$entity.price", "$nights"] }]

[[actions]]
key = "change_room"
needs = ["reference"]
optional = ["arrival", "nights", "people"]
confirm = true
require = [{ exists = "bookings", where = { reference = "$reference", status = "booked" }, refuse = "no_booking" }]
effect = [
    { increase = "rooms", where = { entity = "$bookings.entity" }, on = ["$bookings.arrival", "$bookings.nights"] },
    { free = "rooms", where = { entity = "$bookings.entity" }, on = ["$arrival|$bookings.arrival", "$nights|$bookings.nights"], refuse = "full" },
    { decrease = "rooms", where = { entity = "$bookings.entity" }, on = ["$arrival|$bookings.arrival", "$nights|$bookings.nights"] },
    { update = "bookings", where = { reference = "$reference" }, set = { arrival = "$arrival", nights = "$nights", people = "$people" } },
]

[[actions]]
key = "cancel_room"
needs = ["reference"]
require = [{ exists = "bookings", where = { reference = "$reference", status = "booked" }, refuse = "no_booking" }]
effect = [
    { update = "bookings", where = { reference = "$reference" }, set = { status = "cancelled" } },
    { increase = "rooms", where = { entity = "$bookings.entity" }, on = ["$bookings.arrival", "$bookings.nights"] },
]

[[rules]]
key = "cancel_in_time"
actions = ["cancel_room"]
require = [{ exists = "bookings", where = { reference = "$reference", arrival = { after = "$today" } } }]

[[rules]]
key = "one_booking"
actions = ["book_room"]
most = 1
"""

INNS = """\
{"name": "Heron", "price": 40.5, "stars": 3, "bookable": true, "view": "lake", "hours": "daily 08:00-22:00"}
{"name": "Otter", "price": "60 crowns", "stars": 4, "bookable": true, "view": "lakefront", "hours": "Tuesday to Sunday 10:00-23:00"}
{"name": "Hut", "price": 12, "stars": null, "bookable": false, "view": "?", "hours": null}
"""

FERRIES = """\
{"number": "F1", "day": "Monday", "leave": "9:05", "arrive": "09:50"}
{"number": "F1", "day": "Tuesday", "leave": "09:05", "arrive": "09:50"}
{"number": "F2", "day": "Monday", "leave": "17:15", "arrive": "18:00"}
{"number": "F3", "day": "Monday", "leave": "23:30", "arrive": "24:15"}
"""

ROOMS = """\
{"entity": "Heron", "date": "2026-06-10", "left": 0}
{"entity": "Heron", "date": "2026-06-20", "left": 1}
"""

ENGLISH = """\
code = "en"
name = "English"
days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

[domains]
inn = "inn"
ferry = "ferry"

[slots]
name = "name"
price = "price"
stars = "stars"
bookable = "bookable"
view = "view"
hours = "opening hours"
number = "number"
day = "day"
leave = "departure"
arrive = "arrival time"
entity = "inn"
arrival = "arrival"
nights = "nights"
people = "people"
reference = "reference"
date = "date"
left = "rooms left"
status = "status"

[forms.price]
exact = "{value} crowns"
below = "up to {high} crowns"

[actions]
book_room = "book a room"
change_room = "change the booking of a room"
cancel_room = "cancel the booking of a room"

[refusals]
not_bookable = "This inn takes no bookings."
full = "There is no room left on these days."
no_booking = "There is no such booking."

[rules]
cancel_in_time = "Cancel only before the day of arrival."
one_booking = "Book at most one room for a guest."

[goal]
instead = "If that cannot be done, you want: {values}."
[goal.do]
book_room = "Book a room in {entity} for {people} people, {nights} nights from {arrival} on."
change_room = "Change the booking {reference}: {changes}."
cancel_room = "Cancel the booking {reference}."
[goal.some]
inn = "Find an inn (id={id})."
ferry = "Find a ferry (id={id})."
[goal.named]
inn = "Find the inn {name} (id={id})."
ferry = "Find the ferry {name} (id={id})."
[goal.want]
"inn.price" = "It costs {value}."
"inn.stars" = "It has {value} stars."
"inn.bookable" = "It can be booked: {value}."
"inn.view" = "Its view: {value}."
"ferry.day" = "It leaves on {value}."
"ferry.leave" = "It leaves after {value}."
[goal.ask]
inn = "Ask for its {slots}."
ferry = "Ask for its {slots}."
"""

GERMAN_VALUES = """\
{
  "name": {"Heron": "Reiher", "Otter": "Fischotter", "Hut": "Hütte"},
  "view": {"lake": "See", "lakefront": "Seeufer"},
  "hours": {"daily 08:00-22:00": "täglich 08:00-22:00", "Tuesday to Sunday 10:00-23:00": "Dienstag bis Sonntag 10:00-23:00"}
}
"""

POLICY = (
    "# Policy\n\nRead the details back and wait for a yes before you book or change anything.\n"
)


def german() -> str:
    text = ENGLISH.replace('"en"', '"de"').replace("English", "Deutsch")
    days = '["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"]'
    lines = (f"days = {days}" if line.startswith("days") else line for line in text.splitlines())
    return "\n".join(lines).replace('name = "Deutsch"', 'name = "Deutsch"\nyes = "ja"\nno = "nein"')


def write_lakeside(folder: Path) -> Path:
    """The town as files, to be damaged at will."""
    files = {
        "world.toml": WORLD,
        "tables/inns.jsonl": INNS,
        "tables/ferries.jsonl": FERRIES,
        "tables/rooms.jsonl": ROOMS,
        "languages/en.toml": ENGLISH,
        "languages/de.toml": german(),
        "languages/de.values.json": GERMAN_VALUES,
        "policy/en.md": POLICY,
        "policy/de.md": POLICY,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder
