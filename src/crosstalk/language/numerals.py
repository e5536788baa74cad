"""Numbers in a text: the one reader of digits, number words and signs.

    numerals = Numerals({"two": 2, "hundred": 100, "fifty": 50, "and": JOIN})
    list(numerals.in_text("under two hundred and fifty"))  ->  [Number(250, 6, 27)]

It reads a text, or the forms a text was split into (units of a trained model, tokens of a tracker).
It is used by `quantities` (bounds and units in what people type), `training_phrases.AmountReader`
(in a marked span), `figures` (what a translation must keep) and `state_words` (zero-shot states).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final, TypeVar

from crosstalk.language.scripts import UNDIVIDED, is_undivided

JOIN: Final = -1
"""The value of words that only join others: and, und."""
BEFORE_THOUSANDS: Final = r"(?=\d{3}(?!\d))"
"""A mark before exactly three digits parts thousands: no price has three decimals."""
LONGEST: Final = 40
"""Words or signs of a number at most."""
DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)?")
"""A number in digits, with decimals or a mark of thousands."""
DECIMAL: Final = re.compile(r"\d+(?:\.\d+)?")
"""A number of a text in which every decimal mark is a point."""
CLOCK: Final = re.compile(r"(\d{1,2})[:：](\d\d)")
"""A time of day in digits."""
_POINTS: Final = re.compile(rf"(?<=\d)[.,٬]{BEFORE_THOUSANDS}")
_FORM: Final = re.compile(
    rf"\d+(?:[.,]\d+)*|[{UNDIVIDED}]|[^\W\d_{UNDIVIDED}]+|(?<=[{UNDIVIDED}])\s+|[^\w\s]"
)
"""A number, a sign, a word or a mark. A blank behind a sign parts it from the next one."""
_MULTIPLIERS: Final = (100, 1000, 10000)
_TENS: Final = range(20, 100, 10)

N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True)
class Number:
    """A number, and the forms it is written in: from `start` up to `end`."""

    value: float
    start: int
    end: int
    high: float | None = None
    """The upper end where two are said in one: `两三百` is 200 to 300."""
    in_words: bool = True

    @property
    def digits(self) -> str:
        """As it is written in digits; a range with ` ~ ` between its ends."""
        ends = (self.value,) if self.high is None else (self.value, self.high)
        return "~".join(in_digits(end) for end in ends)


class Numerals:
    """The number words, or the signs, of one language."""

    def __init__(
        self,
        words: Mapping[str, float],
        *,
        before: Sequence[str] = (),
        point: str = "",
        counting: str = "",
        pair_counters: Sequence[str] = (),
    ) -> None:
        """What there is beside words.

        `before`: what may be written together with a number word. `point`: what stands between a
        number in signs and its decimals. `counting`: a sign that counts things and is no decimal.
        `pair_counters`: what stands behind two signs in a row that mean one or the other.
        """
        self._words = words
        self._parts = {word: value for word, value in words.items() if not is_undivided(word)}
        self._before = before
        self._point = point
        self._counting = counting
        self._pair_counters = tuple(pair_counters)

    def in_text(self, text: str) -> Iterator[Number]:
        """The numbers of a text, with the characters from which and up to which they stand."""
        pieces = list(_FORM.finditer(text))
        for number in self.spans([piece[0] for piece in pieces]):
            first, last = pieces[number.start], pieces[number.end - 1]
            yield replace(number, start=first.start(), end=last.end())

    def spans(self, forms: Sequence[str]) -> Iterator[Number]:
        """The numbers among forms, in order; `two hundred and fifty` is one."""
        at = 0
        while at < len(forms):
            found = self.at(forms, at)
            if found:
                yield found
            at = found.end if found else at + 1

    def at(self, forms: Sequence[str], start: int) -> Number | None:
        """The number that begins at a form, as long as it goes on; None where none does."""
        found = self._at(forms, start)
        return found if found and isfinite(found.value) else None

    def _at(self, forms: Sequence[str], start: int) -> Number | None:
        form = forms[start]
        if is_undivided(form):
            return self._in_signs(forms, start) if form in self._words else None
        values = self.values(form)
        if self._before and values[:1] == [JOIN]:
            values = values[1:]
        if not values or values[0] == JOIN:
            return None
        end, digits = start + 1, form[0].isdigit()
        for place in range(start + 1, min(start + LONGEST, len(forms))):
            parts = [] if forms[place][:1].isdigit() else self.values(forms[place])
            if not parts or not _goes_on(values, parts, digits=digits and end == start + 1):
                break
            values += parts
            end = place + 1 if parts[-1] != JOIN else end
        value = composed(values)
        in_words = not digits or end > start + 1
        return None if value is None else Number(value, start, end, in_words=in_words)

    def values(self, form: str) -> list[float]:
        """What a form is worth, part by part: `hundertfünfzig` is 100 and 50; none: no number."""
        if DIGITS.fullmatch(form):
            return [read_digits(form)]
        if form in self._words or (parts := divided(form, self._parts)) == []:
            bare = (form, *(form.removeprefix(each) for each in self._before))
            return next(([self._words[word]] for word in bare if word in self._words), [])
        return parts

    def _in_signs(self, forms: Sequence[str], start: int) -> Number:
        """A number in signs, each of which is a form."""
        end = start
        while end < min(start + LONGEST, len(forms)) and forms[end] in self._words:
            end += 1
        values = [self._words[sign] for sign in forms[start:end]]
        if decimal := self._decimal(forms, values, end):
            return Number(decimal, start, end + 2)
        if pair := self._pair(forms, values, start):
            return pair
        while len(values) > 2 and values[-1] == 0 and values[-2] >= 10:  # 一百零食: 100 snacks
            values, end = values[:-1], end - 1
        return Number(composed(values, signs=True) or 0, start, end)

    def _decimal(self, forms: Sequence[str], values: Sequence[float], end: int) -> float:
        """`四点五` is 4.5; `四点五十` and `七点两个人` begin with an hour. 0: no decimal."""
        sign, beyond = "".join(forms[end + 1 : end + 2]), "".join(forms[end + 2 : end + 3])
        part = self._words.get(sign, 10)
        if not self._point or "".join(forms[end : end + 1]) != self._point or part >= 10:
            return 0
        if len(values) > 1 or values[0] >= 10 or sign == self._counting or beyond in self._words:
            return 0
        return values[0] + part / 10

    def _pair(self, forms: Sequence[str], values: Sequence[float], start: int) -> Number | None:
        """`两三百` is 200 to 300, `一两个` 1 to 2."""
        one, other, unit = [*values, 1, 1, 1][:3]
        if len(values) < 2 or not 0 < one < other < 10 or other != one + 1:
            return None
        end = start + min(len(values), 3)
        if len(values) == 2 and not "".join(forms[end : end + 2]).startswith(self._pair_counters):
            return None
        if len(values) > 3 or unit not in (1, 10, 100, 1000) or (len(values) == 3 and unit == 1):
            return None
        return Number(one * unit, start, end, other * unit)


def _goes_on(values: Sequence[float], parts: Sequence[float], *, digits: bool) -> bool:
    """Whether parts of a word continue the number before: `two hundred`, `fünf und zwanzig`.

    `digits`: all that there is so far was written in digits, which only a multiplier continues.
    """
    joined = JOIN in (values[-1], parts[0])
    value = next((each for each in parts if each != JOIN), None)
    if value is None:
        return values[-1] != JOIN and not digits
    last = _last_place(values)
    if value in _MULTIPLIERS:
        return last < value and not joined
    if digits:
        return False
    if last < 10:  # ثلاثة عشر, fünf und zwanzig
        return value in _TENS if joined else last > 0 and value == 10
    return value < next((each for each in (1000, 100, 10) if last % each == 0), 1)


def _last_place(values: Sequence[float]) -> float:
    """The value that a next word would be compared with: 200 of `two hundred`."""
    last = 0.0
    for value in values:
        if value != JOIN:
            last = last * value if value in _MULTIPLIERS and 0 < last < value else value
    return last


def divided(word: str, numbers: Mapping[str, N]) -> list[N]:
    """The number words a word is made of: `hundertfünfzig` is two; none where it is no number."""
    if word in numbers:
        return [numbers[word]]
    for end in range(len(word) - 1, 0, -1):
        if word[:end] in numbers:
            parts = [numbers[word[:end]]]
            parts.extend(divided(word[end:], numbers))
            if len(parts) > 1:
                return parts
    return []


def composed(values: Sequence[N], *, signs: bool = False) -> N | None:
    """The number that words make one after the other, or, with `signs`, Chinese signs."""
    said = [value for value in values if value != JOIN]
    if not said:
        return None
    return _of_signs(said) if signs else _of_words(said)


def _of_words(values: Sequence[N]) -> N:
    total: N = 0
    current: N = 0
    for value in values:
        if value in _MULTIPLIERS[1:]:
            total, current = total + max(current, 1) * value, 0
        elif value == 100 and 0 < current < 100:
            current *= value
        else:
            current += value
    return total + current


def _of_signs(values: Sequence[N]) -> N:
    """Ten, hundred and so on multiply the digit before them; digits alone stand in a row.

    A last digit behind a hundred counts for the next smaller place: `一百五` is 150.
    """
    total: N = 0
    digit: N | None = None
    place: N = 0
    for value in values:
        if value >= 10000:
            total = max(total + (digit or 0), 1) * value
        elif value >= 10:
            total += (1 if digit is None else digit) * value
        else:
            digit = value if digit is None else digit * 10 + value
            continue
        digit, place = None, value
    if digit is None:
        return total
    shortened = place >= 100 and digit < 10 and values[-2] == place
    return total + (digit * place // 10 if shortened else digit)


def read_digits(text: str) -> float:
    """`1,200` and `1.200` are 1200; `4,5` and `4.5` are a decimal."""
    return float(without_thousands(text).replace(",", "."))


def in_digits(value: float) -> str:
    """A number as it is written in digits: `250`, `4.5`."""
    return str(int(value) if value == int(value) else value)


def without_thousands(text: str) -> str:
    """Numbers without the marks between their thousands."""
    return _POINTS.sub("", text)
