"""Lexical rankers: TF-IDF cosine and BM25 over words or character n-grams.

Words or character n-grams are hashed into a fixed number of columns, so that a model is its
weights and nothing else: no vocabulary, and nothing that needs unpickling.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import HashingVectorizer

from crosstalk.retrieval.array_files import load_arrays, save_arrays
from crosstalk.retrieval.scorers import Scores
from crosstalk.training.config import read_config, write_config

BATCH = 20_000
REMEMBERED = 100_000
"""Maximum number of words whose n-gram columns are cached; chat repeats its words."""
Columns = NDArray[np.int32]
SPACED = r"(?u)\S+"
CHAT_WORDS = r"(?u)https?://\S+|[^\W_]+(?:[-_.'+/][^\W_]+)*|[^\w\s]+"
"""URLs, package names and commands are one word; so is a run of punctuation."""


@dataclass(frozen=True, slots=True)
class TermConfig:
    """What a term is and how it is counted."""

    analyzer: str = "word"
    shortest: int = 1
    longest: int = 1
    columns: int = 1 << 20
    sublinear: bool = False
    """A term that occurs n times counts 1 + log n, not n times."""
    pattern: str = SPACED
    """Regular expression of a word."""
    bm25: bool = False
    """Okapi's weights, k1 = 1.2 and b = 0.75, instead of a cosine."""

    @lru_cache  # noqa: B019  # a handful of settings, for as long as the program runs
    def vectorizer(self) -> HashingVectorizer:
        return HashingVectorizer(
            analyzer=self.analyzer,
            ngram_range=(self.shortest, self.longest),
            n_features=self.columns,
            alternate_sign=False,
            norm=None,
            token_pattern=self.pattern,
            dtype=np.float32,
        )

    def counts(self, texts: Iterable[str]) -> csr_matrix:
        if self.analyzer == "char_wb":
            return self._counts_by_word([text.lower().split() for text in texts])
        return csr_matrix(self.vectorizer().transform(texts))

    def _counts_by_word(self, texts: Sequence[Sequence[str]]) -> csr_matrix:
        """Count n-grams word by word; the columns of known words come from the cache."""
        columns = self._columns([word for words in texts for word in words])
        ends = np.cumsum([0, *map(len, columns)])[np.cumsum([0, *map(len, texts)])]
        indices = np.concatenate([np.zeros(0, np.int32), *columns])
        ones = np.ones(len(indices), dtype=np.float32)
        rows = csr_matrix((ones, indices, ends), shape=(len(texts), self.columns))
        rows.sum_duplicates()
        return rows

    def _columns(self, words: Sequence[str]) -> list[Columns]:
        """Return the columns of each word's n-grams, repeated as often as they occur."""
        known = _known_words(self)
        new = list(dict.fromkeys(word for word in words if word not in known))
        rows = self.vectorizer().transform(new or [""])
        ends = np.cumsum(np.asarray(rows.sum(axis=1)).astype(int))[:-1]
        parts = np.split(np.repeat(rows.indices, rows.data.astype(int)), ends)
        fresh = dict(zip(new, parts, strict=False))
        found = [fresh[word] if word in fresh else known[word] for word in words]
        if len(known) < REMEMBERED:
            known.update(fresh)
        return found


@lru_cache
def _known_words(settings: TermConfig) -> dict[str, Columns]:
    """The cache of n-gram columns; it holds at most REMEMBERED words."""
    return {}


PAPER_TFIDF = TermConfig()
"""The paper's ranker: words, weighted by count times log(N / document frequency)."""
WORDS = TermConfig(columns=1 << 18, sublinear=True, pattern=CHAT_WORDS)
WORD_PAIRS = TermConfig("word", 2, 2, 1 << 18, sublinear=True, pattern=CHAT_WORDS)
CHARACTER_NGRAMS = TermConfig("char_wb", 3, 5, 1 << 20, sublinear=True)
BM25 = TermConfig(pattern=CHAT_WORDS, bm25=True)
K1, B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class TfIdf:
    """Scores pairs by the similarity of their weighted terms."""

    settings: TermConfig
    idf: NDArray[np.float32]
    mean_length: float
    """Mean number of terms of a document."""

    def counts(self, texts: Iterable[str]) -> csr_matrix:
        return self.settings.counts(texts)

    def narrowed(self, counts: csr_matrix) -> tuple["TfIdf", csr_matrix]:
        """Restrict to the columns that occur in `counts`.

        Products of sparse rows take time by the width: 4 ms each at a million columns.
        """
        used, columns = np.unique(counts.indices, return_inverse=True)
        shape = (counts.shape[0], len(used))
        rows = csr_matrix((counts.data, columns.astype(np.int32), counts.indptr), shape=shape)
        return TfIdf(self.settings, self.idf[used], self.mean_length), rows

    def weighted(self, counts: csr_matrix) -> csr_matrix:
        """Weight by IDF and normalise rows to length 1."""
        data = 1 + np.log(counts.data) if self.settings.sublinear else counts.data
        data = data * self.idf[counts.indices]
        return unit_rows(csr_matrix((data, counts.indices, counts.indptr), shape=counts.shape))

    def okapi(self, counts: csr_matrix) -> csr_matrix:
        """Return the BM25 weight of each term of a response."""
        rows = counts.copy()
        length = np.asarray(counts.sum(axis=1)).ravel() / max(self.mean_length, 1e-9)
        damping = K1 * (1 - B + B * np.repeat(length, np.diff(rows.indptr)))
        rows.data = self.idf[rows.indices] * rows.data * (K1 + 1) / (rows.data + damping)
        return rows

    def vectors(self, texts: Iterable[str]) -> csr_matrix:
        return self.weighted(self.counts(texts))

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        if self.settings.bm25:
            asked = present(self.counts(contexts))
            return row_products(asked, self.okapi(self.counts(responses)))
        return row_products(self.vectors(contexts), self.vectors(responses))

    def save(self, folder: Path) -> None:
        write_config(folder, self.settings)
        arrays = {"rarity": self.idf.astype(np.float16), "length": np.array([self.mean_length])}
        save_arrays(folder, arrays)

    @classmethod
    def load(cls, folder: Path) -> "TfIdf":
        settings = read_config(folder, TermConfig)
        arrays = load_arrays(folder, {"rarity": (settings.columns,), "length": (1,)})
        idf = arrays["rarity"].astype(np.float32)
        return cls(settings, idf, float(arrays["length"][0]))


def learn_idf(settings: TermConfig, documents: Iterable[str]) -> TfIdf:
    """Learn log(N / document frequency) per term; an unseen term counts as seen once."""
    seen = np.zeros(settings.columns, dtype=np.int64)
    documents_seen, terms = 0, 0.0
    for batch in _batches(documents):
        counts = settings.counts(batch)
        seen += np.bincount(counts.indices, minlength=settings.columns)
        documents_seen += len(batch)
        terms += float(counts.sum())
    idf = np.log(max(documents_seen, 1) / np.maximum(seen, 1)).astype(np.float32)
    return TfIdf(settings, idf, terms / max(documents_seen, 1))


def unit_rows(rows: csr_matrix) -> csr_matrix:
    """Normalise rows to length 1; rows of zeros stay."""
    sizes = np.diff(rows.indptr)
    owners = np.repeat(np.arange(len(sizes)), sizes)
    norms = np.sqrt(np.bincount(owners, rows.data**2, minlength=len(sizes)))
    norms[norms == 0] = 1
    data = (rows.data / norms[owners]).astype(np.float32)
    return csr_matrix((data, rows.indices, rows.indptr), shape=rows.shape)


def present(counts: csr_matrix) -> csr_matrix:
    """Replace all counts by 1."""
    rows = counts.copy()
    rows.data = np.ones_like(rows.data)
    return rows


def row_products(left: csr_matrix, right: csr_matrix) -> Scores:
    return np.asarray(left.multiply(right).sum(axis=1), dtype=np.float64).ravel()


def _batches(documents: Iterable[Any]) -> Iterator[list[Any]]:
    remaining = iter(documents)
    while batch := list(islice(remaining, BATCH)):
        yield batch
