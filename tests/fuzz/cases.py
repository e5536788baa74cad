"""Command lines with broken input: the commands come from the application itself."""

import os
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from tests.cli.test_every_command import commands
from tests.fuzz.damage import put

from crosstalk.cli.given_paths import written
from crosstalk.cli.main import app

SERVE = "serves until it is stopped: tests/fuzz/run_servers.py"
LEFT_OUT = {
    "collect": SERVE,
    "translate edit": SERVE,
    "translate judge": SERVE,
    "serve openai": SERVE,
    "serve mcp": SERVE,
    "view": "opens a browser",
    "demo": "reads no input, and takes longer than a case may",
    "reproduce": "trains for minutes",
    "train": "lists the models, and trains them all with --all",
}
"""Commands that are not given broken files, and why."""
CORPORA = (
    "native.jsonl", "crosswoz.json", "chat.jsonl", "corpus.parquet", "convlab.zip", "multiwoz.json",
    "packed.json.zip", "run", "split", "rows.csv",
)  # fmt: skip
FITTING: Mapping[str, tuple[str, ...]] = {
    "file": CORPORA,
    "corpus": CORPORA,
    "source": CORPORA,
    "edited": CORPORA,
    "test": ("triples.csv", *CORPORA),
    "validation": ("triples.csv", *CORPORA),
    "more": CORPORA,
    "goals": ("goals.jsonl",),
    "offline": ("transcripts.jsonl", "run", "chat.jsonl"),
    "first": ("run",),
    "second": ("run-two",),
    "runs": ("run",),
    "run": ("run",),
    "cache": ("run", "work.cache.jsonl", "goals.jsonl"),
    "models": ("models",),
    "model": ("models",),
    "logs": ("logs",),
    "folder": ("threads",),
    "dialogues": ("threads",),
    "glossary": ("glossary.csv", "glossary.json"),
    "memory": ("glossary.csv", "work.json", "glossary.json"),
    "choices": ("choices.json",),
    "vectors": ("vectors.txt",),
    "prompt": ("prompt.txt",),
    "http_body": ("body.json",),
    "results": ("results.json",),
    "judged": ("control",),
    "left": ("native.jsonl",),
    "right": ("sample.json",),
    "files": ("native.jsonl", "sample.json"),
    "world": ("town",),
}
"""Name of a parameter -> samples that fit it; anything else may be given, too."""
OF_COMMANDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "goals": {"file": ("goals.jsonl",)},
    "goals import": {"file": CORPORA},
    "translate": {"file": ("work.json",)},
    "collect restore": {"file": ("crosswoz.json",)},
    "evaluate": {"data": CORPORA},
    "train": {"data": CORPORA},
    "retrieve": {"data": ("triples.csv",)},
    "transfer": {"data": ("split",)},
}
VALUES: Mapping[str, tuple[str, ...]] = {
    "to": ("native", "crosswoz", "chat", "de"),
    "name": ("policy", "user"),
    "domain": ("hotel", "x"),
    "side": ("system", "user"),
    "objective": ("mlm", "tlm", "rs-x"),
    "target": ("zh", "de"),
    "responses": ("corpus",),
    "context": ("hello",),
    "level": ("acts", "words"),
    "count": ("1",),
    "per_type": ("1",),
    "epochs": ("1",),
    "rounds": ("1",),
    "steps": ("1",),
    "practice": ("10",),
    "folds": ("0",),
    "workers": ("1",),
    "agent": ("system", "python:no_such_module:x", "cmd:false"),
}
LEARNS_LITTLE = ("--world harbour", "--practice 10", "--folds 0")
ALWAYS: Mapping[str, tuple[str, ...]] = {
    "simulate": ("-n 1",),
    "judge": ("-n 1",),
    "goals sample": ("-n 2",),
    "chat": ("--say Hello",),
    "evaluate multiwoz": ("--responses corpus",),
    "evaluate speech": ("-n 1",),
    "logs train": ("--members 1",),
    "retrieve curve": ("--epochs 1",),
    "retrieve table": ("--epochs 1",),
    "retrieve train": ("--epochs 1",),
    "train dst": (*LEARNS_LITTLE, "--epochs 1"),
    "train nlg": ("--epochs 1",),
    "train nlu": (*LEARNS_LITTLE, "--passes 1", "--steps 1", "--quick"),
    "train policy": LEARNS_LITTLE,
    "train user": LEARNS_LITTLE,
    "transfer dst": ("--steps 6",),
    "transfer retrieve": ("--steps 6",),
    "transfer specialise": ("--steps 6",),
    "transfer train-retriever": ("--steps 6",),
}
"""Options that are given where nothing else is: trainings learn as little as they can."""
ODD_VALUES = (
    "",
    " ",
    "x",
    "../x",
    "0",
    "-1",
    "1",
    "2",
    "nan",
    "1e9",
    "名",
    "a:b",
    ":",
    "{",
    "\udcff",
    "-",
)
DATA = {"data", "tables"}
"""Names of options that name the folder of fetched corpora wherever they are not required."""


@dataclass(frozen=True, slots=True)
class Case:
    """One command line, in a folder of its own."""

    number: int
    words: tuple[str, ...]
    folder: Path
    is_process: bool = False

    @property
    def out(self) -> Path:
        return self.folder / "out"


EVERY = {
    words: command
    for words, command in commands(typer.main.get_command(app))
    if words not in LEFT_OUT
}


def make_case(
    number: int, seed: int, samples: Mapping[str, Path], folder: Path, only: str = ""
) -> Case:
    """The case of a number; the same seed gives the same case."""
    rng = random.Random(f"{seed} {number}")
    case = folder / str(number)
    (case / "in").mkdir(parents=True)
    names = [name for name in sorted(EVERY) if name.startswith(only)]
    name = rng.choice([each for each in names if _reads_files(each)] or names)
    if rng.random() < 0.1:
        name = rng.choice(names)
    options: list[str] = []
    arguments: list[str] = []
    for each in EVERY[name].params:
        is_path = "Path" in _type(each) or each.name == "world"
        if each.opts[0] == "--help" or not (each.required or _is_given(name, each, is_path, rng)):
            continue
        several = rng.choice((1, 1, 2)) if each.multiple or each.nargs == -1 else 1
        given = [_value(name, each, is_path, samples, case, rng) for _ in range(several)]
        if each.param_type_name == "argument":
            arguments += given
        elif _type(each) == "<class 'bool'>":
            options.append(each.opts[-1])
        else:
            options += [word for value in given for word in (each.opts[-1], value)]
    for each in ALWAYS.get(name, ()):
        option, *value = each.split()
        if option not in options and not (option == "-n" and "--count" in options):
            options += [option, *value]
    safe = ["--", *arguments] if any(each.startswith("-") for each in arguments) else arguments
    words = tuple(word.replace("\0", "") for word in (*name.split(), *options, *safe))
    return Case(number, words, case, is_process=rng.random() < 0.02)


def _reads_files(name: str) -> bool:
    left_out = {*written(EVERY[name].callback), *DATA}
    return any(
        ("Path" in _type(each) and each.name not in left_out)
        or (each.required and each.name == "data")
        for each in EVERY[name].params
    )


def _is_given(command: str, parameter: Any, is_path: bool, rng: random.Random) -> bool:
    if parameter.name == "data" and command.startswith("train "):
        return rng.random() < 0.5  # a corpus, not the folder of fetched ones
    if parameter.name in DATA or parameter.name in ("resume", "all", "everything"):
        return False
    if parameter.name in ("engine", "address", "host", "port", "user", "reader", "user_voice"):
        return rng.random() < 0.01
    return rng.random() < (0.2 if is_path else 0.015)


def _type(parameter: Any) -> str:
    return str(getattr(getattr(parameter, "type_descriptor", None), "annotation", ""))


def _value(
    command: str,
    each: Any,
    is_path: bool,
    samples: Mapping[str, Path],
    case: Path,
    rng: random.Random,
) -> str:
    if each.name in written(EVERY[command].callback):
        return str(
            case / "out" / rng.choice(("made", "made.json", "made.jsonl", "a/b.html", "x.svg"))
        )
    if is_path and not (each.name == "world" and rng.random() < 0.6):
        return _path(command, each.name, samples, case, rng)
    if each.name == "world":
        return rng.choice(("harbour", "harbour", "x", ""))
    if rng.random() < 0.75 and each.name in VALUES:
        return rng.choice(VALUES[each.name])
    return rng.choice(ODD_VALUES)


def _path(
    command: str, name: str, samples: Mapping[str, Path], case: Path, rng: random.Random
) -> str:
    if command == "world new":
        return str(case / "out" / "town")
    group = command.split()[0]
    special = {**OF_COMMANDS.get(group, {}), **OF_COMMANDS.get(command, {})}
    fitting = special.get(name) or FITTING.get(name) or tuple(samples)
    chosen = rng.choice(fitting if rng.random() < 0.85 else tuple(samples))
    if rng.random() < 0.25:
        return str(samples[chosen])
    place = case / "in" / str(rng.randrange(10**6))
    place.mkdir()
    found = put(samples[chosen], place, rng)
    if name == "model" and os.path.isdir(found):  # noqa: PTH112  # also where the name is too long
        found = found / rng.choice(("policy", "user", "x"))
    return str(found)
