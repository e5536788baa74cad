"""`crosstalk evaluate`: the rows of the paper's tables, on any corpus split."""

import typer

from crosstalk.cli import evaluate_dst

app = typer.Typer(no_args_is_help=True)
app.command("dst")(evaluate_dst.evaluate_dst)
