"""Every figure we answer for, measured anew: `python -m benchmarks.run [STAGE...]` (`make bench`).

Each stage is a command of Crosstalk, or a speed measurement beside this file, that prints JSON.
What it printed goes to `benchmarks/results/<stage>.json`; `benchmarks/RESULTS.md` is written from
those files, so that one stage can be run again alone.
"""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results"
BEGIN, END = "<!-- results -->", "<!-- end of results -->"


def main() -> None:
    plan = tomllib.loads((HERE / "plan.toml").read_text(encoding="utf-8"))
    wanted = sys.argv[1:] or list(plan["stages"])
    for name in wanted:
        if name not in plan["stages"]:
            sys.exit(f"no stage called {name}; there are {', '.join(plan['stages'])}")
        run_stage(name, plan["stages"][name])
    (HERE / "RESULTS.md").write_text("\n".join(page(plan)) + "\n", encoding="utf-8")
    fill_readme("\n".join(table_lines(plan["readme"])))


def run_stage(name: str, stage: dict[str, Any]) -> None:
    """Run a stage's commands; the last one prints the figures."""
    print(f"{name}: {stage['commands'][-1]}", file=sys.stderr, flush=True)
    output = ""
    for command in stage["commands"]:
        output = _output(filled(command))
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{name}.json"
    figures = json.loads(without_places(output))
    file.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", "utf-8")


def _output(command: str) -> str:
    words = command.split()
    program = {"crosstalk": [sys.executable, "-m", "crosstalk"], "python": [sys.executable]}
    done = subprocess.run(
        [*program[words[0]], *words[1:]], stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def without_places(output: str) -> str:
    """The output without where on this machine things lie."""
    data = os.environ.get("CROSSTALK_DATA")
    output = output.replace(f"{data}/", "") if data else output
    return output.replace(f"{HERE}/", "benchmarks/")


def filled(command: str) -> str:
    """The command with the files of the data folder in place; half a test file if no whole one."""
    data = Path(os.environ.get("CROSSTALK_DATA", "data"))
    whole = data / "crosswoz" / "test.json.zip"
    test = whole if whole.exists() else whole.with_name("test-a.json.zip")
    return command.format(val=data / "crosswoz" / "val.json.zip", test=test, runs=RESULTS / "runs")


def page(plan: dict[str, Any]) -> Iterator[str]:
    """RESULTS.md: the tables of the plan, filled from the stages' figures."""
    yield "# Results\n"
    yield "Written by `make bench`; do not edit. Percent unless said otherwise.\n"
    for table in plan["tables"]:
        yield f"## {table['title']}\n"
        if "note" in table:
            yield table["note"] + "\n"
        yield from table_lines(table)
        yield ""
    yield "## Commands and data\n"
    for name, stage in plan["stages"].items():
        digest = _figure(f"{name}:sha256")
        commands = "`, `".join(stage["commands"])
        yield f"- `{name}`: `{commands}`" + (f", data {digest[:12]}" if digest else "")


def table_lines(table: dict[str, Any]) -> Iterator[str]:
    yield "| " + " | ".join(table["header"]) + " |"
    yield "| --- " * len(table["header"]) + "|"
    for row in table["rows"]:
        yield "| " + " | ".join(_cell(cell) for cell in row) + " |"


def fill_readme(table: str) -> None:
    """Put the short table between the two marks of the README."""
    readme = HERE.parent / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    readme.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


def _cell(cell: str) -> str:
    """A text as it stands, or `=stage:path.to.figure`, looked up."""
    if not cell.startswith("="):
        return cell
    return _figure(cell[1:]) or "not run"


def _figure(reference: str) -> str:
    name, _, path = reference.partition(":")
    file = RESULTS / f"{name}.json"
    if not file.exists():
        return ""
    found: Any = json.loads(file.read_text(encoding="utf-8"))
    for key in path.split("/"):
        found = found.get(key) if isinstance(found, dict) else None
    if isinstance(found, float):
        return f"{found:.4f}" if abs(found) < 1 else f"{found:,.2f}"
    return "" if found is None else f"{found:,}" if isinstance(found, int) else str(found)


if __name__ == "__main__":
    main()
