"""What the readers of MultiWOZ states know of a language: data, `data/<code>/states.toml`.

words = words_of("zh")
words.tokens("我想在17:15之后离开。")
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from crosstalk.errors import InputError
from crosstalk.language.writing import DATA, Writing, writing_of

FILE = "states.toml"
STEM = "*"
_SPACED = re.compile(r"\d+[:;.]\d+|\w+|[^\w\s]")
_UNSPACED = re.compile(r"\d+[:;.]\d+|[a-z]+\d*|\d+|\S")


@dataclass(frozen=True, slots=True)
class Labels:
    """What files with states in one language call things."""

    none: frozenset[str] = frozenset()
    """Nothing was said of a slot."""
    any: frozenset[str] = frozenset()
    """Every value will do."""
    ignored: frozenset[str] = frozenset()
    """Domains that are left out, as published."""
    domains: Mapping[str, str] = field(default_factory=dict, hash=False)
    slots: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Name in the file -> name in the English files."""
    booked: str = ""
    """Begins the name of a slot of a booking."""


@dataclass(frozen=True, slots=True)
class StateWords:
    """One language: how its texts are cut, and its words for values, numbers, times and cues."""

    language: str
    writing: Writing
    """Its numerals and times; where it parts no words, every character is a token."""
    replace: tuple[tuple[str, str], ...]
    generic: tuple[str, ...]
    """What a name may be said without: `hotel`, `restaurant`."""
    values: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Topic of a slot -> value id -> forms; a form that ends in a star begins a word."""
    numbers: Mapping[str, int]
    """Words that mean a number here, beside numerals: `alone` is 1."""
    classifiers: tuple[str, ...]
    """What must follow a number in words, where numbers are parts of other words too."""
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
        """A plain text without a particle at its end."""
        return next((text.removesuffix(each) for each in self.writing.fillers), text)

    def tokens(self, text: str) -> list[str]:
        return (_SPACED if self.spaces else _UNSPACED).findall(self.plain(text))

    @property
    def forms(self) -> int:
        """How many forms of values and cues somebody wrote down."""
        said = [*self.cues.values(), *(f for topic in self.values.values() for f in topic.values())]
        return sum(map(len, said))

    def without_forms(self) -> "StateWords":
        """The language as if nobody had written down forms of its values and its cues."""
        return replace(self, values={}, cues=dict.fromkeys(self.cues, ()))

    @property
    def step(self) -> float:
        """How far a token is, in words: a Chinese word has some 1.6 characters."""
        return 1.0 if self.spaces else 0.6


@cache
def words_of(language: str) -> StateWords:
    """The table of a language; raises in words where there is none."""
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
    """Languages we have words for."""
    return sorted(file.parent.name for file in DATA.glob(f"*/{FILE}"))


def _tuples(raw: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(forms) for name, forms in raw.items()}
