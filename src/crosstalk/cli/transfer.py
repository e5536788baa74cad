"""`crosstalk transfer`: encoders and models carried from one language to another."""

import typer

from crosstalk.cli import transfer_dst, transfer_retrieve, transfer_specialise

app = typer.Typer(no_args_is_help=True)
app.command("retrieve")(transfer_retrieve.retrieve)
app.command("report")(transfer_retrieve.report)
app.command("train-retriever")(transfer_retrieve.train_retriever)
app.command("specialise")(transfer_specialise.specialise)
app.command("instances")(transfer_specialise.instances)
app.command("dst")(transfer_dst.dst)
app.command("dst-table")(transfer_dst.dst_table)
