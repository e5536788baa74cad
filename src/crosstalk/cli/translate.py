"""`crosstalk translate`: a corpus in another language: machine, editors, quality control."""

import typer

from crosstalk.cli import (
    translate_agreement,
    translate_check,
    translate_control,
    translate_edit,
    translate_effort,
    translate_finish,
    translate_parallel,
    translate_start,
)

app = typer.Typer(no_args_is_help=True)
app.command("start")(translate_start.start)
app.command("edit")(translate_edit.edit)
app.command("check")(translate_check.check)
app.command("effort")(translate_effort.effort)
app.command("control")(translate_control.control)
app.command("judge")(translate_edit.judge)
app.command("agreement")(translate_agreement.agreement)
app.command("finish")(translate_finish.finish)
app.command("parallel")(translate_parallel.parallel)
