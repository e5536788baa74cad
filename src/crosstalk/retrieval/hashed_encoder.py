"""The hashed dual encoder: bags of words, word pairs and character n-grams as vectors.

Every term has a row in one table by its hash. A context is the weighted sum of three bags: its last
turn, earlier turns of the same speaker, and turns of the person who responds; a response is its own
bag. A small network corrects each side; the score is their cosine. `hashed_encoder_training.py`
trains it with torch; this file needs numpy only.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import HashingVectorizer

from crosstalk.retrieval.array_files import Arrays, load_arrays, save_arrays
from crosstalk.retrieval.indexed_pairs import ContextView, IndexedPairs, Rows
from crosstalk.retrieval.scorers import Scores, Vectors
from crosstalk.retrieval.tfidf import CHAT_WORDS, unit_rows
from crosstalk.training.unit_vectors import unit_vectors

PARTS = (ContextView.LAST, ContextView.EARLIER, ContextView.OWN)
TURNS = 4
"""Number of earlier turns of each speaker that count."""
BITS = 4
ARRAYS = "encoder.safetensors"
_WORD = re.compile(CHAT_WORDS)


@dataclass(frozen=True, slots=True)
class NetworkSizes:
    """Sizes of the encoder's arrays."""

    columns: int = 1 << 16
    width: int = 128
    hidden: int = 256

    def shapes(self) -> dict[str, tuple[int, ...]]:
        corrections = {"context": len(PARTS) * self.width, "response": self.width}
        shapes: dict[str, tuple[int, ...]] = {
            "rarity": (self.columns,),
            "table.weight": (self.columns, self.width),
            "mix": (len(PARTS),),
        }
        for side, wide in corrections.items():
            shapes |= {
                f"{side}.0.weight": (self.hidden, wide),
                f"{side}.0.bias": (self.hidden,),
                f"{side}.2.weight": (self.width, self.hidden),
                f"{side}.2.bias": (self.width,),
            }
        return shapes


@dataclass(frozen=True, slots=True)
class HashedEncoder:
    """Encodes contexts and responses as unit vectors."""

    weights: Arrays

    @property
    def idf(self) -> Vectors:
        """Inverse document frequencies; encoders that are used together share them."""
        return self.weights["rarity"]

    def contexts(self, bags: "TermBags") -> Vectors:
        sums = (bags.parts @ self.weights["table.weight"]).reshape(len(PARTS), bags.contexts, -1)
        mixed = np.tensordot(self.weights["mix"], sums, 1)
        return unit_vectors(mixed + self._corrected("context", np.concatenate(sums, axis=1)))

    def responses(self, bags: "TermBags") -> Vectors:
        sums = bags.responses @ self.weights["table.weight"]
        return unit_vectors(sums + self._corrected("response", sums))

    def cosines(self, bags: "TermBags") -> Scores:
        before, said = self.contexts(bags)[bags.pairs], self.responses(bags)[bags.answers]
        return np.asarray(np.einsum("ij,ij->i", before, said), np.float64)

    def _corrected(self, side: str, sums: Vectors) -> Vectors:
        hidden = np.tanh(sums @ self.weights[f"{side}.0.weight"].T + self.weights[f"{side}.0.bias"])
        return np.asarray(
            hidden @ self.weights[f"{side}.2.weight"].T + self.weights[f"{side}.2.bias"]
        )

    def save(self, folder: Path) -> None:
        halves = {name: array.astype(np.float16) for name, array in self.weights.items()}
        save_arrays(folder, halves, name=ARRAYS)

    @classmethod
    def load(cls, folder: Path) -> "HashedEncoder":
        arrays = load_arrays(folder, {"table.weight": (None, None)}, name=ARRAYS)
        columns, width = arrays["table.weight"].shape
        hidden = len(arrays.get("context.0.bias", ()))
        shapes = NetworkSizes(columns, width, hidden).shapes()
        arrays = load_arrays(folder, dict(shapes), name=ARRAYS)
        return cls({name: arrays[name].astype(np.float32) for name in shapes})


def terms(text: str) -> list[str]:
    """Split a text into words, pairs of adjacent words, and 4-grams of longer words."""
    words = _WORD.findall(text.lower())
    pairs = [f"{left} {right}" for left, right in zip(["^", *words], [*words, "$"], strict=True)]
    return [*words, *pairs, *(bit for word in words for bit in _bits(word))]


@lru_cache(maxsize=200_000)
def _bits(word: str) -> tuple[str, ...]:
    padded = f"<{word}>"
    if len(word) < BITS:
        return ()
    return tuple(f"~{padded[at : at + BITS]}" for at in range(len(padded) - BITS + 1))


def term_counts(texts: Sequence[str], columns: int) -> csr_matrix:
    return csr_matrix(_vectorizer(columns).transform(texts))


@lru_cache
def _vectorizer(columns: int) -> HashingVectorizer:
    return HashingVectorizer(
        analyzer=terms, n_features=columns, alternate_sign=False, norm=None, dtype=np.float32
    )


def weigh(counts: csr_matrix, idf: Vectors) -> csr_matrix:
    rows = counts.copy()
    rows.data = (1 + np.log(rows.data)) * idf[rows.indices]
    return rows


@dataclass(frozen=True, slots=True)
class TermBags:
    """Contexts and responses as sparse rows of weighted terms."""

    parts: csr_matrix
    """Rows of all contexts for the first of PARTS, then for the second, and so on."""
    responses: csr_matrix
    """One row per distinct response."""
    pairs: Rows
    """The context row of each pair."""
    answers: Rows
    """The response row of each pair."""

    @property
    def contexts(self) -> int:
        return int(self.parts.shape[0]) // len(PARTS)

    def part(self, number: int) -> csr_matrix:
        """Restrict to these pairs."""
        return self.parts[number * self.contexts + self.pairs]


def bags_of(pairs: IndexedPairs, idf: Vectors) -> TermBags:
    bags = weigh(term_counts(pairs.texts, len(idf)), idf)
    parts = unit_rows(csr_matrix(pairs.stacked(PARTS, at_most=TURNS) @ bags))
    different, answers = np.unique(pairs.responses, return_inverse=True)
    return TermBags(parts, unit_rows(bags)[different], pairs.pairs, answers)
