"""Evidence that a unit of foreign text says a concept, without a dictionary.

- `from_sentences`: raw texts of the domain. A regression from sentence vectors to concepts is
  learnt on English texts and applied to the foreign ones.
- `from_translations`: sentences with their translations, which need not be of the domain.
- `from_neighbours`: the vector of the unit alone; its nearest English wording has the concept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from crosstalk.training.boosting import Matrix
from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.training.unit_vectors import unit_vectors
from crosstalk.transfer.states.concepts import ConceptFinder
from crosstalk.transfer.states.text_units import TextUnits

PENALTY: Final = 3.0
"""Of the regression; 1 to 10 differ little."""
CROWD: Final = 5
"""Neighbours whose mean says how near a wording is to everything."""
DOUBT: Final = 2.0
"""Texts without the concept that are added to every unit's: rare units prove little."""


@dataclass(frozen=True, slots=True)
class TextEvidence:
    """Texts with their units, and which concepts each text speaks of."""

    units: TextUnits
    says: Matrix
    """Texts by concepts: 1 where the text says it."""

    @property
    def base(self) -> Matrix:
        """The share of texts that say each concept."""
        return np.asarray(self.says.sum(axis=0) / max(len(self.says), 1), np.float32)

    def hits(self, uncovered: Matrix | None = None) -> Matrix:
        """Units by concepts: how many texts with the unit say the concept."""
        says = self.says if uncovered is None else self.says * uncovered
        return np.asarray(self.units.within.T @ says, np.float32)

    def seen(self) -> Matrix:
        return np.asarray(self.units.within.sum(axis=0), np.float32).ravel()

    def trust(self) -> Matrix:
        """Units by concepts: 0 where a unit says nothing of it, 1 where it is always said."""
        share = self.hits() / (self.seen()[:, None] + DOUBT)
        return above_base(share, self.base)


def above_base(share: Matrix, base: Matrix) -> Matrix:
    return np.asarray((share - base) / np.maximum(1 - base, 1e-6), np.float32)


def from_sentences(
    english: Sequence[str],
    foreign: Sequence[str],
    units: TextUnits,
    finder: ConceptFinder,
    encoder: CachedEncoder,
) -> TextEvidence:
    """Concepts of foreign texts by their vectors, each as frequent as in the English texts."""
    said = finder.table(english)
    scores = _centred(encoder.vectors(foreign)) @ _ridge(encoder.vectors(english), said)
    says = np.zeros_like(scores)
    for column, share in enumerate(said.mean(axis=0)):
        says[:, column] = scores[:, column] > np.quantile(scores[:, column], 1 - share)
    return TextEvidence(units, says)


def _ridge(vectors: Matrix, answers: Matrix) -> Matrix:
    rows = _centred(vectors)
    gram = rows.T @ rows + PENALTY * np.eye(rows.shape[1], dtype=np.float32)
    return np.asarray(np.linalg.solve(gram, rows.T @ answers), np.float32)


def _centred(vectors: Matrix) -> Matrix:
    rows = vectors - vectors.mean(axis=0)
    return np.asarray(np.hstack([rows, np.ones((len(rows), 1), np.float32)]), np.float32)


def from_translations(
    pairs: Sequence[tuple[str, str]], units: TextUnits, finder: ConceptFinder
) -> TextEvidence:
    """`pairs`: English and foreign sentences; `units` are those of the foreign ones."""
    return TextEvidence(units, finder.table([english for english, _ in pairs]))


def from_neighbours(
    english: Sequence[str], units: Sequence[str], finder: ConceptFinder, encoder: CachedEncoder
) -> Matrix:
    """Units by concepts: how near the nearest English wording is, where it says the concept."""
    wordings = sorted({*english})
    theirs, ours = unit_length(encoder.vectors(wordings)), unit_length(encoder.vectors(units))
    cosines = ours @ theirs.T
    crowd = np.sort(cosines, axis=0)[-CROWD:].mean(axis=0)
    best = (2 * cosines - crowd).argmax(axis=1)
    nearness = cosines[np.arange(len(units)), best]
    return np.asarray(finder.table(wordings)[best] * nearness[:, None], np.float32)


def unit_length(vectors: Matrix) -> Matrix:
    """Return vectors of length 1 from the mean of all."""
    return unit_vectors(vectors - vectors.mean(axis=0))
