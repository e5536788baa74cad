"""Number words of an utterance, replaced by digits: `fifty crowns` becomes `50 crowns`.

Which words are numbers comes from the phrase book; whether a word means a number here, from the
words around it: `one` in `another one` does not, `两三百` does.
"""

import re
from collections.abc import Sequence
from functools import partial
from typing import Final

from crosstalk.language.normalize import plain
from crosstalk.language.numerals import JOIN, Number, Numerals, divided
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.writing import writing_of

SMALL: Final = 12
"""A number word up to here counts only before a unit: "another one" is no number."""
RELATIONS: Final = ("below", "above", "about", "exactly", "between")
OPPOSITE: Final = {"below": "above", "above": "below"}
ASKED: Final = "\ue202"
BREAKS: Final = "\ue200\ue201" + ASKED
"""Marks of the end of a clause; no word has an effect beyond them."""
NEAR: Final = 40
"""Words around a number that can tell whether it counts something."""
LONG_NUMBER: Final = 2
"""Characters from which a Chinese number is not the beginning of another word."""


class NumberWords:
    """Replaces the number words of one language by digits."""

    def __init__(self, book: Phrasebook) -> None:
        self._book = book
        self._writing = writing_of(book.language)
        self._in_signs = not self._writing.spaced
        self._hour = book.hour
        self._spelled = book.numbers
        ways = "|".join(re.escape(plain(each)) for each in self._writing.and_half)
        units = "|".join(
            book.cues[unit].pattern for unit in ("hours", "points", "days") if unit in book.cues
        )
        self._halves = re.compile(rf"(?<![\w.])(\d+) ({units}) (?:{ways})(?!\w)")
        self._numerals = Numerals(
            book.numbers,
            point=self._writing.point,
            counting=self._writing.counting,
            pair_counters=self._writing.pair_counters,
        )

    def to_digits(self, text: str) -> str:
        """The text with digits for its number words; half an hour is 0.5 hours."""
        for phrase, hours in self._book.durations:
            text = " ".join(phrase.sub(partial(self._in_hours, hours), text).split())
        if self._in_signs:
            return self._sign_digits(text)
        return self._with_halves(self._word_digits(self._halved(text)))

    def _halved(self, text: str) -> str:
        """Numbers with a half written together with them, in digits: `viereinhalb` is 4.5."""
        ending = plain(self._writing.half_ending)
        if not ending or ending not in text:
            return text
        words = text.split(" ")
        for at, word in enumerate(words):
            number = self._numerals.at([word.removesuffix(ending)], 0)
            if number and word.endswith(ending):
                words[at] = f"{number.value + 0.5:g}"
        return " ".join(words)

    def _with_halves(self, text: str) -> str:
        """A half said behind the unit put to its number: `4 hours and a half` is 4.5 hours."""
        return self._halves.sub(r"\1.5 \2", text) if self._writing.and_half else text

    def _in_hours(self, hours: float, found: re.Match[str]) -> str:
        """A span of time as a number, with the word that makes a bound of it: *up to* an hour."""
        first, _, rest = found[0].partition(" ")
        cues = (self._book.cues.get(key) for key in ("span", *RELATIONS))
        limit = first if rest and any(cue and cue.fullmatch(first) for cue in cues) else ""
        return f" {limit} {hours:g} {self._hour} "

    def _sign_digits(self, text: str) -> str:
        written, done = "", 0
        numbers = list(self._numerals.in_text(text))
        for at, number in enumerate(numbers):
            if number.in_words and self._is_in_range(numbers, at, text):
                written += text[done : number.start] + number.digits
                done = number.end
        return written + text[done:]

    def _is_in_range(self, numbers: Sequence[Number], at: int, text: str) -> bool:
        """Whether a number is meant, or the upper end of its range is: 两到三小时."""
        number = numbers[at]
        if self._is_meant(number, text):
            return True
        if at + 1 == len(numbers):
            return False
        between = text[number.end : numbers[at + 1].start].strip()
        joint = between.removeprefix(self._writing.counter).strip()
        return joint in self._writing.ranges and self._is_meant(numbers[at + 1], text)

    def _is_meant(self, number: Number, text: str) -> bool:
        """Whether signs for a number mean one: `千层肚` is a dish, `一下` a little."""
        if number.high is not None or number.value != int(number.value):
            return True
        idiom = self._book.cues.get("not_number")
        spans = [each.span() for each in idiom.finditer(text)] if idiom else []
        if not number.value or any(start <= number.start < end for start, end in spans):
            return False
        after, before = text[number.end :].lstrip(), text[: number.start]
        goes_on = number.end - number.start < LONG_NUMBER and self._goes_on(before, after)
        return self._unit_follows(after) or not (number.value <= SMALL or goes_on)

    def _goes_on(self, before: str, after: str) -> bool:
        """Whether a number is the beginning of another word: 千层肚 is a dish."""
        cues = [self._book.cues[key] for key in RELATIONS if key in self._book.cues]
        return bool(after) and not any(
            cue.match(after) or any(found.end() == len(before) for found in cue.finditer(before))
            for cue in cues
        )

    def _bound_follows(self, after: str) -> bool:
        """Whether a small number in words is a limit: *four or higher*."""
        cues = [self._book.cues[key] for key in OPPOSITE if key in self._book.cues]
        return any((found := cue.match(after)) and " " in found[0] for cue in cues)

    def _unit_follows(self, after: str) -> bool:
        counted = after.removeprefix(self._writing.counter).lstrip()  # 两个小时
        return any(
            (cue := self._book.cues.get(unit)) and cue.match(rest)
            for unit, rest in (
                ("money", after),
                ("points", after),
                ("hours", counted),
                ("minutes", counted),
                ("persons", counted),
                ("nights", counted),
                ("rooms", counted),
                ("oclock", counted),
            )
        )

    def _word_digits(self, text: str) -> str:
        apart = self._book.cues.get("not_number")
        if apart and (idiom := apart.search(text)):
            before, after = text[: idiom.start()].strip(), text[idiom.end() :].strip()
            around = (self._word_digits(before), idiom[0], self._word_digits(after))
            return " ".join(part for part in around if part)
        words = text.split(" ")
        written: list[str] = []
        at = 0
        while at < len(words):
            if written and written[-1].isdigit() and (parts := self._parted(words[at])):
                words[at : at + 1] = parts  # between 50 *and*100
                written.append(words[at])
                at += 1
            number = self._numerals.at(words, at) if words[at] else None
            end = number.end if number else at + 1
            small = not number or number.value <= SMALL
            if small and not (number and self._counts(words, at, end)):
                written += words[at:end]
            elif number:
                written.append(number.digits if number.in_words else words[at])
            at = end
        return " ".join(written)

    def _counts(self, words: Sequence[str], start: int, end: int) -> bool:
        """Whether a small number stands before a unit, or limits points: `rated above four`."""
        words = words[max(start - NEAR, 0) : end + NEAR]
        start, end = min(start, NEAR), min(start, NEAR) + end - start
        before = last_clause(" ".join(words[:start]))
        bound = any(len(before) in ends_of(self._book, key, before) for key in OPPOSITE)
        rated = bound and self._book.has("points", before)
        bounded = self._bound_follows(" ".join(words[end:]))
        return rated or bounded or self._is_counted(words[end:])

    def _is_counted(self, words: Sequence[str]) -> bool:
        """Whether what follows a number is a unit, or the upper end of a range: *two* to three."""
        joint = self._book.cues["between"].fullmatch(words[0]) if words else None
        if joint and not self._book.has("and", joint[0]) and words[1:]:
            number = self._numerals.at(words, 1)
            words = words[number.end if number else 1 :]
        return self._unit_follows(" ".join(words))

    def _parted(self, word: str) -> list[str]:
        """A joining word and the number written together with it."""
        for joint, value in self._spelled.items():
            rest = word.removeprefix(joint)
            if value == JOIN and rest != word and divided(rest, self._spelled):
                return [joint, rest]
        return []


def ends_of(book: Phrasebook, key: str, text: str) -> list[int]:
    """Where the phrases of a cue end in a text."""
    cue = book.cues.get(key)
    return [found.end() for found in cue.finditer(text)] if cue else []


def last_clause(text: str) -> str:
    """The text after the last clause mark."""
    return text[max(text.rfind(mark) for mark in BREAKS) + 1 :]


def first_clause(text: str) -> str:
    """The text before the first clause mark."""
    ends = [at for mark in BREAKS if (at := text.find(mark)) >= 0]
    return text[: min(ends, default=len(text))]
