"""`crosstalk retrieve curve`: scores against the size of the training file (Figure 4)."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.options import AsJson, Seed
from crosstalk.cli.output import percent, print_json, print_table, warn
from crosstalk.cli.retrieve_data import (
    Epochs,
    TestFile,
    TrainingFile,
    WordVectors,
    read_source,
)
from crosstalk.cli.retrieve_evaluate import read_all_groups
from crosstalk.cli.retrieve_train import one_thread
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.retrieval.curve_points import CurvePoints
    from crosstalk.retrieval.sampling import Group
    from crosstalk.retrieval.training import Order, Source

RANKERS = ("char", "best")
SHARES = "0.05,0.1,0.2,0.5,1"


Shares = Annotated[str, typer.Option("--shares", help="Which shares of the data to train on.")]
PointFile = Annotated[
    Path | None,
    typer.Option(
        "--points",
        help="Keep the points in this JSON file; those that are in it are not made again.",
    ),
]
FigureFile = Annotated[Path | None, typer.Option("--figure", help="Draw it: .svg, .pdf or .png.")]
RankerNames = Annotated[
    list[str] | None,
    typer.Option("--model", help="May be given several times. Default: char and best."),
]


def curve(
    data: TrainingFile,
    test: TestFile,
    model: RankerNames = None,
    shares: Shares = SHARES,
    vectors: WordVectors = None,
    epochs: Epochs = None,
    points: PointFile = None,
    figure: FigureFile = None,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Train on ever more of the data, and score each: the paper's Figure 4."""
    from crosstalk.reports.figures import draw_curve
    from crosstalk.retrieval.curve_points import CurvePoints
    from crosstalk.retrieval.models import RECURRENT
    from crosstalk.retrieval.training import Order

    wanted, names = _shares(shares), model or RANKERS
    setting = _Setting(read_source(data), read_all_groups(test), CurvePoints(points))
    found = {}
    for name in names:
        own = vectors if name in RECURRENT else None
        order = Order(name, seed=seed, epochs=epochs, vectors=own)
        found[name] = [setting.point(order, share) for share in wanted]
    if figure:
        draw_curve(found, figure)
    if as_json:
        print_json(found)
    else:
        _print(found)


def _shares(given: str) -> list[float]:
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
class _Setting:
    """What all points of a figure share."""

    source: "Source"
    groups: "list[Group]"
    kept: "CurvePoints"

    def point(self, order: "Order", share: float) -> dict[str, Any]:
        from crosstalk.retrieval.training import first_part

        part = first_part(self.source, share)
        return self.kept.point(self._key(order, part), partial(self._made, order, part, share))

    def _key(self, order: "Order", part: "Source") -> dict[str, Any]:
        """The same for the same point; epochs and vectors only where there are any."""
        from crosstalk.files import sha256_of
        from crosstalk.retrieval.turns import TurnTable
        from crosstalk.training.identity import digest_of

        read = part.turns if isinstance(part, TurnTable) else part
        key = {"model": order.name, "seed": order.seed, "rows": len(part)}
        key |= {"learnt": digest_of(read), "test": digest_of(self.groups)}
        key |= {"epochs": order.epochs} if order.epochs else {}
        return key | ({"vectors": sha256_of(order.vectors)} if order.vectors else {})

    def _made(self, order: "Order", part: "Source", share: float) -> dict[str, Any]:
        from crosstalk.evaluation.response_selection import select
        from crosstalk.retrieval.training import train_ranker

        one_thread(order.name)
        selection = select(train_ranker(order, part).ranker, self.groups)
        warn(f"{order.name}, {len(part):,} rows: {percent(selection.among.recall(1))}")
        interval = list(selection.among.interval(1) or ())
        return {"rows": len(part), "share": share, **selection.record(), "interval": interval}


def _print(points: dict[str, list[dict[str, Any]]]) -> None:
    first = next(iter(points.values()))[0]
    columns = [name for name in first if name not in ("rows", "share", "interval")]
    rows = [
        [f"{name}, {point['rows']:,} rows", *(percent(point[column]) for column in columns)]
        for name, each in points.items()
        for point in each
    ]
    print_table("Score by size of the training data", ["", *columns], rows)
