"""Splits a corpus into parts by dialogue.

    split_corpus(Path("corpus.jsonl"), Path("parts"), {"train": 0.9, "test": 0.1})

By default the part of a dialogue depends only on its id, the seed and the shares: dialogues added
later never move one from train to test. `exact_parts` makes the shares exact within each goal type;
then a few dialogues at the borders may move when others are added.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from crosstalk.corpora.chat import LookUps
from crosstalk.corpora.corpus import read_corpus, write_corpus
from crosstalk.corpora.dataset_card import CardCounts, Counted
from crosstalk.corpora.dataset_export import DatasetExport
from crosstalk.corpora.formats import find_format
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError
from crosstalk.training.reporter import SILENT, Reporter

Shares = Mapping[str, float]
"""Part -> share; the shares add up to one."""
EXAMPLE = "Write, for example, --parts train=0.8,val=0.1,test=0.1."


@dataclass(frozen=True, slots=True)
class Entry:
    """The id and goal type of a dialogue."""

    id: str
    kind: str
    """Its goal type; empty where it has none."""


def entry(dialogue: Dialogue) -> Entry:
    kind = dialogue.goal.type if dialogue.goal else None
    return Entry(dialogue.id, kind.value if kind else "")


def parse_shares(text: str) -> dict[str, float]:
    """Parse `train=0.8,val=0.1,test=0.1`."""
    shares: dict[str, float] = {}
    for each in text.split(","):
        name, mark, share = (piece.strip() for piece in each.partition("="))
        if not mark or not name or name in shares or not name.replace("-", "").isalnum():
            raise InputError(f"cannot read the part {each!r}", remedy=EXAMPLE)
        shares[name] = _share(share, each)
    if abs(sum(shares.values()) - 1) > 1e-6:
        total = sum(shares.values())
        raise InputError(f"the shares add up to {total:g}, not to 1", remedy=EXAMPLE)
    return shares


def _share(text: str, each: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1
    if not 0 < share <= 1:
        raise InputError(f"the share in {each!r} is not between 0 and 1", remedy=EXAMPLE)
    return share


def stable_parts(entries: Iterable[Entry], shares: Shares, seed: int) -> dict[str, str]:
    """Id -> part, independent of other dialogues; shares are met on average."""
    return {each.id: _at(_position(each.id, seed), shares) for each in entries}


def exact_parts(entries: Iterable[Entry], shares: Shares, seed: int) -> dict[str, str]:
    """Id -> part, with the shares exact (up to rounding) within each goal type."""
    strata: dict[str, list[str]] = defaultdict(list)
    for each in entries:
        strata[each.kind].append(each.id)
    parts: dict[str, str] = {}
    for ids in strata.values():
        ordered = sorted(ids, key=lambda id: _position(id, seed))
        for rank, id in enumerate(ordered):
            parts[id] = _at((rank + 0.5) / len(ordered), shares)
    return parts


def _position(id: str, seed: int) -> float:
    """A hash of an id between 0 and 1, the same on every machine."""
    digest = hashlib.sha256(f"{seed}\n{id}".encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64


def _at(position: float, shares: Shares) -> str:
    reached = 0.0
    for part, share in shares.items():
        reached += share
        if position < reached:
            return part
    return part


@dataclass(frozen=True, slots=True)
class Split:
    """The files of a split corpus."""

    files: Mapping[Path, CardCounts]
    kinds: Counter[tuple[str, str]]
    """(Part, goal type or "") -> dialogues."""


def split_corpus(
    file: Path,
    out: Path,
    shares: Shares,
    *,
    seed: int = 0,
    exact: bool = False,
    to: str = "native",
    format: str | None = None,
    reporter: Reporter = SILENT,
    lookups: LookUps | None = None,
) -> Split:
    """Write one file per part into a folder; `exact`: shares are exact within each goal type."""
    paths = {part: out / f"{part}{find_format(to).suffix}" for part in shares}
    export = DatasetExport.of(list(paths.values()), to=to)
    read = partial(read_corpus, file, format=format)
    entries = [entry(dialogue) for dialogue in reporter.track(read(), doing="reading")]
    chosen = (exact_parts if exact else stable_parts)(entries, shares, seed)
    files = {}
    for part, path in paths.items():
        dialogues = Counted(dialogue for dialogue in read() if chosen[dialogue.id] == part)
        counted = reporter.track(dialogues, doing=f"writing {part}")
        write_corpus(counted, path, to=to, lookups=lookups)
        files[path] = dialogues.counts
    export.finish(list(files.values()), made_from=file.name)
    return Split(files, Counter((chosen[each.id], each.kind) for each in entries))
