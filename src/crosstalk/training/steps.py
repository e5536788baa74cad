"""What a training tells of itself, one step or epoch at a time, and `metrics.jsonl` that keeps it.

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
    """On what is learnt from, or, where only that is known, on what is held out."""
    score: float | None = None
    """On what is held out; higher is better. None: not measured at this step."""
    seconds: float = 0
    """Since the part began, those before a kill included."""
    part: str = ""
    """Which part of the model learns, for models of several."""
    total: int | None = None
    """How many steps there will be at the most."""

    @property
    def words(self) -> str:
        """The part, the loss and the score, in one short line."""
        score = "" if self.score is None else f", validation {self.score:.4g}"
        return f"{self.part or 'training'} loss {self.loss:.4g}{score}"


StepCallback = Callable[[Step], None]


def nobody(step: Step) -> None:
    """Hears of a step and keeps it to himself."""


class MetricsLog:
    """Appends a line a step. A training that goes on writes the steps it repeats only once."""

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
        """Drop what an earlier run wrote of this part from this step on, and a torn last line."""
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
    """The whole lines of a metrics file; a kill may have torn the last one."""
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            raw = json.loads(line)
        except ValueError:
            continue
        if isinstance(raw, dict) and isinstance(raw.get("step"), int):
            yield raw
