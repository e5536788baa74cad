"""Spelling: slips of the keyboard in words that mean nothing else are corrected."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from crosstalk.language.names import WordIndex
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.writing import writing_of

SLIP: Final = 0.9
"""Likeness of a word with a slip in it; that of another ending is higher."""
SHORTEST_CORRECTED: Final = 5
"""Letters of a word in which a slip of the keyboard is corrected; two slips from nine on."""


class Speller:
    """Corrects slips of the keyboard in words that mean nothing else."""

    def __init__(self, book: Phrasebook, names: Iterable[str]) -> None:
        self._book = book
        self._known = frozenset(names) | book.spelling
        self._words = sorted(
            word
            for word in self._known
            if len(word) >= SHORTEST_CORRECTED + 2 * (word not in book.spelling)
            and (not any(light.fullmatch(word) for light in book.light) or self._turns(word))
        )
        writing = writing_of(book.language)
        self._inflects = writing.inflects
        self._index = WordIndex(self._known, writing)
        self._fix = lru_cache(maxsize=4096)(self._correct)

    def _turns(self, word: str) -> bool:
        """Whether a word that says little by itself turns the meaning of others: *nothing*."""
        negator = self._book.cues.get("negator")
        return bool(negator and negator.fullmatch(word))

    def corrected(self, text: str) -> str:
        return " ".join(self._fix(word) for word in text.split())

    def _correct(self, word: str) -> str:
        if len(word) < SHORTEST_CORRECTED or not word.isalpha() or self._is_known(word):
            return word
        allowed = 2 if len(word) >= 9 else 1
        best = process.extractOne(
            word, self._words, scorer=DamerauLevenshtein.distance, score_cutoff=allowed
        )
        return best[0] if best and best[0][0] == word[0] else word

    def _is_known(self, word: str) -> bool:
        if word in self._known or self._book.knows(word):
            return True
        like = self._index.like(word) if self._inflects else {}
        forms = [other for other, how in like.items() if how > SLIP]
        if forms:
            return not any(_is_slip(word, other) for other in forms)
        if any(light.fullmatch(word) for light in self._book.light):
            return True
        tables = (self._book.cues, self._book.domains, self._book.slots)
        if any(called.fullmatch(word) for table in tables for called in table.values()):
            return True
        patterns = [*self._book.values.values(), *self._book.kinds.values()]
        if any(called.search(word) for table in patterns for called in table.values()):
            return True
        return any(topic.search(word) for topic in self._book.unsupported.values())


def _is_slip(word: str, other: str) -> bool:
    """Whether one letter amid a word is another: no ending is that far from the end."""
    differing = [at for at, pair in enumerate(zip(word, other, strict=False)) if len(set(pair)) > 1]
    return len(word) == len(other) and len(differing) == 1 and differing[0] < len(word) - 3
