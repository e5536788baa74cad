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

from crosstalk.retrieval.arranged import Arranged, Part
from crosstalk.retrieval.arrays import load_arrays, save_arrays
from crosstalk.retrieval.lexical import (
    CHARACTERS,
    WORD_PAIRS,
    WORDS,
    Lexical,
    TfIdf,
    learn_rarity,
    present,
    row_products,
)
from crosstalk.retrieval.manner import MANNERS, manners
from crosstalk.retrieval.scorers import Scores

Floats = NDArray[np.float32]
PAIRS = "pairs of words"
KINDS = {"characters": CHARACTERS, "words": WORDS, PAIRS: WORD_PAIRS}
ALIKE = (Part.ALL, Part.LAST, Part.OWN, Part.OTHER, Part.FIRST)
SHARED = (Part.ALL, Part.LAST)
TYPED = (Part.OWN, Part.LAST)
ARRAYS = "evidence.safetensors"


@dataclass(frozen=True, slots=True)
class Evidence:
    """How rare terms are, and how widely manners differ; all there is to learn."""

    terms: dict[str, TfIdf]
    usual: Floats
    """For each manner its standard deviation over turns."""

    def columns(self, pairs: Arranged) -> dict[str, Floats]:
        """Not a number where a context has no such part."""
        columns: dict[str, NDArray[Any]] = {}
        members = {part: pairs.members(part) for part in ALIKE}
        for kind, known in self.terms.items():
            terms, counts = known.narrowed(known.counts(pairs.texts))
            said = terms.weighted(counts)[pairs.responses]
            for part in ALIKE if kind != PAIRS else SHARED:
                before = terms.weighted(csr_matrix(members[part] @ counts))[pairs.pairs]
                columns[f"{kind} {part}"] = _cosines(before, said, members[part], pairs)
            for part in SHARED if kind == "words" else ():
                columns |= _shared(pairs, part, terms, counts)
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
    def load(cls, folder: Path) -> "Evidence":
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


def learn_evidence(turns: Sequence[str]) -> Evidence:
    """From turns as they were typed."""
    terms = {kind: _rounded(settings, turns) for kind, settings in KINDS.items()}
    return Evidence(terms, np.maximum(manners(turns).std(axis=0), 1e-6))


def _rounded(settings: Lexical, turns: Sequence[str]) -> TfIdf:
    """As it is after saving: a model just trained and the same one loaded score alike."""
    terms = learn_rarity(settings, turns)
    rarity = terms.rarity.astype(np.float16).astype(np.float32)
    return TfIdf(settings, rarity, terms.mean_length)


def _cosines(before: csr_matrix, said: csr_matrix, members: csr_matrix, pairs: Arranged) -> Scores:
    """Not a number where there is no such part."""
    empty = np.diff(members.indptr)[pairs.pairs] == 0
    return np.where(empty, np.nan, row_products(before, said))


def _shared(
    pairs: Arranged, part: Part, terms: TfIdf, counts: csr_matrix
) -> dict[str, NDArray[Any]]:
    """Of the words that both have: how many, how rare, and how much of the response."""
    before = present(csr_matrix(pairs.members(part) @ counts))[pairs.pairs]
    worth = present(counts)
    worth.data = terms.rarity[worth.indices]
    said = worth[pairs.responses]
    shared = csr_matrix(before.multiply(said))
    total, whole = (np.asarray(each.sum(axis=1)).ravel() for each in (shared, said))
    return {
        f"shared {part}": np.diff(shared.indptr),
        f"shared rarity {part}": total,
        f"shared rarest {part}": shared.max(axis=1).toarray().ravel(),
        f"shared share {part}": total / np.maximum(whole, 1e-6),
        f"okapi {part}": row_products(before, terms.okapi(counts)[pairs.responses]),
    }


def _means(rows: Floats, members: csr_matrix) -> Floats:
    """Over the members of each; not a number where there are none."""
    sizes = np.diff(members.indptr).astype(np.float32)
    sizes[sizes == 0] = np.nan
    return np.asarray(members @ rows / sizes[:, None], dtype=np.float32)
