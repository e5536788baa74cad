"""Every figure we answer for, measured anew: `python -m benchmarks.run [STAGE...]` (`make bench`).

Each stage is a command of Crosstalk, or a measurement beside this file, that prints JSON. What it
printed goes to `benchmarks/results/<stage>.json`, with its minutes and the digests of its inputs;
`benchmarks/RESULTS.md` is written from those files, so that one stage can be run again alone.

A stage whose commands and inputs are those of its last result is not run again unless it is named
(or `--again` is given). A stage that takes longer than its minutes is stopped, told, and goes on
where it was next time: trainings and simulations keep what they have.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import tomllib
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.tables import ABOUT, Results, page, table_lines

HERE = Path(__file__).parent
RESULTS = HERE / "results"
BEGIN, END = "<!-- results -->", "<!-- end of results -->"
DATA = "{data}/"
MINUTES = 60.0
"""Of a stage, where the plan says nothing else."""


def main() -> None:
    plan = tomllib.loads((HERE / "plan.toml").read_text(encoding="utf-8"))
    options = _options()
    wanted = options.stages or list(plan["stages"])
    for name in wanted:
        if name not in plan["stages"]:
            sys.exit(f"no stage called {name}; there are {', '.join(plan['stages'])}")
    failed = []
    for name in wanted if not options.tables else ():
        stage = plan["stages"][name]
        if not options.stages and not options.again and is_done(name, stage):
            print(f"{name}: as before", file=sys.stderr, flush=True)
        elif not run_stage(name, stage):
            failed.append(name)
    write_tables(plan)
    if failed:
        sys.exit(f"not finished: {', '.join(failed)}; give the command again to go on")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("stages", nargs="*", help="default: all of the plan that are not done")
    parser.add_argument("--again", action="store_true", help="also those that are done")
    parser.add_argument("--tables", action="store_true", help="run nothing, write RESULTS.md anew")
    return parser.parse_args()


# Stages


def is_done(name: str, stage: dict[str, Any]) -> bool:
    """Whether the last result came from these commands and this data."""
    file = RESULTS / f"{name}.json"
    if not file.exists():
        return False
    about = json.loads(file.read_text(encoding="utf-8")).get(ABOUT, {})
    same: bool = (about.get("commands"), about.get("inputs")) == (stage["commands"], inputs(stage))
    return same


def run_stage(name: str, stage: dict[str, Any]) -> bool:
    """Run a stage's commands; the last one prints the figures. False: failed, or took too long."""
    print(f"{name}: {stage['commands'][-1]}", file=sys.stderr, flush=True)
    began, limit = time.monotonic(), 60 * float(stage.get("minutes", MINUTES))
    output = ""
    for command in stage["commands"]:
        left = limit - (time.monotonic() - began)
        try:
            output = _output(filled(command), left, may_say_no=stage.get("may_say_no", False))
        except subprocess.TimeoutExpired:
            print(f"{name}: stopped after {limit / 60:g} minutes", file=sys.stderr)
            return False
        except subprocess.CalledProcessError as error:
            print(f"{name}: exit {error.returncode}: {command}", file=sys.stderr)
            return False
    figures = json.loads(without_places(output))
    figures = figures if isinstance(figures, dict) else {"rows": figures}
    minutes = round((time.monotonic() - began) / 60, 2)
    figures[ABOUT] = {"commands": stage["commands"], "inputs": inputs(stage), "minutes": minutes}
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(figures, ensure_ascii=False, indent=1) + "\n"
    (RESULTS / f"{name}.json").write_text(text, "utf-8")
    return True


def _output(command: str, seconds: float, *, may_say_no: bool) -> str:
    words = command.split()
    program = {"crosstalk": [sys.executable, "-m", "crosstalk"], "python": [sys.executable]}
    done = subprocess.run(
        [*program[words[0]], *words[1:]],
        stdout=subprocess.PIPE,
        text=True,
        timeout=max(seconds, 1),
        check=False,
    )
    if done.returncode and not (may_say_no and done.returncode == 1):
        raise subprocess.CalledProcessError(done.returncode, command)
    return done.stdout


def without_places(output: str) -> str:
    """The output without where on this machine things lie."""
    data = os.environ.get("CROSSTALK_DATA")
    output = output.replace(f"{data}/", "") if data else output
    return output.replace(f"{HERE}/", "benchmarks/")


def places() -> dict[str, Path]:
    """What the words in braces mean; half a test file serves where there is no whole one."""
    data = Path(os.environ.get("CROSSTALK_DATA", "data"))
    whole = data / "crosswoz" / "test.json.zip"
    return {
        "data": data,
        "val": data / "crosswoz" / "val.json.zip",
        "test": whole if whole.exists() else whole.with_name("test-a.json.zip"),
        "runs": RESULTS / "runs",
        "models": RESULTS / "models",
        "results": RESULTS,
    }


def filled(command: str) -> str:
    """The command with the files of the data folder in place."""
    return command.format(**places())


def inputs(stage: dict[str, Any]) -> dict[str, str]:
    """The digests of the corpora that a stage reads."""
    named = places()
    words = {word for command in stage["commands"] for word in command.split()}
    found = {word: named[word] for word in ("val", "test") if f"{{{word}}}" in words}
    found |= {
        word.removeprefix(DATA): named["data"] / word.removeprefix(DATA)
        for word in sorted(words)
        if word.startswith(DATA)
    }
    return {name: _digest(file) for name, file in found.items()}


@cache
def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest() if file.exists() else ""


# Tables


def write_tables(plan: dict[str, Any]) -> None:
    """RESULTS.md, and the short table between the two marks of the README."""
    results = Results(plan, RESULTS)
    text = "\n".join(page(plan, results, HERE)) + "\n"
    (HERE / "RESULTS.md").write_text(text, encoding="utf-8")
    readme = HERE.parent / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    table = "\n".join(table_lines(plan["readme"], results))
    readme.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
