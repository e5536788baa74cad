"""`crosstalk logs train`: a linker from annotated days."""

from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli.options import AsJson, Seed
from crosstalk.cli.output import print_models, track
from crosstalk.cli.threads import one_thread_each


def train(
    logs: Annotated[
        Path, typer.Argument(help="Folder or zip of NAME.raw.txt with NAME.annotation.txt.")
    ],
    out: Annotated[
        Path, typer.Option("--out", help="The models folder; the model goes to OUT/linker.")
    ],
    members: Annotated[
        int, typer.Option("--members", min=1, help="Networks whose judgements are averaged.")
    ] = 3,
    unaddressed: Annotated[
        float,
        typer.Option(
            "--unaddressed",
            min=0,
            max=1,
            help="Share of days learnt from once more without names at the heads of lines.",
        ),
    ] = 0.5,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Learn which line answers which: two minutes of one core for 153 days of #ubuntu."""
    one_thread_each()
    from crosstalk.chatlogs.annotated import read_annotated
    from crosstalk.chatlogs.linking.training import train_linker
    from crosstalk.chatlogs.methods import LINKER_MODEL
    from crosstalk.files import sha256_of
    from crosstalk.model_folders import Card, Provenance, write_card

    days = list(track(read_annotated(logs), doing="reading"))
    linker = train_linker(days, members=members, seed=seed, unaddressed=unaddressed)
    folder = out / LINKER_MODEL
    folder.mkdir(parents=True, exist_ok=True)
    linker.save(folder)
    digest = sha256_of(logs) if logs.is_file() else ""
    write_card(
        folder,
        Card(
            what="linker: which line of a chat answers which; small networks",
            command=f"crosstalk logs train {logs.name} --members {members} "
            f"--unaddressed {unaddressed} --seed {seed}",
            data=Provenance(logs.name, digest, len(days)),
            seed=seed,
            kind="logs",
        ),
    )
    print_models([folder], as_json)
