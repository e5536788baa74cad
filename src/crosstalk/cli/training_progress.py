"""Steps of a training as a person sees them: `metrics.jsonl`, a bar, or a line now and then.

with watching(folder) as told:
    train(..., told=told)
write_card(folder, Card(..., minutes=told.minutes))
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from crosstalk.cli.output import warn

if TYPE_CHECKING:
    from rich.progress import Progress

    from crosstalk.training.steps import MetricsLog, Step

PAUSE = 10.0
"""Seconds between two lines where no person is watching."""


@contextmanager
def watching(folder: Path) -> Iterator["Watch"]:
    """Hears of every step: keeps it in the folder's metrics and shows it on stderr."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    from crosstalk.training.steps import METRICS, MetricsLog

    log = MetricsLog(folder / METRICS)
    console = Console(stderr=True)
    words = TextColumn("{task.description}")
    columns = (words, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        try:
            yield Watch(log, _Bars(bars) if console.is_terminal else _Lines())
        except KeyboardInterrupt:
            warn(f"stopped; the same command goes on with what is in {folder}")
            raise


class Watch:
    """Who is told, and how long it has been."""

    def __init__(self, log: "MetricsLog", shown: "_Bars | _Lines") -> None:
        self._log = log
        self._shown = shown
        self._started = time.monotonic()

    def __call__(self, step: "Step") -> None:
        self._log(step)
        self._shown.show(step)

    @property
    def minutes(self) -> float:
        return (time.monotonic() - self._started) / 60


class _Bars:
    """A bar a part, with the loss and the score of its last step."""

    def __init__(self, bars: "Progress") -> None:
        self._bars = bars
        self._tasks: dict[str, int] = {}

    def show(self, step: "Step") -> None:
        from rich.progress import TaskID

        if step.part not in self._tasks:
            self._tasks[step.part] = self._bars.add_task(words_of(step), total=step.total)
        task = TaskID(self._tasks[step.part])
        self._bars.update(task, description=words_of(step), completed=step.step, total=step.total)


class _Lines:
    """A line for the first step, the last one, and every few seconds between."""

    def __init__(self) -> None:
        self._last = float("-inf")

    def show(self, step: "Step") -> None:
        now = time.monotonic()
        if now - self._last > PAUSE or step.step == step.total:
            self._last = now
            of = f" of {step.total}" if step.total else ""
            warn(f"step {step.step}{of}: {words_of(step)}")


def words_of(step: "Step") -> str:
    """The part, the loss and the score, in one short line."""
    score = "" if step.score is None else f", validation {step.score:.4g}"
    return f"{step.part or 'training'} loss {step.loss:.4g}{score}"
