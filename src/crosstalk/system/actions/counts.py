"""Small numbers in requests, with what they count: `for two nights`, `zu viert`, `三个人`.

    counts = Counts(ActionLanguage(world))
    counts.find("a room for three people, two nights")   ->  [("3", "persons"), ("2", "nights")]

Prices and their bounds are read by `language/quantities.py`; here every number is meant as it is.
"""

import re
from collections.abc import Iterator
from typing import Final

from crosstalk.language.normalize import comparable, plain
from crosstalk.language.numerals import in_digits
from crosstalk.language.patterns import pattern
from crosstalk.language.writing import numerals_of, writing_of
from crosstalk.system.actions.action_language import ActionLanguage

NIGHTS: Final = "nights"
UNITS: Final = (NIGHTS, "persons", "rooms", "oclock", "hours", "minutes", "money", "points")
"""Cues of the phrase book that say what a number counts; what counts something else is passed."""
OTHER_UNITS: Final = frozenset({"rooms", "oclock", "hours", "minutes", "money", "points"})
PEOPLE_AND_NIGHTS: Final = tuple(unit for unit in UNITS if unit not in OTHER_UNITS)
"""What actions of any world count; `[counts]` of a language file adds to it."""
MINUS: Final = "-"
NEAR: Final = 24
"""Characters after a number in which its unit stands."""


class Counts:
    """Finds the counts in texts of one language."""

    def __init__(self, language: ActionLanguage) -> None:
        self._book = language.book
        self._writing = writing_of(language.pack.code)
        self._nouns = language.pack.counts
        self._own = {
            argument: pattern(nouns, language.pack.code) for argument, nouns in self._nouns.items()
        }

    def names_unit(self, words: str) -> bool:
        """Whether a plain text says what is counted."""
        known = self._book is not None and any(
            self._book.has(unit, words) for unit in PEOPLE_AND_NIGHTS
        )
        return known or any(own.search(words) for own in self._own.values())

    def counts_own(self, argument: str, unit: str) -> bool:
        """Whether a unit, the argument that stands first under the same noun, is an argument's."""
        return not set(self._nouns.get(unit, ())).isdisjoint(self._nouns.get(argument, ()))

    def has_nouns(self, argument: str) -> bool:
        """Whether the language file says what an argument counts."""
        return argument in self._nouns

    def find(self, text: str, does: str = "") -> list[tuple[str, str]]:
        """(number, unit); `does`: what an action does, of which *one table* is a part.

        A unit is a cue of the phrase book or, for nouns of `[counts]`, the argument they stand for.
        """
        here = self._book.cues.get("here") if self._book else None
        counted = comparable(here.sub(" ", plain(text))) if here else comparable(text)
        counted = comparable(text) if MINUS in text else counted
        return [*self._groups(plain(text)), *self._numbers(counted, plain(does))]

    def _groups(self, text: str) -> Iterator[tuple[str, str]]:
        """Numbers of people or nights in phrases of their own."""
        nights = self._book.cues.get("nights") if self._book else None
        for said, number in self._book.groups if self._book else ():
            match = said.search(text)
            if match and self._unit(text[match.end() :].lstrip())[0] in ("", "persons"):
                yield str(number), "nights" if nights and nights.search(match[0]) else "persons"

    def _numbers(self, text: str, does: str) -> Iterator[tuple[str, str]]:
        for number in numerals_of(self._writing).in_text(text):
            rest = plain(text[number.end : number.end + NEAR])
            unit, end = self._unit(rest)
            is_article = text[number.start : number.end] in self._writing.articles
            if number.value == 1 and (
                (is_article and not unit) or self._names_object(rest[end:], does)
            ):
                continue
            if not unit and number.in_words and not self._writing.spaced and rest.strip():
                continue  # a sign for a number is part of many words
            if unit not in OTHER_UNITS and number.value == int(number.value):
                yield self._sign(text[: number.start]) + in_digits(number.value), unit

    def _unit(self, rest: str) -> tuple[str, int]:
        """The unit at the beginning of a plain text, and where it ends."""
        for argument, nouns in self._own.items():
            if match := nouns.match(rest):
                return argument, match.end()
        for unit in UNITS:
            cue = self._book.cues.get(unit) if self._book else None
            if cue and (match := cue.match(rest)):
                return unit, match.end()
        return "", 0

    def _names_object(self, rest: str, does: str) -> bool:
        """Whether what follows a number is a word of what an action does."""
        if not self._writing.spaced:
            return bool(rest.strip()) and rest.strip()[0] in does
        word = re.match(r"\s*(\w+)", rest)
        return word is not None and word[1] in does.split()

    def _sign(self, before: str) -> str:
        """A minus that stands directly before a number and behind no other."""
        behind = r"\s" if self._writing.spaced else r"\D"
        return MINUS if re.search(rf"(?:^|{behind})[-−]$", before) else ""
