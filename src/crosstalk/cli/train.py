"""`crosstalk train`: models from corpora or practice; each writes a folder with a card."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli import options
from crosstalk.cli.options import AsJson, CorpusWorld, Language, Models, Seed, Tables
from crosstalk.cli.output import TERMINAL, print_models

if TYPE_CHECKING:
    from crosstalk.trainers.job import Job

app = typer.Typer(invoke_without_command=True)
TrainingData = Annotated[
    Path | None,
    typer.Option(
        "--data",
        envvar="CROSSTALK_DATA",
        help="A corpus in any format we know, or the folder of fetched corpora; a world with "
        "templates of its own needs neither: dialogues are simulated.",
    ),
]
PRACTICE = 300
GENERATORS = ("templates", "best", "sclstm")
ALL_LANGUAGES = "all"


@app.callback()
def train(
    context: typer.Context,
    everything: Annotated[
        bool, typer.Option("--all", help="Train every module of a world, with quick settings.")
    ] = False,
    world: Annotated[
        str | None,
        typer.Option(
            "--world",
            help="With --all: a world that ships, or a world folder; default: that of the corpus "
            "named with --data, else harbour.",
        ),
    ] = None,
    language: Language = None,
    data: TrainingData = None,
    out: Annotated[
        Path, typer.Option("--out", readable=False, help="With --all: the models folder.")
    ] = Path("models"),
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Train models; each becomes a folder with its weights, its settings, its metrics and a card.

    The same command resumes an interrupted training.
    """
    if context.invoked_subcommand:
        _refuse_misplaced(context)
        return
    if not everything:
        print(context.get_help())
        raise typer.Exit
    from crosstalk.model_folders import all_model_folders
    from crosstalk.trainers.train_all import train_all

    train_all(_job(out, data, world, language, seed))
    if as_json:
        print_models([each for each in all_model_folders(out) if each.parent == out], as_json)


def _refuse_misplaced(context: typer.Context) -> None:
    """Options before the name of a module would be ignored."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = {"everything": "--all", "as_json": "--json"}.get(name, f"--{name}")
            module = context.invoked_subcommand
            raise typer.BadParameter(
                f"belongs to --all; for one module, write it after `train {module}`",
                param_hint=option,
            )


@app.command("dst")
@options.with_compute
def train_dst(
    out: options.ModelsFolder,
    data: TrainingData = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            help="edits (given gold forms and acts) | words (words alone) | trade (as published) | "
            "states (MultiWOZ; needs no acts)",
        ),
    ] = "edits",
    world: CorpusWorld = None,
    language: Language = None,
    models: Models = None,
    tables: Tables = None,
    practice: options.Practice = PRACTICE,
    patience: options.Patience = 0,
    folds: options.Folds = 0,
    share: Annotated[
        float, typer.Option("--share", min=0.01, max=1, help="Share of the dialogues to train on.")
    ] = 1.0,
    seed: Seed = 1,
    epochs: options.Epochs = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="trade: larger batches; the generator is trained on filled slots only."
        ),
    ] = False,
    vectors: options.WordVectors = None,
    more: Annotated[
        list[Path] | None,
        typer.Option(
            "--more",
            help="states: a further corpus; --share does not touch the last one, whose labels "
            "should be of the kind that is scored.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Train a state tracker: one minute for 500 dialogues (edits), ten (words).

    words needs an NLU (`crosstalk train nlu`), from --models or --out, else the one that ships. A
    smaller --share is always a part of a larger one.
    """
    asked = _job(out, data, world, language, seed, tables, practice, patience=patience, folds=folds)
    chosen: dict[str, Any] = {"models": models, "share": share}
    chosen |= {"epochs": epochs, "quick": quick, "vectors": vectors, "more": more or ()}
    _train("dst", model, [asked], as_json, chosen)


@app.command("policy")
def train_policy(
    out: options.ModelsFolder,
    data: TrainingData = None,
    model: Annotated[str, typer.Option("--model", help="sl (the published one), best")] = "best",
    world: CorpusWorld = None,
    language: Language = None,
    tables: Tables = None,
    practice: options.Practice = PRACTICE,
    patience: options.Patience = 0,
    folds: options.Folds = 0,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Train a policy: some twenty seconds for 500 dialogues, half a minute for sl.

    For sl the validation split beside the training split chooses the epoch; where there is none,
    the last of every ten dialogues is held out. For best these only show how the trees do while
    they grow; the trees that remain learn from all dialogues.
    """
    asked = _job(out, data, world, language, seed, tables, practice, patience=patience, folds=folds)
    _train("policy", model, [asked], as_json)


@app.command("user")
def train_user(
    out: options.ModelsFolder,
    data: TrainingData = None,
    model: Annotated[str, typer.Option("--model", help="best")] = "best",
    world: CorpusWorld = None,
    language: Language = None,
    practice: options.Practice = PRACTICE,
    patience: options.Patience = 0,
    folds: options.Folds = 0,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Train the learned user: some ten seconds for 500 dialogues, a minute with five folds.

    One dialogue in ten is held out to show how the trees do while they grow; the trees that remain
    learn from all of them.
    """
    asked = _job(out, data, world, language, seed, None, practice, patience=patience, folds=folds)
    _train("user", model, [asked], as_json)


@app.command("nlg")
@options.with_compute
def train_nlg(
    out: options.ModelsFolder,
    data: TrainingData = None,
    model: Annotated[str, typer.Option("--model", help=" | ".join(GENERATORS))] = "templates",
    side: Annotated[
        str | None, typer.Option("--side", help="sclstm: usr | sys; default: one after the other.")
    ] = None,
    templates: options.Templates = None,
    validation: Annotated[
        Path | None,
        typer.Option("--validation", help="sclstm: a corpus that chooses the epoch."),
    ] = None,
    epochs: Annotated[int, typer.Option("--epochs", help="sclstm: maximum number of epochs.")] = 75,
    world: CorpusWorld = None,
    language: Language = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Extract templates: the text of each turn, with slots in place of the values of its acts.

    `best` ranks template files: for each group of acts the most central template first, without
    those that say more than their acts. `sclstm` trains the network of the CrossWOZ paper on
    them: half an hour a side for CrossWOZ on one core; the same command resumes an interrupted
    training. Without --validation, one template in ten is held out.
    """
    asked = _job(out, data, world, language, seed)
    chosen = {"side": side, "templates": templates, "validation": validation, "epochs": epochs}
    _train("nlg", model, [asked], as_json, chosen)


@app.command("nlu")
@options.with_compute
def train_nlu(
    out: options.ModelsFolder,
    data: TrainingData = None,
    world: CorpusWorld = None,
    language: Annotated[
        str | None,
        typer.Option("--language", help="Language code, or all; default: the world's own."),
    ] = None,
    templates: options.Templates = None,
    tables: Tables = None,
    practice: options.Practice = PRACTICE,
    passes: Annotated[
        int,
        typer.Option(
            "--passes", min=0, help="Training passes of the reader; 0: the default number."
        ),
    ] = 0,
    quick: Annotated[
        bool, typer.Option("--quick", help="Train on less data: under a minute, slightly worse.")
    ] = False,
    folds: options.Folds = 0,
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
            help="bert: folder of a transformers encoder, or the name of one that is "
            "installed; default: a small one, trained from scratch.",
        ),
    ] = "",
    steps: Annotated[int | None, options.steps()] = None,
    rate: Annotated[float | None, options.learning_rate()] = None,
    patience: options.EarlyStopping = None,
    protocol: Annotated[
        str,
        typer.Option(
            "--protocol",
            help="bert: paper: dialogues alone, all steps, weights of the heads as published; "
            "corrected: templates too for an encoder from nothing, stops early.",
        ),
    ] = "corrected",
    as_json: AsJson = False,
) -> None:
    """Train the NLU: a candidate reader (a small CNN) and a gradient-boosted ranker.

    Ten minutes for CrossWOZ on one core. A world with templates of its own needs no corpus:
    dialogues are simulated, and put into more words by the world's phrase book where it has one;
    that takes a minute or two a language.
    """
    from crosstalk.trainers.data import training_world

    asked_language = None if language == ALL_LANGUAGES else language
    world, spoken = training_world(world, asked_language, data, out=out)
    if folds and model != "best":
        raise typer.BadParameter("goes with --model best only", param_hint="--folds")
    asked = _job(out, data, world, spoken, seed, tables, practice, folds=folds)
    jobs = [asked]
    if language == ALL_LANGUAGES and model == "best":
        from crosstalk.trainers.nlu import all_languages

        jobs = [replace(asked, language=code) for code in all_languages(world)]
    chosen: dict[str, Any] = {"templates": templates, "passes": passes, "quick": quick}
    chosen |= {"apart_from": apart_from or [], "encoder": encoder, "steps": steps}
    chosen |= {"rate": rate, "patience": patience, "protocol": protocol}
    _train("nlu", model, jobs, as_json, chosen)


def _train(
    kind: str,
    model: str,
    jobs: "Sequence[Job]",
    as_json: bool,
    options: dict[str, Any] | None = None,
) -> None:
    """Train and print the folders; options that the trainer does not have are ignored."""
    from crosstalk.trainers.table import find_trainer

    trainer = find_trainer(kind, model)
    given = {name: value for name, value in (options or {}).items() if name in trainer.options}
    print_models([folder for job in jobs for folder in trainer.train(job, **given)], as_json)


def _job(
    out: Path,
    data: Path | None,
    world: str | None,
    language: str | None,
    seed: int,
    tables: Path | None = None,
    practice: int = PRACTICE,
    **rest: Any,
) -> "Job":
    """A training whose notices and progress are shown on stderr."""
    from crosstalk.trainers.job import Job

    if rest.get("folds", 0) == 1 or rest.get("folds", 0) < 0:
        raise typer.BadParameter("give 0, or 2 and more", param_hint="--folds")
    settings = {"seed": seed, "practice": practice, **rest}
    return Job(out, world, language, data, tables, reporter=TERMINAL, **settings)
