"""Contexts, true responses and false ones cut out of dialogues, as the corpus was released.

made = write_triples(Path("extracted"), Path("test.csv"), TripleOptions(negatives=9))
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from crosstalk.errors import InputError
from crosstalk.retrieval.files import write_groups, write_pairs
from crosstalk.retrieval.hard import hard_false
from crosstalk.retrieval.sampling import Sampling, evaluation_groups, training_pairs
from crosstalk.retrieval.splits import ReleasedFile, split
from crosstalk.retrieval.turns import TurnTable, read_turns

LAYOUTS: Final = ("pairs", "groups")


@dataclass(frozen=True, slots=True)
class TripleOptions:
    """What is written, and of which dialogues."""

    sampling: str = "v2"
    """`v1` or `v2`, as released."""
    negatives: int = 1
    """False responses to each true one."""
    layout: str | None = None
    """`pairs` to learn from, `groups` to choose from; None: by the number of false responses."""
    rows: int | None = None
    """Pairs of v2: so many, round and round; None: enough for every response once."""
    hard: bool = False
    """False responses are those nearest to the true one, by cosine."""
    split: str | None = None
    """How dialogues are parted, as `retrieval/splits.py` has it; None: all of them."""
    part: str = ""
    mask_names: bool = False
    """Without the names of the two speakers in what they say."""
    seed: int = 1

    def checked_layout(self) -> str:
        """The layout; raises where options do not go together."""
        if self.layout not in (None, *LAYOUTS):
            raise InputError(
                f"there is no layout called {self.layout!r}", remedy="Known: pairs, groups."
            )
        layout = self.layout or LAYOUTS[self.negatives > 1]
        if self.rows and (self.sampling != "v2" or layout != "pairs"):
            raise InputError(
                "--rows is for the pairs of v2 only",
                remedy="v1 uses every response once, and an evaluation file every dialogue once.",
            )
        if bool(self.split) != bool(self.part):
            raise InputError("--split and --part go together", remedy="Give both, or neither.")
        return layout


@dataclass(frozen=True, slots=True)
class Triples:
    """What was written."""

    rows: int
    dialogues: int


def write_triples(dialogues: Path, out: Path, options: TripleOptions) -> Triples:
    """Write a training or an evaluation file from a folder that `logs extract` wrote."""
    way = Sampling(_known("sampling", options.sampling, Sampling))
    layout = options.checked_layout()
    table = _part(read_turns(dialogues, masked=options.mask_names), options)
    negatives, seed = options.negatives, options.seed
    false = hard_false(table, way, seed) if options.hard else None
    if layout == "pairs":
        wanted = range(options.rows) if options.rows else None
        written = write_pairs(out, training_pairs(table, way, negatives, seed, wanted, false))
    else:
        groups = evaluation_groups(table, way, negatives, seed, false=false)
        written = write_groups(out, groups, negatives)
    return Triples(written, len(table))


def _part(table: TurnTable, options: TripleOptions) -> TurnTable:
    if not options.split:
        return table
    part = ReleasedFile(_known("part", options.part, ReleasedFile))
    found = split(table, options.split, part, seed=options.seed)
    if not len(found):
        raise InputError(
            f"none of {len(table):,} dialogues is in the part {options.part!r}",
            remedy="Split them another way.",
        )
    return found


def _known(what: str, given: str, kind: type[StrEnum]) -> str:
    if given not in list(kind):
        raise InputError(
            f"there is no {what} called {given!r}", remedy=f"Known: {', '.join(kind)}."
        )
    return given
