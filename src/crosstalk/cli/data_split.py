"""`crosstalk data split`: parts of a corpus, by dialogue."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli.options import AsJson, Corpus, Format, Seed
from crosstalk.cli.output import print_json, print_table, track

SUFFIXES = {
    Format.CROSSWOZ: ".json",
    Format.NATIVE: ".jsonl",
    Format.PARQUET: ".parquet",
    Format.CONVLAB: ".json",
    Format.MULTIWOZ: ".json",
    Format.CHAT: ".jsonl",
}


def split(
    file: Corpus,
    out: Annotated[Path, typer.Option("--out", help="The folder to write the parts into.")],
    parts: Annotated[
        str, typer.Option("--parts", help="Names and shares of the parts.")
    ] = "train=0.8,val=0.1,test=0.1",
    seed: Seed = 0,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Keep the shares exact within each goal type."),
    ] = False,
    to: Annotated[Format, typer.Option("--to", help="The format to write.")] = Format.NATIVE,
    as_json: AsJson = False,
) -> None:
    """Split a corpus by dialogue into one file a part, with a dataset card.

    A dialogue's part depends on its id and the seed alone, so a corpus that grows is never
    reshuffled; with --exact each goal type is split exactly, and borders may move as it grows.
    """
    from crosstalk.formats.card import Counted, refuse_foreign_card, write_card
    from crosstalk.formats.corpus import read_corpus, write_corpus
    from crosstalk.formats.split import entry, exact_parts, parse_shares, stable_parts

    shares = parse_shares(parts)
    refuse_foreign_card(out / "README.md")
    entries = [entry(dialogue) for dialogue in track(read_corpus(file), doing="reading")]
    chosen = (exact_parts if exact else stable_parts)(entries, shares, seed)
    files = {}
    for part in shares:
        path = out / f"{part}{SUFFIXES[to]}"
        dialogues = Counted(
            dialogue for dialogue in read_corpus(file) if chosen[dialogue.id] == part
        )
        write_corpus(track(dialogues, doing=f"writing {part}"), path, to=to.value)
        files[path] = dialogues.counts
    write_card(out / "README.md", files, made_from=file.name)
    kinds = Counter((chosen[each.id], each.kind) for each in entries)
    if as_json:
        print_json(
            {
                path.stem: {"file": str(path), "dialogues": counts.dialogues}
                for path, counts in files.items()
            }
        )
    else:
        _tell(kinds, list(shares))


def _tell(kinds: Counter[tuple[str, str]], parts: list[str]) -> None:
    columns = sorted({kind for _, kind in kinds})
    rows = [
        [
            part,
            str(sum(kinds[part, kind] for kind in columns)),
            *(str(kinds[part, kind]) for kind in columns),
        ]
        for part in parts
    ]
    print_table("Dialogues", ["part", "all", *(kind or "no type" for kind in columns)], rows)
