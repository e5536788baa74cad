"""Words of a text: by dictionary in Chinese, by spaces and punctuation elsewhere."""

import re
from typing import Final

from crosstalk.language.identify import primary

_MARKS: Final = r"\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u200c\u200d"
"""Accents and Arabic vowel signs written as characters of their own; `\\w` leaves them out."""

_LETTER: Final = rf"[\w{_MARKS}]"

_WORD: Final = re.compile(
    rf"\d+(?:[.,:]\d+)+(?!\w)"  # 4.5, 1,200, 19:45
    rf"|{_LETTER}+(?:['’\-]{_LETTER}+)*"  # don't, guest-house
    rf"|\S"  # every other sign stands for itself
)


def words(text: str, language: str) -> list[str]:
    """The words of a text, as written, punctuation included.

    Chinese (`zh`): jieba's default mode; white space counts too. That is the paper's protocol.
    All others: runs of letters and digits, where an apostrophe or hyphen between letters and a
    point, comma or colon between digits do not divide; each other sign is a word, white space
    is none. Languages written without spaces (Japanese, Thai) are not divided further.
    """
    if primary(language) == "zh":
        from crosstalk.language.chinese import chinese_words  # jieba: only where it is needed

        return chinese_words(text)
    return _WORD.findall(text)


def segmentation(language: str) -> str:
    """How `words` divides a language, for a report."""
    if primary(language) == "zh":
        from crosstalk.language.chinese import version

        return version()
    return "words and punctuation"
