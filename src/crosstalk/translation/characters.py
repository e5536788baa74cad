"""Characters that should not be in a text at all."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from crosstalk.language.scripts import scripts_of

DIRECTION: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SINGLE: Final = "\u061c\u200e\u200f"
_ISOLATED: Final = re.compile("[\u2066\u2067\u2068]([^\u2066-\u2069]*)\u2069")
CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd\ud800-\udfff]")
_WORD: Final = re.compile(r"[^\W\d_]+")


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
