"""Scripts: which letters a text is written in, and whether it has spaces between words.

scripts_of("A口出")  ->  {"han": 2, "latin": 1}
"""

import re
from typing import Final

SCRIPTS: Final = {
    "han": re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"),
    "arabic": re.compile("[\u0620-\u064a\u066e-\u06d3]"),
    "cyrillic": re.compile("[\u0400-\u052f]"),
    "devanagari": re.compile("[\u0900-\u0963\u0966-\u097f]"),
    "hangul": re.compile("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]"),
    "latin": re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
}
UNDIVIDED: Final = "\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff"
"""Chinese, Japanese and Korean, which are read character by character; for a class of letters."""
_UNDIVIDED: Final = re.compile(f"[{UNDIVIDED}]")
_FIRST_UNDIVIDED: Final = "\u2e80"


def scripts_of(text: str) -> dict[str, int]:
    """Number of letters of each script in a text."""
    counts = {name: len(pattern.findall(text)) for name, pattern in SCRIPTS.items()}
    return {name: count for name, count in counts.items() if count}


def is_undivided(word: str) -> bool:
    """Whether a word begins in a script without spaces between words."""
    return bool(_UNDIVIDED.match(word))


def inside_word(text: str, at: int, *, digits: bool = True) -> bool:
    """Whether a word goes on from the character before; without `digits` only letters make words.

    Chinese does not part its words: there nothing stands inside another one.
    """
    if not 0 < at < len(text):
        return False
    goes_on = str.isalnum if digits else str.isalpha
    return all(goes_on(each) and each < _FIRST_UNDIVIDED for each in text[at - 1 : at + 1])
