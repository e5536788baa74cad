"""What the commands of `crosstalk retrieve` read: a file of either release, or dialogues."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.output import track

if TYPE_CHECKING:
    from crosstalk.retrieval.training import Source

TrainingFile = Annotated[Path, typer.Option("--data", help="As for `retrieve train`.")]
TestFile = Annotated[Path, typer.Option("--test", help="An evaluation file.")]
WordVectors = Annotated[
    Path | None,
    typer.Option("--vectors", help="rnn, lstm: word vectors, a word and its numbers a line."),
]
Epochs = Annotated[
    int | None, typer.Option("--epochs", min=1, help="rnn, lstm, best: at most so many.")
]


def read_source(data: Path) -> "Source":
    """The pairs of a training file, or the dialogues of a folder that `logs extract` wrote."""
    from crosstalk.errors import InputError
    from crosstalk.retrieval.files import read_pairs
    from crosstalk.retrieval.turns import read_turns

    if data.is_dir():
        return read_turns(data)
    pairs = list(track(read_pairs(data), doing="reading"))
    if not any(right for _, _, right in pairs):
        raise InputError(
            f"{data}: no true response to learn from",
            remedy="A training file has rows with the label 1; "
            "`crosstalk retrieve triples` makes some.",
        )
    return pairs
