"""Positions: plain forms of a text together with where each letter stood."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from crosstalk.language.normalize import plain
from crosstalk.system.nlu.rules.utterance import ASKED, HARD, SOFT

_KEPT: Final = {":": ":", "：": ":", ".": ".", "-": "-", "–": "-", "—": "-", "~": "-", ",": ","}
"""Marks that mean something beside digits."""
_PIECE: Final = re.compile(
    r"[\u4e00-\u9fff]|\d+(?:[.,]\d+)*|(?:(?![\u4e00-\u9fff])[^\W\d])+(?:['’][^\W\d]+)*|[^\w\s]"
)
"""A word, a number, a Chinese character, a mark."""


def letters_in_place(text: str) -> tuple[str, list[int]]:
    """A text letter by letter in its plain form, and where each letter of it stood.

    Marks between digits stay, others become blanks; vowel signs are left out.
    """
    letters: list[str] = []
    places: list[int] = []
    for at, letter in enumerate(text):
        if letter in _KEPT:
            made = _KEPT[letter] if _beside_digit(text, at) else " "
        else:
            made = plain(letter)
            if not made and not _is_sign(letter):
                made = " "
        if made == " " and letters and letters[-1] == " ":
            continue
        letters += made
        places += [at] * len(made)
    return "".join(letters), places


def _beside_digit(text: str, at: int) -> bool:
    return text[at - 1 : at].isdigit() or text[at + 1 : at + 2].isdigit() or text[at] in "-–—~"


def _is_sign(letter: str) -> bool:
    """A mark on another letter: an Arabic vowel, an accent, an apostrophe inside a word."""
    return "\u0300" <= letter <= "\u036f" or "\u0610" <= letter <= "\u06ed" or letter in "'’ـ"


@dataclass(frozen=True, slots=True)
class Alignment:
    """Where the words of a text stood in the source it was made from."""

    pieces: tuple[tuple[int, int, int, int], ...]
    """Start and end in the text, start and end in the source."""
    text: str
    """The source."""

    @property
    def length(self) -> int:
        return len(self.text)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the text stood in the source."""
        inside = [each for each in self.pieces if each[0] < end and start < each[1]]
        if not inside:
            before = [each[3] for each in self.pieces if each[1] <= start]
            at = before[-1] if before else 0
            return at, min(self.length, at + 1)
        return inside[0][2], max(inside[-1][3], inside[0][2] + 1)

    def made(self, at: int) -> int:
        """Where a position of the source stands in the text."""
        return next((start for start, _, _, end in self.pieces if at < end), 0)


@lru_cache(maxsize=4096)
def aligned(source: str, text: str, names: tuple[tuple[int, str], ...] = ()) -> Alignment:
    """Words that stand in both are matched; others lie between their neighbours.

    `names`: where a name became one letter of the text, and its words.
    """
    ours = [match.span() for match in _PIECE.finditer(source)]
    made = list(_pieces(text, dict(names)))
    theirs = [span for span, _ in made]
    words = [_normal(source[start:end]) for start, end in ours]
    matcher = SequenceMatcher(None, words, [word for _, word in made], autojunk=False)
    pieces: list[tuple[int, int, int, int]] = []
    last_a = last_b = 0
    for block in matcher.get_matching_blocks():
        pieces += _spread(ours[last_a : block.a], theirs[last_b : block.b], pieces)
        for step in range(block.size):
            pieces.append((*theirs[block.b + step], *ours[block.a + step]))
        last_a, last_b = block.a + block.size, block.b + block.size
    return Alignment(tuple(pieces), source)


def _pieces(text: str, names: Mapping[int, str]) -> Iterator[tuple[tuple[int, int], str]]:
    """The words of a text with their spans; those of a name share the span of its letter."""
    for match in _PIECE.finditer(text):
        said = _PIECE.findall(names[match.start()]) if match.start() in names else [match[0]]
        yield from ((match.span(), word) for word in said)


Spans = list[tuple[int, int]]


def _spread(
    ours: Spans, theirs: Spans, before: list[tuple[int, int, int, int]]
) -> Iterator[tuple[int, int, int, int]]:
    """Words without a match, one to one as far as they go; the last takes the rest."""
    at = before[-1][3] if before else 0
    for number, (start, end) in enumerate(theirs):
        if not ours:
            yield start, end, at, at
            continue
        first = min(number, len(ours) - 1)
        is_last = number == len(theirs) - 1
        yield start, end, ours[first][0], ours[-1 if is_last else first][1]


def _normal(piece: str) -> str:
    if len(piece) == 1 and not piece.isalnum():
        if piece in ".!。！…":
            return HARD
        return ASKED if piece in "?？؟" else SOFT if piece in ",;:،؛，；：、" else piece
    return plain(piece) or piece
