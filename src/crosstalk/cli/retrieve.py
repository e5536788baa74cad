"""`crosstalk retrieve`: which of several responses fits a conversation."""

import typer

from crosstalk.cli import retrieve_evaluate, retrieve_train, retrieve_triples

app = typer.Typer(no_args_is_help=True)
app.command("triples")(retrieve_triples.triples)
app.command("train")(retrieve_train.train)
app.command("evaluate")(retrieve_evaluate.evaluate)
