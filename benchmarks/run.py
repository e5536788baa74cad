"""Every figure we answer for, measured anew: `python -m benchmarks.run [STAGE...]` (`make bench`).

Each stage is a command of Crosstalk, or a measurement beside this file, that prints JSON. What it
printed goes to `benchmarks/results/<stage>.json`, with its minutes and the digests of its inputs;
`benchmarks/RESULTS.md` is written from those files, so that one stage can be run again alone.

A stage whose commands and inputs are those of its last result is not run again unless it is named
(or `--again` is given). A stage that takes longer than its minutes is stopped, told, and goes on
where it was next time: trainings and simulations keep what they have.
"""

import argparse
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

from benchmarks.tables import Results, page, table_lines
from crosstalk.reproduction.stage_runs import Stage, StageFailure, digest_of_file

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
    return stage_of(name, stage).is_done(RESULTS / f"{name}.json")


def run_stage(name: str, stage: dict[str, Any]) -> bool:
    """Run a stage's commands; the last one prints the figures. False: failed, or took too long.

    `needs`: models without which a command would quietly take those that ship.
    """
    print(f"{name}: {stage['commands'][-1]}", file=sys.stderr, flush=True)
    for needed in map(filled, stage.get("needs", ())):
        if not Path(needed).exists():
            print(f"needs {needed}, which a stage before makes", file=sys.stderr)
            return False
    try:
        stage_of(name, stage).run(RESULTS / f"{name}.json", without_places)
    except StageFailure as problem:
        print(problem.message, file=sys.stderr)
        return False
    return True


def stage_of(name: str, stage: dict[str, Any]) -> Stage:
    return Stage(
        name,
        tuple(filled(command) for command in stage["commands"]),
        identity=tuple(stage["commands"]),
        inputs=inputs(stage),
        seconds=60 * float(stage.get("minutes", MINUTES)),
        may_say_no=stage.get("may_say_no", False),
    )


def without_places(output: str) -> str:
    """The output without where things lie, and which server was asked."""
    for name in ("CROSSTALK_DATA", "CROSSTALK_ENCODERS"):
        place = os.environ.get(name)
        output = output.replace(f"{place}/", "") if place else output
    if server := os.environ.get("OPENAI_BASE_URL"):
        output = output.replace(f"@{server.rstrip('/')}", "")
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
        "encoders": Path(os.environ.get("CROSSTALK_ENCODERS", data / "encoders")),
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
    return {name: digest_of_file(file) for name, file in found.items()}


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
