"""What speaks for a response to a context: words they share, and whether it is typed alike.

One row a pair, one column for each name in COLUMNS; the re-ranker weighs them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from crosstalk.retrieval.arranged import Arranged, ContextView
from crosstalk.retrieval.arrays import load_arrays, save_arrays
from crosstalk.retrieval.lexical import (
    CHARACTERS,
    WORD_PAIRS,
    WORDS,
    Lexical,
    TfIdf,
    learn_rarity,
)
from crosstalk.retrieval.overlap import TermOverlap
from crosstalk.retrieval.style_features import MANNERS, manners

Floats = NDArray[np.float32]
PAIRS = "pairs of words"
KINDS = {"characters": CHARACTERS, "words": WORDS, PAIRS: WORD_PAIRS}
ALIKE = (ContextView.ALL, ContextView.LAST, ContextView.OWN, ContextView.OTHER, ContextView.FIRST)
SHARED = ALIKE[:2]
TYPED = (ContextView.OWN, ContextView.LAST)
ARRAYS = "evidence.safetensors"


@dataclass(frozen=True, slots=True)
class RankingEvidence:
    """How rare terms are, and how widely manners differ; all there is to learn."""

    terms: dict[str, TfIdf]
    usual: Floats
    """For each manner its standard deviation over turns."""

    def columns(self, pairs: Arranged) -> dict[str, Floats]:
        """Not a number where a context has no such part."""
        columns: dict[str, NDArray[Any]] = {}
        members = pairs.stacked(ALIKE)
        empty = (np.diff(members.indptr) == 0).reshape(len(ALIKE), -1)[:, pairs.pairs]
        for kind, known in self.terms.items():
            terms, counts = known.narrowed(known.counts(pairs.texts))
            overlap = TermOverlap.of(pairs, terms, counts, members)
            parts = ALIKE if kind != PAIRS else SHARED
            cosines = np.where(empty, np.nan, overlap.cosines())
            columns |= {f"{kind} {part}": cosines[at] for at, part in enumerate(parts)}
            if kind == "words":
                columns |= _shared(overlap, terms.okapi(counts)[pairs.responses])
        columns |= self._typed(pairs)
        columns["turns"] = np.array([len(context) for context in pairs.contexts])[pairs.pairs]
        return {name: np.asarray(column, np.float32) for name, column in columns.items()}

    def _typed(self, pairs: Arranged) -> dict[str, Floats]:
        """The manner of the response, that of the context's parts, and how far they are apart."""
        rows = manners(pairs.texts)
        said = rows[pairs.responses]
        columns = {f"typed {name}": said[:, at] for at, name in enumerate(MANNERS)}
        for part in TYPED:
            before = _means(rows, pairs.members(part))[pairs.pairs]
            apart = said - before
            columns |= {f"typed {part} {name}": before[:, at] for at, name in enumerate(MANNERS)}
            columns |= {f"apart {part} {name}": apart[:, at] for at, name in enumerate(MANNERS)}
            columns[f"apart {part}"] = np.abs(apart / self.usual).mean(axis=1)
        return columns

    def save(self, folder: Path) -> None:
        arrays: dict[str, NDArray[np.floating]] = {"usual": self.usual}
        for kind, terms in self.terms.items():
            arrays[kind] = terms.rarity.astype(np.float16)
            arrays[f"{kind} length"] = np.array([terms.mean_length])
        save_arrays(folder, arrays, name=ARRAYS)

    @classmethod
    def load(cls, folder: Path) -> "RankingEvidence":
        shapes = {kind: (settings.columns,) for kind, settings in KINDS.items()}
        shapes |= {f"{kind} length": (1,) for kind in KINDS} | {"usual": (len(MANNERS),)}
        arrays = load_arrays(folder, shapes, name=ARRAYS)
        terms = {
            kind: TfIdf(
                settings, arrays[kind].astype(np.float32), float(arrays[f"{kind} length"][0])
            )
            for kind, settings in KINDS.items()
        }
        return cls(terms, arrays["usual"])


def learn_evidence(turns: Sequence[str]) -> RankingEvidence:
    """From turns as they were typed."""
    terms = {kind: _rounded(settings, turns) for kind, settings in KINDS.items()}
    return RankingEvidence(terms, np.maximum(manners(turns).std(axis=0), 1e-6))


def _rounded(settings: Lexical, turns: Sequence[str]) -> TfIdf:
    """As it is after saving: a model just trained and the same one loaded score alike."""
    terms = learn_rarity(settings, turns)
    rarity = terms.rarity.astype(np.float16).astype(np.float32)
    return TfIdf(settings, rarity, terms.mean_length)


def _shared(overlap: TermOverlap, okapi: csr_matrix) -> dict[str, NDArray[Any]]:
    """Of the words that both have: how many, how rare, and how much of the response."""
    rarity = overlap.rarity
    whole = overlap.sums(rarity)
    columns: dict[str, NDArray[Any]] = {}
    for part, has in zip(SHARED, overlap.before != 0, strict=False):
        total = overlap.sums(has * rarity)
        columns |= {
            f"shared {part}": overlap.sums(has & (rarity > 0)),
            f"shared rarity {part}": total,
            f"shared rarest {part}": overlap.largest(has * rarity),
            f"shared share {part}": total / np.maximum(whole, 1e-6),
            f"okapi {part}": overlap.sums(has * okapi.data),
        }
    return columns


def _means(rows: Floats, members: csr_matrix) -> Floats:
    """Over the members of each; not a number where there are none."""
    sizes = np.diff(members.indptr).astype(np.float32)
    sizes[sizes == 0] = np.nan
    return np.asarray(members @ rows / sizes[:, None], dtype=np.float32)
