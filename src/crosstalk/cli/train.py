"""`crosstalk train`: models from corpora; each writes a folder with a card."""

import typer

from crosstalk.cli import train_dst, train_nlg, train_nlu, train_policy, train_user

app = typer.Typer(no_args_is_help=True)
app.command("dst")(train_dst.train_dst)
app.command("nlg")(train_nlg.train_nlg)
app.command("policy")(train_policy.train_policy)
app.command("user")(train_user.train_user)
app.command("nlu")(train_nlu.train_nlu)
