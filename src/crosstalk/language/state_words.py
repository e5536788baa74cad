"""What the readers of MultiWOZ states know of a language: `data/<code>/states.toml`.

    words = words_of("zh")
    words.tokens("我想在17:15之后离开。")

Here a token is a position: `FormFinder` finds forms of values among tokens, `times` and `numbers`
find times of day and small numbers (readers: `times.py`, `numerals.py`).
"""

import re
import tomllib
from bisect import bisect, bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import Any, Final, Generic, TypeVar

from crosstalk.errors import InputError
from crosstalk.language.gazetteer import KnownTexts
from crosstalk.language.numerals import Number, in_digits
from crosstalk.language.times import times_of
from crosstalk.language.writing import DATA, Writing, numerals_of, writing_of

FILE = "states.toml"
STEM = "*"
_SPACED = re.compile(r"\d+[:;.]\d+|\w+|[^\w\s]")
_UNSPACED = re.compile(r"\d+[:;.]\d+|[a-z]+\d*|\d+|\S")


@dataclass(frozen=True, slots=True)
class Labels:
    """Names and special values in files with states of one language."""

    none: frozenset[str] = frozenset()
    """Values that mean that a slot is empty."""
    any: frozenset[str] = frozenset()
    """Values that mean that any value will do."""
    ignored: frozenset[str] = frozenset()
    """Domains that are left out, as in the published evaluation."""
    domains: Mapping[str, str] = field(default_factory=dict, hash=False)
    slots: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Name in the file -> name in the English files."""
    booked: str = ""
    """Prefix of the names of booking slots."""


@dataclass(frozen=True, slots=True)
class StateWords:
    """One language: its tokenization and its words for values, numbers, times and cues."""

    language: str
    writing: Writing
    """Its numerals and times; if it writes no spaces, every character is a token."""
    replace: tuple[tuple[str, str], ...]
    generic: tuple[str, ...]
    """Words that may be left out of a name: `hotel`, `restaurant`."""
    values: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Topic of a slot -> value id -> forms; a form that ends in a star begins a word."""
    numbers: Mapping[str, int]
    """Words that mean a number here, beside numerals: `alone` is 1."""
    classifiers: tuple[str, ...]
    """Words that must follow a number word, if number words also occur inside other words."""
    cues: Mapping[str, tuple[str, ...]]
    labels: Labels = Labels()

    @property
    def spaces(self) -> bool:
        return self.writing.spaced

    def plain(self, text: str) -> str:
        """Lower case, and one spelling of what has several."""
        text = text.lower()
        for old, new in self.replace:
            text = text.replace(old, new)
        return text

    def bare(self, text: str) -> str:
        """A plain text without a final particle."""
        return next((text.removesuffix(each) for each in self.writing.fillers), text)

    def tokens(self, text: str) -> list[str]:
        return (_SPACED if self.spaces else _UNSPACED).findall(self.plain(text))

    @property
    def forms(self) -> int:
        """Number of hand-written forms of values and cues."""
        said = [*self.cues.values(), *(f for topic in self.values.values() for f in topic.values())]
        return sum(map(len, said))

    @property
    def step(self) -> float:
        """Length of a token in words: a Chinese word has about 1.6 characters."""
        return 1.0 if self.spaces else 0.6


@cache
def words_of(language: str) -> StateWords:
    """The table of a language; raises `InputError` if there is none."""
    file = DATA / language / FILE
    if not file.is_file():
        raise InputError(
            f"there are no words of the language {language!r} to read states with",
            remedy=f"Known: {', '.join(known_languages())}. A new language is a table in "
            f"language/data/<code>/{FILE}.",
        )
    raw = tomllib.loads(file.read_text(encoding="utf-8"))
    return StateWords(
        language,
        writing_of(language),
        tuple(raw["replace"].items()),
        tuple(raw["generic"]),
        {topic: _tuples(forms) for topic, forms in raw["values"].items()},
        raw.get("numbers", {}),
        tuple(raw["classifiers"]),
        _tuples(raw["cues"]),
        _labels(raw.get("labels", {})),
    )


def _labels(raw: Mapping[str, Any]) -> Labels:
    sets = {name: frozenset(words) for name, words in raw.items() if isinstance(words, list)}
    return Labels(**{**raw, **sets})


@cache
def all_labels() -> Labels:
    """The labels of all languages together: a file is read before its language is known."""
    each = [words_of(language).labels for language in known_languages()]
    return Labels(
        frozenset().union(*(labels.none for labels in each)),
        frozenset().union(*(labels.any for labels in each)),
        frozenset().union(*(labels.ignored for labels in each)),
        {name: meant for labels in each for name, meant in labels.domains.items()},
        {name: meant for labels in each for name, meant in labels.slots.items()},
    )


def known_languages() -> list[str]:
    """Languages with a table."""
    return sorted(file.parent.name for file in DATA.glob(f"*/{FILE}"))


def _tuples(raw: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(forms) for name, forms in raw.items()}


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FormMatch(Generic[T]):
    """A form from token `start` up to `end`."""

    start: int
    end: int
    what: T


class FormFinder(Generic[T]):
    """Finds forms, whole words or their beginnings, among tokens."""

    def __init__(self, words: StateWords, forms: Mapping[str, T]) -> None:
        self._meant: dict[str, list[T]] = defaultdict(list)
        for form, what in forms.items():
            stem = words.spaces and form.endswith(STEM)
            if tokens := words.tokens(form.rstrip(STEM)):
                self._meant[" ".join(tokens) + ("" if stem else " ")].append(what)
        self._known = KnownTexts(self._meant)
        self._order = {form: number for number, form in enumerate(self._meant)}

    def find(self, tokens: Sequence[str]) -> Iterator[FormMatch[T]]:
        text = "".join(f"{token} " for token in tokens)
        starts = list(accumulate((len(token) + 1 for token in tokens), initial=0))
        for first, start in enumerate(starts[:-1]):
            said = [text[start:end] for end in self._known.ends(text, start)]
            for form in sorted(said, key=self._order.__getitem__):
                last = bisect_left(starts, start + len(form))
                yield from (FormMatch(first, last, what) for what in self._meant[form])


MOST: Final = 20
"""Maximum number of people, nights or stars."""


def times(tokens: Sequence[str], words: StateWords) -> Iterator[FormMatch[str]]:
    """Every time of day as `HH:MM`."""
    starts = list(accumulate((len(token) + 1 for token in tokens), initial=0))
    found = times_of(words.writing, loose=True).find(" ".join(tokens))
    for time in sorted(found, key=lambda each: each.start):
        first, last = (bisect(starts, at) for at in (time.core[0], time.core[1] - 1))
        yield FormMatch(first - 1, last, f"{time.written // 60:02}:{time.written % 60:02}")


def numbers(tokens: Sequence[str], words: StateWords) -> Iterator[FormMatch[str]]:
    """Small numbers outside of times, as digits."""
    taken = {place for each in times(tokens, words) for place in range(each.start, each.end)}
    read = [
        FormMatch(number.start, number.end, in_digits(number.value))
        for number in numerals_of(words.writing).spans(tokens)
        if _counts(number, tokens, words)
    ]
    forms = {form: str(number) for form, number in words.numbers.items()}
    for each in sorted(
        (*read, *FormFinder(words, forms).find(tokens)), key=lambda each: each.start
    ):
        if each.start not in taken:
            yield each


def _counts(number: Number, tokens: Sequence[str], words: StateWords) -> bool:
    """Whether a number is small and, if in words, followed by a classifier."""
    after = tokens[number.end] if number.end < len(tokens) else ""
    counted = not number.in_words or not words.classifiers or after in words.classifiers
    return counted and number.value <= MOST and number.value == int(number.value)
