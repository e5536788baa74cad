"""Numbers in what people type: digits or words, alone or as bounds, and of what."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from crosstalk.language.normalize import plain
from crosstalk.language.number_forms import Bounds
from crosstalk.language.numerals import DECIMAL, JOIN, Number, Numerals, divided
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.writing import writing_of

SMALL: Final = 12
"""A number word up to here counts only before a unit: "another one" is no number."""
LEEWAY: Final = 0.2
"""How far "about 100" reaches on either side."""
BEFORE: Final = 24
RELATIONS: Final = ("below", "above", "about", "exactly", "between")
LONGEST_JOINT: Final = 12
"""Characters between the ends of a range: `crowns and`."""
AFTER: Final = 16
"""Characters around a number in which words say what it means."""
BEHIND_UNIT: Final = 20
"""Characters behind a unit in which words say what the number means: *crowns at the most*."""
BEFORE_RELATION: Final = 32
"""Characters before a word such as *more than* in which a *not* turns it round."""
CLOCK: Final = "\ue203"
"""The mark of a number that is a time of day: 19:00."""
ASKED: Final = "\ue202"
BREAKS: Final = "\ue200\ue201" + ASKED
"""Marks of the end of a clause; no word means anything beyond them."""
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
LONG_NUMBER: Final = 2
"""Characters of a Chinese number that is not the beginning of another word."""
CLOSE: Final = 5
"""Characters between a negation and a relation where words are not parted."""
GLUED: Final = 2
"""Letters of a small word that is written together with the number behind it."""
AFTERWARDS: Final = 1
"""Of two words as close to a number as each other, the one before it counts."""
MOST_POINTS: Final = 5
"""The highest rating."""
SHORT_NO: Final = 4
"""Letters of a *no* that is an answer."""
TIMES: Final = {"hours": 1.0, "minutes": 1 / 60, "days": 8.0}
"""Units of time -> hours."""
OPPOSITE: Final = {"below": "above", "above": "below"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or a stretch of numbers somebody spoke of."""

    bounds: Bounds
    unit: str
    """money, points, hours, minutes, days, uncounted, or nothing."""
    start: int
    """Where it begins, words such as "under" included."""
    end: int
    """Where it ends, its unit included."""
    bare: bool = False
    """Said without any word such as "under": just the number."""
    strict: bool = False
    """The bound itself is left out: *under 200* is not 200."""
    middle: float | None = None
    """The number itself, where it is meant roughly: *about 100*."""
    negated: int = -1
    """Where the negation stands that turns the bound round; -1: none does."""
    straight: "Quantity | None" = None
    """The same without that negation."""


class Quantities:
    """Finds numbers in the plain text of one language."""

    def __init__(self, book: Phrasebook) -> None:
        self._book = book
        self._writing = writing_of(book.language)
        self._in_signs = not self._writing.spaced
        self._hour = book.hour
        self._spelled = book.numbers
        self._numerals = Numerals(
            book.numbers,
            point=self._writing.point,
            counting=self._writing.counting,
            pair_counters=self._writing.pair_counters,
        )

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
            before = _last_part(text[begin : numbers[at].start()])
            beyond = numbers[at + 1 + pair].start() if at + 1 + pair < len(numbers) else len(text)
            after = _first_part(text[last.end() : min(beyond, last.end() + AFTER + BEHIND_UNIT)])
            values = sorted(float(each[0]) for each in ({numbers[at], last} if pair else {last}))
            adjoins = last.end() + len(after) == beyond < len(text)
            after = self._own(after, before) if adjoins else after
            each = self._quantity(values, before, after, numbers[at].start(), last.end())
            behind = _first_part(text[each.end : min(beyond, each.end + BEFORE_RELATION)])
            behind = (behind.strip() and behind) or self._answered(text[each.end :])
            asked = text[each.end + len(behind) :].startswith(ASKED)
            found.append(self._refused(each, behind, asked))
            at += 1 + pair
        return found

    def _scales(self, text: str) -> Iterator[int]:
        """Where numbers stand that only say what another one is out of: 4.5 *out of 5*."""
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
        """What is not wanted above a bound: `over 150 crowns I don't want`, `over 150, no`."""
        low, high = quantity.bounds.low, quantity.bounds.high
        cues = (self._book.cues.get(key) for key in ("after_negator", "too_much"))
        found = next((match for cue in cues if cue and (match := cue.search(behind))), None)
        no = self._book.cues.get("no")
        if no and found is None and not asked:
            found = no.fullmatch(behind, len(behind) - len(behind.lstrip()), len(behind.rstrip()))
        if found is None or quantity.bare or (self._in_signs and not self._is_alone(behind, found)):
            return quantity
        if any(self._ends(key, behind[: found.start()]) for key in ("and", "but")):
            return quantity  # at least 4.5 and not over 100
        if high is None:
            return replace(quantity, bounds=Bounds(None, low), strict=False)
        turned = low is None and (quantity.strict or self._in_signs)  # below 40 I don't want
        return replace(quantity, bounds=Bounds(high, None), strict=False) if turned else quantity

    def _is_alone(self, behind: str, refusal: re.Match[str]) -> bool:
        """Whether a refusal says no of the number before it, not of what follows."""
        rest = behind[refusal.end() :]
        for key in ("filler", "small", "search"):
            rest = self._book.cues[key].sub("", rest) if key in self._book.cues else rest
        return refusal.start() <= CLOSE and not rest.strip()

    def _own(self, after: str, before: str) -> str:
        """What stands behind a number, without a bound that is the next one's: 4.4 below 250."""
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
        """Whether something else than a unit stands between a number and a bound behind it."""
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
        """Whether a number alone is more than what is meant: *keine 40 Kronen*."""
        cue = self._book.cues.get("short_of")
        return bool(
            cue and any(found.end() == len(before.rstrip()) for found in cue.finditer(before))
        )

    def _turned(self, relation: str, before: str, ahead: int) -> tuple[str, int] | None:
        """The opposite bound where a negation governs it: *won't cost more than 100*."""
        negator = self._book.cues.get("negator")
        if relation not in OPPOSITE or not ahead or negator is None:
            return None
        if negator.search(before, len(before) - ahead):  # `not more than` says so itself
            return None
        head = before[: len(before) - ahead][-BEFORE_RELATION:]
        harmless = self._book.cues.get("not_negator")
        masked = harmless.sub(lambda found: " " * len(found[0]), head) if harmless else head
        parting = ("but", "and", "correction")
        begin = max((end for key in parting for end in self._ends(key, head)), default=0)
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

    def _ends(self, key: str, text: str) -> list[int]:
        cue = self._book.cues.get(key)
        return [found.end() for found in cue.finditer(text)] if cue else []

    def _words(self, text: str, length: int) -> str:
        """The beginning of a text, without a word that would be cut."""
        cut = not self._in_signs and text[length - 1 : length + 1].strip().isalnum()
        cut = cut and len(text[length - 1 : length + 1].strip()) == 2
        return text[:length].rpartition(" ")[0] if cut else text[:length]

    def _is_strict(self, relation: str) -> bool:
        strict = self._book.cues.get("strict")
        return bool(strict and strict.match(relation))

    def _relation(self, before: str, after: str) -> tuple[str, int, int]:
        """The nearest word that makes a bound of a number; how far it reaches before and after."""
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
        """Whether a unit has to stand right behind its number: the 点 of 景点 is no o'clock."""
        return self._in_signs and unit in ("oclock", "uncounted")

    def _is_joined(self, text: str) -> bool:
        """Whether *and* is written together with a text."""
        return text.startswith(self._book.grammar.joined_and)

    def _without_relations(self, text: str) -> str:
        """Where words are not parted, a unit inside of a bound is none: `五十顶天` has no days."""
        for key in OPPOSITE if self._in_signs else ():
            cue = self._book.cues.get(key)
            text = cue.sub(lambda found: " " * len(found[0]), text) if cue else text
        return text

    def counts_nights(self, text: str) -> bool:
        """Whether a plain text speaks of nights."""
        return self._book.has("nights", text)

    def read_hours(self, text: str) -> Bounds | None:
        """How long a text says something takes, in hours; None where it does not say."""
        return self.hours(plain(text))

    def hours(self, text: str) -> Bounds | None:
        """How long a plain text says something takes, in hours; None where it does not say."""
        spans = [each for each in map(in_hours, self.find(self.with_digits(text))) if each]
        lows, highs = [each.low for each in spans], [each.high for each in spans]
        if not spans:
            return None
        return Bounds(
            None if None in lows else min(each for each in lows if each is not None),
            None if None in highs else max(each for each in highs if each is not None),
        )

    # Numbers in words

    def with_digits(self, text: str) -> str:
        """The text with digits for its number words; half an hour is 0.5 hours."""
        for phrase, hours in self._book.durations:
            text = " ".join(phrase.sub(partial(self._in_hours, hours), text).split())
        if self._in_signs:
            return self._sign_digits(text)
        return self._word_digits(text)

    def _in_hours(self, hours: float, found: re.Match[str]) -> str:
        """A span of time as a number, with the word that makes a bound of it: *up to* an hour."""
        first, _, rest = found[0].partition(" ")
        cues = (self._book.cues.get(key) for key in ("span", *RELATIONS))
        limit = first if rest and any(cue and cue.fullmatch(first) for cue in cues) else ""
        return f" {limit} {hours:g} {self._hour} "

    def _sign_digits(self, text: str) -> str:
        written, done = "", 0
        for number in self._numerals.in_text(text):
            if number.in_words and self._is_meant(number, text):
                written += text[done : number.start] + number.digits
                done = number.end
        return written + text[done:]

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
        before = _last_part(" ".join(words[:start]))
        bound = any(len(before) in self._ends(key, before) for key in OPPOSITE)
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


def in_hours(quantity: Quantity) -> Bounds | None:
    """A span of time in hours; None for other quantities."""
    scale = TIMES.get(quantity.unit)
    low, high = (quantity.middle or each for each in (quantity.bounds.low, quantity.bounds.high))
    return Bounds(low and low * scale, high and high * scale) if scale else None


def _bounds(relation: str, value: float) -> Bounds:
    """What a word such as *under* makes of a number."""
    if relation == "about":
        return Bounds(_rounded(value * (1 - LEEWAY)), _rounded(value * (1 + LEEWAY)))
    ends = {"below": Bounds(None, value), "above": Bounds(value, None)}
    return ends.get(relation, Bounds(value, value))


def _last_part(text: str) -> str:
    """What stands behind the last mark of a clause's end."""
    return text[max(text.rfind(mark) for mark in BREAKS) + 1 :]


def _first_part(text: str) -> str:
    ends = [at for mark in BREAKS if (at := text.find(mark)) >= 0]
    return text[: min(ends, default=len(text))]


def _begin(before: Quantity, last: re.Match[str], number: re.Match[str]) -> int:
    """From where on words belong to a number: behind what the one before it has taken.

    What is counted (nights, people) takes no bound: `one night not more than 800`.
    """
    taken = before.end if before.unit in ("money", "points") else last.end()
    return min(taken, number.start())


def _rounded(value: float) -> float:
    return round(value) if value > SMALL else round(value, 1)
