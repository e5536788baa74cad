"""Cues: phrases that steer understanding, and questions about where they stand in a text."""

import re
from typing import Final

from crosstalk.language.opening_hours import ALWAYS
from crosstalk.language.phrases import Phrasebook

UNSCANNED: Final = frozenset(
    [
        "below",
        "above",
        "about",
        "exactly",
        "span",
        "between",
        "money",
        "points",
        "hours",
        "minutes",
        "days",
        "uncounted",
        "persons",
        "nights",
        "rooms",
        "oclock",
        "strict",
        "small",
        "filler",
        "title",
        "without",
        "needless",
        "not_number",
        "lacking",
        "there",
        "until",
        "over_there",
        "what",
        "too_much",
        "determiner",
    ]
)
"""Cues that mean something beside a number or directly before a value only, or nothing."""
NUMBERED: Final = frozenset({ALWAYS, "first", "second", "third", "fourth", "fifth"})
"""Cues whose numbers are no amounts: *24 hours*, *the 2nd*."""
NEGATIONS: Final = frozenset({"negator", "after_negator", "drop", "after_drop", "instead_of"})
WEAK: Final = frozenset(
    [
        "opener",
        "asking",
        "definite",
        "indefinite",
        "anyone",
        "too",
        "and",
        "or",
        "which",
        "search",
        "they",
        "here",
        "but",
        "than",
        "except",
        "dontcare",
        "predicate",
        "existential",
        "there_is",
        "hope",
        "with",
        "closed",
        "by_price",
        "by_rating",
        "advice",
        "after",
        "approved",
        "done",
        "good",
        "must",
        "whether",
        "question_word",
    ]
)
"""Cues of which other phrases may be made up: they take nothing away from these."""
LIGHT: Final = WEAK | NEGATIONS
TRANSPARENT: Final = WEAK | {"no", "correction", "restart", "another"}
"""Cues in whose words a negation keeps its meaning."""


class Cues:
    """Looks for the cues of one language."""

    def __init__(self, book: Phrasebook) -> None:
        self._book = book
        self._spaced = book.grammar.spaced
        self._counted = _counted(book)

    def says(self, cue: str, text: str) -> bool:
        return self._book.has(cue, text)

    def is_all(self, cue: str, text: str) -> bool:
        """Whether a text is a cue and nothing else."""
        found = self._book.cues.get(cue)
        return bool(found and found.fullmatch(text))

    def ends_with(self, cue: str, text: str) -> bool:
        """Whether a cue stands at the end of a text."""
        found = self._book.cues.get(cue)
        tail = text[-20:].rstrip()  # articles are short
        return bool(found and any(each.end() == len(tail) for each in found.finditer(tail)))

    def starts_with(self, cue: str, text: str, reach: int) -> bool:
        """Whether a cue stands near the beginning of a text."""
        found = self._book.cues.get(cue)
        return bool(found and any(each.start() < reach for each in found.finditer(text)))

    def spans(self, cue: str, text: str) -> list[tuple[int, int]]:
        """Where a cue stands in a text."""
        found = self._book.cues.get(cue)
        return [each.span() for each in found.finditer(text)] if found else []

    def number_before(self, text: str) -> int:
        """The small number in words or digits that ends a text, but for a word or two; 0: none."""
        for counted in self._counted.finditer(text) if self._counted else ():
            return self._number(counted[1])
        words = text.split()[-3:] if self._spaced else []
        return next((number for word in reversed(words) if (number := self._number(word))), 0)

    def number_counted(self, text: str) -> int:
        """The first small number before a word that counts places; 0 if there is none."""
        counted = self._counted.search(text) if self._counted else None
        return self._number(counted[1]) if counted else 0

    def number_after(self, text: str) -> int:
        """The small number in the first words of a text; 0 if there is none."""
        for counted in self._counted.finditer(text[:12]) if self._counted else ():
            return self._number(counted[1])
        words = text.split()[1:5] if self._spaced else []
        return next((number for word in words if (number := self._number(word))), 0)

    def number_beside(self, before: str, after: str) -> int:
        """The small number that ends one text or begins another; 0 if there is none."""
        if not self._spaced:
            return self.number_after(after) or self.number_before(before)
        words = [*before.split()[-1:], *after.split()[:1]]
        return next((number for word in words if (number := self._number(word))), 0)

    def last_number(self, text: str) -> int:
        """The last small number in a text; 0 if there is none."""
        words = text.split() if self._spaced else list(text)
        return next((number for word in reversed(words) if (number := self._number(word))), 0)

    def _number(self, word: str) -> int:
        return int(word) if word.isdigit() else self._book.numbers.get(word, 0)


def _counted(book: Phrasebook) -> re.Pattern[str] | None:
    """A number and the word that counts places, in languages that have such words."""
    if not book.grammar.counters:
        return None
    digits, counters = "".join(book.numbers), "|".join(book.grammar.counters)
    return re.compile(f"([{digits}\\d])(?:{counters})")
