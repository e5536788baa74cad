"""Which language a text is in, guessed from its script: zh, en, de, ar, ru.

For corpora that do not say. Counts of letters decide, then everyday words, so the same text
always gets the same answer.
"""

import re
from typing import Final

_SCRIPTS: Final = {
    "zh": re.compile(r"[\u3400-\u9fff]"),
    "ar": re.compile(r"[\u0621-\u064a]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "latin": re.compile(r"[A-Za-z\u00c0-\u024f]"),
}
_LETTERS_PER_HAN: Final = 3
"""A Chinese character says about as much as three letters, so a Chinese sentence about
`Cambridge Belfry` stays Chinese."""

# Frequent words that the other language does not have, nor Italian, French or Spanish.
_EVERYDAY: Final = {
    "en": re.compile(r"\b(?:the|and|is|you|of|for|what|please|thank|are|with|have|that|need)\b"),
    "de": re.compile(r"\b(?:der|und|ist|ich|nicht|das|ein|eine|sie|für|bitte|danke|mit|wie)\b"),
}


def guess_language(text: str) -> str:
    """The code of the text's language; empty when nothing speaks for one of the five."""
    letters = {name: len(script.findall(text)) for name, script in _SCRIPTS.items()}
    letters["zh"] *= _LETTERS_PER_HAN
    best = max(letters, key=lambda name: letters[name])
    if not letters[best]:
        return ""
    return _guess_latin(text) if best == "latin" else best


def _guess_latin(text: str) -> str:
    text = text.lower()
    hits = {code: len(everyday.findall(text)) for code, everyday in _EVERYDAY.items()}
    best = max(hits, key=lambda code: hits[code])
    return best if hits[best] else ""


def primary(code: str) -> str:
    """The language of a code that may name a region too: `zh` of `zh-CN` and `zh_TW`."""
    return re.split("[-_]", code, maxsplit=1)[0].lower()
