"""Write triples (context, response, label) or candidate groups from dialogues, as released.

Here are also the splits by time or at random, and hard negatives: a block of rows shares a random
pool of responses, and a row takes those nearest to its true response by cosine (the paper's 6.2),
of shorter and of longer ones alike.

made = write_triples(Path("extracted"), Path("test.csv"), TripleOptions(negatives=9))
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import InputError
from crosstalk.retrieval.response_files import write_groups, write_pairs
from crosstalk.retrieval.response_sampling import (
    BLOCK,
    Cut,
    NegativeSampler,
    Numbers,
    Sampling,
    evaluation_groups,
    random_negatives,
    random_rows,
    training_pairs,
)
from crosstalk.retrieval.turn_table import TurnTable, read_turns

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from crosstalk.retrieval.tfidf import TfIdf

POOL = 2000
"""Size of the pool; in a larger one the nearest responses are often right answers."""
NEIGHBOURS = 250
"""Responses of the pool on either side of the true one by length, from which those nearest to it
by cosine are taken."""


@dataclass(frozen=True, slots=True)
class _Pool:
    """Responses by length, with their vectors."""

    texts: list[str]
    lengths: list[int]
    vectors: "csr_matrix"

    @classmethod
    def of(cls, texts: list[str], weights: "TfIdf") -> "_Pool":
        by_length = sorted(texts, key=len)
        return cls(by_length, list(map(len, by_length)), weights.vectors(by_length))

    def around(self, length: int, draw: float) -> tuple[range, range]:
        """Return the places of shorter and of longer responses; `draw` parts those as long."""
        first, last = bisect_left(self.lengths, length), bisect_right(self.lengths, length)
        middle = first + int(draw * (last - first + 1))
        shorter = range(max(0, middle - NEIGHBOURS), middle)
        return shorter, range(middle, min(len(self.texts), middle + NEIGHBOURS))


def hard_negatives(table: TurnTable, sampling: Sampling, seed: int) -> NegativeSampler:
    """Return a sampler of the most similar responses of a pool, except the true one's text.

    How many of them are shorter than the true one is drawn at random, so that length tells nothing.
    """
    from crosstalk.retrieval.tfidf import WORDS, learn_idf  # a second of imports, rarely needed

    weights = learn_idf(WORDS, (" ".join(turns) for turns in table.turns))
    anyone = random_negatives(table, sampling)

    @lru_cache(maxsize=2)
    def pool(block: int) -> _Pool:
        [numbers] = random_rows(~seed & (2**63 - 1), range(block, block + 1), 2 * POOL)
        return _Pool.of(anyone(0, Cut(0, 0, 0), numbers), weights)

    def nearest(row: int, cut: Cut, numbers: Numbers) -> list[str]:
        some, wanted = pool(row // BLOCK), len(numbers) // 2
        true = table.turns[cut.dialogue][cut.response]
        similar = (some.vectors @ weights.vectors([true]).T).toarray().ravel()
        shorter, longer = (
            _nearest(true, some.texts, places, similar)
            for places in some.around(len(true), numbers[1])
        )
        below = int(numbers[0] * (wanted + 1))
        below = max(min(below, len(shorter)), wanted - len(longer))
        chosen = [*shorter[:below], *longer[: wanted - below]]
        # the first alone is used where a group has two; no order may tell which are shorter
        mixed = [chosen[at] for at in np.argsort(numbers[wanted : wanted + len(chosen)])]
        return [*mixed, *anyone(row, cut, numbers)][:wanted]  # a tiny pool may hold too few

    return nearest


def _nearest(true: str, texts: list[str], places: range, similar: NDArray[np.float32]) -> list[str]:
    """Return the texts at some places that differ from the true one, the most similar first."""
    order = np.argsort(-similar[places.start : places.stop], kind="stable") + places.start
    return list(dict.fromkeys(texts[at] for at in order.tolist() if texts[at] != true))


class SplitPart(StrEnum):
    """The parts of a split, named like the released files."""

    TRAIN = "train"
    VALID = "valid"
    TEST = "test"


SHARES = (0.96, 0.02, 0.02)
"""Shares of train, valid and test in the first release."""


def split(table: TurnTable, how: str, part: SplitPart, *, seed: int = 1) -> TurnTable:
    """Keep one part. `how` is `random`, `time` or the last days of the first two parts."""
    places = {
        "random": lambda: _at_random(table, seed),
        "time": lambda: _by_time(table),
    }.get(how, lambda: _by_days(table, how))()
    number = list(SplitPart).index(part)
    return table.only(at for at, place in enumerate(places) if place == number)


def _at_random(table: TurnTable, seed: int) -> list[int]:
    """Choose by the question's digest, so that new dialogues do not move the others."""
    key = (seed % 2**64).to_bytes(8, "little")
    digests = (blake2b(text.encode(), key=key, digest_size=8) for text in table.questions)
    return _places([int.from_bytes(digest.digest(), "little") / 2**64 for digest in digests])


def _by_time(table: TurnTable) -> list[int]:
    """Choose by the share of dialogues that began earlier; copies of a question stay together."""
    earlier: dict[int, float] = {}
    for number, time in enumerate(sorted(table.times)):
        earlier.setdefault(time, number / len(table))
    return _places([earlier[time] for time in table.times])


def _places(shares: Sequence[float]) -> list[int]:
    first, second, _ = accumulate(SHARES)
    return [(share >= first) + (share >= second) for share in shares]


def _by_days(table: TurnTable, days: str) -> list[int]:
    try:
        first, second = (
            datetime.strptime(f"{day} 23:59:59", "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
            for day in days.split(",")
        )
    except ValueError as error:
        raise InputError(
            f"there is no way to split called {days!r}",
            remedy="Known: random, time, or two days such as 2012-04-27,2012-08-07.",
        ) from error
    if first >= second:
        raise InputError(
            f"--split {days}: the second part would end before the first",
            remedy="Give the last day of the first part, then that of the second.",
        )
    ends = first.timestamp(), second.timestamp()
    return [(time > ends[0]) + (time > ends[1]) for time in table.times]


LAYOUTS: Final = ("pairs", "groups")


@dataclass(frozen=True, slots=True)
class TripleOptions:
    """Options of `crosstalk retrieve triples`."""

    sampling: str = "v2"
    """`v1` or `v2`: the sampling of the first or the second release."""
    negatives: int = 1
    """False responses to each true one."""
    layout: str | None = None
    """`pairs` for training, `groups` for evaluation; None: groups if `negatives` > 1."""
    rows: int | None = None
    """v2 pairs: number of rows, cycling through the dialogues; None: every response once."""
    hard: bool = False
    """Use hard negatives: the responses nearest to the true one by cosine."""
    split: str | None = None
    """As `split` takes it; None: all dialogues."""
    part: str = ""
    mask_names: bool = False
    """Mask the names of the two speakers in the texts."""
    seed: int = 1

    def checked_layout(self) -> str:
        """Return the layout; raises `InputError` if options contradict each other."""
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
    """Counts of a written file."""

    rows: int
    dialogues: int


def write_triples(dialogues: Path, out: Path, options: TripleOptions) -> Triples:
    """Write a training or an evaluation file from a folder that `logs extract` wrote."""
    way = Sampling(_known("sampling", options.sampling, Sampling))
    layout = options.checked_layout()
    table = _part(read_turns(dialogues, masked=options.mask_names), options)
    negatives, seed = options.negatives, options.seed
    false = hard_negatives(table, way, seed) if options.hard else None
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
    part = SplitPart(_known("part", options.part, SplitPart))
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
