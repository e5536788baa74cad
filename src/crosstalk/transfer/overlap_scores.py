"""Word overlap between context and candidates, and the weights that combine all scores.

Words that responses repeat from the dialogue work in every language. Words are weighted by their
rarity among the candidates, so that nothing but the dialogue and its candidates is needed.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.transfer.retrieval_task import RetrievalExchange

Matrix = NDArray[np.float64]
SMALL = 1e-3
"""L2 penalty of the weights."""


def standardised(scores: NDArray[np.floating]) -> Matrix:
    """Standardise every row to mean 0 and standard deviation 1."""
    spread = scores.std(axis=1, keepdims=True)
    return np.asarray((scores - scores.mean(axis=1, keepdims=True)) / np.maximum(spread, 1e-9))


def stack_scores(scores: Sequence[NDArray[np.floating]], overlaps: NDArray[np.floating]) -> Matrix:
    """Stack scores and overlaps: exchanges x candidates x kinds."""
    each = [score[:, :, None] for score in scores]
    return np.asarray(np.concatenate([*each, overlaps], axis=2), np.float64)


def fit_weights(lists: Sequence[Matrix]) -> Matrix:
    """Fit weights by maximum likelihood of the right answers, which are on the diagonals."""
    from scipy.optimize import minimize

    kinds = lists[0].shape[2]

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        total, slope, count = 0.0, np.zeros(kinds), 0
        for marks in lists:
            likely = _softmax(marks @ weights)
            right = np.arange(len(marks))
            total -= float(np.log(likely[right, right] + 1e-30).sum())
            slope += np.einsum("rc,rck->k", likely, marks) - marks[right, right].sum(0)
            count += len(marks)
        held = SMALL * weights
        return total / count + float(held @ weights), slope / count + 2 * held

    start = np.zeros(kinds)
    start[0] = 1.0
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 100})
    return np.asarray(found.x, np.float64)


def _softmax(scores: Matrix) -> Matrix:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


STEM: Final = 5
"""Length of a stem in letters; the rest is mostly inflection."""
NUMBER: Final = re.compile(r"\d+(?:[:.,]\d+)*")
WORD: Final = re.compile(r"[^\W\d_]+")
CODE: Final = re.compile(r"(?=[a-z0-9]*\d)(?=[a-z0-9]*[a-z])[a-z0-9]{4,}")
"""A booking reference, a postcode, a train id."""
NAMES: Final = (
    "words of the last turn",
    "words of earlier turns",
    "words of the system's last turn",
    "numbers of the last turn",
    "numbers of earlier turns",
    "new numbers",
    "codes of the dialogue",
    "said before",
)


@dataclass(frozen=True, slots=True)
class OverlapTerms:
    """The words, numbers and codes of a text."""

    words: Counter[str]
    numbers: frozenset[str]
    codes: frozenset[str]


@lru_cache(100_000)
def overlap_terms(text: str) -> OverlapTerms:
    small = text.lower()
    numbers = {each.replace(",", ".").lstrip("0") or "0" for each in NUMBER.findall(small)}
    return OverlapTerms(Counter(_words(small)), frozenset(numbers), frozenset(CODE.findall(small)))


def _words(text: str) -> Iterator[str]:
    """Yield stems; for scripts without spaces, character bigrams."""
    for word in WORD.findall(text):
        if _is_han_or_kana(word[0]):
            yield from (word[at : at + 2] for at in range(max(len(word) - 1, 1)))
        else:
            yield word[:STEM]


def is_unspaced(text: str) -> bool:
    """Tell whether most letters belong to scripts without spaces between words."""
    letters = "".join(WORD.findall(text))
    return 2 * sum(map(_is_han_or_kana, letters)) > len(letters)


def _is_han_or_kana(letter: str) -> bool:
    return "\u2e80" <= letter <= "\u9fff" or "\u3040" <= letter <= "\u30ff"


def overlaps(asked: Sequence[RetrievalExchange], answers: Sequence[str]) -> NDArray[np.float32]:
    """Return overlaps: exchanges x responses x kinds (`NAMES`)."""
    marks = [overlap_terms(answer) for answer in answers]
    rarity = _rarity(marks)
    weighed = [_weighed(each.words, rarity) for each in marks]
    found = np.zeros((len(asked), len(answers), len(NAMES)), np.float32)
    for row, exchange in enumerate(asked):
        last, system, earlier = _parts(exchange)
        sides = [_weighed(each.words, rarity) for each in (last, earlier, system)]
        for column, answer in enumerate(marks):
            shared = [_shared(side, weighed[column]) for side in sides]
            found[row, column] = (*shared, *_exact(last, earlier, answer), 0.0)
        said = set(exchange.before)
        found[row, :, -1] = [answer in said for answer in answers]
    return found


@dataclass(frozen=True, slots=True)
class OverlapScores:
    """Ranks by overlap alone: the fallback without a sentence encoder."""

    exchanges: Sequence[RetrievalExchange]
    weights: NDArray[np.floating]

    def marks(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.float64]:
        rows = [self.exchanges[each] for each in asked]
        answers = [self.exchanges[each].response for each in candidates]
        return np.asarray(overlaps(rows, answers), np.float64)

    def among(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.floating]:
        return np.asarray(self.marks(asked, candidates) @ self.weights)


def _parts(exchange: RetrievalExchange) -> tuple[OverlapTerms, OverlapTerms, OverlapTerms]:
    """Return terms of the last turn, the system's turn before it, and all earlier turns."""
    turns = [overlap_terms(text) for text in exchange.before]
    words: Counter[str] = Counter()
    for each in turns[:-1]:
        words |= each.words
    earlier = OverlapTerms(
        words,
        frozenset().union(*(each.numbers for each in turns[:-1])),
        frozenset().union(*(each.codes for each in turns[:-1])),
    )
    return turns[-1], turns[-2] if len(turns) > 1 else overlap_terms(""), earlier


def _exact(
    last: OverlapTerms, earlier: OverlapTerms, answer: OverlapTerms
) -> tuple[float, float, float, float]:
    some = max(len(answer.numbers), 1)
    known = last.numbers | earlier.numbers
    return (
        len(answer.numbers & last.numbers) / some,
        len(answer.numbers & earlier.numbers) / some,
        len(answer.numbers - known) / some,
        float(bool(answer.codes & (last.codes | earlier.codes))),
    )


def _rarity(marks: Sequence[OverlapTerms]) -> dict[str, float]:
    seen = Counter(word for each in marks for word in each.words)
    return {word: float(np.log(len(marks) / count)) + 0.1 for word, count in seen.items()}


def _weighed(words: Counter[str], rarity: dict[str, float]) -> dict[str, float]:
    """Return normalised TF-IDF weights; words that no candidate has are ignored."""
    raw = {word: rarity[word] * (1 + np.log(n)) for word, n in words.items() if word in rarity}
    length = float(np.sqrt(sum(each * each for each in raw.values()))) or 1.0
    return {word: each / length for word, each in raw.items()}


def _shared(one: dict[str, float], other: dict[str, float]) -> float:
    small, large = (one, other) if len(one) < len(other) else (other, one)
    return sum(weight * large[word] for word, weight in small.items() if word in large)
