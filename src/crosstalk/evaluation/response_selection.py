"""Rankers on groups of one true and several false responses."""

from collections.abc import Iterable
from itertools import islice
from typing import Protocol

import numpy as np

from crosstalk.evaluation.ranking import Ranking, rank
from crosstalk.retrieval.sampling import Group
from crosstalk.retrieval.scorers import Scores

BATCH = 500


class PairScorer(Protocol):
    """Anything that scores pairs."""

    def score(self, contexts: list[str], responses: list[str]) -> Scores: ...


def rank_groups(scorer: PairScorer, groups: Iterable[Group]) -> tuple[Ranking, Ranking]:
    """Among all false responses, and against the first of them alone."""
    among, against = Ranking(), Ranking()
    remaining = iter(groups)
    while batch := list(islice(remaining, BATCH)):
        contexts = [group.context for group in batch for _ in range(1 + len(group.false))]
        responses = [text for group in batch for text in (group.response, *group.false)]
        sizes = np.cumsum([1 + len(group.false) for group in batch])[:-1]
        for scores in np.split(np.asarray(scorer.score(contexts, responses)), sizes):
            among += rank(scores)
            against += rank(scores[:2])
    return among, against
