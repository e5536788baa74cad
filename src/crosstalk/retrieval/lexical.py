"""Responses that share rare words, or rare bits of words, with their context.

Words or character n-grams are hashed into a fixed number of columns, so that a model is its
weights and nothing else: no vocabulary, and nothing that needs unpickling.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import HashingVectorizer

from crosstalk.errors import InputError
from crosstalk.files import read_json, writing
from crosstalk.retrieval.scorers import Scores

SETTINGS, WEIGHTS = "lexical.json", "weights.safetensors"
BATCH = 20_000


@dataclass(frozen=True, slots=True)
class Lexical:
    """What counts as a term, and how often it does."""

    analyzer: str = "word"
    shortest: int = 1
    longest: int = 1
    columns: int = 1 << 20
    sublinear: bool = False
    """A term that occurs n times counts 1 + log n, not n times."""

    def vectorizer(self) -> HashingVectorizer:
        return HashingVectorizer(
            analyzer=self.analyzer,
            ngram_range=(self.shortest, self.longest),
            n_features=self.columns,
            alternate_sign=False,
            norm=None,
            token_pattern=r"(?u)\S+",
            dtype=np.float32,
        )


PAPER = Lexical()
"""The paper's: words, count times log(N / document frequency)."""
CHARACTERS = Lexical("char_wb", 3, 5, 1 << 20, sublinear=True)


@dataclass(frozen=True, slots=True)
class TfIdf:
    """Cosine of the weighted terms of context and response."""

    settings: Lexical
    rarity: NDArray[np.float32]

    def vectors(self, texts: Iterable[str]) -> csr_matrix:
        counts = self.settings.vectorizer().transform(texts)
        if self.settings.sublinear:
            counts.data = 1 + np.log(counts.data)
        weighted = counts.multiply(self.rarity[None, :]).tocsr()
        norms = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
        return csr_matrix(weighted.multiply(1 / np.maximum(norms, 1e-9)[:, None]))

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        pairs = self.vectors(contexts).multiply(self.vectors(responses))
        return np.asarray(pairs.sum(axis=1), dtype=np.float64).ravel()

    def save(self, folder: Path) -> None:
        with writing(folder / SETTINGS) as text:
            json.dump(asdict(self.settings), text)
        save_file({"rarity": self.rarity.astype(np.float16)}, folder / WEIGHTS)

    @classmethod
    def load(cls, folder: Path) -> "TfIdf":
        try:
            settings = Lexical(**read_json(folder / SETTINGS))
            rarity = load_file(folder / WEIGHTS)["rarity"].astype(np.float32)
            if len(rarity) != settings.columns:
                raise ValueError(f"{len(rarity)} weights for {settings.columns} columns")
        except (OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
            raise InputError(
                f"{folder}: not a whole model of this kind: {error}",
                remedy="Train it anew: crosstalk retrieve train --help",
            ) from error
        return cls(settings, rarity)


def learn_rarity(settings: Lexical, documents: Iterable[str]) -> TfIdf:
    """log(N / document frequency) of every term; a term never seen is as rare as one seen once."""
    vectorizer = settings.vectorizer()
    seen = np.zeros(settings.columns, dtype=np.int64)
    total = 0
    for batch in _batches(documents):
        counts = vectorizer.transform(batch)
        seen += np.bincount(counts.indices, minlength=settings.columns)
        total += len(batch)
    rarity = np.log(max(total, 1) / np.maximum(seen, 1)).astype(np.float32)
    return TfIdf(settings, rarity)


def _batches(documents: Iterable[Any]) -> Iterator[list[Any]]:
    remaining = iter(documents)
    while batch := list(islice(remaining, BATCH)):
        yield batch
