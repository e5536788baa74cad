"""`crosstalk train dst`: our tracker from an annotated corpus."""

from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli.options import CorpusOption, Seed, World
from crosstalk.cli.output import track


def train_dst(
    data: CorpusOption,
    out: Annotated[
        Path, typer.Option("--out", help="The models folder; the model goes to OUT/dst.")
    ],
    world: World = "crosswoz",
    seed: Seed = 1,
) -> None:
    """Train the edit tracker: about a minute for 500 dialogues."""
    from crosstalk.database.worlds import load_schema
    from crosstalk.formats.corpus import read_corpus
    from crosstalk.model_folders import write_card
    from crosstalk.modules.dst.training import train_edits

    schema, language = load_schema(world)
    dialogues = list(track(read_corpus(data), doing="reading"))
    train_edits(dialogues, schema, language, seed=seed).save(out / "dst")
    write_card(
        out / "dst",
        what="edit tracker: boosted trees over candidate values of each field",
        command=f"crosstalk train dst --data {data.name} --seed {seed}",
        corpus=data,
        dialogues=len(dialogues),
        seed=seed,
    )
    print(out / "dst")
