"""Cells of tables that are filled with the figures of stages.

A cell is text with references in braces:

    {nlu-best:f1}                     a figure that the stage printed, by its path
    {nlu-best:f1|intervals/f1}        with the interval that it printed
    {dst:zh/0/joint|wilson zh/0/turns}  with Wilson's interval for so many cases
    {@nlu-best:inputs}                what the plan says about the stage

A stage that ran with several seeds has several results: the cell shows their mean, the lowest and
the highest. A row none of whose figures was measured is left out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, Final, Protocol

from crosstalk.evaluation.scores import wilson

REFERENCE: Final = re.compile(r"\{(@?)([\w-]+):([^}|]+)(?:\|([^}]+))?\}")
WILSON: Final = "wilson "
SHARES: Final = ("bleu", "slot_error_rate")
"""Figures between 0 and 1; all others are percent or counts."""
Row = Sequence[str]
Result = Mapping[str, Any]


class StageResults(Protocol):
    """What the stages of a plan measured."""

    def of(self, stage: str) -> Sequence[Result]:
        """The results of a stage, one for each seed; none if it was not run."""
        ...

    def said(self, stage: str, fact: str) -> str:
        """What the plan says about a stage."""
        ...


def fill(cell: str, results: StageResults) -> str:
    """The cell with figures in place of its references."""
    return REFERENCE.sub(lambda found: _looked_up(found, results), cell).strip()


def has_none_of(row: Row, results: StageResults) -> bool:
    """Tell whether a row refers to figures and not one of them was measured."""
    asked = [m for cell in row for m in REFERENCE.finditer(cell) if not m[1]]
    return bool(asked) and not any(_looked_up(each, results) for each in asked)


def filled_rows(table: Mapping[str, Any], results: StageResults) -> list[list[str]]:
    """The rows of a table; none where not one of its figures was measured."""
    rows = [row for row in table["rows"] if not has_none_of(row, results)]
    if _asks(table["rows"]) and not _asks(rows):
        return []
    return [[fill(cell, results) for cell in row] for row in rows]


def _asks(rows: Sequence[Row]) -> bool:
    return any(REFERENCE.search(cell) for row in rows for cell in row)


def markdown_table(header: Row, rows: Sequence[Row]) -> Iterator[str]:
    """The lines of a table in Markdown; none without rows."""
    if not rows:
        return
    yield "| " + " | ".join(header) + " |"
    yield "| --- " * len(header) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def _looked_up(found: re.Match[str], results: StageResults) -> str:
    said, stage, path, interval = found.groups()
    if said:
        return results.said(stage, path)
    measured = results.of(stage)
    values = [value for each in measured if (value := value_at(each, path)) is not None]
    if not values:
        return ""
    if len(values) > 1 and all(isinstance(value, int | float) for value in values):
        low, high = (_number(float(bound), path) for bound in (min(values), max(values)))
        return f"{_number(fmean(values), path)} ({low} to {high})"
    return _number(values[0], path) + _interval(measured[0], values[0], path, interval)


def value_at(result: Result, path: str) -> Any:
    """What stands at a path such as `by_type/S`; None where nothing does."""
    found: Any = result
    for key in path.split("/"):
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _number(value: Any, path: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        is_share = path.endswith(SHARES) and value <= 1
        return f"{value:.4f}" if is_share else f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _interval(result: Result, value: float, path: str, asked: str | None) -> str:
    if asked is None:
        return ""
    if asked.startswith(WILSON):
        cases = int(value_at(result, asked.removeprefix(WILSON)) or 0)
        span: Any = wilson(round(value / 100 * cases), cases) if cases else None
    else:
        span = value_at(result, asked)
    if span is None:
        return ""
    digits = 3 if path.endswith(SHARES) else 1
    return f" [{span[0]:.{digits}f}, {span[1]:.{digits}f}]"
