"""Response retrieval trained in one language and evaluated in another: R_100@k over seeds.

order = RetrievalRequest("en", "zh", 0, data, models)
evaluate_retrieval(order, Path("test-zh.json"), seeds=(1, 2, 3))["r100@1"]
"""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import InputError
from crosstalk.evaluation.response_selection import Ranking
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.transfer.retrieval_task import (
    RetrievalExchange,
    RetrievalRequest,
    candidate_lists,
    exchanges_of,
)
from crosstalk.transfer.retriever_builder import RetrieverBuilder, retriever_builder
from crosstalk.transfer.transfer_corpora import (
    name_of,
    read_dialogue_texts,
    refuse_share,
    refuse_unknown_language,
)


def parse_seeds(text: str) -> tuple[int, ...]:
    """Parse seeds, such as `1,2,3`."""
    try:
        return tuple(int(each) for each in text.split(","))
    except ValueError as error:
        raise InputError(f"--seeds {text}: not numbers", remedy="Give such as 1,2,3.") from error


def refuse_unknown(order: RetrievalRequest) -> None:
    """Raise for unknown languages and shares before anything is read."""
    for option, language in (("--source", order.source), ("--target", order.target)):
        refuse_unknown_language(option, language)
    refuse_share(order.shots)


def evaluate_retrieval(
    order: RetrievalRequest,
    test: Path,
    model: str = "best",
    *,
    seeds: Sequence[int] = (1, 2, 3),
    distinct: bool = False,
    reporter: Reporter = SILENT,
) -> dict[str, Any]:
    """Figures as means over the seeds and seed by seed, as JSON.

    `distinct`: each text once in a candidate list.
    """
    refuse_unknown(order)
    making, exchanges = retriever_builder(model, order), judged_exchanges(test)
    found = _by_seed(making, exchanges, seeds, distinct, reporter)
    means = {name: round(fmean(each[name] for each in found), 2) for name in found[0]}
    return {
        **means,
        "seeds": list(seeds),
        "data": name_of(test, order.target) or test.name,
        "source": order.source,
        "target": order.target,
        "spread": {name: _spread(found, name) for name in found[0]},
        "by_seed": found,
        "exchanges": len(exchanges),
        "model": model,
        **({"encoder": Path(order.encoder).name} if model == "published" else {}),
        "shots": order.shots,
        "protocol": "paper" if order.published else "corrected",
        "distinct": distinct,
    }


def _spread(found: Sequence[dict[str, float]], name: str) -> list[float] | None:
    """The lowest and the highest figure of several seeds."""
    values = [each[name] for each in found]
    return [min(values), max(values)] if len(values) > 1 else None


def judged_exchanges(test: Path) -> list[RetrievalExchange]:
    """The exchanges of a test file; raises if there are too few."""
    exchanges = exchanges_of(read_dialogue_texts(test))
    candidate_lists(len(exchanges), seed=0)
    return exchanges


def _by_seed(
    making: RetrieverBuilder,
    exchanges: Sequence[RetrievalExchange],
    seeds: Sequence[int],
    distinct: bool,
    reporter: Reporter,
) -> list[dict[str, float]]:
    """The figures of each seed; without shots the exchanges are encoded only once."""
    responses, found = [each.response for each in exchanges], []
    read = None if making.request.shots else making.retriever(seeds[0])(exchanges)
    for seed in reporter.track(seeds, doing="ranking", total=len(seeds)):
        reading = read or making.retriever(seed)(exchanges)
        found.append(figures(rank_answers(reading, responses, seed=seed, distinct=distinct)))
    return found


AT: Final = (1, 3, 5, 10)


class EncodedCorpus(Protocol):
    """A corpus that a retriever has encoded."""

    def among(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.floating]:
        """Scores: one row per exchange asked, one column per candidate answer."""
        ...


def rank_answers(
    reading: EncodedCorpus, responses: Sequence[str], *, seed: int, distinct: bool = False
) -> Ranking:
    """The rank of the true answer of every exchange among its hundred candidates."""
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
    """Which candidates count: the first of each text, without copies of the true answer."""
    first = {responses[each]: place for place, each in reversed(list(enumerate(candidates)))}
    counts = np.array([first[responses[each]] == place for place, each in enumerate(candidates)])
    twins = np.array([[responses[a] == responses[c] for c in candidates] for a in asked])
    return np.asarray(counts[None, :] & ~twins)


def figures(ranking: Ranking) -> dict[str, float]:
    return {f"r100@{k}": round(ranking.recall(k) or 0.0, 2) for k in AT}
