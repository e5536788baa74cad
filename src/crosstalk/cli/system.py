"""`crosstalk system`: the parts that systems and simulated users are built from."""

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, print_table

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
