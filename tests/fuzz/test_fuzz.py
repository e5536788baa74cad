"""Some seconds of `make fuzz`; the rest of the path is in run.py."""

import os
import random
import subprocess
import sys
from pathlib import Path

from tests.cli.test_every_command import EVERY as ALL
from tests.fuzz.cases import EVERY, LEFT_OUT
from tests.fuzz.damage import CHANGES

ROOT = Path(__file__).parents[2]
INPUTS = 25
REQUESTS = 40


def test_every_command_is_run_or_left_out_with_a_reason() -> None:
    assert set(LEFT_OUT) <= set(ALL)
    assert set(EVERY) | set(LEFT_OUT) == set(ALL)


def test_damage_is_made_by_the_seed() -> None:
    body = b'{"a": [1, {"b": "c"}]}\n{"a": 2}\n'
    for change in CHANGES:
        several = [change(body, random.Random(seed)) for seed in range(20)]
        assert several == [change(body, random.Random(seed)) for seed in range(20)]
        assert any(each != body for each in several)


def test_broken_input_is_told_in_words() -> None:
    done = _run("tests.fuzz.run", "--inputs", str(INPUTS))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{INPUTS} inputs" in done.stdout


def test_broken_requests_are_answered(tmp_path: Path) -> None:
    """To a site and to an endpoint; the other servers are asked by `make fuzz`."""
    for name in ("collect", "serve openai"):
        words = ("--inputs", str(REQUESTS), "--only", name, "--samples", str(tmp_path))
        done = _run("tests.fuzz.run_servers", *words)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"{REQUESTS} inputs to 1 servers" in done.stdout


def _run(module: str, *words: str) -> "subprocess.CompletedProcess[str]":
    here = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": here}, capture_output=True, check=False,
        text=True,
    )  # fmt: skip
