"""A corpus split into one file a part, with a dataset card.

split = split_corpus(Path("corpus.jsonl"), Path("parts"), {"train": 0.9, "test": 0.1})
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crosstalk.formats.card import CardCounts, Counted, refuse_foreign_card, write_card
from crosstalk.formats.corpus import read_corpus, write_corpus
from crosstalk.formats.split import Shares, entry, exact_parts, stable_parts
from crosstalk.training.reporter import SILENT, Reporter

SUFFIXES: Final = {
    "crosswoz": ".json",
    "native": ".jsonl",
    "parquet": ".parquet",
    "convlab": ".json",
    "multiwoz": ".json",
    "chat": ".jsonl",
}
CARD: Final = "README.md"


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
    reporter: Reporter = SILENT,
) -> Split:
    """Write one file a part into a folder; `exact`: shares are exact within each goal type."""
    refuse_foreign_card(out / CARD)
    entries = [entry(dialogue) for dialogue in reporter.track(read_corpus(file), doing="reading")]
    chosen = (exact_parts if exact else stable_parts)(entries, shares, seed)
    files = {}
    for part in shares:
        path = out / f"{part}{SUFFIXES[to]}"
        dialogues = Counted(
            dialogue for dialogue in read_corpus(file) if chosen[dialogue.id] == part
        )
        write_corpus(reporter.track(dialogues, doing=f"writing {part}"), path, to=to)
        files[path] = dialogues.counts
    write_card(out / CARD, files, made_from=file.name)
    return Split(files, Counter((chosen[each.id], each.kind) for each in entries))
