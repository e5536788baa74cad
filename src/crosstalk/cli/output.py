"""What commands print: results on stdout, progress and warnings on stderr."""

import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from crosstalk.training.reporter import Reporter, Watch

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from crosstalk.training.steps import Step


LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS")


def one_thread_each() -> None:
    """Before numpy and polars are imported, as they ask only then; worker processes inherit it.

    Whoever has set a limit keeps it.
    """
    for limit in LIMITS:
        os.environ.setdefault(limit, "1")


T = TypeVar("T")
PAUSE = 10.0
"""Seconds between two lines of a training that no person is watching."""


def prepare_output() -> None:
    r"""Let everything be printed, whatever the locale, and to whatever stdout and stderr are.

    A closed descriptor would be given to the first file that is opened, and what is printed would
    go into it; so it is opened to nothing. What the encoding of the terminal lacks (Chinese in
    ASCII, the odd bytes of a file name) is printed as an escape such as \u4e2d.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def finish_output() -> None:
    """Write out what was printed, so that a full disk is reported and not overlooked."""
    sys.stdout.flush()


def abandon_output() -> None:
    """Drop what could not be printed; Python would try again when it ends."""
    try:
        here = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, here)
    os.close(nowhere)


def print_json(value: Any) -> None:
    """JSON for programs; text stays readable in every language that the locale has."""
    is_unicode = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    json.dump(value, sys.stdout, ensure_ascii=not is_unicode, indent=2)
    sys.stdout.write("\n")


def print_result(words: str, facts: dict[str, Any], as_json: bool) -> None:
    """What a command did: one line for people, or the facts as JSON."""
    if as_json:
        print_json(facts)
    else:
        print(words)


def print_models(folders: "Iterable[Path]", as_json: bool) -> None:
    """The folders of trained models; as JSON with their cards."""
    from crosstalk.model_folders import read_card

    made = list(folders)
    if as_json:
        print_json({"models": [{"folder": str(each), "card": read_card(each)} for each in made]})
        return
    for folder in made:
        print(folder)


def print_table(title: str, header: list[str], rows: Iterable[list[str]]) -> None:
    """A table for people; the first column is text, the others are numbers."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=escape(title), title_justify="left")
    for number, name in enumerate(header):
        table.add_column(escape(name), justify="right" if number else "left")
    for row in rows:
        table.add_row(*map(escape, row))  # a name such as "a[b].json" is not markup
    Console().print(table)


def percent(value: float | None) -> str:
    """A share for people; a dash where there was nothing to count."""
    return "-" if value is None else f"{value:.2f}"


def announcer(*lines: str) -> Callable[[], None]:
    """Prints these lines when a website is there: what it is, and the links into it."""

    def announce() -> None:
        for line in (*lines, "Stop with Ctrl+C; everything acknowledged is on the disk."):
            print(line, flush=True)

    return announce


def warn(message: str) -> None:
    print(f"crosstalk: {message}", file=sys.stderr)


def warn_of_actions(goals: Path) -> None:
    """Say that what goals want done is left out, since nobody has asked for actions."""
    from crosstalk.goals.goal_files import wanting_actions

    if count := wanting_actions(goals):
        verb = "wants" if count == 1 else "want"
        warn(f"{count} goals of {goals} {verb} something done, which is left out: add --actions")


def warn_first(messages: Sequence[object], shown: int, hint: str = "") -> None:
    """The first few of several warnings, and how many more there are."""
    for message in messages[:shown]:
        warn(str(message))
    if len(messages) > shown:
        warn(f"... and {len(messages) - shown:,} more{hint}")


@contextmanager
def progress_bars(*columns: "ProgressColumn") -> Iterator["Progress"]:
    """Bars on stderr that vanish at the end, shown only where a person is watching.

    `columns` stand in place of the counts and the time that is left.
    """
    from rich import progress
    from rich.console import Console

    console = Console(stderr=True)
    counts = columns or (progress.MofNCompleteColumn(), progress.TimeRemainingColumn())
    shown = progress.TextColumn("{task.description}"), progress.BarColumn(), *counts
    hidden = not console.is_terminal
    with progress.Progress(*shown, console=console, transient=True, disable=hidden) as bars:
        yield bars


def track(items: Iterable[T], *, doing: str, total: int | None = None) -> Iterator[T]:
    """The items, with a progress bar."""
    with progress_bars() as bars:
        yield from bars.track(items, total=total, description=doing)


@contextmanager
def progress_bar(doing: str) -> Iterator[Callable[[int, int], None]]:
    """Call what it gives with how many are done, of how many."""
    with progress_bars() as bars:
        task = bars.add_task(doing, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


@contextmanager
def warning_when_stopped(message: str) -> Iterator[None]:
    """Says how to go on where the work is interrupted by Ctrl+C."""
    try:
        yield
    except KeyboardInterrupt:
        warn(f"stopped; {message}")
        raise


class TerminalReporter(Reporter):
    """Shows notices, progress bars and the steps of trainings on stderr."""

    def notice(self, message: str) -> None:
        warn(message)

    def track(self, items: Iterable[T], *, doing: str, total: int | None = None) -> Iterator[T]:
        return track(items, doing=doing, total=total)

    @contextmanager
    def training(self, folder: Path) -> Iterator[Watch]:
        with progress_bars() as bars:
            shown = _StepLines() if bars.disable else _StepBars(bars)
            with warning_when_stopped(f"the same command resumes from {folder}"):
                yield Watch(folder, shown.show)


TERMINAL = TerminalReporter()


class _StepBars:
    """A bar a part, with the loss and the score of its last step."""

    def __init__(self, bars: "Progress") -> None:
        self._bars = bars
        self._tasks: dict[str, int] = {}

    def show(self, step: "Step") -> None:
        from rich.progress import TaskID

        if step.part not in self._tasks:
            self._tasks[step.part] = self._bars.add_task(step.words, total=step.total)
        task = TaskID(self._tasks[step.part])
        self._bars.update(task, description=step.words, completed=step.step, total=step.total)


class _StepLines:
    """A line for the first step, the last one, and every few seconds between."""

    def __init__(self) -> None:
        self._last = float("-inf")

    def show(self, step: "Step") -> None:
        now = time.monotonic()
        if now - self._last > PAUSE or step.step == step.total:
            self._last = now
            of = f" of {step.total}" if step.total else ""
            warn(f"step {step.step}{of}: {step.words}")
