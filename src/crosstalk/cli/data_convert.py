"""`crosstalk data convert` and `crosstalk data schema`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli.options import AsJson, Corpus
from crosstalk.cli.output import print_json, track


class Format(StrEnum):
    """Formats that can be written."""

    CROSSWOZ = "crosswoz"
    NATIVE = "native"
    PARQUET = "parquet"
    CONVLAB = "convlab"
    MULTIWOZ = "multiwoz"
    CHAT = "chat"


def convert(
    file: Corpus,
    out: Annotated[Path, typer.Argument(help="The file to write; `.json.zip` is packed.")],
    to: Annotated[Format, typer.Option("--to", help="The format to write.")],
    card: Annotated[
        bool, typer.Option("--card", help="Write a dataset card beside it: OUT.card.md.")
    ] = False,
    anyway: Annotated[
        bool,
        typer.Option("--anyway", help="Go on where dialogues name things that do not exist."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Carry a corpus into another format; nothing is written unless all of it is."""
    from crosstalk.formats.card import Counted, write_card
    from crosstalk.formats.corpus import read_corpus, write_corpus

    dialogues = Counted(track(read_corpus(file, strict=not anyway), doing="converting"))
    write_corpus(dialogues, out, to=to.value)
    counts = dialogues.counts
    if card:
        write_card(out.with_name(out.name + ".card.md"), {out: counts}, made_from=file.name)
    if as_json:
        print_json({"file": str(out), "dialogues": counts.dialogues, "turns": counts.turns})
    else:
        print(f"{out}: {counts.dialogues:,} dialogues, {counts.turns:,} turns, {to.value}")


def schema() -> None:
    """Print the JSON Schema of the native format, one line of which is one dialogue."""
    from crosstalk.formats.native import native_schema

    print_json(native_schema())
