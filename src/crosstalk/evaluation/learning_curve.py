"""Scores of rankers against the size of their training data: the Ubuntu paper's Figure 4.

curve = LearningCurve(read_source(train), read_all_groups(test))
points = [curve.point(Order("char"), share) for share in (0.1, 1.0)]
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from crosstalk.errors import InputError
from crosstalk.evaluation.response_selection import select
from crosstalk.files import sha256_of
from crosstalk.retrieval.curve_points import CurvePoints, Point
from crosstalk.retrieval.ranker_folders import use_one_thread
from crosstalk.retrieval.sampling import ResponseGroup
from crosstalk.retrieval.training import RankerJob, Source, first_part, train_ranker
from crosstalk.retrieval.turns import TurnTable
from crosstalk.training.identity import digest_of
from crosstalk.training.reporter import SILENT, Reporter

SHARES: Final = "0.05,0.1,0.2,0.5,1"


def parse_shares(given: str) -> list[float]:
    """Shares of the data in rising order, each above 0 and up to 1."""
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
    """What all points of a figure share."""

    source: Source
    groups: Sequence[ResponseGroup]
    kept: CurvePoints = field(default=CurvePoints())
    reporter: Reporter = SILENT

    def point(self, order: RankerJob, share: float) -> Point:
        """A ranker trained on the first share of the data, or as it was kept."""
        part = first_part(self.source, share)
        return self.kept.point(self._key(order, part), partial(self._made, order, part, share))

    def _key(self, order: RankerJob, part: Source) -> dict[str, Any]:
        """The same for the same point; epochs and vectors only where there are any."""
        read = part.turns if isinstance(part, TurnTable) else part
        key = {"model": order.name, "seed": order.seed, "rows": len(part)}
        key |= {"learnt": digest_of(read), "test": digest_of(self.groups)}
        key |= {"epochs": order.epochs} if order.epochs else {}
        return key | ({"vectors": sha256_of(order.vectors)} if order.vectors else {})

    def _made(self, order: RankerJob, part: Source, share: float) -> Point:
        use_one_thread(order.name)
        selection = select(train_ranker(order, part).ranker, self.groups)
        recall = selection.among.recall(1)
        shown = "-" if recall is None else f"{recall:.2f}"
        self.reporter.notice(f"{order.name}, {len(part):,} rows: {shown}")
        interval = list(selection.among.interval(1) or ())
        return {"rows": len(part), "share": share, **selection.record(), "interval": interval}
