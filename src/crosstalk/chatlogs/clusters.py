"""Links become conversations: lines that are linked, by any way, are in the same one."""

from collections.abc import Iterable

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components


def components(size: int, links: Iterable[tuple[int, int]]) -> list[int]:
    """For each of `size` lines the number of its conversation."""
    pairs = np.array(list(links), dtype=np.int64).reshape(-1, 2)
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(size, size))
    return [int(label) for label in connected_components(graph, directed=False)[1]]
