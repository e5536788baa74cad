"""Small networks that say how likely each candidate is, several of them side by side.

Two hidden layers each. Tables have a row a column of the network and a column a pair (see
`features.py`); the first layer is applied to pairs and to single lines apart.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from crosstalk.chatlogs.linking.candidates import Ints
from crosstalk.chatlogs.linking.features import LINE_COLUMNS, PAIR_COLUMNS, Candidates, Floats

PAIRS, LINES = len(PAIR_COLUMNS), len(LINE_COLUMNS)
INPUTS = PAIRS + 2 * LINES
AT_ONCE = 4_096
"""Pairs worked on together: what a processor's cache holds."""


@dataclass(frozen=True, slots=True)
class LinkNetwork:
    """`members` networks of `width` and `depth` units; their scores are averaged."""

    first: Floats
    """members x width rows, INPUTS columns: of the pair, of the line, of the other line."""
    first_bias: Floats
    second: Floats
    """members, depth, width."""
    second_bias: Floats
    """members, depth."""
    out: Floats
    """members, depth."""

    @classmethod
    def side_by_side(cls, networks: "list[LinkNetwork]") -> "LinkNetwork":
        return cls(
            *(
                np.concatenate([getattr(network, part.name) for network in networks])
                for part in fields(cls)
            )
        )

    @classmethod
    def of_tensors(cls, tensors: dict[str, NDArray[np.float32]], prefix: str) -> "LinkNetwork":
        """Raise ValueError for tensors that do not fit together."""
        network = cls(*(tensors[f"{prefix}.{part.name}"] for part in fields(cls)))
        members, depth, width = network.second.shape
        shapes = [(members * width, INPUTS), (members * width,), (members, depth, width)]
        shapes += [(members, depth), (members, depth)]
        if [getattr(network, part.name).shape for part in fields(cls)] != shapes:
            raise ValueError(f"the tensors of {prefix!r} do not fit the columns of this Crosstalk")
        return network

    def tensors(self, prefix: str) -> dict[str, NDArray[np.float32]]:
        return {f"{prefix}.{part.name}": getattr(self, part.name) for part in fields(self)}

    def scores(self, candidates: Candidates, chosen: Ints | None = None) -> Floats:
        """Logarithms of how likely pairs are, up to a constant for each line; of all or some."""
        first, singles = self.first.T, candidates.singles.T
        of_line = singles @ first[PAIRS : PAIRS + LINES] + self.first_bias
        of_other = singles @ first[PAIRS + LINES :]
        count = len(candidates.lines) if chosen is None else len(chosen)
        found = np.empty(count, dtype=np.float32)
        for start in range(0, count, AT_ONCE):
            some = slice(start, start + AT_ONCE)
            pairs, lines, others = _some(candidates, some if chosen is None else chosen[some])
            hidden = pairs.T @ first[:PAIRS]
            hidden += of_line[lines]
            hidden += of_other[others]
            found[some] = self._rest(np.maximum(hidden, 0, out=hidden))
        return found

    def _rest(self, hidden: Floats) -> Floats:
        members, _, width = self.second.shape
        of_members = hidden.reshape(-1, members, width).swapaxes(0, 1)
        deeper = of_members @ self.second.swapaxes(1, 2) + self.second_bias[:, None, :]
        np.maximum(deeper, 0, out=deeper)
        return np.asarray((deeper @ self.out[:, :, None]).mean(axis=0)[:, 0], dtype=np.float32)


def _some(candidates: Candidates, which: slice | Ints) -> tuple[Floats, Ints, Ints]:
    if isinstance(which, slice):
        pairs = candidates.pairs[:, which]
    else:
        pairs = np.take(candidates.pairs, which, axis=1)
    return pairs, candidates.lines[which], candidates.others[which]
