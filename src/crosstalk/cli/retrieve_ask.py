"""`crosstalk retrieve ask` and `chat`: responses of an index to what was said."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli.options import AsJson
from crosstalk.cli.output import print_json, print_table, warn
from crosstalk.cli.threads import one_thread_each
from crosstalk.errors import InputError

Index = Annotated[Path, typer.Argument(help="A folder that `retrieve index` wrote.")]


def ask(
    folder: Index,
    context: Annotated[
        list[str], typer.Argument(help="What was said so far, one turn an argument, newest last.")
    ],
    wanted: Annotated[int, typer.Option("--top", min=1, help="So many responses.")] = 5,
    as_json: AsJson = False,
) -> None:
    """The best responses to a conversation; exit code 1 where none fits."""
    one_thread_each()
    from crosstalk.retrieval.index import ResponseIndex, question

    if not any(turn.strip() for turn in context):
        raise InputError("nothing was said", remedy="Give what was said so far, in quotes.")
    asked = context[0] if "__eot__" in context[0] else question(context)
    answers = ResponseIndex.open(folder).ask(asked, wanted=wanted)
    if as_json:
        print_json([asdict(answer) for answer in answers])
    elif answers:
        rows = [[answer.text, f"{answer.score:.3f}"] for answer in answers]
        print_table("Responses", ["", "score"], rows)
    if not answers:
        warn("nothing fits: no response of the index has a word of what was said")
        raise typer.Exit(1)


def chat(folder: Index) -> None:
    """Talk with the index; an empty line begins anew, Ctrl-D ends."""
    one_thread_each()
    from crosstalk.retrieval.index import ResponseIndex, question

    index = ResponseIndex.open(folder)
    if sys.stdin.isatty():
        warn(f"{len(index.texts):,} responses; an empty line begins anew, Ctrl-D ends")
    turns: list[str] = []
    while (said := _said()) is not None:
        if not said:
            turns = []
            continue
        turns.append(said)
        answers = index.ask(question(turns), wanted=len(turns))
        answer = next((each.text for each in answers if each.text not in turns), "")
        print(answer or "(nothing fits)")
        if answer:
            turns.append(answer)


def _said() -> str | None:
    """A line, with a prompt where a person types; None at the end."""
    try:
        return input("you: " if sys.stdin.isatty() else "").strip()
    except (EOFError, KeyboardInterrupt):
        return None
