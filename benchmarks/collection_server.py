"""A server as users start it, and what it takes: for the measurements of the website."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.killable_server import ROOT

Figures = dict[str, Any]


@contextmanager
def served(store: str, port: int, *options: str) -> Iterator[tuple[int, str]]:
    """A server as users start it: its process number and the administrator's link."""
    command = [sys.executable, "-m", "crosstalk", "collect", "--store", store, "--port", str(port)]
    command += options
    process = subprocess.Popen(
        [*command, "--no-machines", "--no-training"], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout
    try:
        process.stdout.readline()
        link = process.stdout.readline().split("/enter/")[-1].strip()
        yield process.pid, link
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


def memory(process: int) -> float:
    """Megabytes in use."""
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return round(int(found[1]) / 1024, 1) if found else 0.0


def processor(process: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spread(seconds: list[float]) -> Figures:
    ordered = sorted(seconds) or [0.0]
    return {
        f"p{share}_ms": round(1000 * ordered[max(0, -(-len(ordered) * share // 100) - 1)], 1)
        for share in (50, 95, 99)
    }
