"""Words of a text: by dictionary in Chinese (jieba), by spaces and punctuation elsewhere.

`words` is for counting, as papers count; `units` gives words with their positions, for the trained
NLU, whose weights rest on exactly this segmentation.
"""

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from crosstalk.language.normalize import word_form
from crosstalk.language.remembered import remembered
from crosstalk.language.scripts import UNDIVIDED
from crosstalk.language.writing import writing_of


@cache
def _jieba() -> Any:
    """jieba, imported when Chinese is first segmented."""
    with warnings.catch_warnings():
        # jieba 0.39 uses pkg_resources if it is installed (it does without), and both warn.
        warnings.simplefilter("ignore")
        import jieba
    return jieba


def version() -> str:
    return f"jieba {_jieba().__version__}"


def chinese_words(text: str) -> list[str]:
    """Default mode; punctuation and each white space are words too, as the paper counts."""
    return list(_tokenizer().cut(text))


@cache
def _tokenizer() -> Any:
    """A tokenizer of our own, its dictionary read from the package (about a second).

    jieba itself would keep the dictionary in the temporary folder, in a file of one name for
    every version: what another version, program or person left there would change our counts.
    """
    tokenizer = _jieba().Tokenizer()
    dictionary = resources.files("jieba").joinpath("dict.txt").open("rb")
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(dictionary)  # closes the file
    tokenizer.initialized = True
    return tokenizer


_UNIT: Final = re.compile(
    rf"[{UNDIVIDED}]"
    rf"|\d+(?:[.,]\d+)?"
    rf"|(?:[^\W\d_{UNDIVIDED}][\u0300-\u036f\u064b-\u065f\u0670\u0640]*)+"
    rf"|[^\w\s]"
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A word, number or sign of a text and its normal form."""

    start: int
    end: int
    plain: str


def units(text: str) -> list[Unit]:
    return [
        Unit(found.start(), found.end(), word_form(found.group())) for found in _UNIT.finditer(text)
    ]


_MARKS: Final = r"\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u200c\u200d"
"""Accents and Arabic vowel signs written as characters of their own; `\\w` leaves them out."""

_LETTER: Final = rf"[\w{_MARKS}]"

_WORD: Final = re.compile(
    rf"\d+(?:[.,:]\d+)+(?!\w)"  # 4.5, 1,200, 19:45
    rf"|{_LETTER}+(?:['’\-]{_LETTER}+)*"  # don't, guest-house
    rf"|\S"  # every other sign stands for itself
)
_STRETCH: Final = re.compile(r"([\u4E00-\u9FD5a-zA-Z0-9+#&._%\-]+)")
"""jieba segments the text between two marks independently, so that each part can be cached."""
_BEFORE_MARK: Final = re.compile(r"\s+([,.;:!?%)\]])")


def words(text: str, language: str) -> list[str]:
    """The words of a text, as written, punctuation included.

    Chinese (`zh`): jieba's default mode; white space counts too. That is the paper's protocol.
    All others: runs of letters and digits, where an apostrophe or hyphen between letters and a
    point, comma or colon between digits do not divide; each other sign is a word, white space
    is none. Languages written without spaces (Japanese, Thai) are not divided further.
    """
    if writing_of(language).divided == "jieba":
        return chinese_words(text)
    return _WORD.findall(text)


def segmentation(language: str) -> str:
    """How `words` divides a language, for a report."""
    if writing_of(language).divided == "jieba":
        return version()
    return "words and punctuation"


def wording(text: str, language: str) -> tuple[str, ...]:
    """The words of a text without white space; cached."""
    if writing_of(language).divided != "jieba":
        return _divided(text, language)
    stretches = (stretch for stretch in _STRETCH.split(text) if stretch)
    return tuple(word for stretch in stretches for word in _divided(stretch, language))


def _words_of(text: str, language: str) -> tuple[str, ...]:
    return tuple(word for word in words(text, language) if word.strip())


_divided = remembered(_words_of, 1 << 18)


def joined(said: Iterable[str], language: str) -> str:
    """The words as a text, with spaces if the language has them."""
    if not writing_of(language).spaced:
        return "".join(said)
    return _BEFORE_MARK.sub(r"\1", " ".join(said))
