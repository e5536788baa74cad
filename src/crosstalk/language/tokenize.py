"""Words of a text: by dictionary in Chinese, by spaces and punctuation elsewhere."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from crosstalk.language.writing import writing_of

_MARKS: Final = r"\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u200c\u200d"
"""Accents and Arabic vowel signs written as characters of their own; `\\w` leaves them out."""

_LETTER: Final = rf"[\w{_MARKS}]"

_WORD: Final = re.compile(
    rf"\d+(?:[.,:]\d+)+(?!\w)"  # 4.5, 1,200, 19:45
    rf"|{_LETTER}+(?:['’\-]{_LETTER}+)*"  # don't, guest-house
    rf"|\S"  # every other sign stands for itself
)
_STRETCH: Final = re.compile(r"([\u4E00-\u9FD5a-zA-Z0-9+#&._%\-]+)")
"""jieba divides what stands between two marks by itself, so each stretch can be remembered."""
_BEFORE_MARK: Final = re.compile(r"\s+([,.;:!?%)\]])")


def words(text: str, language: str) -> list[str]:
    """The words of a text, as written, punctuation included.

    Chinese (`zh`): jieba's default mode; white space counts too. That is the paper's protocol.
    All others: runs of letters and digits, where an apostrophe or hyphen between letters and a
    point, comma or colon between digits do not divide; each other sign is a word, white space
    is none. Languages written without spaces (Japanese, Thai) are not divided further.
    """
    if writing_of(language).divided == "jieba":
        from crosstalk.language.chinese import chinese_words  # jieba: only where it is needed

        return chinese_words(text)
    return _WORD.findall(text)


def segmentation(language: str) -> str:
    """How `words` divides a language, for a report."""
    if writing_of(language).divided == "jieba":
        from crosstalk.language.chinese import version

        return version()
    return "words and punctuation"


def wording(text: str, language: str) -> tuple[str, ...]:
    """The words of a text, white space left out; what was divided once is remembered."""
    if writing_of(language).divided != "jieba":
        return _divided(text, language)
    stretches = (stretch for stretch in _STRETCH.split(text) if stretch)
    return tuple(word for stretch in stretches for word in _divided(stretch, language))


@lru_cache(maxsize=1 << 18)
def _divided(text: str, language: str) -> tuple[str, ...]:
    return tuple(word for word in words(text, language) if word.strip())


def joined(said: Iterable[str], language: str) -> str:
    """The text that these words make, with spaces between them where the language has such."""
    if not writing_of(language).spaced:
        return "".join(said)
    return _BEFORE_MARK.sub(r"\1", " ".join(said))
