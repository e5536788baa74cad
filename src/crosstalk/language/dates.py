"""Dates in a text: `2026-06-08`, `8 June`, `June 8th`, `8.6.`, `6月8日`, as month and day.

    reader = DateReader((("january", "jan"), ...), spaced=True)
    reader.find("on 8 june for two nights")   ->  [SaidDate(3, 9, 6, 8)]

The text is plain: lower case, digits of today's form, full stops only beside digits.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

MOST_DAYS: Final = 31
MOST_MONTHS: Final = 12
_ISO: Final = re.compile(r"(?<!\d)\d{4}-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?!\d)")
_POINTS: Final = re.compile(r"(?<![\d.,])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?:\d{4})?(?![\d])")
_NEVER: Final = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class SaidDate:
    """A date and where it stands."""

    start: int
    end: int
    month: int
    day: int

    def is_in(self, date: str) -> bool:
        """Whether it is a date of the form `2026-06-08`, in whatever year."""
        return date[5:] == f"{self.month:02}-{self.day:02}"


class DateReader:
    """Finds dates by the names of the months."""

    def __init__(self, months: Sequence[Sequence[str]], *, spaced: bool) -> None:
        """`spaced`: the language parts words by blanks."""
        self._months = {name: at for at, names in enumerate(months, start=1) for name in names}
        self._named = self._expressions(spaced) if self._months else (_NEVER,)

    def find(self, text: str) -> list[SaidDate]:
        found: list[SaidDate] = []
        for expression in (_ISO, *self._named, _POINTS):
            for match in expression.finditer(text):
                said = match["month"]
                month = self._months.get(said) or (int(said) if said.isdigit() else 0)
                date = SaidDate(*match.span(), month, int(match["day"]))
                if 1 <= date.month <= MOST_MONTHS and 1 <= date.day <= MOST_DAYS:
                    found += [] if any(_meet(date, other) for other in found) else [date]
        return sorted(found, key=lambda date: date.start)

    def _expressions(self, spaced: bool) -> tuple[re.Pattern[str], ...]:
        ways = "|".join(map(re.escape, sorted(self._months, key=lambda name: (-len(name), name))))
        if not spaced:
            return (re.compile(rf"(?<!\d)(?P<month>{ways})\s*(?P<day>\d{{1,2}})"),)
        day = r"(?P<day>\d{1,2})"
        return (
            re.compile(rf"(?<![\d.:-]){day}\.?(?:st|nd|rd|th)?(?: of)? +(?P<month>{ways})(?!\w)"),
            re.compile(rf"(?<!\w)(?P<month>{ways}) (?:the )?{day}(?:st|nd|rd|th)?(?![\d:]|\.\d)"),
        )


def _meet(one: SaidDate, other: SaidDate) -> bool:
    return one.start < other.end and other.start < one.end
