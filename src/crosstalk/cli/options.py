"""Options that several commands share, so that they read the same everywhere."""

from pathlib import Path
from typing import Annotated

import typer

World = Annotated[
    str, typer.Option("--world", help="A world that ships with Crosstalk, or a world folder.")
]
CorpusWorld = Annotated[
    str | None,
    typer.Option(
        "--world",
        help="A world that ships with Crosstalk, or a world folder; default: the corpus's own.",
    ),
]
Language = Annotated[
    str | None, typer.Option("--language", help="Language code; default: the world's own.")
]
Data = Annotated[
    Path | None,
    typer.Option("--data", envvar="CROSSTALK_DATA", help="Folder that holds fetched corpora."),
]
Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same bytes.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Corpus = Annotated[
    Path, typer.Argument(help="A corpus in any format we know, zipped or not, or its folder.")
]
CorpusOption = Annotated[
    Path, typer.Option("--data", help="A corpus in any format we know, zipped or not.")
]
Protocol = Annotated[
    str, typer.Option("--protocol", help="paper: as published, quirks included; or corrected.")
]
Models = Annotated[Path | None, typer.Option("--models", help="Folder of models trained by you.")]
Exclusions = Annotated[
    float,
    typer.Option(
        "--exclusions",
        metavar="SHARE",
        min=0,
        max=1,
        help="Share of place sub-goals that exclude something: a service, a dish, a class.",
    ),
]
PART = "NAME, package.module:Object or file.py:Object (names: crosstalk system parts)"
Nlu = Annotated[str, typer.Option("--nlu", help=f"Understands the user's words: {PART}.")]
Dst = Annotated[
    str,
    typer.Option("--dst", help=f"Tracks the state: {PART}; best: what the policy is made for."),
]
Policy = Annotated[str, typer.Option("--policy", help=f"Decides what to say: {PART}.")]
Nlg = Annotated[str, typer.Option("--nlg", help=f"Puts the system's acts into words: {PART}.")]
