"""Corpus BLEU-4 with several references, as NLTK counts it with its smoothing method 1."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

ORDERS: Final = (1, 2, 3, 4)
EPSILON: Final = 0.1
"""What method 1 puts in the place of no match at all."""
_END: Final = "\n"
"""Between words and around references: no word holds white space."""

Counts = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Bleu:
    """Matched and possible n-grams of some hypotheses; counts add up."""

    matches: Counts = (0, 0, 0, 0)
    totals: Counts = (0, 0, 0, 0)
    length: int = 0
    """Words of the hypotheses."""
    reference_length: int = 0
    """Words of the references that are closest in length."""
    sentences: int = 0

    def __add__(self, other: "Bleu") -> "Bleu":
        return Bleu(
            _sum(self.matches, other.matches),
            _sum(self.totals, other.totals),
            self.length + other.length,
            self.reference_length + other.reference_length,
            self.sentences + other.sentences,
        )

    @property
    def precisions(self) -> tuple[float, ...]:
        return tuple(
            (matched or EPSILON) / total if total else 0.0
            for matched, total in zip(self.matches, self.totals, strict=True)
        )

    @property
    def brevity(self) -> float:
        """1 for hypotheses that are long enough, below 1 for those that are too short."""
        if self.length >= self.reference_length:
            return 1.0
        return math.exp(1 - self.reference_length / self.length) if self.length else 0.0

    @property
    def score(self) -> float:
        """Between 0 and 1; 0 where not a single word was right."""
        if not self.matches[0]:
            return 0.0
        return self.brevity * math.exp(sum(map(math.log, self.precisions)) / len(ORDERS))


class References:
    """The references of a hypothesis, in words."""

    def __init__(self, references: Iterable[Sequence[str]]) -> None:
        texts = [_END + _END.join(words) + _END for words in references]
        self._lengths = {text.count(_END) - 1 if text.strip() else 0 for text in texts}
        self._texts = texts
        self._all = "".join(texts)

    def compare(self, words: Sequence[str]) -> Bleu:
        """The counts of one hypothesis.

        A hypothesis shorter than n words still counts as one n-gram, as NLTK has it.
        """
        matches = [0, 0, 0, 0]
        for at, n in enumerate(ORDERS):
            for gram, count in Counter(ngrams(words, n)).items():
                text = _END + _END.join(gram) + _END
                if text in self._all:
                    matches[at] += min(count, self._most(gram, text)) if count > 1 else 1
        one, two, three, four = (max(1, len(words) - n + 1) for n in ORDERS)
        totals = (one, two, three, four)
        closest = min(self._lengths, key=lambda length: (abs(length - len(words)), length))
        return Bleu(
            (matches[0], matches[1], matches[2], matches[3]), totals, len(words), closest, 1
        )

    def _most(self, gram: tuple[str, ...], as_text: str) -> int:
        """How often the reference that has it most often has an n-gram, overlaps counted."""
        having = (text.strip(_END).split(_END) for text in self._texts if as_text in text)
        return max(ngrams(words, len(gram)).count(gram) for words in having)


def ngrams(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + n]) for at in range(len(words) - n + 1)]


def _sum(ours: Counts, theirs: Counts) -> Counts:
    one, two, three, four = (a + b for a, b in zip(ours, theirs, strict=True))
    return one, two, three, four
