"""`crosstalk retrieve evaluate`: how often the true response is found among false ones."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.options import AsJson
from crosstalk.cli.output import percent, print_json, print_table, track

if TYPE_CHECKING:
    from crosstalk.evaluation.ranking import Ranking
    from crosstalk.evaluation.response_selection import PairScorer

AT = (1, 2, 5)


def evaluate(
    model: Annotated[Path, typer.Option("--model", help="A folder that `retrieve train` wrote.")],
    data: Annotated[
        Path, typer.Option("--data", help="An evaluation file, as `retrieve triples` writes.")
    ],
    as_json: AsJson = False,
) -> None:
    """Recall at k and mean reciprocal rank, beside chance and the longest response.

    A tie counts as breaking it at random does on average.
    """
    from crosstalk.evaluation.response_selection import rank_groups
    from crosstalk.files import sha256_of
    from crosstalk.retrieval.files import read_groups
    from crosstalk.retrieval.models import load_ranker
    from crosstalk.retrieval.scorers import Chance, LengthOnly

    scorers: dict[str, PairScorer] = {
        model.name: load_ranker(model),
        "longest": LengthOnly(),
        "chance": Chance(),
    }
    groups = list(track(read_groups(data), doing="reading"))
    records = {
        name: _record(*rank_groups(scorer, track(groups, doing=name)))
        for name, scorer in scorers.items()
    }
    if as_json:
        baselines = {name: records[name] for name in ("longest", "chance")}
        print_json(
            {**records[model.name], "baselines": baselines, "groups": len(groups)}
            | {"data": sha256_of(data)}
        )
    else:
        _print(records, len(groups))


def _record(among: "Ranking", against: "Ranking") -> dict[str, Any]:
    return {
        "r2@1": against.recall(1),
        **{f"r10@{k}": among.recall(k) for k in AT},
        "mrr": among.reciprocal_rank,
        "r10@1_interval": among.interval(1),
    }


def _print(records: dict[str, dict[str, Any]], groups: int) -> None:
    columns = ["r2@1", *(f"r10@{k}" for k in AT), "mrr"]
    rows = [
        [name, *(percent(record[column]) for column in columns)] for name, record in records.items()
    ]
    print_table(f"{groups:,} groups", ["", *columns], rows)
