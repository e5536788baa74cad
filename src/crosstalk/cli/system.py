"""`crosstalk system`: the parts that systems and simulated users are built from."""

from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, print_result, print_table

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keep `parts` a command of its own."""


@app.command("parts")
def parts(
    world: options.World = "harbour",
    language: options.Language = None,
    data: options.Data = None,
    models: options.Models = None,
    as_json: options.AsJson = False,
) -> None:
    """List the parts that can be built for a world, and what `best` stands for.

    Parts of installed packages (entry points of the group crosstalk.parts) are listed too.
    """
    from crosstalk.simulation.build import parts_of

    found = parts_of(world, language, data, models)
    if as_json:
        print_json(found)
        return
    best = found.pop("best")
    rows = [[kind, best[kind], ", ".join(names)] for kind, names in found.items()]
    rows += [[kind, name, f"as {kind[5:]}"] for kind, name in best.items() if kind not in found]
    print_table(f"Parts for {world}", ["kind", "best", "names"], rows)


@app.command("responses")
def responses(
    data: Annotated[Path, typer.Option("--data", help="A file of MultiWOZ 2.1 to respond to.")],
    train: Annotated[
        Path,
        typer.Option("--train", help="A file of MultiWOZ with states, whose responses are given."),
    ],
    out: Annotated[
        Path, typer.Option("--out", readable=False, help="The file of predictions to write.")
    ],
    tracker: Annotated[
        str,
        typer.Option(
            "--tracker",
            help="The folder that `crosstalk train dst --model states` wrote, or gold for the "
            "states of the file.",
        ),
    ],
    tables: options.Tables = None,
    as_json: options.AsJson = False,
) -> None:
    """Write our system's responses to a MultiWOZ file, for `evaluate multiwoz --responses`.

    Each is the response to the most similar training turn. Nothing of the file is read but the
    texts up to the turn (and states, with --tracker gold).
    """
    from crosstalk.evaluation.multiwoz.standard_evaluation import MultiwozTask
    from crosstalk.evaluation.multiwoz.system_responses import predicted_responses, write_responses

    made = predicted_responses(tracker, train, MultiwozTask(data, str(out), tables))
    write_responses(made, out)
    turns = sum(map(len, made.values()))
    facts = {"file": str(out), "dialogues": len(made), "responses": turns}
    print_result(f"{out}: {turns:,} responses in {len(made):,} dialogues", facts, as_json)
