"""Response selection: scores of rankers on groups of one true and several false responses.

    select(ranker, read_all_groups(Path("test.jsonl"))).record()["r10@1"]

`LearningCurve` trains rankers on shares of the data and scores them (the Ubuntu paper's Figure 4).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import FileProblem, InputError
from crosstalk.evaluation.scores import bootstrap_mean
from crosstalk.files import read_json, sha256_of, writing
from crosstalk.retrieval.rankers import RankerJob, Source, first_part, train_ranker, use_one_thread
from crosstalk.retrieval.response_files import read_groups
from crosstalk.retrieval.response_sampling import ResponseGroup
from crosstalk.retrieval.scorers import Chance, LengthOnly, Scores
from crosstalk.retrieval.turn_table import TurnTable
from crosstalk.training.identity import digest_of
from crosstalk.training.reporter import SILENT, Reporter

Point = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CurvePoints:
    """A file of computed points, each with its key; None: nothing is stored."""

    file: Path | None = None

    def point(self, key: Mapping[str, Any], make: Callable[[], Point]) -> Point:
        """The stored point of this key, or a new one."""
        kept = self._read()
        for each in kept:
            if each["of"] == key:
                return dict(each["point"])
        made = make()
        if self.file:
            with writing(self.file) as text:
                json.dump([*kept, {"of": dict(key), "point": made}], text, indent=1)
                text.write("\n")
        return made

    def _read(self) -> list[dict[str, Any]]:
        if self.file is None or not self.file.exists():
            return []
        kept = read_json(self.file)
        if not isinstance(kept, list) or not all(_is_point(each) for each in kept):
            raise FileProblem(
                f"{self.file}: not a file of points", remedy="Name another file with --points."
            )
        return kept


def _is_point(raw: Any) -> bool:
    return isinstance(raw, dict) and {"of", "point"} <= set(raw) and isinstance(raw["point"], dict)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The rank of the true response in each group; rankings of several files add."""

    better: tuple[int, ...] = ()
    """False responses scored above the true one."""
    tied: tuple[int, ...] = field(default=())
    """False responses scored the same."""

    def __add__(self, other: "Ranking") -> "Ranking":
        return Ranking(self.better + other.better, self.tied + other.tied)

    def recall(self, k: int) -> float | None:
        """Percent of groups with the true response among the k best."""
        return _percent(self._recalls(k))

    @property
    def reciprocal_rank(self) -> float | None:
        """Mean of 1 / rank, in percent."""
        return _percent(self._reciprocals())

    def interval(self, k: int, *, seed: int = 1, samples: int = 1000) -> tuple[float, float] | None:
        """95 % bootstrap interval of recall at k, over groups."""
        return _interval(self._recalls(k), seed, samples)

    def reciprocal_rank_interval(
        self, *, seed: int = 1, samples: int = 1000
    ) -> tuple[float, float] | None:
        """95 % bootstrap interval of the mean reciprocal rank."""
        return _interval(self._reciprocals(), seed, samples)

    def _recalls(self, k: int) -> NDArray[np.float64]:
        better, tied = np.array(self.better), np.array(self.tied)
        return np.clip((k - better) / (tied + 1), 0, 1) if len(better) else np.zeros(0)

    def _reciprocals(self) -> NDArray[np.float64]:
        return np.array(
            [
                sum(1 / (better + place) for place in range(1, tied + 2)) / (tied + 1)
                for better, tied in zip(self.better, self.tied, strict=True)
            ]
        )


def rank(scores: Sequence[float] | NDArray[np.float64]) -> Ranking:
    """One group: the score of the true response first, then those of the false ones."""
    return rank_all([np.asarray(scores, dtype=np.float64)])


def rank_all(groups: Iterable[NDArray[np.float64]]) -> Ranking:
    """Many groups, each as in `rank`. A score that is not a number counts as the lowest."""
    better, tied = [], []
    for scores in groups:
        values = np.nan_to_num(scores, nan=-np.inf)
        better.append(int((values[1:] > values[0]).sum()))
        tied.append(int((values[1:] == values[0]).sum()))
    return Ranking(tuple(better), tuple(tied))


def _percent(values: NDArray[np.float64]) -> float | None:
    return 100 * float(values.mean()) if len(values) else None


def _interval(values: NDArray[np.float64], seed: int, samples: int) -> tuple[float, float] | None:
    found = bootstrap_mean(values, seed=seed, draws=samples)
    return None if found is None else (100 * found[0], 100 * found[1])


BATCH = 500
AT = (1, 2, 5)


PUBLISHED: Final = {
    "v1": {
        "TF-IDF": (65.9, 41.0, 54.5, 70.8),
        "RNN": (76.8, 40.3, 54.7, 81.9),
        "LSTM": (87.8, 60.4, 74.5, 92.6),
    },
    "v2": {
        "TF-IDF": (74.9, 48.8, 58.7, 76.3),
        "RNN": (77.7, 37.9, 56.1, 83.6),
        "LSTM": (86.9, 55.2, 72.1, 92.4),
    },
}
"""Table 3 of the paper and the notes of the second release: the whole corpus, not these data."""


class PairScorer(Protocol):
    """A ranker: scores pairs of context and response."""

    def score(self, contexts: list[str], responses: list[str]) -> Scores: ...


@dataclass(frozen=True, slots=True)
class Selection:
    """How often the true response is found, by the paper's measures."""

    among: Ranking
    """Among all responses of a group."""
    against: Ranking
    """Against only the first false one."""
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


def select(scorer: PairScorer, groups: Iterable[ResponseGroup]) -> Selection:
    """Score a ranker; refuses groups of different sizes, whose recalls do not compare."""
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


def read_all_groups(data: Path, reporter: Reporter = SILENT) -> list[ResponseGroup]:
    """The groups of an evaluation file; raises if there are none."""
    groups = list(reporter.track(read_groups(data), doing="reading"))
    if not groups:
        raise InputError(
            f"{data}: no true response with false ones beside it",
            remedy="Make some: crosstalk retrieve triples DIR --negatives 9 --out FILE",
        )
    return groups


def with_baselines(
    name: str, scorer: PairScorer, groups: Sequence[ResponseGroup], reporter: Reporter = SILENT
) -> dict[str, Selection]:
    """Scores of a ranker, and of the baselines `longest` (by length) and `chance`."""
    scorers: dict[str, PairScorer] = {name: scorer, "longest": LengthOnly(), "chance": Chance()}
    return {
        each: select(scorer, reporter.track(groups, doing=each)) for each, scorer in scorers.items()
    }


def _batches(groups: Iterable[ResponseGroup]) -> Iterator[list[ResponseGroup]]:
    remaining = iter(groups)
    while batch := list(islice(remaining, BATCH)):
        yield batch


def _scores(scorer: PairScorer, batch: list[ResponseGroup]) -> list[Any]:
    contexts = [group.context for group in batch for _ in range(1 + len(group.false))]
    responses = [text for group in batch for text in (group.response, *group.false)]
    sizes = np.cumsum([1 + len(group.false) for group in batch])[:-1]
    return list(np.split(np.asarray(scorer.score(contexts, responses)), sizes))


SHARES: Final = "0.05,0.1,0.2,0.5,1"


def parse_shares(given: str) -> list[float]:
    """Parse shares of the data: above 0, up to 1; sorted."""
    try:
        shares = sorted(float(share) for share in given.split(","))
    except ValueError:
        shares = []
    if not shares or shares[0] <= 0 or shares[-1] > 1:
        raise InputError(
            f"--shares {given}: not shares of the data", remedy=f"Such as {SHARES}, up to 1."
        )
    return shares


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """The data that all points of a learning curve share."""

    source: Source
    groups: Sequence[ResponseGroup]
    kept: CurvePoints = field(default=CurvePoints())
    reporter: Reporter = SILENT

    def point(self, order: RankerJob, share: float) -> Point:
        """The score of a ranker trained on the first share of the data, or the stored one."""
        part = first_part(self.source, share)
        return self.kept.point(self._key(order, part), partial(self._made, order, part, share))

    def _key(self, order: RankerJob, part: Source) -> dict[str, Any]:
        """The key of a point; with epochs and vectors only if they are set."""
        read = part.turns if isinstance(part, TurnTable) else part
        key = {"model": order.name, "seed": order.seed, "rows": len(part)}
        key |= {"learnt": digest_of(read), "test": digest_of(self.groups)}
        key |= {"epochs": order.epochs} if order.epochs else {}
        key |= {name: str(value) for name, value in order.recurrent.given.items()}
        return key | ({"vectors": sha256_of(order.vectors)} if order.vectors else {})

    def _made(self, order: RankerJob, part: Source, share: float) -> Point:
        use_one_thread(order.name)
        selection = select(train_ranker(order, part).ranker, self.groups)
        recall = selection.among.recall(1)
        shown = "-" if recall is None else f"{recall:.2f}"
        self.reporter.notice(f"{order.name}, {len(part):,} rows: {shown}")
        interval = list(selection.among.interval(1) or ())
        return {"rows": len(part), "share": share, **selection.record(), "interval": interval}
