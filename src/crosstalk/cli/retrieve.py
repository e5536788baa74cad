"""`crosstalk retrieve`: which of several responses fits a conversation."""

import typer

from crosstalk.cli import (
    retrieve_ask,
    retrieve_curve,
    retrieve_evaluate,
    retrieve_index,
    retrieve_table,
    retrieve_train,
    retrieve_triples,
)

app = typer.Typer(no_args_is_help=True)
app.command("triples")(retrieve_triples.triples)
app.command("train")(retrieve_train.train)
app.command("evaluate")(retrieve_evaluate.evaluate)
app.command("table")(retrieve_table.table)
app.command("curve")(retrieve_curve.curve)
app.command("index")(retrieve_index.index)
app.command("ask")(retrieve_ask.ask)
app.command("chat")(retrieve_ask.chat)
