"""Progress reports of a training, one per step or epoch, and the log `metrics.jsonl`.

log = MetricsLog(folder / METRICS)
log(Step(1, loss=0.7, score=61.0, seconds=4.2))
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from crosstalk.files import cannot_write, writing

METRICS = "metrics.jsonl"


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the metrics."""

    step: int
    """Counts from 1 inside its part: an epoch, a round of boosting, some hundred batches."""
    loss: float
    """Training loss, or the held-out loss if only that is known."""
    score: float | None = None
    """Held-out score; higher is better. None if it was not measured at this step."""
    seconds: float = 0
    """Seconds since the part began, those before an interruption included."""
    part: str = ""
    """Name of the part that is trained, for models of several parts."""
    total: int | None = None
    """Maximum number of steps."""

    @property
    def words(self) -> str:
        """The part, the loss and the score, in one short line."""
        score = "" if self.score is None else f", validation {self.score:.4g}"
        return f"{self.part or 'training'} loss {self.loss:.4g}{score}"


StepCallback = Callable[[Step], None]


def nobody(step: Step) -> None:
    """A callback that does nothing."""


class MetricsLog:
    """Appends one line per step; a resumed training does not write repeated steps twice."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._begun: set[str] = set()

    def __call__(self, step: Step) -> None:
        if step.part not in self._begun:
            self._begun.add(step.part)
            self._forget(step.part, step.step)
        line = json.dumps({key: value for key, value in asdict(step).items() if value != ""})
        try:
            with self._file.open("a", encoding="utf-8") as lines:
                lines.write(line + "\n")
        except OSError as error:
            raise cannot_write(self._file, error) from error

    def _forget(self, part: str, since: int) -> None:
        """Drop the lines of this part from this step on, and an incomplete last line."""
        if not self._file.exists():
            self._file.parent.mkdir(parents=True, exist_ok=True)
            return
        kept = [
            raw
            for raw in read_metrics(self._file)
            if raw.get("part", "") != part or raw["step"] < since
        ]
        with writing(self._file) as lines:
            lines.writelines(json.dumps(raw) + "\n" for raw in kept)


def read_metrics(file: Path) -> Iterator[dict[str, Any]]:
    """The complete lines of a metrics file; an interruption may have cut the last one."""
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            raw = json.loads(line)
        except ValueError:
            continue
        if isinstance(raw, dict) and isinstance(raw.get("step"), int):
            yield raw
