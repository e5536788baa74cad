"""Known texts in a text: the one index that every finder of names, values and phrases looks up.

    KnownTexts(["new", "new york"]).longest("in new york city", 3)  ->  11
    KnownTexts([("new", "york")]).longest(("in", "new", "york"), 1)  ->  3

A text is a string, or a tuple of its tokens or stems. Finders differ in how they make texts
alike and in where a known text may begin and end: `gazetteer` (as tables write them), `names`
(places), `values` (columns, for the rules), `lexicon` (phrases), `token_forms` (states).
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

Text = TypeVar("Text", str, tuple[str, ...])

Ends = Callable[[Text, int], bool]
"""Whether a known text may end at a position."""


class KnownTexts(Generic[Text]):
    """Known texts, ready to be looked for."""

    def __init__(self, known: Iterable[Text]) -> None:
        self._known: frozenset[Text] = frozenset(known)
        self._beginnings: frozenset[Text] = frozenset(
            text[:end] for text in self._known for end in range(1, len(text) + 1)
        )

    def __contains__(self, text: Text) -> bool:
        return text in self._known

    def begins(self, part: Text) -> bool:
        """Whether a known text begins so."""
        return part in self._beginnings

    def ends(self, text: Text, start: int) -> Iterator[int]:
        """Where the known texts that begin at a position end, short ones first."""
        for end in range(start + 1, len(text) + 1):
            part = text[start:end]
            if part not in self._beginnings:
                return
            if part in self._known:
                yield end

    def longest(self, text: Text, start: int, may_end: Ends[Text] | None = None) -> int:
        """Where the longest known text that begins at a position ends; 0: none does."""
        ends = [end for end in self.ends(text, start) if may_end is None or may_end(text, end)]
        return ends[-1] if ends else 0


def among(
    known: KnownTexts[tuple[str, ...]], choices: Sequence[Collection[str]], start: int
) -> Iterator[tuple[str, ...]]:
    """The known tuples that begin at a position where each token may be one of several words."""
    begun: list[tuple[str, ...]] = [()]
    for tokens in choices[start:]:
        begun = [(*each, token) for each in begun for token in tokens]
        begun = [each for each in begun if known.begins(each)]
        if not begun:
            return
        yield from (each for each in begun if each in known)
