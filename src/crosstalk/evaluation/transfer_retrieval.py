"""Response retrieval across languages: R_100@k over published candidate lists.

A tie counts as breaking it at random does on average, so equal answers in a list cost what they
cost with the published lists; `distinct` holds each text once.
"""

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from crosstalk.evaluation.ranking import Ranking
from crosstalk.transfer.candidates import candidate_lists

AT: Final = (1, 3, 5, 10)


class Reading(Protocol):
    """A corpus that a retriever has read."""

    def among(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.floating]:
        """A row for each exchange asked, a column for the answer of each candidate."""
        ...


def rank_answers(
    reading: Reading, responses: Sequence[str], *, seed: int, distinct: bool = False
) -> Ranking:
    """How the true answer of every exchange stands among its hundred candidates."""
    better, tied = list[int](), list[int]()
    for listed in candidate_lists(len(responses), seed=seed):
        scores = np.asarray(reading.among(listed.asked, listed.candidates), np.float64)
        own = scores.diagonal()[:, None]
        false = np.eye(*scores.shape) == 0
        if distinct:
            false = false & _first_of_text(listed.asked, listed.candidates, responses)
        better += ((scores > own) & false).sum(1).tolist()
        tied += ((scores == own) & false).sum(1).tolist()
    return Ranking(tuple(better), tuple(tied))


def _first_of_text(
    asked: Sequence[int], candidates: Sequence[int], responses: Sequence[str]
) -> NDArray[np.bool_]:
    """Which candidates count: the first of each text, and none that says what the answer says."""
    first = {responses[each]: place for place, each in reversed(list(enumerate(candidates)))}
    counts = np.array([first[responses[each]] == place for place, each in enumerate(candidates)])
    twins = np.array([[responses[a] == responses[c] for c in candidates] for a in asked])
    return np.asarray(counts[None, :] & ~twins)


def figures(ranking: Ranking) -> dict[str, float]:
    return {f"r100@{k}": round(ranking.recall(k) or 0.0, 2) for k in AT}
