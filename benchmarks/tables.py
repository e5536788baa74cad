"""RESULTS.md and the README's table: filled from the plan and from what its stages measured.

A cell is text with references in braces:

    {nlu-best:f1}                     a figure that the stage printed, by its path
    {nlu-best:f1|intervals/f1}        with the interval that it printed
    {dst:zh/0/joint|wilson zh/0/turns}  with Wilson's interval for so many cases
    {@nlu-best:inputs}                what the plan says about the stage

A figure counts only if it was measured with the commands that the plan has now. A row none of whose
figures was measured is left out, and its stages are listed once, under "Not measured here".
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crosstalk.evaluation.scores import wilson

ABOUT = "measured"
"""The field of a result that says how it came about."""
REFERENCE = re.compile(r"\{(@?)([\w-]+):([^}|]+)(?:\|([^}]+))?\}")
WILSON = "wilson "
FACTS = ("inputs", "trained", "tested", "protocol")
"""What the plan says of every stage whose figures stand in a table beside published ones."""
SHARES = ("bleu", "slot_error_rate")
"""Figures between 0 and 1; all others are percent or counts."""


@dataclass
class Results:
    """What the stages of a plan measured, read when it is asked for."""

    plan: Mapping[str, Any]
    folder: Path
    missing: set[str] = field(default_factory=set)
    """Stages that some cell asked for and that have no result yet."""

    def of(self, stage: str) -> dict[str, Any] | None:
        """What a stage printed; None if it was never run, or with other commands."""
        file = self.folder / f"{stage}.json"
        found: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
        commands = self.plan["stages"][stage]["commands"]
        if found.get(ABOUT, {}).get("commands") == commands:
            return found
        self.missing.add(stage)
        return None

    def fill(self, cell: str) -> str:
        return REFERENCE.sub(self._looked_up, cell).strip()

    def has_none_of(self, row: list[str]) -> bool:
        """Whether a row refers to figures and not one of them was measured."""
        asked = [m for cell in row for m in REFERENCE.finditer(cell) if not m[1]]
        return bool(asked) and not any(self._looked_up(each) for each in asked)

    def _looked_up(self, found: re.Match[str]) -> str:
        said, stage, path, interval = found.groups()
        if said:
            return str(self.plan["stages"][stage].get(path, ""))
        result = self.of(stage)
        value = None if result is None else _at(result, path)
        if value is None:
            return ""
        return _number(value, path) + _interval(result or {}, value, path, interval)


def _at(result: Mapping[str, Any], path: str) -> Any:
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


def _interval(result: Mapping[str, Any], value: float, path: str, asked: str | None) -> str:
    if asked is None:
        return ""
    if asked.startswith(WILSON):
        cases = int(_at(result, asked.removeprefix(WILSON)) or 0)
        span: Any = wilson(round(value / 100 * cases), cases) if cases else None
    else:
        span = _at(result, asked)
    if span is None:
        return ""
    digits = 3 if path.endswith(SHARES) else 1
    return f" [{span[0]:.{digits}f}, {span[1]:.{digits}f}]"


# The page


def page(plan: Mapping[str, Any], results: Results, here: Path) -> Iterator[str]:
    """RESULTS.md, line by line."""
    yield "# Results\n"
    yield "Written by `make bench`; do not edit. Percent unless said otherwise.\n"
    yield plan["about"].strip() + "\n"
    for table in plan["tables"]:
        yield from _section(table, results, here)
    yield from _facts(plan, results)
    yield from _not_measured(plan, results)
    yield "## Commands and data\n"
    yield (
        "Minutes are those of the last run, on two shared cores. `{val}`, `{test}`: the splits in "
        "the data folder; `{models}`: models trained by stages before, else those that ship.\n"
    )
    for name, stage in plan["stages"].items():
        yield _command(name, stage, results)


def _section(table: Mapping[str, Any], results: Results, here: Path) -> Iterator[str]:
    lines = list(table_lines(table, results))
    if not lines:
        return
    yield f"## {table['title']}\n"
    if "note" in table:
        yield table["note"] + "\n"
    if "figure" in table and (here / table["figure"]).exists():
        yield f"![{table['title']}]({table['figure']})\n"
    yield from lines
    yield ""


def table_lines(table: Mapping[str, Any], results: Results) -> Iterator[str]:
    """Header and rows; nothing where not one figure of the table was measured."""
    asks = any(REFERENCE.search(cell) for row in table["rows"] for cell in row)
    rows = [row for row in table["rows"] if not results.has_none_of(row)]
    if asks and not any(REFERENCE.search(cell) for row in rows for cell in row):
        return
    yield "| " + " | ".join(table["header"]) + " |"
    yield "| --- " * len(table["header"]) + "|"
    for row in rows:
        yield "| " + " | ".join(results.fill(cell) for cell in row) + " |"


def _facts(plan: Mapping[str, Any], results: Results) -> Iterator[str]:
    yield "## What each figure was given\n"
    yield (
        "Inputs are what the model read when it was judged; `trained on`, every text it or a part "
        "of it learnt from; the interval, how brackets were computed.\n"
    )
    yield "| stage | inputs | trained on | judged on | protocol | interval |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name, stage in plan["stages"].items():
        if "inputs" in stage and (found := results.of(name)) is not None:
            interval = stage.get("interval") or found.get("interval") or "Wilson"
            cells = [f"`{name}`", *(stage[fact] for fact in FACTS), interval]
            yield "| " + " | ".join(cells) + " |"
    yield ""


def _not_measured(plan: Mapping[str, Any], results: Results) -> Iterator[str]:
    if not results.missing:
        return
    yield "## Not measured here\n"
    yield (
        "These stages have no result of their present commands; rows and tables that rest on "
        "them alone are left out above. `python -m benchmarks.run STAGE` measures one.\n"
    )
    for name in plan["stages"]:
        if name in results.missing:
            why = plan["stages"][name].get("not_measured", "")
            yield f"- `{name}`" + (f": {why}" if why else "")
    yield ""


def _command(name: str, stage: Mapping[str, Any], results: Results) -> str:
    commands = "`, `".join(stage["commands"])
    result = results.of(name) or {}
    about = result.get(ABOUT, {})
    digests = [result["sha256"]] if "sha256" in result else list(about.get("inputs", {}).values())
    told = [f"data {' '.join(each[:12] for each in digests)}"] * bool(digests)
    told += [f"{each:g} min" for each in [about.get("minutes")] if each]
    return f"- `{name}`: `{commands}`" + "".join(f", {each}" for each in told)
