"""Broken input for all commands: `python -m tests.fuzz.run --inputs 2000`, or `make fuzz`.

Each case is a command with files that are damaged, run in a process of its own: forked from this
one, where everything is imported already, or started anew. It has to end within ten seconds of CPU
time, with one of the documented exit codes, without a traceback, and without files where it says
that nothing was done.
What goes wrong is printed with the number of the case; `--only-case N` runs it again.
"""

import argparse
import contextlib
import gc
import importlib
import os
import pkgutil
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import typer
from tests.fuzz.cases import Case, make_case
from tests.fuzz.samples import make_samples

import crosstalk
from crosstalk.cli import main

CODES = {0, 1, 2, 3, 130}
LONGEST = 10
MEMORY = 6 << 30
OUTSIDE = ("numpy", "polars", "lightgbm", "pydantic", "scipy", "torch", "sklearn", "transformers")
"""Libraries that commands import where they need them."""
NOT_IMPORTED = ("__main__", "env")
"""Modules that do something when they are imported: the command itself, alembic's script."""
KEEPS = (
    "simulate",
    "judge",
    "evaluate speech",
    "logs extract",
    "train",
    "translate start",
    "transfer",
)
"""Commands that can be resumed: they keep what is finished when something fails later."""

TRAIN = ("train", "retrieve", "transfer", "logs train")
LEARNING = re.compile(r"^crosstalk: (step|epoch) \d", re.MULTILINE)
"""Said by commands that learn; those may go on for longer than ten seconds once they do."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a command did that it should not do."""

    case: Case
    what: str
    said: str

    def __str__(self) -> str:
        words = " ".join(map(repr, self.case.words))
        return f"case {self.case.number}: {self.what}\n  crosstalk {words}\n{self.said[-1500:]}"


def run_case(case: Case) -> tuple[int, str]:
    """The exit code (negative: the signal that ended it) and what was said on stderr."""
    told = case.folder / "stderr"
    begin = _start if case.is_process else _fork
    pid = begin(case, told)
    end = time.monotonic() + LONGEST * 6  # the machine may be busy: CPU seconds are limited to ten
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return -signal.SIGXCPU, _said(told)
        time.sleep(0.005)
    return os.waitstatus_to_exitcode(status), _said(told)


def _said(told: Path) -> str:
    return told.read_bytes()[-20_000:].decode(errors="replace") if told.exists() else ""


def _fork(case: Case, told: Path) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 99
    try:
        _become(case, told)
        sys.argv = ["crosstalk", *case.words]
        main.run()
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stderr.flush()
        os._exit(code)


def _become(case: Case, told: Path) -> None:
    """Let this process be the command: its folder, its streams, its limits."""
    _limit()
    os.chdir(case.folder)
    nothing = os.open(os.devnull, os.O_RDWR)
    err = os.open(told, os.O_CREAT | os.O_WRONLY)
    for stream, number in ((nothing, 0), (nothing, 1), (err, 2)):
        os.dup2(stream, number)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115


def _limit() -> None:
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST + 2))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _start(case: Case, told: Path) -> int:
    """A process from the start, with an ASCII terminal or a closed stdout every now and then."""
    command = [sys.executable, "-m", "crosstalk", *case.words]
    encoding = "ascii" if case.number % 2 else "utf-8"
    with told.open("wb") as err:
        started = subprocess.Popen(
            command, cwd=case.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=err, env={**os.environ, "PYTHONIOENCODING": encoding}, preexec_fn=_limit,
        )  # fmt: skip
    started.returncode = 0  # it is waited for by its number
    return started.pid


def judge(case: Case, code: int, said: str) -> Finding | None:
    if "Traceback (most recent call last)" in said or code == 99:
        return Finding(case, "a traceback", said)
    learns = " ".join(case.words).startswith(TRAIN) and LEARNING.search(said)
    if code == -signal.SIGXCPU and learns:
        return None
    if code == -signal.SIGXCPU:
        return Finding(case, f"no end within {LONGEST} seconds", said)
    if code not in CODES:
        return Finding(case, f"it ended with {code}", said)
    if code == 2 and not said.strip():
        return Finding(case, "it ended with 2 and said nothing", said)
    left = [each for each in _files(case.out) if not " ".join(case.words).startswith(KEEPS)]
    hidden = [each for each in _files(case.out) if each.name.endswith(".part")]
    if code == 2 and (left or hidden):
        return Finding(case, f"it ended with 2 and wrote {(left or hidden)[0]}", said)
    return None


def _files(folder: Path) -> list[Path]:
    return [each for each in folder.rglob("*") if each.is_file()] if folder.is_dir() else []


def fuzz(
    numbers: range,
    seed: int,
    codes: Counter[int],
    *,
    only: str = "",
    keep: bool = False,
    made: Path | None = None,
) -> Iterator[Finding]:
    """Run the cases and yield what went wrong; counts exit codes in `codes`."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    try:
        _import_all()
        samples = make_samples(made or folder / "samples")
        for number in numbers:
            case = make_case(number, seed, samples, folder, only)
            code, said = run_case(case)
            codes[code] += 1
            if found := judge(case, code, said):
                yield found
            if sum(codes.values()) % 100 == 0:
                print(f"{sum(codes.values())} cases", file=sys.stderr, flush=True)
            if not keep:
                shutil.rmtree(case.folder, ignore_errors=True)
    finally:
        if keep:
            print(f"kept: {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _import_all() -> None:
    """Before forking, what costs a command its first half second: modules and the tree of commands.

    Nothing of it is used here, so that no thread is running.
    """
    ours = [each.name for each in pkgutil.walk_packages(crosstalk.__path__, "crosstalk.")]
    for name in (*OUTSIDE, *ours):
        if name.rpartition(".")[2] not in NOT_IMPORTED:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    main.app = typer.main.get_command(main.app)  # type: ignore[assignment]  # called in the same way
    assert threading.active_count() == 1, "forked processes have no other threads"
    gc.collect()
    gc.freeze()  # what is shared with forked processes stays shared


def fuzz_commands() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--inputs", type=int, default=2000)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="", help="commands that begin with these words")
    options.add_argument("--only-case", type=int, default=None)
    options.add_argument("--samples", type=Path, help="a folder of valid files, made if missing")
    options.add_argument("--keep", action="store_true")
    asked = options.parse_args()
    numbers = range(asked.first, asked.first + asked.inputs)
    if asked.only_case is not None:
        numbers = range(asked.only_case, asked.only_case + 1)
    codes: Counter[int] = Counter()
    found = 0
    for finding in fuzz(
        numbers, asked.seed, codes, only=asked.only, keep=asked.keep, made=asked.samples
    ):
        found += 1
        print(finding, end="\n\n", flush=True)
    ends = ", ".join(f"{count} with {code}" for code, count in sorted(codes.items()))
    print(f"{len(numbers):,} inputs (seed {asked.seed}), {found} findings; ended: {ends}")
    sys.exit(found > 0)


if __name__ == "__main__":
    for limit in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"):
        os.environ.setdefault(limit, "1")
    os.environ.pop("CROSSTALK_DATA", None)
    fuzz_commands()
