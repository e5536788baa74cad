"""Numbers in words: `50-100元` or `over 50 crowns` read as bounds, and bounds said again.

Everything is derived from a language's `NumberForms`, so that a new language needs no code.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from crosstalk.dialogue.languages import LanguagePack, NumberForms
from crosstalk.dialogue.schema import Band, Slot
from crosstalk.language.numerals import BEFORE_THOUSANDS, in_digits, read_digits

LEEWAY: Final = 0.2
"""`about 100` means 80 to 120."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """A closed interval of numbers; None is an open end."""

    low: float | None = None
    high: float | None = None

    def hold(self, number: float) -> bool:
        return (self.low is None or self.low <= number) and (
            self.high is None or number <= self.high
        )


FREE = Bounds(0, 0)
NOT_FREE = Bounds(1, None)

_DIGITS = str.maketrans("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹０１２３４５６７８９٫．", "0123456789" * 3 + "..")
_NUMBER = rf"\d+(?:[.,٬ \u00a0\u202f]{BEFORE_THOUSANDS}\d{{3}})*(?:[.,]\d+)?"
_PLACEHOLDER = re.compile(r"\{(low|high|value)\}")


def forms_of(pack: LanguagePack, domain: str, slot: Slot) -> NumberForms:
    """How a slot's numbers are written: its own forms, or those of its kind."""
    for key in (f"{domain}.{slot.key}", slot.key, str(slot.kind)):
        if key in pack.forms:
            return pack.forms[key]
    return NumberForms()


def say_number(forms: NumberForms, number: float) -> str:
    """One number with its unit: `75元`, `4.5 points`, `free`."""
    if number == 0 and forms.free:
        return forms.free
    return forms.exact.format(value=_digits(forms, number))


def say_band(forms: NumberForms, band: Band) -> str:
    """A band as a goal says it; `band.form` wins over what the bounds suggest."""
    low = _digits(forms, band.low)
    high = _digits(forms, band.high)
    template: str = getattr(forms, band.form or _suggested(forms, band))
    return template.format(low=low, high=high, value=low or high)


def _digits(forms: NumberForms, number: float | None) -> str:
    if number is None:
        return ""
    return in_digits(number).replace(".", forms.decimal)


def _suggested(forms: NumberForms, band: Band) -> str:
    if band.low == band.high:
        return "free" if band.low == 0 and forms.free else "exact"
    if band.high is None:
        return "above"
    return "below" if band.low is None else "range"


@lru_cache(maxsize=4096)
def read_bounds(forms: NumberForms, text: str) -> Bounds | None:
    """What a text says about a number; None where it says nothing of the kind.

    First the language's own forms, word for word. Then anything with a number in it, which is how
    people fill in forms: `4.5元以上` and `45分以上` in a price field, `about 50`, a bare `50`.
    """
    text = text.translate(_DIGITS).strip()
    for pattern, fixed in _patterns(forms):
        if found := pattern.fullmatch(text):
            return fixed or _bounds(found.groupdict())
    return _loosely(forms, text)


@lru_cache(maxsize=256)
def _patterns(forms: NumberForms) -> tuple[tuple[re.Pattern[str], Bounds | None], ...]:
    fixed = ((forms.free, FREE), (forms.not_free, NOT_FREE))
    moving = (forms.range, forms.above, forms.below, forms.exact)
    return (
        *((re.compile(re.escape(form)), bounds) for form, bounds in fixed if form),
        *((_pattern(form), None) for form in moving if form),
    )


def _pattern(form: str) -> re.Pattern[str]:
    parts = _PLACEHOLDER.split(form)
    texts, names = parts[::2], parts[1::2]
    pattern = re.escape(texts[0])
    for name, text in zip(names, texts[1:], strict=True):
        pattern += f"(?P<{name}>{_NUMBER}){re.escape(text)}"
    return re.compile(pattern)


def _bounds(found: dict[str, str]) -> Bounds:
    if "value" in found:
        return Bounds(_number(found["value"]), _number(found["value"]))
    low, high = found.get("low"), found.get("high")
    return Bounds(_number(low) if low else None, _number(high) if high else None)


def _number(digits: str) -> float:
    return read_digits("".join(digits.split()))


def _loosely(forms: NumberForms, text: str) -> Bounds | None:
    numbers = [_number(digits) for digits in re.findall(_NUMBER, text)]
    match numbers:
        case [one]:
            if said_above(forms, text):
                return Bounds(one, None)
            return Bounds(None, one) if said_below(forms, text) else Bounds(one, one)
        case [low, high]:
            return Bounds(min(low, high), max(low, high))
        case []:
            return _free(forms, text)
        case _:
            return None


def _free(forms: NumberForms, text: str) -> Bounds | None:
    """`不免费` has `免费` in it, so it is looked for first."""
    if forms.not_free and forms.not_free in text:
        return NOT_FREE
    return FREE if forms.free and forms.free in text else None


def without_words_before(forms: NumberForms, text: str) -> str:
    """A text from its number on, where what stands before is what some form puts there."""
    befores = {_around(form)[0] for form in (forms.exact, forms.range, forms.above, forms.below)}
    for before in sorted(befores, key=len, reverse=True):
        if before and text.startswith(before):
            return text.removeprefix(before)
    return text


def words_between(forms: NumberForms) -> str:
    """What the two ends of a range are parted by: `-`, ` to `."""
    return _PLACEHOLDER.split(forms.range)[2]


def said_above(forms: NumberForms, text: str) -> bool:
    """Whether a text has the words that make a number a lower bound (`以上`)."""
    return _has_all(_marks(forms.above, forms.exact), text)


def said_below(forms: NumberForms, text: str) -> bool:
    return _has_all(_marks(forms.below, forms.exact), text)


def _has_all(marks: tuple[str, ...], text: str) -> bool:
    return bool(marks) and all(mark in text for mark in marks)


@lru_cache(maxsize=256)
def _marks(form: str, exact: str) -> tuple[str, ...]:
    """What a form says around its number beyond what the exact form says: `以上`, `or more`."""
    return tuple(_beyond(form, exact))


def _beyond(form: str, exact: str) -> Iterator[str]:
    if not form:
        return
    before, after = _around(form)
    unit_before, unit_after = _around(exact)
    for mark in (before.removesuffix(unit_before), after.removeprefix(unit_after)):
        if mark.strip():
            yield mark.strip()


def _around(form: str) -> tuple[str, str]:
    parts = _PLACEHOLDER.split(form)
    return parts[0], parts[-1]
