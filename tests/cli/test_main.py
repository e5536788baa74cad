"""The frame of the command line: quick to start, errors in words, documented exit codes."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "polars", "numpy", "matplotlib", "jieba", "pydantic", "httpx2", "lightgbm")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "crosstalk", *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("module", ["crosstalk", "crosstalk.cli.main"])
def test_nothing_heavy_is_imported_before_it_is_needed(module: str) -> None:
    code = f"import sys, {module}; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_lists_every_command() -> None:
    done = run("--help")
    assert done.returncode == 0
    for command in ("data", "goals", "world", "fetch", "simulate", "report", "evaluate", "train"):
        assert command in done.stdout


def test_bad_input_ends_with_2_and_words() -> None:
    done = run("data", "stats", "no-such-file.json")
    assert done.returncode == 2
    assert "no such file" in done.stderr
    assert "Traceback" not in done.stderr


def test_bad_usage_ends_with_2() -> None:
    assert run("goals", "sample", "-n", "many").returncode == 2


def test_the_version() -> None:
    assert run("--version").stdout.strip().count(".") == 2
