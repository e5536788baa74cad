"""`crosstalk evaluate`: the rows of the papers' tables, on any corpus split."""

import typer

from crosstalk.cli import (
    evaluate_dst,
    evaluate_nlg,
    evaluate_nlu,
    evaluate_policy,
    evaluate_speech,
    evaluate_tracking,
    evaluate_user,
)

app = typer.Typer(no_args_is_help=True)
app.command("dst")(evaluate_dst.evaluate_dst)
app.command("nlg")(evaluate_nlg.evaluate_nlg)
app.command("policy")(evaluate_policy.evaluate_policy)
app.command("user")(evaluate_user.evaluate_user)
app.command("nlu")(evaluate_nlu.evaluate_nlu)
app.command("tracking")(evaluate_tracking.evaluate_tracking)
app.command("speech")(evaluate_speech.evaluate_speech)
