"""`crosstalk retrieve evaluate`: how often the true response is found among false ones."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.options import AsJson
from crosstalk.cli.output import percent, print_json, print_table, track

if TYPE_CHECKING:
    from crosstalk.evaluation.response_selection import PairScorer, Selection
    from crosstalk.retrieval.sampling import Group

PUBLISHED = {
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


def evaluate(
    model: Annotated[Path, typer.Option("--model", help="A folder that `retrieve train` wrote.")],
    data: Annotated[
        Path, typer.Option("--data", help="An evaluation file, as `retrieve triples` writes.")
    ],
    published: Annotated[
        bool, typer.Option("--published", help="Show the paper's scores on its whole corpus too.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Recall at k and mean reciprocal rank, beside chance and the longest response.

    A tie counts as breaking it at random does on average.
    """
    from crosstalk.files import sha256_of
    from crosstalk.retrieval.models import load_ranker

    groups = read_all_groups(data)
    name = model.resolve().name
    selections = with_baselines(name, load_ranker(model), groups)
    if as_json:
        baselines = {each: selections[each].record() for each in ("longest", "chance")}
        print_json(
            selections[name].record()
            | {"intervals": selections[name].intervals(), "baselines": baselines}
            | {"groups": len(groups), "data": sha256_of(data)}
        )
    else:
        print_selections(selections, len(groups), published=published)


def read_all_groups(data: Path) -> "list[Group]":
    from crosstalk.errors import InputError
    from crosstalk.retrieval.files import read_groups

    groups = list(track(read_groups(data), doing="reading"))
    if not groups:
        raise InputError(
            f"{data}: no true response with false ones beside it",
            remedy="Make some: crosstalk retrieve triples DIR --negatives 9 --out FILE",
        )
    return groups


def with_baselines(
    name: str, scorer: "PairScorer", groups: "list[Group]"
) -> "dict[str, Selection]":
    """The ranker, and what length alone and chance give."""
    from crosstalk.evaluation.response_selection import select
    from crosstalk.retrieval.scorers import Chance, LengthOnly

    baselines: dict[str, PairScorer] = {"longest": LengthOnly(), "chance": Chance()}
    scorers = {name: scorer} | baselines
    return {each: select(scorer, track(groups, doing=each)) for each, scorer in scorers.items()}


def print_selections(
    selections: "dict[str, Selection]", groups: int, *, published: bool = False
) -> None:
    columns = list(next(iter(selections.values())).record())
    rows = [[name, *_cells(selection)] for name, selection in selections.items()]
    if published:
        rows += [
            [f"{name} {release}", *map(percent, figures), "-"]
            for release, table in PUBLISHED.items()
            for name, figures in table.items()
        ]
    print_table(f"{groups:,} groups", ["", *columns], rows)


def _cells(selection: "Selection") -> list[str]:
    """Each figure with half the width of its interval."""
    intervals: dict[str, Any] = selection.intervals()
    cells = []
    for column, value in selection.record().items():
        low, high = intervals[column] or (0.0, 0.0)
        cells.append(f"{percent(value)} ±{(high - low) / 2:.1f}")
    return cells
