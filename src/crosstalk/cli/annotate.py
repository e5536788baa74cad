"""`crosstalk annotate`: the commands of annotation."""

import typer

from crosstalk.cli.annotate_acts import acts, evaluate
from crosstalk.cli.annotate_agreement import agreement
from crosstalk.cli.annotate_experts import adjudicate, compare, sample

app = typer.Typer(no_args_is_help=True)
app.command("acts")(acts)
app.command("evaluate")(evaluate)
app.command("agreement")(agreement)
app.command("sample")(sample)
app.command("compare")(compare)
app.command("adjudicate")(adjudicate)
