"""`crosstalk retrieve curve`: scores against the size of the training file (Figure 4)."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.options import AsJson, Seed
from crosstalk.cli.output import percent, print_json, print_table, warn
from crosstalk.cli.retrieve_data import read_source
from crosstalk.cli.retrieve_evaluate import read_all_groups
from crosstalk.cli.retrieve_train import one_thread
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.retrieval.sampling import Group
    from crosstalk.retrieval.teaching import Source

RANKERS = ("char", "best")
SHARES = "0.05,0.1,0.2,0.5,1"


def curve(
    data: Annotated[Path, typer.Option("--data", help="As for `retrieve train`.")],
    test: Annotated[Path, typer.Option("--test", help="An evaluation file.")],
    model: Annotated[
        list[str] | None,
        typer.Option("--model", help="May be given several times. Default: char and best."),
    ] = None,
    shares: Annotated[
        str, typer.Option("--shares", help="Which shares of the data to train on.")
    ] = SHARES,
    figure: Annotated[
        Path | None, typer.Option("--figure", help="Draw it: .svg, .pdf or .png.")
    ] = None,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Train on ever more of the data, and score each: the paper's Figure 4."""
    from crosstalk.reports.retrieval_curve import draw_curve

    wanted = _shares(shares)
    source, groups = read_source(data), read_all_groups(test)
    points = {
        name: [_point(name, source, share, groups, seed) for share in wanted]
        for name in model or RANKERS
    }
    if figure:
        draw_curve(points, figure)
    if as_json:
        print_json(points)
    else:
        _print(points)


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


def _point(
    name: str, source: "Source", share: float, groups: "list[Group]", seed: int
) -> dict[str, Any]:
    from crosstalk.evaluation.response_selection import select
    from crosstalk.retrieval.teaching import Order, first_part, train_ranker

    one_thread(name)
    part = first_part(source, share)
    selection = select(train_ranker(Order(name, seed=seed), part).ranker, groups)
    interval = selection.among.interval(1)
    warn(f"{name}, {len(part):,} rows: {percent(selection.among.recall(1))}")
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
