"""What the commands of `crosstalk retrieve` read: a file of either release, or dialogues."""

from pathlib import Path
from typing import TYPE_CHECKING

from crosstalk.cli.output import track

if TYPE_CHECKING:
    from crosstalk.retrieval.teaching import Source


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
