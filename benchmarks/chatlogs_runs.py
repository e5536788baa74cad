"""Runs of `crosstalk logs extract`: how long, how much memory, and one that is killed."""

import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

EVERY = 0.2
"""Seconds between two looks."""


@dataclass(frozen=True, slots=True)
class Used:
    """What a run and its workers used."""

    seconds: float
    """Of the processor."""
    wall: float
    peak_megabytes: int
    """Of all processes together; pages they share count for each."""


def extract(logs: Path, out: Path, method: str, *options: str) -> Used:
    command = _command(logs, out, method, *options)
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    peak = _Peak(process.pid)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    largest = round(max(peak.megabytes(), used.ru_maxrss / 1024))
    return Used(used.ru_utime + used.ru_stime, time.monotonic() - began, largest)


def kill_half_way(logs: Path, out: Path, method: str, *, parts: int) -> int:
    """Begin with two workers, kill when half of the parts are there; tells how many were."""
    process = subprocess.Popen(_command(logs, out, method, "-j", "2"), stdout=subprocess.DEVNULL)
    while _finished(out) < parts // 2:
        if process.poll() is not None:
            raise SystemExit("the run was over before it could be killed: give it more lines")
        time.sleep(EVERY)
    workers = family(process.pid)
    process.kill()
    process.wait()
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        time.sleep(EVERY)
    return _finished(out)


def same_bytes(one: Path, other: Path) -> bool:
    return _files(one) == _files(other) and all(
        (one / name).read_bytes() == (other / name).read_bytes() for name in _files(one)
    )


def family(process: int) -> list[int]:
    """A process and all that it started."""
    try:
        started = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [process, *(each for child in started for each in family(int(child)))]


class _Peak:
    """Watches the memory of a process and of those it starts, until it ends."""

    def __init__(self, process: int) -> None:
        self._pages = 0
        self._thread = threading.Thread(target=self._watch, args=(process,))
        self._thread.start()

    def megabytes(self) -> float:
        self._thread.join()
        return self._pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def _watch(self, process: int) -> None:
        while together := family(process):
            self._pages = max(self._pages, sum(map(_resident_pages, together)))
            time.sleep(EVERY)


def _resident_pages(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0


def _command(logs: Path, out: Path, method: str, *options: str) -> list[str]:
    asked = ["logs", "extract", str(logs), "--method", method, "--out", str(out), *options]
    return [sys.executable, "-m", "crosstalk", *asked]


def _finished(out: Path) -> int:
    return len(list((out / "parts").glob("*.json")))


def _files(folder: Path) -> list[Path]:
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
