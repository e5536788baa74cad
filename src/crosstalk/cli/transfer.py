"""`crosstalk transfer`: encoders and models carried from one language to another."""

import typer

from crosstalk.cli import transfer_dst, transfer_report, transfer_retrieve, transfer_specialise

app = typer.Typer(no_args_is_help=True)
app.command("retrieve")(transfer_retrieve.retrieve)
app.command("train-retriever")(transfer_retrieve.train_retriever)
app.command("specialise")(transfer_specialise.specialise)
app.command("instances")(transfer_specialise.instances)
app.command("dst")(transfer_dst.dst)
app.command("report")(transfer_report.report)
