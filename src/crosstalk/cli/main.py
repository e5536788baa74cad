"""`crosstalk`: the commands, put together.

Exit codes: docs/exit-codes.md.
Commands import what they need inside their functions, so that `--help` stays quick.
"""

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from crosstalk import __version__
from crosstalk.cli import (
    annotate,
    chat,
    collect,
    compare,
    data,
    demo,
    evaluate,
    fetch,
    goals,
    judge,
    logs,
    models,
    report,
    reproduce,
    retrieve,
    serve,
    simulate,
    system,
    train,
    transfer,
    translate,
    world,
)
from crosstalk.cli.given_paths import check_paths
from crosstalk.cli.options import with_current_names
from crosstalk.cli.output import abandon_output, finish_output, prepare_output, warn
from crosstalk.errors import CrosstalkError, InfrastructureError


class _Commands(TyperGroup):
    """All commands; replaces former names of options before they are parsed."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_current_names(args))


app = typer.Typer(
    name="crosstalk",
    cls=_Commands,
    help="A workbench for task-oriented dialogue across domains and across languages.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)


app.add_typer(
    collect.app, name="collect", help="The website for collecting dialogues, and its data."
)
app.add_typer(data.app, name="data", help="Corpora: convert, check, show, count, split.")
app.add_typer(goals.app, name="goals", help="Goals: sample, describe, count.")
app.add_typer(logs.app, name="logs", help="Chat logs: extract conversations from raw logs.")
app.add_typer(retrieve.app, name="retrieve", help="Response selection: data, rankers, scores.")
app.add_typer(world.app, name="world", help="Worlds: check, start, show.")
app.add_typer(
    evaluate.app, name="evaluate", help="Score modules on a corpus: the rows of the papers' tables."
)
app.add_typer(
    annotate.app, name="annotate", help="Annotation: acts from states, agreement, adjudication."
)
app.add_typer(system.app, name="system", help="The parts that systems are built from.")
app.add_typer(
    train.app, name="train", help="Train models from corpora or from simulated dialogues."
)
app.add_typer(
    transfer.app,
    name="transfer",
    help="Transfer across languages: encoders, retrieval, state tracking.",
)
app.add_typer(
    translate.app,
    name="translate",
    help="Translate a corpus: machine translation, editing, quality control.",
)
app.add_typer(
    serve.app, name="serve", help="Serve our system or a world's database to other programs."
)
app.add_typer(models.app, name="models", help="Trained models: list, show, check.")
app.command("fetch")(fetch.fetch)
app.command("simulate")(simulate.simulate)
app.command("judge")(judge.judge)
app.command("compare")(compare.compare)
app.command("chat")(chat.chat)
app.command("reproduce")(reproduce.reproduce)
app.command("report")(report.report)
app.command("view")(report.view)
app.command("demo")(demo.demo)
check_paths(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


def run() -> None:
    """Run the command line; report what went wrong in words."""
    prepare_output()
    sys.exit(_exit_code())


def _exit_code() -> int:
    try:
        try:
            app()
        finally:
            finish_output()
    except SystemExit as ended:
        return _code_of(ended)
    except CrosstalkError as error:
        warn(str(error))
        return 3 if isinstance(error, InfrastructureError) else 2
    except KeyboardInterrupt:
        warn("interrupted")
        return 130
    except BrokenPipeError:  # as `typer` ends where it notices first
        abandon_output()
        return 1
    except OSError as error:  # a path that not even asking about works for: too long, forbidden
        abandon_output()
        warn(f"{error.filename or 'output'}: {error.strerror or error}")
        return 2
    return 0


def _code_of(ended: SystemExit) -> int:
    if isinstance(ended.code, str):
        warn(ended.code)
        return 1
    return ended.code or 0


if __name__ == "__main__":
    run()
