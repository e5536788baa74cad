"""Characters: one form of a text for comparing, and what should not be in a text at all."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

INVISIBLE: Final = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
"""Direction marks, zero-width spaces, soft hyphens, byte order marks."""
DIRECTION: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SINGLE: Final = "\u061c\u200e\u200f"
_ISOLATED: Final = re.compile("[\u2066\u2067\u2068]([^\u2066-\u2069]*)\u2069")
CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd\ud800-\udfff]")
_ARABIC_SIGNS: Final = re.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670]")
"""Vowel signs and the stretching line: written or not, the word is the same."""
_ARABIC_FORMS: Final = str.maketrans("أإآٱىةؤئ", "ااااي" + "ه" + "وي")
_SPACE: Final = re.compile(r"\s+")
_WORD: Final = re.compile(r"[^\W\d_]+")
SCRIPTS: Final = {
    "han": re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"),
    "arabic": re.compile("[\u0620-\u064a\u066e-\u06d3]"),
    "cyrillic": re.compile("[\u0400-\u052f]"),
    "latin": re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
}


def folded(text: str) -> str:
    """Equal for texts that differ in case, width, invisible marks, Arabic spelling or spaces."""
    text = unicodedata.normalize("NFKC", INVISIBLE.sub("", text)).casefold()
    text = _ARABIC_SIGNS.sub("", text).translate(_ARABIC_FORMS).replace("ё", "е")
    text = "".join(_digit(letter) for letter in text).replace("’", "'").replace(" 's", "'s")
    return _SPACE.sub(" ", text).strip()


def _digit(letter: str) -> str:
    return str(unicodedata.decimal(letter)) if letter.isdecimal() else letter


def scripts_of(text: str) -> dict[str, int]:
    """How many letters of each script a text has."""
    counts = {name: len(pattern.findall(text)) for name, pattern in SCRIPTS.items()}
    return {name: count for name, count in counts.items() if count}


def mixed_words(text: str) -> Iterator[str]:
    """Words with letters of two alphabets that look alike: a Latin `a` in a Russian word.

    Han and Latin may stand side by side, as Chinese writes no spaces.
    """
    for word in _WORD.findall(text):
        scripts = scripts_of(word).keys() - {"han"}
        if len(scripts) > 1:
            yield word


def direction_marks(text: str, *, rtl: bool = False) -> list[str]:
    """The invisible marks that should not be there, by name.

    Isolates in pairs are how a number is rightly written inside Arabic; single marks are fine in
    a text that runs from right to left. Overrides turn any text around.
    """
    marks = DIRECTION.findall(_ISOLATED.sub(r"\1", text))
    wrong = [mark for mark in marks if not rtl or mark not in SINGLE]
    return sorted({unicodedata.name(mark, "?") for mark in wrong})


def unreadable(text: str) -> list[str]:
    """Control characters and the sign for bytes that could not be read."""
    return sorted({f"U+{ord(letter):04X}" for letter in CONTROL.findall(text)})
