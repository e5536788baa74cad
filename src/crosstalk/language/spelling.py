"""Spelling: slips of the keyboard in words that mean nothing else are corrected."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein, Levenshtein

from crosstalk.language.names import WordIndex
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.writing import writing_of

SLIP: Final = 0.9
"""Likeness of a word with a slip in it; that of another ending is higher."""
SHORTEST_CORRECTED: Final = 5
SHORTEST_ALIKE: Final = 6
"""Letters of a word in which a slip of the keyboard is corrected, the second where words differ by
single letters; in the shortest no letter is taken for another."""
LONG: Final = 9
LONG_BY_EAR: Final = 7
"""Letters of a word in which two slips are corrected: any, or two letters of like sound."""
SHORTEST_NAME: Final = 7
"""Letters of a word of a name that others are corrected to."""
SHORTEST_BEGINNING: Final = 6
"""Letters of the beginning of words that others are corrected to."""
_RUN: Final = re.compile(r"([^\W\d])\1(?:\1+|$|(?<=\w{5})|(?=\w{4}))")
"""A letter several times in a row; only two of them amid a short word are no slip."""


class Speller:
    """Corrects slips of the keyboard in words that mean nothing else."""

    def __init__(self, book: Phrasebook, names: Iterable[str]) -> None:
        self._book = book
        self._names = frozenset(names)
        self._alike = not book.grammar.corrects
        self._shortest = SHORTEST_ALIKE if self._alike else SHORTEST_CORRECTED
        self._words = sorted(
            word
            for word in self._names | book.spelling
            if len(word) >= (self._shortest if word in book.spelling else SHORTEST_NAME)
        )
        self._beginnings = sorted(
            each for each in book.beginnings if len(each) >= SHORTEST_BEGINNING + self._alike
        )
        self._writing = writing_of(book.language)
        self._index = WordIndex(self._names, self._writing)
        self._fix = lru_cache(maxsize=4096)(self._correct)

    def corrected(self, text: str) -> str:
        return " ".join(self._fix(word) for word in text.split())

    def _correct(self, word: str) -> str:
        if not word.isalpha() or self._is_known(word):
            return word
        for shorter in _unstretched(word):
            if self._is_known(shorter):
                return shorter
        bare = self._writing.bare(word)
        if len(bare) < self._shortest:
            return word
        joined = word.removesuffix(bare)
        return joined + (self._nearest(bare) or self._with_beginning(bare) or bare)

    def _nearest(self, word: str) -> str:
        """The known word that differs by a slip or two; empty: none does."""
        allowed = 2 if len(word) >= LONG_BY_EAR and not self._alike else 1
        near = process.extract(
            word, self._words, scorer=DamerauLevenshtein.distance, score_cutoff=allowed, limit=8
        )
        likely = (other for other, _, _ in near if self._is_likely(word, other))
        return next(likely, "")

    def _is_likely(self, word: str, other: str) -> bool:
        """Whether fingers or ears take one word for the other, not any letter for any."""
        if word[0] != other[0]:
            return False
        if sorted(word) == sorted(other):
            return True  # two letters the wrong way round
        steps = Levenshtein.editops(word, other)
        heard = all(step.tag == "replace" for step in steps)
        swapped = [
            (word[step.src_pos], other[step.dest_pos]) for step in steps if step.tag == "replace"
        ]
        if len(steps) > 1 and len(word) < LONG:
            return heard and all(self._writing.sounds_alike(*pair) for pair in swapped)
        if len(word) <= SHORTEST_CORRECTED and swapped:
            return False
        return all(self._writing.mistakes(*pair) for pair in swapped)

    def _with_beginning(self, word: str) -> str:
        """The word with a slip in its beginning mended, whatever its ending; empty: has none."""
        for beginning in self._beginnings if self._writing.inflects else ():
            if beginning[:2] != word[:2]:
                continue
            for size in (len(beginning), len(beginning) - 1, len(beginning) + 1):
                slips = DamerauLevenshtein.distance(word[:size], beginning, score_cutoff=1)
                if slips <= 1 and self._is_likely(word[:size], beginning):
                    return beginning + word[size:]
        return ""

    def _is_known(self, word: str) -> bool:
        if word in self._names or word in self._book.spelling or self._book.knows(word):
            return True
        return self._is_phrase(word) or self._is_form(word)

    def _is_phrase(self, word: str) -> bool:
        """Whether a word means something by itself, or is one of those that say nothing."""
        book = self._book
        tables = (book.cues, book.domains, book.slots)
        if any(called.fullmatch(word) for table in tables for called in table.values()):
            return True
        patterns = (*book.values.values(), *book.kinds.values(), book.unsupported)
        return any(called.search(word) for table in patterns for called in table.values())

    def _is_form(self, word: str) -> bool:
        """Whether a word is one of a name with another ending."""
        like = self._index.like(word) if self._writing.inflects else {}
        forms = [other for other, how in like.items() if how > SLIP]
        return bool(forms) and not any(self._is_slip(word, other) for other in forms)

    def _is_slip(self, word: str, other: str) -> bool:
        """Whether one letter amid a word is another, and no ending is."""
        pairs = zip(word, other, strict=False)
        differing = [at for at, pair in enumerate(pairs) if len(set(pair)) > 1]
        if len(word) != len(other) or len(differing) != 1:
            return False
        last, ending = differing[0], self._writing.adjectives
        ends = not ending or bool(re.search(ending, word))
        return last < len(word) - 3 or (last < len(word) - 1 and not ends)


def _unstretched(word: str) -> Iterator[str]:
    """A word without letters that are written several times: `thaaanks`, `pleaase`."""
    for left in (r"\1\1", r"\1"):
        shorter = _RUN.sub(left, word)
        if shorter != word:
            yield shorter
