"""What the standard evaluation equates: slot names of responses, slots and values of states.

The tables are in spellings.toml.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from crosstalk.corpora.multiwoz_world import world_slot

DOMAINS: Final = ("restaurant", "hotel", "attraction", "train", "taxi", "hospital", "police")
SLOT: Final = re.compile(r"\[([\w\s]+)\](?:-?e?s)?")
"""A slot in a delexicalised response, with the ending of a plural."""
NAMES: Final = frozenset({"name", "departure", "destination"})
TIMES: Final = frozenset({"arrive", "leave", "time"})
SLOTS: Final = {"arriveby": "arrive", "leaveat": "leave"}
MINUTES: Final = re.compile(r"(\d\d):(\d\d)")


@cache
def _tables() -> dict[str, Any]:
    text = files(__package__).joinpath("spellings.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _placeholders() -> Mapping[str, str]:
    found = {
        name: placeholder
        for placeholder, names in _tables()["placeholders"].items()
        for name in names
    }
    prefixes = ("value_", *(f"{domain}_" for domain in DOMAINS))
    return {prefix + name: to for prefix in prefixes for name, to in found.items()} | found


def placeholder(slot: str) -> str:
    """`NAME` of `hotel_name`; empty for a slot that is not known."""
    return _placeholders().get(slot.lower(), "")


def placeholders() -> tuple[str, ...]:
    """All placeholders of delexicalised responses."""
    return tuple(_tables()["placeholders"])


def response_slot(act_slot: str) -> str:
    """The slot of a response for a slot of the acts: `address` of `Addr`."""
    return world_slot(act_slot).lower().replace(" ", "")


def with_placeholders(response: str) -> str:
    """A response in lower case with placeholders for its slots; unknown slots vanish."""
    return SLOT.sub(lambda slot: placeholder(slot[1]), response.lower())


def unknown_slots(response: str) -> list[str]:
    """Slots of a response that no placeholder stands for."""
    return [slot for slot in SLOT.findall(response.lower()) if not placeholder(slot)]


def state_slot(slot: str) -> str:
    """`leave` of `leaveAt`, `pricerange` of `price range`."""
    name = slot.lower().replace(" ", "")
    return SLOTS.get(name, name)


def table_value(slot: str, value: str) -> str:
    """A value of a state as the tables spell it. `slot`: as `state_slot` gives it."""
    if slot in NAMES:
        return _listed("name", _plain_name(value))
    if slot in TIMES:
        return clock_time(value)
    if slot == "food":
        return _listed("food", value.strip().lower())
    return _listed(slot, value)


def _listed(slot: str, value: str) -> str:
    spelt: str = _tables()["values"].get(slot, {}).get(value, value)
    return spelt


def _plain_name(name: str) -> str:
    plain = name.strip().lower().replace(" & ", " and ").replace("&", " and ")
    return plain.replace(" '", "'")


def clock_time(value: str) -> str:
    """`17:00` of `5pm`, `after 5 pm` or `1700`; the text itself if it names no time."""
    time = value.strip().lower()
    if time in (listed := _tables()["values"]["time"]):
        return str(listed[time])
    time = re.sub(r"^(by |after|afer)", "", time).strip()
    time, after_noon = _without_half(time)
    if after_noon and (found := re.fullmatch(r"(\d+)(?::(.*))?", time)):
        return f"{int(found[1]) + 12}:{'00' if found[2] is None else found[2]}"
    time = re.sub(r"[.,?]$", "", time)
    if re.fullmatch(r"\d{4}", time):
        return f"{time[:2]}:{time[2:]}"
    if not time or time.isdigit():
        return f"{time:0>2}:00"
    if ":" in time:
        time = time.replace(" ", "")
    return f"0{time}" if re.fullmatch(r".:..", time) else time


def _without_half(time: str) -> tuple[str, bool]:
    """A time without `am` or `pm`, and whether it was `pm`."""
    found = re.search(r"(am|a\.m\.|pm|p\.m\.)$", time)
    if found is None:
        return time, False
    return time.removesuffix(found[1]).strip(), found[1].startswith("p")


def minutes(time: str) -> int:
    """Minutes since midnight; 0 for what is no time, as published."""
    found = MINUTES.match(time)
    return int(found[1]) * 60 + int(found[2]) if found else 0
