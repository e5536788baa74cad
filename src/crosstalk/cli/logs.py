"""`crosstalk logs`: raw chat logs become dialogues."""

import typer

from crosstalk.cli import logs_evaluate, logs_extract, logs_stats, logs_train

app = typer.Typer(no_args_is_help=True)
app.command("extract")(logs_extract.extract)
app.command("evaluate")(logs_evaluate.evaluate)
app.command("stats")(logs_stats.stats)
app.command("train")(logs_train.train)
