"""`crosstalk train nlu`: an NLU from an annotated corpus, or from simulated dialogues."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli.evaluation_parts import Tables
from crosstalk.cli.options import AsJson, CorpusWorld, Seed
from crosstalk.cli.output import print_models
from crosstalk.cli.train_options import PRACTICE, Folds, Out, Practice, TrainingData, job

ALL = "all"


def train_nlu(
    out: Out,
    data: TrainingData = None,
    world: CorpusWorld = None,
    language: Annotated[
        str | None,
        typer.Option("--language", help="Language code, or all; default: the world's own."),
    ] = None,
    templates: Annotated[
        Path | None,
        typer.Option(
            "--templates",
            help="Folder of template files as CrossWOZ has them; default: crosswoz/templates in "
            "the data folder for the world crosswoz, none for others.",
        ),
    ] = None,
    tables: Tables = None,
    practice: Practice = PRACTICE,
    passes: Annotated[
        int, typer.Option("--passes", min=0, help="Passes of the reader; 0: as many as usual.")
    ] = 0,
    quick: Annotated[
        bool, typer.Option("--quick", help="Learn from less: under a minute, a little worse.")
    ] = False,
    folds: Folds = 0,
    seed: Seed = 1,
    apart_from: Annotated[
        list[Path] | None,
        typer.Option(
            "--apart-from",
            help="user: a corpus or a folder of template files that the system learns from; "
            "utterances that occur there are left out. May be repeated.",
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            "--model", help="best | practised | user | bert | bert-no-context (published)"
        ),
    ] = "best",
    encoder: Annotated[
        str,
        typer.Option(
            "--encoder",
            help="bert: folder of a transformers encoder, or its name where it lies on this "
            "machine; default: a small one from nothing.",
        ),
    ] = "",
    steps: Annotated[int | None, typer.Option("--steps", help="bert: steps of learning.")] = None,
    rate: Annotated[
        float | None, typer.Option("--rate", help="bert: highest learning rate.")
    ] = None,
    patience: Annotated[
        int | None, typer.Option("--patience", help="bert: checks without a better F1 that end it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Train the candidate reader (a small CNN) and the gradient-boosted trees that choose.

    Ten minutes for CrossWOZ on one core. A world with templates of its own needs no corpus:
    dialogues are simulated, and put into more words by the world's phrase book where it has one;
    that takes a minute or two a language.
    """
    from crosstalk.trainers.data import training_world

    world, spoken = training_world(world, None if language == ALL else language, data)
    asked = job(
        out=out,
        world=world,
        language=spoken,
        data=data,
        tables=tables,
        practice=practice,
        folds=folds,
        seed=seed,
    )
    if folds and model != "best":
        raise typer.BadParameter("goes with --model best only", param_hint="--folds")
    match model:
        case "practised":
            from crosstalk.trainers.nlu_practised import train_practised

            print_models([train_practised(asked)], as_json)
        case "user":
            from crosstalk.trainers.nlu_user import train_user_nlu

            print_models([train_user_nlu(asked, apart_from or [], passes)], as_json)
        case "best":
            from crosstalk.trainers.nlu import NLUOptions, all_languages, train_nlu

            options = NLUOptions(templates, passes, quick)
            codes = all_languages(world) if language == ALL else [spoken]
            jobs = [replace(asked, language=code) for code in codes]
            print_models([train_nlu(each, options) for each in jobs], as_json)
        case _:
            from crosstalk.trainers.bert import BertOptions, train_bert

            folder = train_bert(
                asked, model, BertOptions(encoder, templates, steps, rate, patience)
            )
            # under torchrun, only the first process writes
            print_models([folder] if folder else [], as_json)
