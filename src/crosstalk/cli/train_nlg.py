"""`crosstalk train nlg`: templates, or an SC-LSTM, from an annotated corpus."""

import json
from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli.options import Language, Seed, World
from crosstalk.cli.output import track
from crosstalk.errors import InputError

MODELS = ("templates", "sclstm")


def train_nlg(
    out: Annotated[
        Path,
        typer.Option("--out", help="The models folder; OUT/nlg, or OUT/nlg-sclstm-WORLD-SIDE."),
    ],
    data: Annotated[
        Path | None,
        typer.Option("--data", help="A corpus in any format we know, zipped or not."),
    ] = None,
    model: Annotated[str, typer.Option("--model", help=" | ".join(MODELS))] = "templates",
    side: Annotated[
        str | None, typer.Option("--side", help="sclstm: usr | sys; default: one after the other.")
    ] = None,
    templates: Annotated[
        Path | None,
        typer.Option(
            "--templates",
            help="sclstm: a folder of template files to learn from; default, without --data: "
            "those of CrossWOZ in the data folder (CROSSTALK_DATA).",
        ),
    ] = None,
    validation: Annotated[
        Path | None,
        typer.Option("--validation", help="sclstm: a corpus that chooses the epoch."),
    ] = None,
    epochs: Annotated[int, typer.Option("--epochs", help="sclstm: so many at the most.")] = 75,
    world: World = "crosswoz",
    language: Language = None,
    seed: Seed = 0,
) -> None:
    """Take from each turn a template: its text, with holes where the values of its acts stood.

    `sclstm` goes on and trains the network of the CrossWOZ paper on them: half an hour a side for
    CrossWOZ on one core. A training that was stopped goes on where the same command is given
    again. Without --validation, one saying in ten is held out.
    """
    if model == "sclstm":
        from crosstalk.cli.train_sclstm import Sources, train_sclstm

        sources = Sources(data, templates, validation)
        train_sclstm(sources, out, side, (world, language), epochs=epochs, seed=seed)
    elif model not in MODELS:
        raise InputError(
            f"there is no generator called {model!r} to train",
            remedy=f"Known: {', '.join(MODELS)}.",
        )
    elif data is None:
        raise InputError("--data is missing", remedy="Name a corpus to take templates from.")
    else:
        _train_templates(data, out, world, language)


def _train_templates(data: Path, out: Path, world: str, language: str | None) -> None:
    from crosstalk.database.worlds import load_schema
    from crosstalk.dialogue.dialogues import Speaker
    from crosstalk.files import writing
    from crosstalk.formats.corpus import corpus_file, read_corpus
    from crosstalk.model_folders import write_card
    from crosstalk.modules.nlg.crosswoz import template_file
    from crosstalk.modules.nlg.extraction import extract
    from crosstalk.modules.nlg.keys import ActKeys

    schema, pack = load_schema(world, language=language)
    dialogues = list(track(read_corpus(data), doing="reading"))
    for speaker in Speaker:
        texts = extract(dialogues, ActKeys.of(schema, pack, speaker))
        with writing(template_file(out / "nlg", "auto", speaker)) as file:
            json.dump(texts, file, ensure_ascii=False, indent=1)
    write_card(
        out / "nlg",
        what="templates by act keys, user and system",
        command=f"crosstalk train nlg --data {data.name}",
        corpus=corpus_file(data),
        dialogues=len(dialogues),
        seed=0,
    )
    print(out / "nlg")
