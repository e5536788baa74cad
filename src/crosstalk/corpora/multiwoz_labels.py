"""Labels of MultiWOZ states in one spelling, as joint goal accuracy compares them.

    normalised("hotel-area", "city center")  # centre
    trade_spelling("18 : 00")                # 18:00
    said_value("Area", "the center of town") # centre, as values of acts are compared

`dontcare` and `none` get one spelling in every language; slips of English labels are mended with
the table of the published picklist code (multiwoz_labels.toml). Labels of other languages stay as
they are, except their words for `dontcare` and `none` (`language/data/<code>/states.toml`).
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final

from crosstalk.corpora.chat_grounding import SaidValues
from crosstalk.language.state_words import all_labels

NONE: Final = "none"
ANY: Final = "dontcare"
"""The value of a slot that may be anything."""
TIMES: Final = ("leaveat", "arriveby", "time")
SAID_TIMES: Final = ("leave", "arrive", "time")
"""Slots of acts that tell a time of day; `1600` and `13.54` are times there."""
PRICES: Final = ("ticket", "price", "fee")
"""Slots of acts that tell an amount of money."""
TEXT_RULES: Final = (
    (re.compile(r"\bb ?& ?b\b|\bb and b\b"), "bed and breakfast"),
    (re.compile(r"\bguesthouse\b"), "guest house"),
    (re.compile(r"\s*;\s*"), ", "),
    (re.compile(r"/"), " and "),
    (re.compile(r"-"), " "),
    (re.compile(r"[\"<>@()]"), ""),
    (re.compile(r"(?<=\d)\s*:\s*(?=\d)"), ":"),
    (re.compile(r"(?<=\d) (?=\d)"), ""),
    (re.compile(r"\s+(?=[?.,!]|'s\b)"), ""),
)
"""What TRADE does to the text of a value."""


@cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    text = files(__package__).joinpath("multiwoz_labels.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def normalised(slot: str, value: str, *, english: bool = True) -> str:
    """The label in one spelling. `slot`: its key, such as `hotel-book day`."""
    value = re.sub(r"\s+", " ", value).strip().lower()
    if value in all_labels().none:
        return NONE
    if value in all_labels().any:
        return ANY
    return _mended(slot, value) if english else value


def _mended(slot: str, value: str) -> str:
    name = slot.rpartition("-")[2].removeprefix("book ")
    tables = _tables()
    value = _time(value) if name in TIMES else value
    value = tables["spellings"].get(value, value)
    for key in (slot, name):
        if value in (meant := tables["meant"].get(key, {})):
            return str(meant[value])
        if value in tables["wrong_slot"].get(key, ()):
            return NONE
    return value


def _time(value: str) -> str:
    """`9:15` as `09:15`, `1345` as `13:45`; anything else stays."""
    if found := re.fullmatch(r"(\d{1,2})[:;.](\d{2})", value):
        return f"{int(found[1]):02}:{found[2]}"
    if found := re.fullmatch(r"(\d{2})(\d{2})", value):
        return f"{found[1]}:{found[2]}"
    return value


def trade_spelling(value: str) -> str:
    """A value in lower case with the punctuation and spaces that TRADE leaves."""
    text = value.lower().strip()
    for pattern, replacement in TEXT_RULES:
        text = pattern.sub(replacement, text)
    return " ".join(text.split())


def trade_label(slot: str, value: str) -> str:
    """A label in the spelling of TRADE, mended; of several (`a|b`) each."""
    return "|".join(normalised(slot, trade_spelling(each)) for each in value.split("|"))


# Values as they were said


@lru_cache(maxsize=50_000)
def said_value(slot: str, value: str) -> str:
    """The value that words of an act mean: `the churches` is `architecture`, `9:40 am` `09:40`."""
    if time := _time_of_day(value, alone=slot.lower() in SAID_TIMES):
        return time
    text = re.sub(r"(?<=\d)(?=gbp|pound)", " ", trade_spelling(value))
    said = _tables()["said"]
    of_slot = said["meant_of"].get(slot.lower(), {})
    meant = {**said["meant"], **of_slot}
    words = [_singular(word) for word in text.split() if word not in _fillers()]
    if (plain := " ".join(words)) in of_slot:
        return str(of_slot[plain])
    if slot.lower() == "id" and (number := re.fullmatch(r"(?:train )?(\d{4})", plain)):
        return f"tr{number[1]}"
    if slot.lower() in PRICES:
        words = [_in_tenths(word) for word in words]
    text = normalised(slot.lower(), " ".join(words))
    return str(meant.get(text, " ".join(meant.get(word, word) for word in text.split())))


def _in_tenths(word: str) -> str:
    """An amount of money without a last digit that was cut off: `71.59` and `71.60` are `71.6`."""
    return str(round(float(word), 1)) if re.fullmatch(r"\d+(\.\d+)?", word) else word


@cache
def _fillers() -> frozenset[str]:
    return frozenset(_tables()["said"]["fillers"])


def _singular(word: str) -> str:
    if len(word) < 5 or not word.endswith("s") or word.endswith(("ss", "us", "'s")):
        return word
    return word[:-2] if word.endswith(("ches", "shes", "xes")) else word[:-1]


_CLOCK: Final = re.compile(
    r"(?:\D*\s)?(?P<hour>\d{1,2})\s*[:.]?\s*(?P<minute>[0-5]\d)\s*(?P<half>[ap]\.?\s?m\.?)?\W*"
)


def _time_of_day(value: str, *, alone: bool = False) -> str:
    """`8:07 pm` as `20:07`, where it stands alone `2007` too; empty for what is no time."""
    found = _CLOCK.fullmatch(value.strip().lower())
    if (
        not found
        or int(found["hour"]) > 24
        or not (
            ":" in value
            or found["half"]
            or (alone and re.fullmatch(r"\d\d[.]?\d\d", value.strip()))
        )
    ):
        return ""
    hour = int(found["hour"])
    if (found["half"] or "").startswith("p") and hour < 12:
        hour += 12
    return f"{hour:02}:{found['minute']}"


def least_count(value: str) -> int:
    """The smallest number that a word for a quantity may mean: 2 for `several`; 0: no such word."""
    text = value.strip().lower()
    quantities = _tables()["said"]["quantities"]
    found = [number for word, number in quantities.items() if _has_words(text, (word,))]
    return max(found, default=0)


def is_no_value(value: str) -> bool:
    """Whether words name no value, or say that none is known: `do n't have any information`."""
    text, said = value.strip().lower(), _tables()["said"]
    if text == "?" or any(each in text for each in said["unknown"]):
        return True
    return re.fullmatch(said["none"]["words"], text) is not None


def _has_words(text: str, parts: Iterable[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", text) for part in parts)


SAID: Final = SaidValues(said_value, least_count, is_no_value)
"""How acts of MultiWOZ write values."""
