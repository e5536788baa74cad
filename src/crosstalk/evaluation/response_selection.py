"""Rankers on groups of one true and several false responses."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

import numpy as np

from crosstalk.errors import InputError
from crosstalk.evaluation.ranking import Ranking, rank_all
from crosstalk.retrieval.sampling import Group
from crosstalk.retrieval.scorers import Scores

BATCH = 500
AT = (1, 2, 5)


class PairScorer(Protocol):
    """Anything that scores pairs."""

    def score(self, contexts: list[str], responses: list[str]) -> Scores: ...


@dataclass(frozen=True, slots=True)
class Selection:
    """How often the true response is found, by the paper's measures."""

    among: Ranking
    """Among all responses of a group."""
    against: Ranking
    """Against the first false one alone."""
    size: int
    """Responses in a group."""

    def record(self) -> dict[str, float | None]:
        """`r10@1`: recall at 1 among 10. All in percent."""
        recalls = {f"r{self.size}@{k}": self.among.recall(k) for k in AT}
        return {"r2@1": self.against.recall(1)} | recalls | {"mrr": self.among.reciprocal_rank}

    def intervals(self) -> dict[str, tuple[float, float] | None]:
        """95 % bootstrap intervals of the same."""
        recalls = {f"r{self.size}@{k}": self.among.interval(k) for k in AT}
        rank = {"mrr": self.among.reciprocal_rank_interval()}
        return {"r2@1": self.against.interval(1)} | recalls | rank


def select(scorer: PairScorer, groups: Iterable[Group]) -> Selection:
    """Refuses groups of different sizes: their recalls do not compare."""
    scores: list[Scores] = []
    for batch in _batches(groups):
        scores += _scores(scorer, batch)
    sizes = {len(each) for each in scores}
    if len(sizes) > 1:
        raise InputError(
            f"groups of {', '.join(map(str, sorted(sizes)))} responses in one file",
            remedy="Give each true response the same number of false ones.",
        )
    among, against = rank_all(scores), rank_all(each[:2] for each in scores)
    return Selection(among, against, sizes.pop() if sizes else 0)


def rank_groups(scorer: PairScorer, groups: Iterable[Group]) -> tuple[Ranking, Ranking]:
    """Among all false responses, and against the first of them alone."""
    selection = select(scorer, groups)
    return selection.among, selection.against


def _batches(groups: Iterable[Group]) -> Iterator[list[Group]]:
    remaining = iter(groups)
    while batch := list(islice(remaining, BATCH)):
        yield batch


def _scores(scorer: PairScorer, batch: list[Group]) -> list[Any]:
    contexts = [group.context for group in batch for _ in range(1 + len(group.false))]
    responses = [text for group in batch for text in (group.response, *group.false)]
    sizes = np.cumsum([1 + len(group.false) for group in batch])[:-1]
    return list(np.split(np.asarray(scorer.score(contexts, responses)), sizes))
