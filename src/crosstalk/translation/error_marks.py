"""Marks of errors in a translation, in the manner of MQM: where, of what kind, how bad.

    mark = ErrorMark(3, 9, "terminology", "major")
    penalty([mark])                              # 5

Positions count the letters of the translation; an omission may be marked between two letters.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

CATEGORIES: Final = (
    "mistranslation",
    "omission",
    "addition",
    "untranslated",
    "terminology",
    "grammar",
    "spelling",
    "style",
    "locale",
    "other",
)
WEIGHTS: Final[Mapping[str, int]] = {"neutral": 0, "minor": 1, "major": 5, "critical": 25}
"""Severity -> points."""
MOST_MARKS: Final = 50
"""Marks of one utterance."""


@dataclass(frozen=True, slots=True, order=True)
class ErrorMark:
    """One error; `end` is the position after its last letter."""

    start: int
    end: int
    category: str
    severity: str

    def fault(self, text: str) -> str:
        """What is wrong with the mark itself; empty if nothing is."""
        if self.category not in CATEGORIES:
            return f"the category {self.category!r} is none of {', '.join(CATEGORIES)}"
        if self.severity not in WEIGHTS:
            return f"the severity {self.severity!r} is none of {', '.join(WEIGHTS)}"
        if not 0 <= self.start <= self.end <= len(text):
            return f"{self.start} to {self.end} is not within a text of {len(text)} letters"
        return ""

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def penalty(marks: Iterable[ErrorMark]) -> int:
    """The points of all marks."""
    return sum(WEIGHTS[mark.severity] for mark in marks)


Both = tuple[Sequence[ErrorMark], Sequence[ErrorMark]]
"""The marks of two annotators in one utterance."""


def exact_f1(pairs: Iterable[Both]) -> float | None:
    """F1 of marks with the same start, end and category; None if nobody marked anything."""
    return _f1((map(_span, one), map(_span, other)) for one, other in pairs)


def letters_f1(pairs: Iterable[Both]) -> float | None:
    """F1 of marked letters with their categories; None if nobody marked a letter."""
    return _f1((_letters(one), _letters(other)) for one, other in pairs)


def _f1(pairs: Iterable[tuple[Iterable[object], Iterable[object]]]) -> float | None:
    shared = marked = 0
    for one, other in pairs:
        mine, theirs = Counter(one), Counter(other)
        shared += (mine & theirs).total()
        marked += mine.total() + theirs.total()
    return 2 * shared / marked if marked else None


def _span(mark: ErrorMark) -> tuple[int, int, str]:
    return mark.start, mark.end, mark.category


def _letters(marks: Iterable[ErrorMark]) -> Iterator[tuple[int, str]]:
    for mark in marks:
        yield from ((at, mark.category) for at in range(mark.start, mark.end))
