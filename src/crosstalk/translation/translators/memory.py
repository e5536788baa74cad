"""Translation memory: sentences somebody has translated before, with their values left open.

A sentence is found as it is, or with other values in its place: `two nights from friday` answers
`three nights from monday` where both values have a form in the glossary.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from crosstalk.language.normalize import comparable
from crosstalk.translation.translators.markers import MARK, unmark

Pair = tuple[str, str]
"""A source and its translation."""
HOLE: Final = "\ue000"
"""Stands for a value in a pattern; a private character that no text has."""
_SENTENCE: Final = re.compile(r"(?<=[.!?؟])\s+(?=\S)|(?<=[。！？])\s*(?=\S)")
_CLOCK_OR_CODE: Final = re.compile(
    r"\d{1,2}:\d{2}|(?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{4,}|\d+(?:[.,]\d+)*",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a source sentence that has its own translation."""

    start: int
    end: int
    form: str


class Spotter:
    """Finds what has a form of its own: glossary terms, numbers, times, codes."""

    def __init__(self, phrases: Mapping[str, str]) -> None:
        self._phrases = phrases
        sources = sorted(filter(None, phrases), key=len, reverse=True)
        words = "|".join(r"\s+".join(map(re.escape, each.split())) for each in sources)
        self._pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)" if words else "(?!)", re.IGNORECASE)

    def form(self, text: str) -> str:
        return self._phrases.get(comparable(text), text)

    def pieces(self, text: str) -> list[Piece]:
        """From left to right, none inside another."""
        found = [
            Piece(*match.span(), self._phrases[comparable(match[0])])
            for match in self._pattern.finditer(text)
            if comparable(match[0]) in self._phrases
        ]
        taken = [match.span() for match in MARK.finditer(text)]
        taken += [(piece.start, piece.end) for piece in found]
        for match in _CLOCK_OR_CODE.finditer(text):
            if not any(match.start() < end and start < match.end() for start, end in taken):
                found.append(Piece(*match.span(), match[0]))
        return sorted(found, key=lambda piece: piece.start)


@dataclass(frozen=True, slots=True)
class Memory:
    """Sentences, whole and with holes."""

    spotter: Spotter
    whole: Mapping[str, str] = field(default_factory=dict)
    patterns: Mapping[str, str] = field(default_factory=dict)
    """A comparable source with holes to a target whose holes are numbered: `\ue0000\ue000`."""

    def find(self, text: str) -> str | None:
        """The translation of a text, marks included, or None."""
        known = self.whole.get(comparable(MARK.sub("", text)))
        if known is not None:
            return self._with_marks(known, text)
        pieces = self.spotter.pieces(text)
        target = self.patterns.get(pattern(plain_pieces(text, pieces)))
        if target is None:
            return None
        return _HOLES.sub(lambda hole: _marked(text, pieces[int(hole[1])]), target)

    def _with_marks(self, known: str, text: str) -> str:
        """Around the forms that stand in the translation once; other values go alone."""
        for number, inner in unmark(text)[1].items():
            form = self.spotter.form(inner)
            if known.count(form) == 1:
                known = known.replace(form, f"<v{number}>{form}</v{number}>")
        return known


_HOLES: Final = re.compile(f"{HOLE}(\\d+){HOLE}")


def _marked(text: str, piece: Piece) -> str:
    """A piece's form, inside the marks that stand around it."""
    before = re.search(r"<v(\d+)>\s*$", text[: piece.start])
    after = re.match(r"\s*</v(\d+)>", text[piece.end :])
    if before and after and before[1] == after[1]:
        return f"<v{before[1]}>{piece.form}</v{before[1]}>"
    return piece.form


def plain_pieces(text: str, pieces: Iterable[Piece]) -> str:
    """The text with a hole for every piece, marks taken out."""
    parts, last = [], 0
    for piece in pieces:
        parts += [text[last : piece.start], HOLE]
        last = piece.end
    return MARK.sub("", "".join([*parts, text[last:]]))


def pattern(text: str) -> str:
    return comparable(text)


def build_memory(pairs: Iterable[tuple[str, str]], phrases: Mapping[str, str]) -> Memory:
    """From translated utterances; sentence by sentence too where both sides have as many.

    Of several translations the commonest counts, and an utterance's before a sentence's.
    """
    spotter = Spotter(phrases)
    whole: dict[str, str] = {}
    patterns: dict[str, str] = {}
    utterances = list(pairs)
    inside = (each for pair in utterances for each in _sentences(*pair, spotter))
    for one, other in (*_commonest_first(utterances), *_commonest_first(inside)):
        whole.setdefault(comparable(one), other)
        pieces = spotter.pieces(one)
        opened = _opened(other, pieces)
        if pieces and opened is not None:
            patterns.setdefault(pattern(plain_pieces(one, pieces)), opened)
    return Memory(spotter, whole, patterns)


def _commonest_first(pairs: Iterable[Pair]) -> list[Pair]:
    counts = Counter(pairs)
    return sorted(counts, key=lambda pair: (-counts[pair], pair))


def sentences(text: str) -> list[str]:
    return [part for part in _SENTENCE.split(text) if part]


def _sentences(source: str, target: str, spotter: Spotter) -> list[Pair]:
    """Sentences in their order; none where a value shows that the order is another."""
    here, there = sentences(source), sentences(target)
    if len(here) != len(there) or len(here) < 2:
        return []
    pairs = list(zip(here, there, strict=True))
    moved = any(
        piece.form in target and piece.form not in other
        for one, other in pairs
        for piece in spotter.pieces(one)
    )
    return [] if moved else pairs


def _opened(target: str, pieces: list[Piece]) -> str | None:
    """The target with numbered holes; None where a form is not there exactly once."""
    for number, piece in enumerate(pieces):
        if target.count(piece.form) != 1 or sum(p.form == piece.form for p in pieces) > 1:
            return None
        target = target.replace(piece.form, f"{HOLE}{number}{HOLE}")
    return target
