"""Speed, memory and endurance of `logs extract` on made-up IRC logs.

`python -m benchmarks.chatlogs [LINES] [METHOD...]` extracts a log of that many lines with every
method in a process of its own, and tells lines for each second of the processor and of the wall
clock, the most memory, and how many times longer it took than reading the same files and splitting
them.

`python -m benchmarks.chatlogs long [LINES] [METHOD]` makes a log of ten years, extracts it once in
one go and once killed half way and resumed with two workers, and tells whether both gave the same
bytes and how much memory all processes together held.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.chatlogs_log import write_log
from benchmarks.chatlogs_runs import Used, extract, kill_half_way, same_bytes

LINES = 500_000
TEN_YEARS = 20_000_000


def speed(lines: int, methods: list[str]) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        logs = Path(folder) / "logs"
        files = write_log(logs, lines)
        plain = _plain(files)
        return {
            "lines": lines,
            "megabytes": _megabytes(files),
            "plain_lines_a_second": round(lines / plain),
            **{
                method: _told(extract(logs, Path(folder) / method, method), lines, plain)
                for method in methods
            },
        }


def endurance(lines: int, method: str) -> dict[str, object]:
    """Log and results take some 150 bytes a line on the disk while it runs."""
    with tempfile.TemporaryDirectory() as folder:
        logs, whole, cut = (Path(folder) / name for name in ("logs", "whole", "cut"))
        files = write_log(logs, lines, seed=2)
        plain = _plain(files)
        in_one_go = extract(logs, whole, method)
        killed_after = kill_half_way(logs, cut, method, parts=_parts(whole))
        resumed = extract(logs, cut, method, "--resume", "-j", "2")
        return {
            "lines": lines,
            "files": len(files),
            "megabytes": _megabytes(files),
            "method": method,
            "parts": _parts(whole),
            "in_one_go": _told(in_one_go, lines, plain),
            "killed_after_parts": killed_after,
            "resumed": {
                "seconds": round(resumed.seconds, 1),
                "peak_megabytes": resumed.peak_megabytes,
            },
            "same_bytes": same_bytes(whole, cut),
        }


def _plain(files: list[Path]) -> float:
    began = time.process_time()
    for path in files:
        path.read_text(encoding="utf-8").split("\n")
    return time.process_time() - began


def _told(used: Used, lines: int, plain: float) -> dict[str, float]:
    return {
        "lines_a_second": round(lines / used.seconds),
        "lines_a_second_by_the_wall": round(lines / used.wall),
        "seconds": round(used.seconds, 1),
        "times_plain": round(used.seconds / plain, 1),
        "peak_megabytes": used.peak_megabytes,
    }


def _megabytes(files: list[Path]) -> float:
    return round(sum(path.stat().st_size for path in files) / 1e6, 1)


def _parts(out: Path) -> int:
    return len(list((out / "parts").iterdir()))


if __name__ == "__main__":
    given = sys.argv[1:]
    if given[:1] == ["long"]:
        size = int(given[1]) if given[1:] else TEN_YEARS
        print(json.dumps(endurance(size, given[2] if given[2:] else "paper")))
    else:
        size = int(given[0]) if given else LINES
        print(json.dumps(speed(size, given[1:] or ["paper", "links"])))
