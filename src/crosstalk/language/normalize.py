"""Plain text: what is left of an utterance when spelling, case and marks no longer matter.

    plain("What's the CAFÉ's  number?")  ->  "whats the cafes number"

Everything the assistant looks for and everything it looks in goes through here, so that both agree.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

LONGEST: Final = 600
"""Characters of an utterance that are read; people type fewer than 200."""

_SAME: Final = str.maketrans(
    {
        "ё": "е",
        "ß": "ss",
        "أ": "ا",
        "إ": "ا",
        "آ": "ا",
        "ٱ": "ا",
        "ى": "ي",
        "ة": "ه",
        "ک": "ك",
        "ی": "ي",
        "ـ": None,
        "'": None,
        "’": None,
        "ʼ": None,
        "`": None,
        "٫": ".",
        "٬": ",",
        "–": "-",
        "—": "-",
        "−": "-",
        "~": "-",
        "〜": "-",
    }
)
_KEPT: Final = "ئؤ"
"""Letters whose mark makes another word: `فئة` is a class, `فيه` is "in it"."""
_ACCENTED: Final = re.compile(r"[\u00c0-\u036f\u0610-\u06ed\u1e00-\u1eff]")
"""Letters of Latin and Arabic script that may carry marks, and marks by themselves."""
_FOREIGN_DIGIT: Final = re.compile(r"(?![0-9])\d")
_BETWEEN_DIGITS: Final = re.compile(r"(?<=\d)\s*-\s*(?=\d)")
_THOUSANDS: Final = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))")
_MARKS: Final = re.compile(r"(?<=\d)[.,](?=\d)| ~ |[^\w\s]|_")


def tidy(text: str) -> str:
    """An utterance as it can be shown: no control or formatting characters, no endless length."""
    shown = "".join(_shown(each) for each in text[:LONGEST])
    return " ".join(shown.split())


def _shown(character: str) -> str:
    """Controls part words; marks of direction, surrogates and the like are nothing at all."""
    category = unicodedata.category(character)
    if category == "Cc":
        return " "
    return "" if category in ("Cf", "Cs", "Co", "Cn") else character


@lru_cache(maxsize=1 << 15)
def plain(text: str) -> str:
    """Lower case, no accents, no punctuation but decimal points and ` ~ ` in ranges of numbers."""
    text = unicodedata.normalize("NFKC", text).lower().translate(_SAME)
    if not text.isascii():
        text = _ACCENTED.sub(_without_accent, text)
        text = _FOREIGN_DIGIT.sub(lambda found: str(unicodedata.digit(found[0])), text)
    text = _THOUSANDS.sub("", text)
    text = _BETWEEN_DIGITS.sub(" ~ ", text)
    return " ".join(_MARKS.sub(_kept, text).split())


def _kept(found: re.Match[str]) -> str:
    mark = found[0]
    if mark == " ~ ":
        return mark
    return "." if len(mark) == 1 and mark in ".," and _inside_number(found) else " "


def _inside_number(found: re.Match[str]) -> bool:
    text, at = found.string, found.start()
    return 0 < at < len(text) - 1 and text[at - 1].isdigit() and text[at + 1].isdigit()


def _without_accent(found: re.Match[str]) -> str:
    if found[0] in _KEPT:
        return found[0]
    parts = unicodedata.normalize("NFD", found[0])
    return "".join(part for part in parts if unicodedata.category(part) != "Mn")
