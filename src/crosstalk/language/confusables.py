"""Names of people: written one way, visible, and not to be mistaken for each other.

    plain_name("Ｍｅｉ ")                        # "Mei"
    look_alike("\N{CYRILLIC SMALL LETTER A}dmin", "admin")    # True
    is_numbered("pilot 12", "pilot")                           # True

The table `confusables.tsv` is made from Unicode's by `recipes/docs/confusables.py`; letters are
compared by their prototypes as UTS 39 says, in the case they are written in, and in lower and
upper case.
"""

import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

TABLE: Final = Path(__file__).with_suffix(".tsv")
NOT_IN_NAMES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories: control, invisible and direction marks, and what is no letter at all."""
INVISIBLE: Final = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
            *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ),
    )
)
"""Fillers, joiners and variation selectors of other categories that show nothing."""


def plain_name(name: str) -> str:
    """A name in NFKC with single spaces; raises ValueError if something in it cannot be seen."""
    plain = " ".join(unicodedata.normalize("NFKC", name).split())
    if any(_is_hidden(letter) for letter in name.strip() + plain):
        raise ValueError("the name holds characters that cannot be seen")
    if plain and not any(unicodedata.category(letter)[0] in "LN" for letter in plain):
        raise ValueError("the name holds neither letters nor digits")
    return plain


def _is_hidden(letter: str) -> bool:
    return unicodedata.category(letter) in NOT_IN_NAMES or letter in INVISIBLE


def look_alike(one: str, other: str) -> bool:
    """Whether two names can be mistaken for each other."""
    return _skeleton(one) in _skeletons(other) or _skeleton(other) in _skeletons(one)


def is_numbered(name: str, word: str) -> bool:
    """Whether a name is, or looks like, a word and a number: "pilot 12"."""
    first, _, last = name.rpartition(" ")
    return bool(first) and all(map(_is_like_digit, last)) and look_alike(first, word)


@cache
def _is_like_digit(letter: str) -> bool:
    return letter.isdecimal() or any(look_alike(letter, digit) for digit in "0123456789")


@lru_cache(maxsize=50_000)
def _skeletons(name: str) -> frozenset[str]:
    return frozenset(map(_skeleton, (name, name.lower(), name.upper())))


@lru_cache(maxsize=50_000)
def _skeleton(name: str) -> str:
    """Twice, since the prototype of a capital letter may be one whose lower case has another."""
    return _prototypes(_prototypes(unicodedata.normalize("NFKC", name)).casefold())


def _prototypes(text: str) -> str:
    table = _table()
    letters = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFD", "".join(table.get(each, each) for each in letters))


@cache
def _table() -> dict[str, str]:
    """Letter -> the letters that it looks like."""
    rows = (line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines())
    return {
        chr(int(row[0], 16)): "".join(chr(int(code, 16)) for code in row[1].split())
        for row in rows
        if len(row) == 2
    }
