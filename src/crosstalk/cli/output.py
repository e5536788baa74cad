"""What commands print: results on stdout, progress and warnings on stderr."""

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from rich.console import Console
from rich.markup import escape
from rich.table import Table

T = TypeVar("T")


def print_json(value: Any) -> None:
    """JSON for programs; text stays readable in every language."""
    json.dump(value, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


def print_table(title: str, header: list[str], rows: Iterable[list[str]]) -> None:
    """A table for people; the first column is text, the others are numbers."""
    table = Table(title=escape(title), title_justify="left")
    for number, name in enumerate(header):
        table.add_column(escape(name), justify="right" if number else "left")
    for row in rows:
        table.add_row(*map(escape, row))  # a name such as "a[b].json" is not markup
    Console().print(table)


def percent(value: float | None) -> str:
    """A share for people; a dash where there was nothing to count."""
    return "-" if value is None else f"{value:.2f}"


def warn(message: str) -> None:
    print(f"crosstalk: {message}", file=sys.stderr)


def track(items: Iterable[T], *, doing: str, total: int | None = None) -> Iterator[T]:
    """The items, with a progress bar on stderr where a person is watching."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield from items
        return
    from rich.progress import track as rich_track

    yield from rich_track(items, description=doing, total=total, console=console, transient=True)
