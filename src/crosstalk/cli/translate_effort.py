"""`crosstalk translate effort`: who did how much, in which time, at which cost."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, print_table
from crosstalk.cli.translate_options import Rate, opened

if TYPE_CHECKING:
    from crosstalk.translation.effort import Effort
    from crosstalk.translation.journal import Event

Worked = Annotated[
    Path, typer.Argument(help="A translation, or the folder that `translate control` made.")
]


def effort(file: Worked, rate: Rate = 16.0, as_json: options.AsJson = False) -> None:
    """Time and cost by person, as the pages measured them; the paper paid 16 $ an hour."""
    from crosstalk.translation.effort import Effort, efforts

    people = efforts(_events(file))
    total = sum(people.values(), Effort())
    if as_json:
        print_json(
            {
                "rate": rate,
                "total": _record(total, rate),
                "editors": {name: _record(each, rate) for name, each in people.items()},
            }
        )
        return
    rows = [_row(name, each, rate) for name, each in {**people, "all": total}.items()]
    header = ["", "utterances", "saves", "hours", "seconds each", "cost"]
    print_table(f"{file}, {rate:g} an hour", header, rows)


def _events(place: Path) -> "Sequence[Event]":
    """Of a translation, or of a sample that people judge."""
    from crosstalk.translation.control_answers import JOURNAL
    from crosstalk.translation.journal import read_events

    return read_events(place / JOURNAL) if place.is_dir() else opened(place).events


def _record(effort: "Effort", rate: float) -> dict[str, float]:
    return {
        "utterances": effort.utterances,
        "saves": effort.saves,
        "hours": round(effort.hours, 4),
        "cost": round(effort.cost(rate), 2),
    }


def _row(name: str, effort: "Effort", rate: float) -> list[str]:
    each = effort.seconds / effort.utterances if effort.utterances else 0.0
    numbers = [f"{effort.utterances:,}", f"{effort.saves:,}"]
    return [name, *numbers, f"{effort.hours:.2f}", f"{each:.0f}", f"{effort.cost(rate):,.2f}"]
