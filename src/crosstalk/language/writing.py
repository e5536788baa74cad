"""How a language is written: `writing_of("zh").full_stop`; tables in `data/<code>/writing.toml`.

Spaces, marks, numerals, times of day, endings. A language without a table gets the defaults: words
between spaces, digits, literal text. `identify` guesses the language of a text with these tables.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, Literal

from crosstalk.language.normalize import comparable
from crosstalk.language.numerals import Numerals
from crosstalk.language.scripts import scripts_of

DATA: Final = Path(__file__).parent / "data"
"""One folder per language with `phrases.toml`, `writing.toml`, `states.toml`, each optional."""


SAME_STEM: Final = 0.75
"""Share of letters that two words of one stem have in common, if endings are short."""
SHORTEST_STEM: Final = 3
"""Minimum length of a stem."""


@dataclass(frozen=True, slots=True)
class Writing:
    """One language; the defaults are used for languages without a table."""

    code: str
    script: str = ""
    """latin, cyrillic, arabic, han, hangul or devanagari; empty: unknown."""
    direction: Literal["ltr", "rtl"] = "ltr"
    spaced: bool = True
    """Whether words are separated by spaces."""
    divided: Literal["spaces", "jieba"] = "spaces"
    """How the words of a text are found."""
    full_stop: str = "."
    ranges: tuple[str, ...] = (" - ", "-", "–")
    """Separators between the two ends of a range."""
    yes_no: tuple[str, ...] = ()
    """Values such as yes and no, which texts do not contain as words."""
    everyday: frozenset[str] = frozenset()
    """Frequent words that no other language of the same script has."""
    endings: int = 0
    """Letters at the end of a word by which inflected forms may differ."""
    articles: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    """Prefixes that may be written together with the next word."""
    article: str = ""
    """The article that is written together with its word."""
    article_forms: tuple[str, ...] = ()
    """Prefixes that are removed before a word is compared: articles and their joiners."""
    before_names: tuple[str, ...] = ()
    """Small words that may be written together with a name."""
    joined: str = ""
    """What may be written together with the word that follows, as a regular expression."""
    joined_to_short: str = ""
    """The same before a short word, which more letters would make another word."""
    joined_to_phrase: str = ""
    """The same before a short word of a longer phrase, which its other words tell apart."""
    and_half: tuple[str, ...] = ()
    """What stands behind a number and its unit and adds a half: four hours *and a half*."""
    abbreviated: tuple[tuple[str, str], ...] = ()
    """Short forms of the ends of words, and the whole: `str`, `straße`."""
    half_ending: str = ""
    """What is written together with a number and adds a half: `viereinhalb`."""
    same_stem: float = SAME_STEM
    """Share of the longer of two words that is alike at their beginning where endings differ."""
    adjectives: str = ""
    """Endings of adjectives that outweigh a short stem, as a regular expression."""
    nouns: str = ""
    """Endings of nouns that have a consonant, as a regular expression."""
    cases: str = ""
    """Endings of short nouns, as a regular expression."""
    vowels: str = ""
    """Vowels that may be dropped in inflected forms."""
    keys: tuple[str, ...] = ()
    """The rows of the keyboard."""
    sounds: tuple[str, ...] = ()
    """Groups of letters that sound alike."""
    forgiving: bool = True
    """Whether typos are tolerated in single words; not if many words differ by one letter."""
    pair_counters: tuple[str, ...] = ()
    """Words after two digits that mean one or the other: `一两个`."""
    counter: str = ""
    """What may stand between a number and its unit."""
    counting: str = ""
    """The numeral that counts things and is no digit."""
    numerals: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Number words, or signs for digits; -1 is the word that only joins others."""
    spoken: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Number words in talk with a system that elsewhere mean something else more often."""
    counted: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False)
    """Numerals that are articles too, and what they stand before when they count."""
    implied: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Words that say a number by themselves: an hour, the dual of a noun."""
    units: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Signs that multiply the numeral before them: ten, hundred."""
    morning: tuple[str, ...] = ()
    afternoon: tuple[str, ...] = ()
    noon: tuple[str, ...] = ()
    hour: tuple[str, ...] = ()
    """What stands between hours and minutes, or after full hours, beside a colon."""
    point: str = ""
    """What stands between a number in signs and its decimals."""
    minute: str = ""
    half: str = ""
    quarter: str = ""
    months: tuple[str, ...] = ()
    """Names of the months as dates have them, from January on; other forms behind `|`."""
    date_form: str = ""
    """A date in words, with `{weekday}`, `{day}` and `{month}`."""
    day_marks: tuple[str, ...] = ()
    """What may stand behind the number of a day: `.`, `th`, `日`."""
    until: tuple[str, ...] = ()
    """What stands between the first and the last of several days: to, bis, по."""
    lone_days: tuple[str, ...] = ()
    """A day without its month, with `{day}`: `the {day}th`, `am {day}.`, `{day}号`."""
    relative_days: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Words for days -> how many days they are away: tomorrow is 1."""
    open_words: tuple[str, ...] = ()
    """Words that say of a place that it is open."""
    clock: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Times in words -> minutes to add to `{hour}` or `{next}`; with `{minute}`, 1 or -1."""
    hours_in_words: tuple[str, ...] = ()
    """The hours from one to twelve; other forms behind `|`."""
    next_hours_in_words: tuple[str, ...] = ()
    """The same where the hour that is under way has a form of its own."""
    not_times: tuple[str, ...] = ()
    """What reads like an hour and means something else: `一点`, a little."""
    variants: tuple[tuple[str, ...], ...] = ()
    """Groups of spellings of one and the same word."""
    fillers: tuple[str, ...] = ()
    """Particles that may stand inside a value or not."""
    generic: tuple[str, ...] = ()
    """Words at either end of a value that a text may leave out."""

    def sounds_alike(self, one: str, other: str) -> bool:
        return any(one in group and other in group for group in self.sounds)

    def mistakes(self, one: str, other: str) -> bool:
        """Whether a letter is easily written for another: keys side by side, or a like sound."""
        if not self.keys or self.sounds_alike(one, other):
            return True
        places = [
            (row, at)
            for letter in (one, other)
            for row, keys in enumerate(self.keys)
            if (at := keys.find(letter)) >= 0
        ]
        if len(places) < 2:
            return True
        (row, at), (other_row, other_at) = places
        return abs(row - other_row) <= 1 and abs(at - other_at) <= 1

    @property
    def number_words(self) -> Mapping[str, int]:
        """All that may stand for a number."""
        return {**self.numerals, **self.units}

    @property
    def inflects(self) -> bool:
        """Whether endings are long."""
        return self.same_stem < SAME_STEM

    def bare(self, word: str) -> str:
        """A word without the article written together with it."""
        for form in self.article_forms:
            if word.startswith(form) and len(word) - len(form) >= SHORTEST_STEM:
                return word[len(form) :]
        return word


@cache
def writing_of(code: str) -> Writing:
    """How the language of a code is written; a code may name a region too."""
    file = DATA / primary(code) / "writing.toml"
    if not code or not file.is_file():
        return Writing(code)
    read = tomllib.loads(file.read_text(encoding="utf-8"))
    for key in ("variants", "abbreviated"):
        read[key] = tuple(tuple(group) for group in read.get(key, ()))
    for name, value in read.items():
        read[name] = tuple(value) if isinstance(value, list) else value
    return Writing(code, **read | {"everyday": frozenset(read.get("everyday", ()))})


@cache
def numerals_of(table: Writing) -> Numerals:
    """The number reader of a language, for texts that are compared."""
    return Numerals(
        {comparable(word): value for word, value in table.number_words.items()},
        before=tuple(comparable(each) for each in table.prefixes),
        point=table.point,
        counting=table.counting,
        pair_counters=table.pair_counters,
    )


@cache
def written_languages() -> tuple[Writing, ...]:
    """Every language that has a table."""
    return tuple(writing_of(file.parent.name) for file in sorted(DATA.glob("*/writing.toml")))


def primary(code: str) -> str:
    """The language of a code that may name a region too: `zh` of `zh-CN` and `zh_TW`."""
    return re.split("[-_]", code, maxsplit=1)[0].lower()


_LETTERS_PER_SIGN: Final = 3
"""A Chinese character says about as much as three letters, so a Chinese sentence about
`Cambridge Belfry` stays Chinese."""
_WORD: Final = re.compile(r"\w+")


def guess_language(text: str) -> str:
    """The language code of a text; empty if no language with a table fits."""
    letters = scripts_of(text)
    weights = {name: _weight(name) * count for name, count in letters.items() if _using(name)}
    if not weights:
        return ""
    return _by_words(text, _using(max(weights, key=lambda name: weights[name])))


@cache
def _using(script: str) -> tuple[Writing, ...]:
    """The languages that are written in a script."""
    return tuple(each for each in written_languages() if each.script == script)


def _weight(script: str) -> int:
    return 1 if all(each.spaced for each in _using(script)) else _LETTERS_PER_SIGN


def _by_words(text: str, languages: tuple[Writing, ...]) -> str:
    """Of several languages in one script, the one with most everyday words in the text."""
    if len(languages) == 1:
        return languages[0].code
    said = _WORD.findall(text.lower())
    hits = {each.code: sum(word in each.everyday for word in said) for each in languages}
    best = max(hits, key=lambda code: hits[code])
    return best if hits[best] else ""
