"""`crosstalk train`: models from corpora or practice; each writes a folder with a card."""

from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli import train_nlu, train_parts
from crosstalk.cli.options import Language, Seed
from crosstalk.cli.train_options import TrainingData, job

app = typer.Typer(invoke_without_command=True)
app.command("dst")(train_parts.train_dst)
app.command("nlg")(train_parts.train_nlg)
app.command("policy")(train_parts.train_policy)
app.command("user")(train_parts.train_user)
app.command("nlu")(train_nlu.train_nlu)


@app.callback()
def train(
    context: typer.Context,
    everything: Annotated[
        bool, typer.Option("--all", help="Train every module of a world, the quick way.")
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
    out: Annotated[Path, typer.Option("--out", help="With --all: the models folder.")] = Path(
        "models"
    ),
    seed: Seed = 1,
) -> None:
    """Train models; each becomes a folder with its weights, its settings, its metrics and a card.

    A training that was stopped goes on when the same command is given again.
    """
    if context.invoked_subcommand:
        _refuse_misplaced(context)
        return
    if not everything:
        print(context.get_help())
        raise typer.Exit
    from crosstalk.trainers.everything import train_all

    train_all(job(out=out, world=world, language=language, data=data, seed=seed))


def _refuse_misplaced(context: typer.Context) -> None:
    """Options before the name of a module would be ignored."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = "--all" if name == "everything" else f"--{name}"
            module = context.invoked_subcommand
            raise typer.BadParameter(
                f"belongs to --all; for one module, write it after `train {module}`",
                param_hint=option,
            )
