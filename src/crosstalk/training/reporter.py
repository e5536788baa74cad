"""Progress reports of long tasks; `Reporter` itself shows nothing.

    with reporter.training(folder) as watch:
        train(..., told=watch)
    write_card(folder, Card(..., minutes=watch.minutes))

Library code takes a reporter and never prints; the command line hands in one that shows notices
and progress bars on stderr (`cli/output.py`).
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from crosstalk.training.steps import METRICS, MetricsLog, Step, StepCallback

T = TypeVar("T")


class Watch:
    """Receives the steps of one training, logs them to `metrics.jsonl` and shows them."""

    def __init__(self, folder: Path, show: StepCallback) -> None:
        self._log = MetricsLog(folder / METRICS)
        self._show = show
        self._started = time.monotonic()

    def __call__(self, step: Step) -> None:
        self._log(step)
        self._show(step)

    @property
    def minutes(self) -> float:
        """Minutes since the training began."""
        return (time.monotonic() - self._started) / 60


class Reporter:
    """Shows nothing. A subclass overrides what it wants to show."""

    def notice(self, message: str) -> None:
        """Show a message; one sentence without a full stop."""

    def track(self, items: Iterable[T], *, doing: str, total: int | None = None) -> Iterator[T]:
        """Yield the items and show the progress."""
        yield from items

    @contextmanager
    def training(self, folder: Path) -> Iterator[Watch]:
        """A `Watch` for a training that writes its model to `folder`."""
        yield Watch(folder, lambda step: None)


SILENT = Reporter()
