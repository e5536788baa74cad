"""Units of a text: words where a script parts them, single characters where it does not.

Units are compared in a normal form, in which case, accents and Arabic spelling do not count.
"""

import re
from dataclasses import dataclass
from typing import Final

from crosstalk.language.normalize import word_form
from crosstalk.language.scripts import UNDIVIDED

_UNIT: Final = re.compile(
    rf"[{UNDIVIDED}]"
    rf"|\d+(?:[.,]\d+)?"
    rf"|(?:[^\W\d_{UNDIVIDED}][\u0300-\u036f\u064b-\u065f\u0670\u0640]*)+"
    rf"|[^\w\s]"
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of a text and what it is compared by."""

    start: int
    end: int
    plain: str


def units(text: str) -> list[Unit]:
    return [
        Unit(found.start(), found.end(), word_form(found.group())) for found in _UNIT.finditer(text)
    ]
