"""`crosstalk train nlg`: templates, their ranks, or an SC-LSTM, from what people said."""

import json
from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli.options import CorpusWorld, Language, Seed
from crosstalk.cli.output import track
from crosstalk.cli.training_data import TrainingData, find_source, training_world
from crosstalk.errors import InputError

MODELS = ("templates", "best", "sclstm")


def train_nlg(
    out: Annotated[
        Path,
        typer.Option(
            "--out", help="The models folder; OUT/nlg, OUT/nlg-WORLD or OUT/nlg-sclstm-WORLD-SIDE."
        ),
    ],
    data: TrainingData = None,
    model: Annotated[str, typer.Option("--model", help=" | ".join(MODELS))] = "templates",
    side: Annotated[
        str | None, typer.Option("--side", help="sclstm: usr | sys; default: one after the other.")
    ] = None,
    templates: Annotated[
        Path | None,
        typer.Option(
            "--templates",
            help="best, sclstm: a folder of template files to learn from; default: those of "
            "CrossWOZ in the data folder.",
        ),
    ] = None,
    validation: Annotated[
        Path | None,
        typer.Option("--validation", help="sclstm: a corpus that chooses the epoch."),
    ] = None,
    epochs: Annotated[int, typer.Option("--epochs", help="sclstm: so many at the most.")] = 75,
    world: CorpusWorld = None,
    language: Language = None,
    seed: Seed = 0,
) -> None:
    """Take from each turn a template: its text, with holes where the values of its acts stood.

    `best` ranks template files: which saying of each group of acts is the most central, leaving
    out those that tell more than their acts; speaking then need not wait for it. `sclstm` trains
    the network of the CrossWOZ paper on them: half an hour a side for CrossWOZ on one core. A
    training that was stopped goes on where the same command is given again. Without --validation,
    one saying in ten is held out.
    """
    world, language = training_world(world, language, data)
    match model:
        case "sclstm":
            from crosstalk.cli.train_sclstm import Order, train_sclstm

            order = Order(world, language, data, templates, validation, epochs, seed)
            train_sclstm(order, out, side)
        case "best":
            _rank_templates(templates, data, out, world, language)
        case "templates":
            _train_templates(data, out, world, language, seed)
        case _:
            raise InputError(
                f"there is no generator called {model!r} to train",
                remedy=f"Known: {', '.join(MODELS)}.",
            )


def _rank_templates(
    templates: Path | None, data: Path | None, out: Path, world: str, language: str | None
) -> None:
    from crosstalk.database.worlds import find_world, load_world
    from crosstalk.dialogue.dialogues import Speaker
    from crosstalk.model_folders import Card, Provenance, write_card
    from crosstalk.system.build import OWN, fetched_templates
    from crosstalk.system.nlg.crosswoz import Sayings, rank_templates, template_file
    from crosstalk.system.nlg.ranks import save_ranks
    from crosstalk.system.part_models import ranks_model

    source = templates or fetched_templates(data)
    sayings = Sayings(source, None if templates else find_world(world) / OWN)
    live = load_world(world, language=language, data=data)
    folder = out / ranks_model(live)
    for speaker in track(list(Speaker), doing="ranking"):
        save_ranks(folder, speaker, rank_templates(sayings, live, speaker))
    option = f" --templates {templates.name}" if templates else ""
    write_card(
        folder,
        Card(
            what="which templates of each group of acts are the most central, by number",
            command=f"crosstalk train nlg --model best --world {live.name}{option}",
            data=Provenance.of_file(template_file(source, "auto", Speaker.SYSTEM)),
            world=live.name,
            language=live.language.code,
        ),
    )
    print(folder)


def _train_templates(
    data: Path | None, out: Path, world: str, language: str | None, seed: int
) -> None:
    from crosstalk.database.worlds import find_world, load_schema
    from crosstalk.dialogue.dialogues import Speaker
    from crosstalk.files import writing
    from crosstalk.model_folders import Card, write_card
    from crosstalk.system.nlg.crosswoz import template_file
    from crosstalk.system.nlg.extraction import extract
    from crosstalk.system.nlg.keys import ActKeys

    schema, pack = load_schema(world, language=language)
    material = find_source(world, language, data).material(seed=seed)
    for speaker in Speaker:
        texts = extract(material.dialogues, ActKeys.of(schema, pack, speaker))
        with writing(template_file(out / "nlg", "auto", speaker)) as file:
            json.dump(texts, file, ensure_ascii=False, indent=1)
    name = find_world(world).name
    write_card(
        out / "nlg",
        Card(
            what="templates by act keys, user and system",
            command=material.command(f"nlg --world {name}", seed=seed),
            data=material.provenance,
            seed=seed,
            world=name,
            language=pack.code,
        ),
    )
    print(out / "nlg")
