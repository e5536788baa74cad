"""RESULTS.md and the README's table: filled from the plan and from what its stages measured.

Cells are those of `crosstalk.reproduction.result_cells`. A figure counts only if it was measured
with the commands that the plan has now. A row none of whose figures was measured is left out, and
its stages are listed once, under "Not measured here".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crosstalk.reproduction.result_cells import filled_rows, markdown_table
from crosstalk.reproduction.stage_runs import ABOUT, read_result

FACTS = ("inputs", "trained", "tested", "protocol")
"""What the plan says of every stage whose figures stand in a table beside published ones."""


@dataclass
class Results:
    """What the stages of a plan measured, read when it is asked for."""

    plan: Mapping[str, Any]
    folder: Path
    missing: set[str] = field(default_factory=set)
    """Stages that some cell asked for and that have no result yet."""

    def of(self, stage: str) -> Sequence[dict[str, Any]]:
        """What a stage printed; nothing if it was never run, or with other commands."""
        found = read_result(self.folder / f"{stage}.json")
        if found.get(ABOUT, {}).get("commands") == self.plan["stages"][stage]["commands"]:
            return [found]
        self.missing.add(stage)
        return []

    def one(self, stage: str) -> dict[str, Any]:
        return next(iter(self.of(stage)), {})

    def said(self, stage: str, fact: str) -> str:
        return str(self.plan["stages"][stage].get(fact, ""))


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
    yield from markdown_table(table["header"], filled_rows(table, results))


def _facts(plan: Mapping[str, Any], results: Results) -> Iterator[str]:
    yield "## What each figure was given\n"
    yield (
        "Inputs are what the model read when it was judged; `trained on`, every text it or a part "
        "of it learnt from; the interval, how brackets were computed.\n"
    )
    yield "| stage | inputs | trained on | judged on | protocol | interval |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name, stage in plan["stages"].items():
        if "inputs" in stage and (found := results.one(name)):
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
    result = results.one(name)
    about = result.get(ABOUT, {})
    digests = [result["sha256"]] if "sha256" in result else list(about.get("inputs", {}).values())
    told = [f"data {' '.join(each[:12] for each in digests)}"] * bool(digests)
    told += [f"{each:g} min" for each in [about.get("minutes")] if each]
    return f"- `{name}`: `{commands}`" + "".join(f", {each}" for each in told)
