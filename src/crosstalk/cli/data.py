"""`crosstalk data`: corpora in any of our formats."""

import typer

from crosstalk.cli.data_check import check
from crosstalk.cli.data_convert import convert, schema
from crosstalk.cli.data_show import show
from crosstalk.cli.data_split import split
from crosstalk.cli.data_stats import stats

app = typer.Typer(no_args_is_help=True)
app.command("convert")(convert)
app.command("check")(check)
app.command("show")(show)
app.command("stats")(stats)
app.command("split")(split)
app.command("schema")(schema)
