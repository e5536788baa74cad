"""`crosstalk train`: models from corpora; each writes a folder with a card."""

import typer

from crosstalk.cli import train_dst

app = typer.Typer(no_args_is_help=True)
app.command("dst")(train_dst.train_dst)
