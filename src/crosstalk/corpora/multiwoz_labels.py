"""Labels of MultiWOZ states in one spelling, as joint goal accuracy compares them.

    normalised("hotel-area", "city center")  # centre
    trade_spelling("18 : 00")                # 18:00

`dontcare` and `none` get one spelling in every language; slips of English labels are mended with
the table of the published picklist code (multiwoz_labels.toml). Labels of other languages stay as
they are, except their words for `dontcare` and `none` (`language/data/<code>/states.toml`).
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from crosstalk.language.state_words import all_labels

NONE: Final = "none"
ANY: Final = "dontcare"
"""The value of a slot that may be anything."""
TIMES: Final = ("leaveat", "arriveby", "time")
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
