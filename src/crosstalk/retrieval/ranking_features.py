"""Features of context-response pairs for the re-ranker: shared terms and typing style.

One column per feature, one value per pair. Term overlap is computed without sparse products, whose
bookkeeping dominates for a handful of rows: a question to an index takes 27 ms instead of 41.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from crosstalk.retrieval.array_files import load_arrays, save_arrays
from crosstalk.retrieval.indexed_pairs import ContextView, IndexedPairs, Rows
from crosstalk.retrieval.scorers import Scores
from crosstalk.retrieval.tfidf import (
    CHARACTER_NGRAMS,
    WORD_PAIRS,
    WORDS,
    TermConfig,
    TfIdf,
    learn_idf,
)

Entries = NDArray[np.floating] | NDArray[np.bool_]
"""One number per term of every response, response after response."""


@dataclass(frozen=True, slots=True)
class TermOverlap:
    """The terms of responses, each looked up in the views of its context."""

    starts: Rows
    """Offsets of each pair's terms; one more entry for the end."""
    said: NDArray[np.float32]
    """The weight of each term in its response."""
    idf: NDArray[np.float32]
    """The inverse document frequency of each term."""
    before: NDArray[np.float32]
    """One row per view: the weight of each term in that view of its context, mostly 0."""

    @classmethod
    def of(
        cls, pairs: IndexedPairs, terms: TfIdf, counts: csr_matrix, members: csr_matrix
    ) -> "TermOverlap":
        """`counts` has one row per text; `members` is what `IndexedPairs.stacked` returns."""
        said = terms.weighted(counts)[pairs.responses]
        parts = terms.weighted(csr_matrix(members @ counts)).toarray()
        shape = (len(parts) // len(pairs.contexts), len(pairs.contexts), parts.shape[1])
        contexts = np.repeat(pairs.pairs, np.diff(said.indptr))
        before = parts.reshape(shape)[:, contexts, said.indices]
        return cls(said.indptr.astype(np.intp), said.data, terms.idf[said.indices], before)

    def cosines(self) -> Scores:
        """Cosines, one row per view and one column per pair."""
        return self.sums(self.before * self.said)

    def sums(self, entries: Entries) -> Scores:
        """Sum over the terms of each response."""
        ends = np.cumsum(entries, axis=-1, dtype=np.float64)
        whole = np.concatenate([np.zeros((*ends.shape[:-1], 1)), ends], axis=-1)
        return np.asarray(np.diff(whole[..., self.starts], axis=-1))

    def largest(self, entries: NDArray[np.floating]) -> Scores:
        """Maximum over the terms of each response, none of them negative; 0 without terms."""
        found = np.maximum.reduceat(np.append(entries, 0), self.starts[:-1])
        return np.where(np.diff(self.starts) == 0, 0.0, found)


STYLE_FEATURES = (
    "lines",
    "characters a line",
    "words",
    "letters a word",
    "lines that begin with a capital",
    "lines that end in a full stop",
    "lines that end in a question mark",
    "capitals",
    "apostrophes",
    "commas",
    "dots in a row",
    "smiley",
    "words of one letter",
    "words of two letters",
    "address",
    "slash",
    "command",
    "two spaces",
    "digits",
    "name first",
    "quotation marks",
    "brackets",
)
_SMILEY = re.compile(r"(?:^|\s)[:;=8][-o']?[)(DPp/|]|\^\^|<3|[\U0001f300-\U0001faff]")
_NAME_FIRST = re.compile(r"\S{2,20}[:,]\s")


def style_features(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return one row per text with the columns of STYLE_FEATURES.

    People keep their typing style within a dialogue, whatever its topic.
    """
    rows = np.array([_style_of(text) for text in texts], dtype=np.float32)
    return rows.reshape(len(texts), len(STYLE_FEATURES))


def _style_of(text: str) -> list[float]:
    lines = [line.strip() for line in text.split("\n")]
    joined = " ".join(lines)
    words = joined.split() or [""]
    of_lines, of_words, of_all = 1 / len(lines), 1 / len(words), 100 / max(len(joined), 1)
    return [
        len(lines),
        len(joined) * of_lines,
        len(words),
        sum(map(len, words)) * of_words,
        sum(line[:1].isupper() for line in lines) * of_lines,
        sum(line.endswith((".", "!", "。")) for line in lines) * of_lines,
        sum(line.endswith(("?", "？", "؟")) for line in lines) * of_lines,
        sum(map(str.isupper, joined)) * of_all,
        (joined.count("'") + joined.count("’")) * of_all,
        joined.count(",") * of_all,
        ".." in joined,
        bool(_SMILEY.search(joined)),
        sum(len(word) == 1 for word in words) * of_words,
        sum(len(word) == 2 for word in words) * of_words,
        "://" in joined,
        "/" in joined,
        joined.startswith("!"),
        "  " in joined,
        sum(map(str.isdigit, joined)) * of_all,
        bool(_NAME_FIRST.match(joined)),
        joined.count('"') * of_all,
        joined.count("(") * of_all,
    ]


Floats = NDArray[np.float32]
WORD_PAIR_TERMS = "pairs of words"
KINDS = {"characters": CHARACTER_NGRAMS, "words": WORDS, WORD_PAIR_TERMS: WORD_PAIRS}
ALIKE = (ContextView.ALL, ContextView.LAST, ContextView.OWN, ContextView.OTHER, ContextView.FIRST)
SHARED = ALIKE[:2]
TYPED = (ContextView.OWN, ContextView.LAST)
ARRAYS = "evidence.safetensors"


@dataclass(frozen=True, slots=True)
class RankingFeatures:
    """Computes the features; holds the learnt term weights and spreads of style features."""

    terms: dict[str, TfIdf]
    usual: Floats
    """The standard deviation of each style feature over turns."""

    def columns(self, pairs: IndexedPairs) -> dict[str, Floats]:
        """Return the columns by name; NaN where a context has no turn in a view."""
        columns: dict[str, NDArray[Any]] = {}
        members = pairs.stacked(ALIKE)
        empty = (np.diff(members.indptr) == 0).reshape(len(ALIKE), -1)[:, pairs.pairs]
        for kind, known in self.terms.items():
            terms, counts = known.narrowed(known.counts(pairs.texts))
            overlap = TermOverlap.of(pairs, terms, counts, members)
            parts = ALIKE if kind != WORD_PAIR_TERMS else SHARED
            cosines = np.where(empty, np.nan, overlap.cosines())
            columns |= {f"{kind} {part}": cosines[at] for at, part in enumerate(parts)}
            if kind == "words":
                columns |= _shared(overlap, terms.okapi(counts)[pairs.responses])
        columns |= self._typed(pairs)
        columns["turns"] = np.array([len(context) for context in pairs.contexts])[pairs.pairs]
        return {name: np.asarray(column, np.float32) for name, column in columns.items()}

    def _typed(self, pairs: IndexedPairs) -> dict[str, Floats]:
        """Style of the response, mean style of context views, and their differences."""
        rows = style_features(pairs.texts)
        said = rows[pairs.responses]
        columns = {f"typed {name}": said[:, at] for at, name in enumerate(STYLE_FEATURES)}
        for part in TYPED:
            before = _member_means(rows, pairs.members(part))[pairs.pairs]
            apart = said - before
            columns |= {
                f"typed {part} {name}": before[:, at] for at, name in enumerate(STYLE_FEATURES)
            }
            columns |= {
                f"apart {part} {name}": apart[:, at] for at, name in enumerate(STYLE_FEATURES)
            }
            columns[f"apart {part}"] = np.abs(apart / self.usual).mean(axis=1)
        return columns

    def save(self, folder: Path) -> None:
        arrays: dict[str, NDArray[np.floating]] = {"usual": self.usual}
        for kind, terms in self.terms.items():
            arrays[kind] = terms.idf.astype(np.float16)
            arrays[f"{kind} length"] = np.array([terms.mean_length])
        save_arrays(folder, arrays, name=ARRAYS)

    @classmethod
    def load(cls, folder: Path) -> "RankingFeatures":
        shapes = {kind: (settings.columns,) for kind, settings in KINDS.items()}
        shapes |= {f"{kind} length": (1,) for kind in KINDS} | {"usual": (len(STYLE_FEATURES),)}
        arrays = load_arrays(folder, shapes, name=ARRAYS)
        terms = {
            kind: TfIdf(
                settings, arrays[kind].astype(np.float32), float(arrays[f"{kind} length"][0])
            )
            for kind, settings in KINDS.items()
        }
        return cls(terms, arrays["usual"])


def learn_ranking_features(turns: Sequence[str]) -> RankingFeatures:
    """Learn from turns as they were typed."""
    terms = {kind: _rounded(settings, turns) for kind, settings in KINDS.items()}
    return RankingFeatures(terms, np.maximum(style_features(turns).std(axis=0), 1e-6))


def _rounded(settings: TermConfig, turns: Sequence[str]) -> TfIdf:
    """Round to half precision, so that a model scores alike before and after saving."""
    terms = learn_idf(settings, turns)
    idf = terms.idf.astype(np.float16).astype(np.float32)
    return TfIdf(settings, idf, terms.mean_length)


def _shared(overlap: TermOverlap, okapi: csr_matrix) -> dict[str, NDArray[Any]]:
    """Count, rarity and share of the words that response and context have in common."""
    idf = overlap.idf
    whole = overlap.sums(idf)
    columns: dict[str, NDArray[Any]] = {}
    for part, has in zip(SHARED, overlap.before != 0, strict=False):
        total = overlap.sums(has * idf)
        columns |= {
            f"shared {part}": overlap.sums(has & (idf > 0)),
            f"shared rarity {part}": total,
            f"shared rarest {part}": overlap.largest(has * idf),
            f"shared share {part}": total / np.maximum(whole, 1e-6),
            f"okapi {part}": overlap.sums(has * okapi.data),
        }
    return columns


def _member_means(rows: Floats, members: csr_matrix) -> Floats:
    """Mean over the members of each row; NaN without members."""
    sizes = np.diff(members.indptr).astype(np.float32)
    sizes[sizes == 0] = np.nan
    return np.asarray(members @ rows / sizes[:, None], dtype=np.float32)
