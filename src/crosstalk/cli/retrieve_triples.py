"""`crosstalk retrieve triples`: contexts, true responses and false ones out of dialogues."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.options import AsJson, Seed
from crosstalk.cli.output import print_result
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from enum import StrEnum

    from crosstalk.retrieval.turns import TurnTable

LAYOUTS = ("pairs", "groups")


Dialogues = Annotated[Path, typer.Argument(help="A folder that `logs extract` wrote.")]
Out = Annotated[Path, typer.Option("--out", help="The CSV file to write.")]
SamplingName = Annotated[str, typer.Option("--sampling", help="v1 or v2, as released.")]
Negatives = Annotated[
    int, typer.Option("--negatives", min=1, help="False responses to each true one.")
]
Layout = Annotated[
    str | None,
    typer.Option(
        "--layout",
        help="pairs: a training file; groups: an evaluation file. Default: pairs for one "
        "false response, groups for more.",
    ),
]
RowCount = Annotated[
    int | None,
    typer.Option(
        "--rows",
        min=1,
        help="v2 pairs: so many, round and round (released: a million). Default: enough for "
        "every response once.",
    ),
]
Hard = Annotated[
    bool, typer.Option("--hard", help="False responses nearest to the true one, by cosine.")
]
Split = Annotated[
    str | None,
    typer.Option(
        "--split",
        help="Keep one part: random, time, or the last days of the first two parts "
        "(v2: 2012-04-27,2012-08-07). Copies of a question stay together.",
    ),
]
MaskNames = Annotated[
    bool,
    typer.Option("--mask-names", help="Without the names of the two speakers in what they say."),
]
PartName = Annotated[str, typer.Option("--part", help="train, valid or test, with --split.")]


def triples(
    dialogues: Dialogues,
    out: Out,
    sampling: SamplingName = "v2",
    negatives: Negatives = 1,
    layout: Layout = None,
    rows: RowCount = None,
    hard: Hard = False,
    split: Split = None,
    part: PartName = "",
    mask_names: MaskNames = False,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Write a file as the corpus was released: training pairs, or groups to choose from."""
    from crosstalk.retrieval.files import write_groups, write_pairs
    from crosstalk.retrieval.hard import hard_false
    from crosstalk.retrieval.sampling import Sampling, evaluation_groups, training_pairs
    from crosstalk.retrieval.turns import read_turns

    way = Sampling(_known("sampling", sampling, Sampling))
    layout = _layout(layout, negatives)
    _refuse_misplaced(way, layout, rows=rows, split=split, part=part)
    table = _part(read_turns(dialogues, masked=mask_names), split, part, seed)
    false = hard_false(table, way, seed) if hard else None
    if layout == "pairs":
        wanted = range(rows) if rows else None
        written = write_pairs(out, training_pairs(table, way, negatives, seed, wanted, false))
    else:
        groups = evaluation_groups(table, way, negatives, seed, false=false)
        written = write_groups(out, groups, negatives)
    facts = {"file": str(out), "rows": written, "dialogues": len(table)}
    print_result(f"{written:,} rows from {len(table):,} dialogues", facts, as_json)


def _part(table: "TurnTable", split: str | None, part: str, seed: int) -> "TurnTable":
    from crosstalk.retrieval.splits import Part
    from crosstalk.retrieval.splits import split as split_table

    if not split:
        return table
    found = split_table(table, split, Part(_known("part", part, Part)), seed=seed)
    if not len(found):
        raise InputError(
            f"none of {len(table):,} dialogues is in the part {part!r}",
            remedy="Split them another way.",
        )
    return found


def _known(what: str, given: str, kind: "type[StrEnum]") -> str:
    if given not in list(kind):
        raise InputError(
            f"there is no {what} called {given!r}", remedy=f"Known: {', '.join(kind)}."
        )
    return given


def _layout(given: str | None, negatives: int) -> str:
    if given not in (None, *LAYOUTS):
        raise InputError(f"there is no layout called {given!r}", remedy="Known: pairs, groups.")
    return given or LAYOUTS[negatives > 1]


def _refuse_misplaced(
    sampling: str, layout: str, *, rows: int | None, split: str | None, part: str
) -> None:
    if rows and (sampling != "v2" or layout != "pairs"):
        raise InputError(
            "--rows is for the pairs of v2 only",
            remedy="v1 uses every response once, and an evaluation file every dialogue once.",
        )
    if bool(split) != bool(part):
        raise InputError("--split and --part go together", remedy="Give both, or neither.")
