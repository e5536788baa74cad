"""Normal forms of a text, from the one that keeps most to the one that keeps least.

    folded("Ａ口 CAFÉ")                    ->  "a口 café"                   every position stays
    squeezed(" Ａ口  CAFÉ ")               ->  "a口 café"                   single spaces
    tight("010-8816 1234")                ->  "01088161234"               letters and digits
    comparable("3:45 PM’s")               ->  "3:45 pm's"                 marks stay: times, codes
    plain("What's the CAFÉ's  number?")   ->  "whats the cafes number"    words alone
    word_form("الفندق")                   ->  "فندق"                      one word

What is looked for and what it is looked for in go through the same one, so that both agree.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

from crosstalk.language.numerals import without_thousands
from crosstalk.language.remembered import remembered

LONGEST: Final = 600
"""Characters of an utterance that are read; people type fewer than 200."""

_ARABIC: Final = str.maketrans("أإآٱىة", "ااااي" + "ه")
"""Letters that people write for each other."""
_SEATED: Final = _ARABIC | str.maketrans("ؤئ", "وي")
"""With those that carry a hamza; between whole words of a text the mark makes another word."""
_STRETCH: Final = "ـ"
_SAME: Final = _ARABIC | str.maketrans(
    {
        "ё": "е",
        "ß": "ss",
        "ک": "ك",
        "ی": "ي",
        _STRETCH: None,
        "'": None,
        "’": None,
        "ʼ": None,
        "`": None,
        "٫": ".",
        "٬": ",",
        "–": "-",
        "—": "-",
        "−": "-",
        "~": "-",
        "〜": "-",
    }
)
_UNSHOWN: Final = frozenset({"Cf", "Cs", "Co", "Cn"})
"""Categories of characters that nobody sees."""
_KEPT: Final = "ئؤ"
"""Letters whose mark makes another word: `فئة` is a class, `فيه` is "in it"."""
_ACCENTED: Final = re.compile(r"[\u00c0-\u036f\u0610-\u06ed\u1e00-\u1eff]")
"""Letters of Latin and Arabic script that may carry marks, and marks by themselves."""
_FOREIGN_DIGIT: Final = re.compile(r"(?![0-9])\d")
_BETWEEN_DIGITS: Final = re.compile(r"(?<=\d)(\s?[^\W\d_]{1,8})?\s*-\s*(?=\d)")
"""What joins the numbers of a range, with the unit of the first: `2 hours - 3 hours`."""
_MARKS: Final = re.compile(r"(?<=\d)[.,](?=\d)| ~ |[^\w\s]|_")
_WIDE: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_NOT_WORDS: Final = re.compile(r"[\W_]+")
INVISIBLE: Final = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
"""Direction marks, zero-width spaces, soft hyphens, byte order marks."""
_ARABIC_SIGNS: Final = re.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670]")
"""Vowel signs and the stretching line: written or not, the word is the same."""
_ARTICLES: Final = re.compile(r"^(?:[وف]?(?:[بك]?ال|لل))(?=\w{2})")
"""Arabic writes the article, and short words before it, as part of the word."""


def folded(text: str) -> str:
    """Lower case and half width, character by character: positions stay what they are."""
    narrow = text.translate(_WIDE)
    small = narrow.lower()
    if len(small) == len(narrow):
        return small
    return "".join(each.lower() if len(each.lower()) == 1 else each for each in narrow)


def _squeezed(text: str) -> str:
    return " ".join(folded(text).split())


squeezed = remembered(_squeezed, 4096)
"""Lower case, half width, single spaces."""


def tight(text: str) -> str:
    """Letters and digits only."""
    return _NOT_WORDS.sub("", folded(text))


def comparable(text: str) -> str:
    """Equal for texts that differ in case, width, invisible marks, Arabic spelling or spaces."""
    text = unicodedata.normalize("NFKC", INVISIBLE.sub("", text)).casefold()
    text = _ARABIC_SIGNS.sub("", text).translate(_SEATED).replace("ё", "е")
    text = "".join(_digit(letter) for letter in text).replace("’", "'").replace(" 's", "'s")
    return " ".join(text.split())


def _digit(letter: str) -> str:
    return str(unicodedata.decimal(letter)) if letter.isdecimal() else letter


@lru_cache(maxsize=1 << 14)
def word_form(word: str) -> str:
    """Lower case without accents, full-width signs or an Arabic article; `straße` is `strasse`."""
    apart = unicodedata.normalize("NFKD", word.casefold().translate(_SEATED))
    bare = "".join(each for each in apart if not unicodedata.combining(each) and each != _STRETCH)
    return _ARTICLES.sub("", bare) or bare


def tidy(text: str) -> str:
    """An utterance as it can be shown: no control or formatting characters, no endless length."""
    shown = "".join(_shown(each) for each in text[:LONGEST])
    return " ".join(shown.split())


def _shown(character: str) -> str:
    """Controls part words; marks of direction, surrogates and the like are nothing at all."""
    category = unicodedata.category(character)
    if category == "Cc":
        return " "
    return "" if category in _UNSHOWN else character


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).lower().translate(_SAME)
    if not text.isascii():
        text = _ACCENTED.sub(_without_accent, text)
        text = _FOREIGN_DIGIT.sub(lambda found: str(unicodedata.digit(found[0])), text)
    text = without_thousands(text)
    text = _BETWEEN_DIGITS.sub(lambda found: f"{found[1] or ''} ~ ", text)
    return " ".join(_MARKS.sub(_kept, text).split())


plain = remembered(_plain, 1 << 13)
"""Lower case, no accents, no punctuation but decimal points and ` ~ ` in ranges of numbers."""


def _kept(found: re.Match[str]) -> str:
    mark = found[0]
    if mark == " ~ ":
        return mark
    return "." if len(mark) == 1 and mark in ".," and _inside_number(found) else " "


def _inside_number(found: re.Match[str]) -> bool:
    text, at = found.string, found.start()
    return 0 < at < len(text) - 1 and text[at - 1].isdigit() and text[at + 1].isdigit()


def _without_accent(found: re.Match[str]) -> str:
    if found[0] in _KEPT:
        return found[0]
    parts = unicodedata.normalize("NFD", found[0])
    return "".join(part for part in parts if unicodedata.category(part) != "Mn")
