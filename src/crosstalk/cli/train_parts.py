"""`crosstalk train dst|policy|user|nlg`: one model from a corpus, or from simulated dialogues."""

from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli.evaluation_parts import Tables
from crosstalk.cli.options import AsJson, CorpusWorld, Language, Models, Seed
from crosstalk.cli.output import print_models
from crosstalk.cli.train_options import (
    PRACTICE,
    Folds,
    Out,
    Patience,
    Practice,
    TrainingData,
    job,
)
from crosstalk.errors import InputError

GENERATORS = ("templates", "best", "sclstm")


def train_dst(
    out: Out,
    data: TrainingData = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            help="edits (given gold forms and acts) | words (words alone) | trade (as published)",
        ),
    ] = "edits",
    world: CorpusWorld = None,
    language: Language = None,
    models: Models = None,
    tables: Tables = None,
    practice: Practice = PRACTICE,
    patience: Patience = 0,
    folds: Folds = 0,
    share: Annotated[
        float, typer.Option("--share", min=0.01, max=1, help="Learn from this share of dialogues.")
    ] = 1.0,
    seed: Seed = 1,
    epochs: Annotated[
        int | None, typer.Option("--epochs", min=1, help="trade: passes over all dialogues.")
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="trade: larger batches, and only filled fields learn to say words."
        ),
    ] = False,
    vectors: Annotated[
        Path | None,
        typer.Option(
            "--vectors", help="trade: word vectors to start from, a word and its numbers a line."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Train a tracker: edits takes a minute for 500 dialogues, words ten.

    words needs an NLU (`crosstalk train nlu`), from --models or --out, else the one that ships. A
    smaller --share is always a part of a larger one.
    """
    asked = job(
        out=out,
        world=world,
        language=language,
        data=data,
        tables=tables,
        practice=practice,
        patience=patience,
        folds=folds,
        seed=seed,
    )
    if model == "trade":
        from crosstalk.trainers.trade import TradeOptions, train_trade

        folder = train_trade(asked, TradeOptions(epochs, quick, vectors))
        print_models([folder] if folder else [], as_json)
        return
    from crosstalk.trainers.dst import train_tracker

    print_models([train_tracker(asked, model, models=models, share=share)], as_json)


def train_policy(
    out: Out,
    data: TrainingData = None,
    model: Annotated[str, typer.Option("--model", help="sl (the published one), best")] = "best",
    world: CorpusWorld = None,
    language: Language = None,
    tables: Tables = None,
    practice: Practice = PRACTICE,
    patience: Patience = 0,
    folds: Folds = 0,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Train a policy: some twenty seconds for 500 dialogues, half a minute for sl.

    The last of every ten dialogues is held out: it chooses the epoch of sl, and for best shows
    how the trees do while they grow; the trees that remain learn from all dialogues.
    """
    from crosstalk.trainers.policy import train_policy as train

    asked = job(
        out=out,
        world=world,
        language=language,
        data=data,
        tables=tables,
        practice=practice,
        patience=patience,
        folds=folds,
        seed=seed,
    )
    print_models([train(asked, model)], as_json)


def train_user(
    out: Out,
    data: TrainingData = None,
    model: Annotated[str, typer.Option("--model", help="best")] = "best",
    world: CorpusWorld = None,
    language: Language = None,
    practice: Practice = PRACTICE,
    patience: Patience = 0,
    folds: Folds = 0,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Train the learned user: some ten seconds for 500 dialogues, a minute with five folds.

    One dialogue in ten is held out to show how the trees do while they grow; the trees that remain
    learn from all of them.
    """
    from crosstalk.trainers.user import train_user as train

    asked = job(
        out=out,
        world=world,
        language=language,
        data=data,
        practice=practice,
        patience=patience,
        folds=folds,
        seed=seed,
    )
    print_models([train(asked, model)], as_json)


def train_nlg(
    out: Out,
    data: TrainingData = None,
    model: Annotated[str, typer.Option("--model", help=" | ".join(GENERATORS))] = "templates",
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
    as_json: AsJson = False,
) -> None:
    """Take from each turn a template: its text, with holes where the values of its acts stood.

    `best` ranks template files: which saying of each group of acts is the most central, leaving
    out those that tell more than their acts; speaking then need not wait for it. `sclstm` trains
    the network of the CrossWOZ paper on them: half an hour a side for CrossWOZ on one core. A
    training that was stopped goes on where the same command is given again. Without --validation,
    one saying in ten is held out.
    """
    asked = job(out=out, world=world, language=language, data=data, seed=seed)
    match model:
        case "sclstm":
            from crosstalk.cli.evaluate_nlg import speaker_of
            from crosstalk.trainers.sclstm import SCLSTMOptions, train_sclstm

            speaker = speaker_of(side) if side else None
            options = SCLSTMOptions(speaker, templates, validation, epochs)
            print_models(train_sclstm(asked, options), as_json)
        case "best":
            from crosstalk.trainers.nlg import rank_template_files

            print_models([rank_template_files(asked, templates)], as_json)
        case "templates":
            from crosstalk.trainers.nlg import train_templates

            print_models([train_templates(asked)], as_json)
        case _:
            raise InputError(
                f"there is no generator called {model!r} to train",
                remedy=f"Known: {', '.join(GENERATORS)}.",
            )
