"""Exchanges as rows of numbers: the turns before an answer, side by side, and the answer.

A context is the user's last turn, the system's turn before it, the user's turn before that, the
mean of all that came earlier, and how far the dialogue has come.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.transfer.embeddings import CachedEncoder
from crosstalk.transfer.exchanges import Exchange

Matrix = NDArray[np.float32]
TURNS: Final = 3
"""Turns that stand by themselves."""
EARLIER: Final = 0.4
"""A mean of several turns has so much of the noise of one."""
PLACES: Final = 6
"""Of the dialogue; all later ones are one."""
AT_ONCE: Final = 8192


@dataclass(frozen=True, slots=True)
class Basis:
    """The directions in which turns differ most, and their mean."""

    mean: Matrix
    directions: Matrix

    @property
    def width(self) -> int:
        return int(self.directions.shape[1])

    def placed(self, vectors: Matrix) -> Matrix:
        return np.asarray((vectors - self.mean) @ self.directions, np.float32)


def basis_of(vectors: Matrix, width: int) -> Basis:
    """Principal directions; sorted and signed so that the same vectors give the same basis."""
    mean = vectors.mean(0)
    _, directions = np.linalg.eigh(np.cov((vectors - mean).T))
    kept = directions[:, ::-1][:, :width]
    signs = np.sign(kept[np.abs(kept).argmax(0), np.arange(kept.shape[1])])
    return Basis(mean, np.asarray(kept * signs, np.float32))


@dataclass(frozen=True, slots=True)
class TurnReader:
    """Reads exchanges with a frozen encoder and a basis."""

    encoder: CachedEncoder
    basis: Basis
    told: Callable[[int, int], None] = lambda done, of: None

    def rows(self, texts: Iterable[str]) -> dict[str, Matrix]:
        """The place of every text, each read once."""
        found: dict[str, Matrix] = {}
        wanted = list(dict.fromkeys(texts))
        for start in range(0, len(wanted), AT_ONCE):
            some = wanted[start : start + AT_ONCE]
            placed = self.basis.placed(self.encoder.vectors(some, told=self.told))
            found.update(zip(some, placed, strict=True))
        return found

    def views(self, exchanges: Sequence[Exchange]) -> tuple[Matrix, Matrix]:
        """A row a context, and a row an answer."""
        said = (text for each in exchanges for text in (*each.before, each.response))
        rows = self.rows(said)
        contexts = np.stack([self._context(each.before, rows) for each in exchanges])
        return contexts, np.stack([rows[each.response] for each in exchanges])

    def _context(self, before: Sequence[str], rows: dict[str, Matrix]) -> Matrix:
        nothing = np.zeros(self.basis.width, np.float32)
        last = [rows[text] for text in before[: -TURNS - 1 : -1]]
        last += [nothing] * (TURNS - len(last))
        earlier = [rows[text] for text in before[:-TURNS]]
        mean = np.mean(earlier, axis=0) if earlier else nothing
        return np.concatenate([*last, mean, place_of(len(before))])


def place_of(turns: int) -> Matrix:
    """How far a dialogue has come, as one of a few places; as loud as a turn."""
    place = np.zeros(PLACES, np.float32)
    place[min(turns // 2, PLACES - 1)] = 3.0
    return place


def context_noise(noise: Matrix) -> Matrix:
    """The covariance of a context whose turns have independent noise of this covariance."""
    width = len(noise)
    found = np.zeros((width * (TURNS + 1) + PLACES,) * 2, np.float32)
    for part in range(TURNS + 1):
        rows = slice(part * width, (part + 1) * width)
        found[rows, rows] = noise if part < TURNS else EARLIER * noise
    return found
