"""The pytest plugin, in a test run of its own."""

import subprocess
import sys
import textwrap
from pathlib import Path

TEST = """
import pytest

@pytest.mark.crosstalk(world="harbour", language="en", goals=2, seed=3)
def test_ours(crosstalk_judge):
    assert crosstalk_judge("system").success == 100.0

@pytest.mark.crosstalk(goals=1, max_turns=2, language="en")
def test_silent(crosstalk_judge):
    assert crosstalk_judge("python:silent.py:answer").success > 50

@pytest.mark.crosstalk(goal=1)
def test_misspelt(crosstalk_judge):
    pass
"""


def test_agents_are_judged_inside_tests(tmp_path: Path) -> None:
    (tmp_path / "test_agents.py").write_text(textwrap.dedent(TEST))
    (tmp_path / "silent.py").write_text("def answer(messages): return ''\n")
    command = [sys.executable, "-m", "pytest", "-q", "--strict-markers", "-p", "no:cacheprovider"]
    command += ["-p", "crosstalk.pytest_plugin"] if not _is_installed() else []
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed, 1 error" in run.stdout, run.stdout
    assert "blame      agent 1" in run.stdout
    assert "takes world, language" in run.stdout


def _is_installed() -> bool:
    from importlib.metadata import entry_points

    return any(each.name == "crosstalk" for each in entry_points(group="pytest11"))
