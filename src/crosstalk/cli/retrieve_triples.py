"""`crosstalk retrieve triples`: contexts, true responses and false ones out of dialogues."""

from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli.options import Seed
from crosstalk.errors import InputError


def triples(
    dialogues: Annotated[Path, typer.Argument(help="A folder that `logs extract` wrote.")],
    out: Annotated[Path, typer.Option("--out", help="The CSV file to write.")],
    sampling: Annotated[str, typer.Option("--sampling", help="v1 or v2, as released.")] = "v2",
    negatives: Annotated[
        int,
        typer.Option(
            "--negatives",
            min=1,
            help="False responses to each true one; 1 writes a training file, more an evaluation.",
        ),
    ] = 1,
    seed: Seed = 1,
) -> None:
    """Write a file as the corpus was released: training pairs, or groups to choose from."""
    from crosstalk.retrieval.files import write_groups, write_pairs
    from crosstalk.retrieval.sampling import Sampling, evaluation_groups, training_pairs
    from crosstalk.retrieval.turns import read_turns

    if sampling not in list(Sampling):
        raise InputError(f"there is no sampling called {sampling!r}", remedy="Known: v1, v2.")
    table = read_turns(dialogues)
    way = Sampling(sampling)
    if negatives == 1:
        rows = write_pairs(out, training_pairs(table, way, negatives, seed))
    else:
        rows = write_groups(out, evaluation_groups(table, way, negatives, seed), negatives)
    print(f"{rows:,} rows from {len(table):,} dialogues")
