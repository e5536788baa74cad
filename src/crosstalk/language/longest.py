"""Longest match: the longest of many known texts that stands at a position.

LongestMatch(["new", "new york"]).at("in new york city", 3)  ->  11
"""

from collections.abc import Callable, Iterable

Ends = Callable[[str, int], bool]
"""Whether a match may end at a position of a text."""


def _anywhere(text: str, at: int) -> bool:
    return True


class LongestMatch:
    """Known texts, ready to be looked for."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = frozenset(known)
        self._beginnings = frozenset(
            text[:end] for text in self._known for end in range(1, len(text) + 1)
        )

    def at(self, text: str, start: int, may_end: Ends = _anywhere) -> int:
        """Where the longest known text that begins here ends; 0: none does."""
        longest, end, size = 0, start + 1, len(text)
        while end <= size and (part := text[start:end]) in self._beginnings:
            if part in self._known and may_end(text, end):
                longest = end
            end += 1
        return longest
