"""Stages: commands that follow each other; what the last one prints (JSON) is the stage's result.

A result is a file with the figures and, under `measured`, the commands, the digests of what they
read, and the minutes. A stage whose commands and digests are those of its result is done. The plans
of papers (`plans.py`) and the benchmarks of this project are both made of such stages.
"""

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import InputError
from crosstalk.files import sha256_of, writing

ABOUT: Final = "measured"
"""The field of a result that says how it came about."""
PROGRAMS: Final = {"crosstalk": [sys.executable, "-m", "crosstalk"], "python": [sys.executable]}


class StageFailure(InputError):
    """A command of a stage failed, or the stage took too long."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage with all names filled in."""

    name: str
    commands: tuple[str, ...]
    """As a person types them; the last one prints JSON."""
    identity: tuple[str, ...] = ()
    """The commands without the folders of one machine; empty: as typed."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Name -> digest of what the stage reads."""
    seconds: float | None = None
    """The stage is stopped after so long."""
    may_say_no: bool = False
    """Exit code 1 of the last command is an answer, too."""

    @property
    def known_by(self) -> dict[str, Any]:
        """What a stored result must agree with."""
        return {
            "commands": list(self.identity or self.commands),
            "inputs": dict(self.inputs),
        }

    def is_done(self, result: Path) -> bool:
        """Tell whether the result came from these commands and this data."""
        about = read_result(result).get(ABOUT, {})
        return {name: about.get(name) for name in self.known_by} == self.known_by

    def run(self, result: Path, clean: Callable[[str], str] = str) -> dict[str, Any]:
        """Run the commands and write the result; raises `StageFailure`.

        `clean` takes folders of this machine out of what was printed.
        """
        began, output = time.monotonic(), ""
        for command in self.commands:
            spent = time.monotonic() - began
            left = None if self.seconds is None else max(self.seconds - spent, 1.0)
            output = self._output(command, left)
        figures = _figures(clean(output), self.commands[-1])
        minutes = round((time.monotonic() - began) / 60, 2)
        figures[ABOUT] = {**self.known_by, "minutes": minutes}
        with writing(result) as text:
            text.write(json.dumps(figures, ensure_ascii=False, indent=1) + "\n")
        return figures

    def _output(self, command: str, seconds: float | None) -> str:
        words = shlex.split(command)
        try:
            done = subprocess.run(
                [*PROGRAMS[words[0]], *words[1:]],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise StageFailure(
                f"{self.name}: stopped after {(self.seconds or 0) / 60:g} minutes",
                remedy="The same command goes on where it was.",
            ) from error
        if done.returncode and not (self.may_say_no and done.returncode == 1):
            raise StageFailure(
                f"{self.name}: exit code {done.returncode}: {command}",
                remedy="What the command said stands above; the run goes on from here.",
            )
        return done.stdout


def read_result(file: Path) -> dict[str, Any]:
    """The stored result of a stage; empty if there is none that can be read."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _figures(output: str, command: str) -> dict[str, Any]:
    try:
        figures = json.loads(output)
    except ValueError as error:
        raise StageFailure(
            f"{command}: did not print JSON", remedy="The last command of a stage has --json."
        ) from error
    return figures if isinstance(figures, dict) else {"rows": figures}


@cache
def digest_of_file(file: Path) -> str:
    """SHA-256 of a file, or of the names and digests of the files of a folder; empty if absent."""
    if file.is_dir():
        parts: Sequence[str] = [
            f"{each.relative_to(file)} {digest_of_file(each)}"
            for each in sorted(file.rglob("*"))
            if each.is_file()
        ]
        return sha256("\n".join(parts).encode()).hexdigest()
    return sha256_of(file) if file.is_file() else ""
