"""Every exit code of docs/exit-codes.md, by a command that really ends with it."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = (sys.executable, "-m", "crosstalk")
PAGE = Path(__file__).parents[2] / "docs" / "exit-codes.md"
OF_COMMANDS = {
    0: ("world", "list"),
    1: ("world", "search", "harbour", "name=Nowhere Inn", "--domain", "hotel"),
    2: ("data", "stats", "no-such-file.json"),
    3: ("chat", "--agent", "http:http://127.0.0.1:9/", "--say", "Hello"),  # nobody listens there
}


def test_the_page_names_every_code() -> None:
    named = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE.read_text(), re.MULTILINE)}
    assert named == {*OF_COMMANDS, 130}


@pytest.mark.parametrize("code", OF_COMMANDS)
def test_commands_end_with_it(code: int) -> None:
    done = subprocess.run([*COMMAND, *OF_COMMANDS[code]], capture_output=True, check=False)
    assert done.returncode == code


def test_an_unknown_option_ends_with_2() -> None:
    done = subprocess.run([*COMMAND, "world", "list", "--wrong"], capture_output=True, check=False)
    assert done.returncode == 2


def test_a_closed_pipe_ends_with_1_and_without_a_traceback() -> None:
    command = [*COMMAND, "goals", "sample", "-n", "3000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr
        assert b"Traceback" not in running.stderr.read()
        assert running.wait(60) == 1


def test_ctrl_c_ends_with_130_and_says_how_to_go_on(tmp_path: Path) -> None:
    run = tmp_path / "run"
    command = [*COMMAND, "simulate", "--out", str(run), "-n", "100000"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        end = time.monotonic() + 60
        while not run.exists() and time.monotonic() < end:
            time.sleep(0.1)
        os.kill(running.pid, signal.SIGINT)
        _, told = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "--resume" in told
    assert "Traceback" not in told
