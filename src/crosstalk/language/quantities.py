"""Numbers in what people type, with bounds and units: `not more than fifty crowns`.

`Quantities.find` reads a text whose number words have become digits (`with_digits`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crosstalk.language.normalize import plain
from crosstalk.language.number_forms import LEEWAY, Bounds
from crosstalk.language.number_words import (
    ASKED,
    BREAKS,
    OPPOSITE,
    SMALL,
    NumberWords,
    ends_of,
    first_clause,
    last_clause,
)
from crosstalk.language.numerals import DECIMAL
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.writing import writing_of

BEFORE: Final = 24
LONGEST_JOINT: Final = 12
"""Maximum number of characters between the ends of a range: `crowns and`."""
AFTER: Final = 16
"""Characters around a number (`BEFORE`, `AFTER`) in which words qualify it."""
BEHIND_UNIT: Final = 20
"""Characters after a unit in which words qualify the number: *crowns at the most*."""
BEFORE_RELATION: Final = 32
"""Characters before a word such as *more than* in which a *not* reverses it."""
CLOCK: Final = "\ue203"
"""Mark of a number that is a time of day: 19:00."""
UNITS: Final = (
    "money",
    "points",
    "hours",
    "minutes",
    "days",
    "persons",
    "nights",
    "rooms",
    "oclock",
)
"""Cues for what a number counts; `uncounted` is anything else."""
CLOSE: Final = 5
"""Maximum distance between a negation and a relation in languages without spaces."""
GLUED: Final = 2
"""Maximum length of a function word written together with the next number."""
AFTERWARDS: Final = 1
"""Penalty for words after a number: of two equally close words, the one before counts."""
MOST_POINTS: Final = 5
"""The highest rating."""
SHORT_NO: Final = 4
"""Maximum length of a *no* that is an answer."""
TIMES: Final = {"hours": 1.0, "minutes": 1 / 60, "days": 8.0}
"""Units of time -> hours."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or an interval in a text."""

    bounds: Bounds
    unit: str
    """money, points, hours, minutes, days, uncounted, or nothing."""
    start: int
    """Start, words such as "under" included."""
    end: int
    """End, the unit included."""
    bare: bool = False
    """Just the number, without a word such as "under"."""
    strict: bool = False
    """The bound itself is excluded: *under 200* is not 200."""
    middle: float | None = None
    """The number itself if it is approximate: *about 100*."""
    negated: int = -1
    """Start of the negation that reverses the bound; -1 if there is none."""
    straight: "Quantity | None" = None
    """The same without that negation."""


class Quantities:
    """Finds numbers in the plain text of one language."""

    def __init__(self, book: Phrasebook) -> None:
        self._book = book
        self._writing = writing_of(book.language)
        self._in_signs = not self._writing.spaced
        self._number_words = NumberWords(book)

    def find(self, text: str) -> list[Quantity]:
        """The quantities of a text whose number words have become digits."""
        scales = list(self._scales(text))
        numbers = [each for each in DECIMAL.finditer(text) if each.start() not in scales]
        found: list[Quantity] = []
        at = 0
        while at < len(numbers):
            pair = at + 1 < len(numbers) and self._is_range(text, numbers[at], numbers[at + 1])
            last = numbers[at + 1] if pair else numbers[at]
            begin = _begin(found[-1], numbers[at - 1], numbers[at]) if found else 0
            before = last_clause(text[begin : numbers[at].start()])
            beyond = numbers[at + 1 + pair].start() if at + 1 + pair < len(numbers) else len(text)
            after = first_clause(text[last.end() : min(beyond, last.end() + AFTER + BEHIND_UNIT)])
            values = sorted(float(each[0]) for each in ({numbers[at], last} if pair else {last}))
            adjoins = last.end() + len(after) == beyond < len(text)
            after = self._own(after, before) if adjoins else after
            each = self._quantity(values, before, after, numbers[at].start(), last.end())
            behind = first_clause(text[each.end : min(beyond, each.end + BEFORE_RELATION)])
            behind = (behind.strip() and behind) or self._answered(text[each.end :])
            asked = text[each.end + len(behind) :].startswith(ASKED)
            found.append(self._refused(each, behind, asked))
            at += 1 + pair
        return found

    def _scales(self, text: str) -> Iterator[int]:
        """Positions of numbers that are only the scale of another one: 4.5 *out of 5*."""
        points = self._book.cues.get("points")
        for found in points.finditer(text) if points else ():
            digits = DECIMAL.search(found[0])
            if digits and text[: found.start()].rstrip()[-1:].isdigit():
                yield found.start() + digits.start()

    def _answered(self, rest: str) -> str:
        """A *no* that is all that follows a number: `over 150 - no`."""
        no, said = self._book.cues.get("no"), rest.strip(BREAKS + " ")
        return said if no and no.fullmatch(said) and ASKED not in rest else ""

    def _refused(self, quantity: Quantity, behind: str, asked: bool) -> Quantity:
        """The quantity, reversed if a refusal follows: `over 150 I don't want`, `over 150, no`."""
        low, high = quantity.bounds.low, quantity.bounds.high
        cues = (self._book.cues.get(key) for key in ("after_negator", "too_much"))
        found = next((match for cue in cues if cue and (match := cue.search(behind))), None)
        no = self._book.cues.get("no")
        if no and found is None and not asked:
            found = no.fullmatch(behind, len(behind) - len(behind.lstrip()), len(behind.rstrip()))
        if found is None or quantity.bare or (self._in_signs and not self._is_alone(behind, found)):
            return quantity
        if any(ends_of(self._book, key, behind[: found.start()]) for key in ("and", "but")):
            return quantity  # at least 4.5 and not over 100
        if high is None:
            return replace(quantity, bounds=Bounds(None, low), strict=False)
        turned = low is None and (quantity.strict or self._in_signs)  # below 40 I don't want
        return replace(quantity, bounds=Bounds(high, None), strict=False) if turned else quantity

    def _is_alone(self, behind: str, refusal: re.Match[str]) -> bool:
        """Whether a refusal refers to the number before it, not to what follows."""
        rest = behind[refusal.end() :]
        for key in ("filler", "small", "search"):
            rest = self._book.cues[key].sub("", rest) if key in self._book.cues else rest
        return refusal.start() <= CLOSE and not rest.strip()

    def _own(self, after: str, before: str) -> str:
        """The text after a number, without a bound of the next number: 4.4 below 250."""
        cues = [self._book.cues[key] for key in OPPOSITE if key in self._book.cues]
        bound = any(cue.search(before) for cue in cues)
        ends = [found for cue in cues for found in cue.finditer(after)]
        next_ones = [
            found.start()
            for found in ends
            if len(after[found.end() :].strip()) <= GLUED
            and (
                bound
                or self._is_strict(found[0])
                or self._is_joined(found[0])
                or self._stands_off(after[: found.start()])
            )
        ]
        return after[: min(next_ones, default=len(after))]

    def _stands_off(self, between: str) -> bool:
        """Whether more than a unit stands between a number and a bound after it."""
        for unit in ("points", "money"):
            cue = self._book.cues.get(unit)
            between = cue.sub(" ", between, count=1) if cue else between
        joined = self._book.has("and", between)  # rated 5 and from 200 crowns
        return not self._in_signs and (joined or len(between.strip()) > CLOSE)

    def _is_range(self, text: str, one: re.Match[str], other: re.Match[str]) -> bool:
        """Two numbers with nothing but a joining word and perhaps a unit between them."""
        between = text[one.end() : other.start()]
        head = text[max(0, one.start() - BEFORE) : one.start()]
        for relation in OPPOSITE:  # less *than* 300
            head = self._book.cues[relation].sub("", head) if relation in self._book.cues else head
        timed = any(self._book.has(unit, between) for unit in ("hours", "minutes", "days"))
        rated = self._rates(head, between, one[0]) and not timed
        if rated and float(other[0]) > MOST_POINTS:
            return False  # rated from 4.5, up to 700 crowns
        if self._book.has("span", head):
            return len(between) <= LONGEST_JOINT
        if self._book.has("span", between):  # 4 stars, between 400 and 700
            return False
        joined = self._book.cues["between"].search(between)
        if joined and self._book.has("and", joined[0]):
            return False
        for unit in ("between", "money", "points", *TIMES):
            between = (
                self._book.cues[unit].sub(" ", between) if unit in self._book.cues else between
            )
        return bool(joined) and not between.strip()

    def _rates(self, before: str, after: str, number: str) -> bool:
        """Whether a number is a rating: beside a word for points, or with a decimal."""
        said = self._book.has("points", before) or self._book.has("points", after)
        return float(number) <= MOST_POINTS and (said or "." in number)

    def _quantity(
        self, values: Sequence[float], before: str, after: str, start: int, end: int
    ) -> Quantity:
        unit, unit_end = self._unit(before[-BEFORE:], self._words(after, AFTER))
        reach = unit_end + BEHIND_UNIT if unit_end and not self._in_signs else AFTER
        relation, ahead, behind = self._relation(before, self._words(after, reach))
        strict = bool(ahead) and self._is_strict(before[len(before) - ahead :])
        if not relation and self._falls_short(before):
            relation, strict = "below", True
        end += max(unit_end, behind)
        if len(values) == 2:
            ahead = ahead if ahead <= LONGEST_JOINT else 0  # a budget hotel for 50 to 100
            return Quantity(Bounds(values[0], values[1]), unit, start - ahead, end)
        bounds = _bounds(relation, values[0])
        bare = not relation
        middle = values[0] if relation == "about" else None
        straight = Quantity(
            bounds, unit, start - ahead, end, bare=bare, strict=strict, middle=middle
        )
        if turned := self._turned(relation, before, ahead):
            bounds, negated = _bounds(turned[0], values[0]), start - turned[1]
            return replace(
                straight, bounds=bounds, strict=False, negated=negated, straight=straight
            )
        return straight

    def _falls_short(self, before: str) -> bool:
        """Whether a word makes the number an upper bound: *keine 40 Kronen*."""
        cue = self._book.cues.get("short_of")
        return bool(
            cue and any(found.end() == len(before.rstrip()) for found in cue.finditer(before))
        )

    def _turned(self, relation: str, before: str, ahead: int) -> tuple[str, int] | None:
        """The opposite relation if a negation governs it: *won't cost more than 100*."""
        negator = self._book.cues.get("negator")
        if relation not in OPPOSITE or not ahead or negator is None:
            return None
        if negator.search(before, len(before) - ahead):  # `not more than` says so itself
            return None
        head = before[: len(before) - ahead][-BEFORE_RELATION:]
        harmless = self._book.cues.get("not_negator")
        masked = harmless.sub(lambda found: " " * len(found[0]), head) if harmless else head
        parting = ("but", "and", "correction")
        begin = max((end for key in parting for end in ends_of(self._book, key, head)), default=0)
        found = [each for each in negator.finditer(masked, begin) if not self._answers(each)]
        if not found or (self._in_signs and len(head) - found[-1].end() > CLOSE):
            return None
        return OPPOSITE[relation], ahead + len(head) - found[-1].start()

    def _answers(self, negation: re.Match[str]) -> bool:
        """Whether a negation is a *no* that opens a text and denies what was said before."""
        no = self._book.cues.get("no")
        head = negation.string
        opens = len(head) < BEFORE_RELATION and not head[: negation.start()].strip()
        opens = opens and not self._in_signs and not head[negation.end() :].strip()
        return opens and bool(no and no.fullmatch(negation[0])) and len(negation[0]) <= SHORT_NO

    def _words(self, text: str, length: int) -> str:
        """The beginning of a text, without a word that would be cut."""
        cut = not self._in_signs and text[length - 1 : length + 1].strip().isalnum()
        cut = cut and len(text[length - 1 : length + 1].strip()) == 2
        return text[:length].rpartition(" ")[0] if cut else text[:length]

    def _is_strict(self, relation: str) -> bool:
        strict = self._book.cues.get("strict")
        return bool(strict and strict.match(relation))

    def _relation(self, before: str, after: str) -> tuple[str, int, int]:
        """The nearest relation of a number, and its extent before and after the number."""
        ways: list[tuple[int, int, str, int, int]] = []
        for relation in ("below", "above", "about", "exactly"):
            cue = self._book.cues.get(relation)
            if cue and (found := cue.search(after)):
                ways.append((found.start() + AFTERWARDS, -len(found[0]), relation, 0, found.end()))
            for found in cue.finditer(before) if cue else ():
                if self._is_asked(before, found):
                    continue
                gap, reach = len(before) - found.end(), len(before) - found.start()
                if reach > BEFORE and gap > CLOSE:
                    continue
                if self._in_signs and gap > CLOSE:
                    continue
                ways.append((gap, -len(found[0]), relation, reach, 0))
        _, _, relation, ahead, behind = min(ways, default=(0, 0, "", 0, 0))
        return relation, ahead, behind

    def _is_asked(self, before: str, relation: re.Match[str]) -> bool:
        """Whether a word for a bound belongs to a question: *what about 200*."""
        cue = self._book.cues.get("too")
        return any(
            found.start() < relation.start() and relation.end() == found.end()
            for found in (cue.finditer(before) if cue else ())
        )

    def _unit(self, before: str, after: str) -> tuple[str, int]:
        if after.lstrip().startswith(CLOCK):
            return "oclock", after.index(CLOCK) + 1
        masked = self._without_relations(after)
        behind = [
            (found.start(), -found.end(), unit)
            for unit in (*UNITS, "uncounted")
            if (cue := self._book.cues.get(unit)) and (found := cue.search(masked))
            if not self._is_joined(found[0])  # 50 and rated above 4
            if not (
                self._is_apart(unit) and masked[: found.start()].strip(self._writing.counter + " ")
            )
        ]
        if behind:
            _, end, unit = min(behind)
            return unit, -end
        return next((unit for unit in ("points", "money") if self._book.has(unit, before)), ""), 0

    def _is_apart(self, unit: str) -> bool:
        """Whether a unit must directly follow its number: the 点 of 景点 is no o'clock."""
        return self._in_signs and unit in ("oclock", "uncounted")

    def _is_joined(self, text: str) -> bool:
        """Whether *and* is written together with a text."""
        return text.startswith(self._book.grammar.joined_and)

    def _without_relations(self, text: str) -> str:
        """Without spaces, blanks relations, whose characters are no units: `五十顶天`."""
        for key in OPPOSITE if self._in_signs else ():
            cue = self._book.cues.get(key)
            text = cue.sub(lambda found: " " * len(found[0]), text) if cue else text
        return text

    def counts_nights(self, text: str) -> bool:
        """Whether a plain text speaks of nights."""
        return self._book.has("nights", text)

    def read_hours(self, text: str) -> Bounds | None:
        """The duration that a text gives, in hours; None if it gives none."""
        return self.hours(plain(text))

    def hours(self, text: str) -> Bounds | None:
        """The duration that a plain text gives, in hours; None if it gives none."""
        spans = [each for each in map(in_hours, self.find(self.with_digits(text))) if each]
        lows, highs = [each.low for each in spans], [each.high for each in spans]
        if not spans:
            return None
        return Bounds(
            None if None in lows else min(each for each in lows if each is not None),
            None if None in highs else max(each for each in highs if each is not None),
        )

    def with_digits(self, text: str) -> str:
        """The text with digits for its number words; half an hour is 0.5 hours."""
        return self._number_words.to_digits(text)


def in_hours(quantity: Quantity) -> Bounds | None:
    """A duration in hours; None for other quantities."""
    scale = TIMES.get(quantity.unit)
    low, high = (quantity.middle or each for each in (quantity.bounds.low, quantity.bounds.high))
    return Bounds(low and low * scale, high and high * scale) if scale else None


def _bounds(relation: str, value: float) -> Bounds:
    """The bounds of a number with a relation such as *under*."""
    if relation == "about":
        return Bounds(_rounded(value * (1 - LEEWAY)), _rounded(value * (1 + LEEWAY)))
    ends = {"below": Bounds(None, value), "above": Bounds(value, None)}
    return ends.get(relation, Bounds(value, value))


def _begin(before: Quantity, last: re.Match[str], number: re.Match[str]) -> int:
    """Start of the words that may qualify a number: after those that the number before took.

    Counts (nights, people) take no bound: `one night not more than 800`.
    """
    taken = before.end if before.unit in ("money", "points") else last.end()
    return min(taken, number.start())


def _rounded(value: float) -> float:
    return round(value) if value > SMALL else round(value, 1)
