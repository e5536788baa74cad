"""What is owed for work in a study, and the files by which platforms pay it.

    due(rates, Work(user=1, wizard=1, turns=31, waited=60.0, trained=True), booked=0)     # 489

Amounts are whole minor units. What has been booked is taken off, so that nothing is paid twice.
"""

import csv
import io
import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from crosstalk.collection.export import safe
from crosstalk.collection.study import Rates

HOUR: Final = 3600
GENERIC: Final = (
    "worker participant submission study dialogues_user dialogues_wizard turns seconds waited "
    "minor amount currency reason"
)
"""Columns of the generic file."""
PERSONAL: Final = ("participant", "submission", "reason")
"""Columns of the generic file that go when a person is erased."""
PROLIFIC_LINES: Final = 200
"""Lines that one bulk payment may have."""


@dataclass(frozen=True, slots=True)
class Work:
    """What one participant has done."""

    user: int = 0
    """Dialogues as user."""
    wizard: int = 0
    turns: int = 0
    seconds: float = 0.0
    """In rooms, on turns of their own."""
    waited: float = 0.0
    """Seconds in the lobby."""
    trained: bool = False
    completed: bool = False
    """Whether the platform pays its reward."""


@dataclass(frozen=True, slots=True)
class PayLine:
    """A line of a payment file."""

    worker: int
    participant: str
    submission: str
    study: str
    work: Work
    minor: int
    reason: str


def rounded(amount: Fraction) -> int:
    """Half a minor unit goes up."""
    return math.floor(amount + Fraction(1, 2))


def earned(rates: Rates, work: Work) -> int:
    """All that the work is worth, with the reward that the platform pays for it."""
    waited = Fraction(min(work.waited, rates.waiting_most))
    pieces = work.user * rates.user + work.wizard * rates.wizard + work.turns * rates.turn
    pieces += rates.training if work.trained else 0
    whole = pieces + rounded(waited * rates.waiting_hourly / HOUR)
    least = rounded((Fraction(work.seconds) + waited) * rates.minimum_hourly / HOUR)
    return max(whole, least)


def due(rates: Rates, work: Work, *, granted: int = 0, booked: int = 0) -> int:
    """What is still to be paid: work and bonuses, less the platform's reward and what is booked."""
    reward = rates.reward if work.completed else 0
    return max(earned(rates, work) - reward, 0) + granted - booked


def amount(minor: int, decimals: int) -> str:
    """Minor units as a decimal number: 489 -> 4.89."""
    if not decimals:
        return str(minor)
    whole, rest = divmod(abs(minor), 10**decimals)
    return f"{'-' if minor < 0 else ''}{whole}.{rest:0{decimals}}"


def generic_file(lines: Iterable[PayLine], rates: Rates) -> str:
    """A table with a header, for any platform or a bank."""
    header = tuple(GENERIC.split())
    rows = [
        (
            line.worker,
            safe(line.participant),
            safe(line.submission),
            line.study,
            line.work.user,
            line.work.wizard,
            line.work.turns,
            round(line.work.seconds),
            round(line.work.waited),
            line.minor,
            amount(line.minor, rates.decimals),
            rates.currency,
            safe(line.reason),
        )
        for line in lines
    ]
    return _csv([header, *rows])


def prolific_file(lines: Iterable[PayLine], rates: Rates) -> str:
    """Prolific's bulk bonus payment: submission (or participant) and amount, no header."""
    return _csv(
        (line.submission or line.participant, amount(line.minor, rates.decimals)) for line in lines
    )


def without_person(body: str, line: int, name: str) -> str:
    """A payment file whose line (counted from 0, without the header) names nobody any more."""
    rows = list(csv.reader(io.StringIO(body, newline="")))
    columns = GENERIC.split()
    generic = rows[:1] == [columns]
    for row in rows[line + generic :][:1]:
        for number in map(columns.index, PERSONAL) if generic else (0,):
            row[number] = name
    return _csv(tuple(row) for row in rows)


def _csv(rows: Iterable[tuple[object, ...]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


LAYOUTS: Final = {"generic": generic_file, "prolific": prolific_file}
