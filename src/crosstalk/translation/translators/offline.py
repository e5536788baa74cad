"""Translation without a model: translation memory, glossary, and language-independent tokens.

Deterministic. Words without a translation stay unchanged and are reported, so that editors see what
is left to do.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from crosstalk.language.normalize import comparable
from crosstalk.translation.glossary import Glossary
from crosstalk.translation.translation_segments import is_label
from crosstalk.translation.translators.interface import MARK, Passage, Rendering, unmark

Pair = tuple[str, str]
"""A source and its translation."""
HOLE: Final = "\ue000"
"""Placeholder of a value in a pattern: a private-use character that texts do not contain."""
_SENTENCE: Final = re.compile(r"(?<=[.!?؟])\s+(?=\S)|(?<=[。！？])\s*(?=\S)")
_CLOCK_OR_CODE: Final = re.compile(
    r"\d{1,2}:\d{2}|(?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{4,}|\d+(?:[.,]\d+)*",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class MemoryMatch:
    """A span of a source sentence that has its own translation."""

    start: int
    end: int
    form: str


class TermSpotter:
    """Finds spans with a known translation: glossary terms, numbers, times, codes."""

    def __init__(self, phrases: Mapping[str, str]) -> None:
        self._phrases = phrases
        sources = sorted(filter(None, phrases), key=len, reverse=True)
        words = "|".join(r"\s+".join(map(re.escape, each.split())) for each in sources)
        self._pattern = re.compile(rf"(?<!\w)(?:{words})(?!\w)" if words else "(?!)", re.IGNORECASE)

    def form(self, text: str) -> str:
        return self._phrases.get(comparable(text), text)

    def pieces(self, text: str) -> list[MemoryMatch]:
        """Non-overlapping matches from left to right."""
        found = [
            MemoryMatch(*match.span(), self._phrases[comparable(match[0])])
            for match in self._pattern.finditer(text)
            if comparable(match[0]) in self._phrases
        ]
        taken = [match.span() for match in MARK.finditer(text)]
        taken += [(piece.start, piece.end) for piece in found]
        for match in _CLOCK_OR_CODE.finditer(text):
            if not any(match.start() < end and start < match.end() for start, end in taken):
                found.append(MemoryMatch(*match.span(), match[0]))
        return sorted(found, key=lambda piece: piece.start)


@dataclass(frozen=True, slots=True)
class TranslationMemory:
    """Known sentences, whole and as patterns with placeholders."""

    spotter: TermSpotter
    whole: Mapping[str, str] = field(default_factory=dict)
    patterns: Mapping[str, str] = field(default_factory=dict)
    """Normalised source with placeholders -> target with numbered ones: `\ue0000\ue000`."""

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
        """Marks around forms that occur once; other values are translated by themselves."""
        for number, inner in unmark(text)[1].items():
            form = self.spotter.form(inner)
            if known.count(form) == 1:
                known = known.replace(form, f"<v{number}>{form}</v{number}>")
        return known


_HOLES: Final = re.compile(f"{HOLE}(\\d+){HOLE}")


def _marked(text: str, piece: MemoryMatch) -> str:
    """A piece's form, inside the marks that stand around it."""
    before = re.search(r"<v(\d+)>\s*$", text[: piece.start])
    after = re.match(r"\s*</v(\d+)>", text[piece.end :])
    if before and after and before[1] == after[1]:
        return f"<v{before[1]}>{piece.form}</v{before[1]}>"
    return piece.form


def plain_pieces(text: str, pieces: Iterable[MemoryMatch]) -> str:
    """The text without marks, with a placeholder for every match."""
    parts, last = [], 0
    for piece in pieces:
        parts += [text[last : piece.start], HOLE]
        last = piece.end
    return MARK.sub("", "".join([*parts, text[last:]]))


def pattern(text: str) -> str:
    return comparable(text)


def build_memory(pairs: Iterable[tuple[str, str]], phrases: Mapping[str, str]) -> TranslationMemory:
    """A memory of translated utterances, and of their sentences where both sides have as many.

    The most frequent of several translations is used; utterances take precedence over sentences.
    """
    spotter = TermSpotter(phrases)
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
    return TranslationMemory(spotter, whole, patterns)


def _commonest_first(pairs: Iterable[Pair]) -> list[Pair]:
    counts = Counter(pairs)
    return sorted(counts, key=lambda pair: (-counts[pair], pair))


def sentences(text: str) -> list[str]:
    return [part for part in _SENTENCE.split(text) if part]


def _sentences(source: str, target: str, spotter: TermSpotter) -> list[Pair]:
    """Paired sentences; none if a value shows that their order differs."""
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


def _opened(target: str, pieces: list[MemoryMatch]) -> str | None:
    """The target with numbered placeholders; None if a form does not occur exactly once."""
    for number, piece in enumerate(pieces):
        if target.count(piece.form) != 1 or sum(p.form == piece.form for p in pieces) > 1:
            return None
        target = target.replace(piece.form, f"{HOLE}{number}{HOLE}")
    return target


_WORDS: Final = re.compile(r"[^\W\d_]+(?:['’\-\s]+[^\W\d_]+)*")
_FIGURES_ONLY: Final = re.compile(r"[\W\d_]*(?:[a-z]*\d[a-z0-9]*[\W\d_]*)+", re.IGNORECASE)


class OfflineTranslator:
    """Looks up the memory first, then replaces glossary terms inside the source sentence."""

    batch = 256

    def __init__(
        self,
        glossary: Glossary,
        pairs: Iterable[tuple[str, str]] = (),
        answers: Iterable[str] = (),
    ) -> None:
        """`answers`: yes and no of the source language; ambiguous inside a sentence, so skipped."""
        known, unsaid = sorted(pairs), sorted(map(comparable, answers))
        phrases = {key: form for key, form in glossary.phrases.items() if key not in unsaid}
        self._glossary = glossary
        self._memory = build_memory(known, phrases)
        tables = json.dumps([sorted(glossary.terms.items()), known, unsaid]).encode()
        self._name = f"offline:{hashlib.sha256(tables).hexdigest()[:12]}"

    @property
    def name(self) -> str:
        return self._name

    def translate(self, passages: Sequence[Passage]) -> list[Rendering]:
        return [self._value(each) if each.slot else self._utterance(each.text) for each in passages]

    def _value(self, passage: Passage) -> Rendering:
        if is_label(passage.text):
            return Rendering(passage.text, "copied")
        form = self._glossary.translate(passage.slot, passage.text)
        if form is not None:
            return Rendering(form, "glossary")
        if _FIGURES_ONLY.fullmatch(passage.text):
            return Rendering(passage.text, "copied")
        return self._utterance(passage.text)

    def _utterance(self, text: str) -> Rendering:
        found = self._memory.find(text)
        if found is not None:
            return Rendering(found, "memory")
        parts = sentences(text)
        if len(parts) > 1:
            return _joined([self._utterance(part) for part in parts])
        return self._word_by_word(text)

    def _word_by_word(self, text: str) -> Rendering:
        """The source sentence with glossary terms replaced; other words are reported."""
        parts: list[str] = []
        left: list[str] = []
        last = 0
        pieces = self._memory.spotter.pieces(text)
        for piece in pieces:
            before = text[last : piece.start]
            left += _WORDS.findall(MARK.sub(" ", before))
            parts += [before, piece.form]
            last = piece.end
        left += _WORDS.findall(MARK.sub(" ", text[last:]))
        known = any(piece.form != text[piece.start : piece.end] for piece in pieces)
        how = "glossary" if known else "copied"
        return Rendering("".join([*parts, text[last:]]), how, tuple(left))


def _joined(parts: list[Rendering]) -> Rendering:
    hows = list(dict.fromkeys(part.how for part in parts))
    left = tuple(word for part in parts for word in part.untranslated)
    return Rendering(" ".join(part.text for part in parts), " + ".join(hows), left)
