"""Units of a text: words where a script parts them, single characters where it does not.

Units are compared in a plain form, so that case, accents and Arabic spelling variants do not count.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_UNDIVIDED: Final = "\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff"
"""Chinese, Japanese and Korean, which are read character by character."""
_UNIT: Final = re.compile(
    rf"[{_UNDIVIDED}]"
    rf"|\d+(?:[.,]\d+)?"
    rf"|(?:[^\W\d_{_UNDIVIDED}][\u0300-\u036f\u064b-\u065f\u0670\u0640]*)+"
    rf"|[^\w\s]"
)
_ARABIC: Final = str.maketrans("أإآٱىةؤئ", "ااااي" + "هوي")
_ARTICLES: Final = re.compile(r"^(?:[وف]?(?:[بك]?ال|لل))(?=\w{2})")
"""Arabic writes the article, and short words before it, as part of the word."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of a text and what it is compared by."""

    start: int
    end: int
    plain: str


def units(text: str) -> list[Unit]:
    return [
        Unit(found.start(), found.end(), plain(found.group())) for found in _UNIT.finditer(text)
    ]


@lru_cache(maxsize=65_536)
def plain(word: str) -> str:
    """Lower case without accents, full-width signs or an Arabic article; `straße` is `strasse`."""
    apart = unicodedata.normalize("NFKD", word.casefold().translate(_ARABIC))
    bare = "".join(each for each in apart if not unicodedata.combining(each) and each != "ـ")
    return _ARTICLES.sub("", bare) or bare


def is_undivided(word: str) -> bool:
    """Whether it is written in a script that does not part its words."""
    return bool(re.match(rf"[{_UNDIVIDED}]", word))
