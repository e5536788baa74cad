"""`crosstalk retrieve index`: many responses made ready for `ask` and `chat`."""

from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli.options import AsJson
from crosstalk.cli.output import print_result, track


def index(
    source: Annotated[
        Path,
        typer.Argument(
            help="Where the responses are: a folder that `logs extract` wrote, a file of triples "
            "(.csv), or a text file with one response a line."
        ),
    ],
    model: Annotated[Path, typer.Option("--model", help="A folder that `retrieve train` wrote.")],
    out: Annotated[Path, typer.Option("--out", help="The folder of the index.")],
    as_json: AsJson = False,
) -> None:
    """Index every different response; about two minutes for a million with `best`."""
    from crosstalk.retrieval.index import make_index

    responses = list(dict.fromkeys(read_responses(source)))
    make_index(responses, model, out)
    facts = {"folder": str(out), "responses": len(responses)}
    print_result(f"{len(responses):,} responses", facts, as_json)


def read_responses(source: Path) -> list[str]:
    """All turns but the first of each dialogue; or true responses; or lines."""
    from crosstalk.files import open_text
    from crosstalk.retrieval.files import read_pairs
    from crosstalk.retrieval.turns import read_turns

    if source.is_dir():
        return [turn for turns in read_turns(source).turns for turn in turns[1:]]
    if ".csv" in source.suffixes:
        return [said for _, said, right in track(read_pairs(source), doing="reading") if right]
    with open_text(source) as lines:
        return [line.strip() for line in lines if line.strip()]
