"""Lines a second of `logs extract`: `python -m benchmarks.chatlogs [LINES] [METHOD...]`.

Makes an IRC log of that many lines (a file a day, some 5,500 lines each, as #ubuntu had), extracts
it with every method in a process of its own, and tells lines for each second of the processor, the
most memory, and how many times longer it took than reading the same files and splitting them.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path

LINES_A_DAY = 5_500
FIRST_DAY = date(2008, 1, 1)
PRESENT = 120
"""People about at a time; one leaves and one comes every few lines."""
CONVERSATIONS = 6
"""Going on at a time."""


def write_log(folder: Path, lines: int, *, seed: int = 1) -> list[Path]:
    """The files of a made-up channel; the same for the same seed."""
    rng = random.Random(seed)
    said = _said(rng)
    return [
        _write_day(folder, day, min(LINES_A_DAY, lines - day * LINES_A_DAY), rng, said)
        for day in range(-(-lines // LINES_A_DAY))
    ]


def _said(rng: random.Random) -> list[str]:
    """What people say: words as rare as words are, lines of ten of them."""
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    shares = [1 / (place + 1) for place in range(len(letters))]
    words = ["".join(rng.choices(letters, shares, k=rng.randint(2, 9))) for _ in range(8_000)]
    rarity = list(accumulate(1 / (place + 5) for place in range(len(words))))
    ends = ["", "", "", "?", ".", " :)"]
    return [
        " ".join(rng.choices(words, cum_weights=rarity, k=rng.randint(1, 20))) + rng.choice(ends)
        for _ in range(50_000)
    ]


def _write_day(folder: Path, day: int, lines: int, rng: random.Random, said: list[str]) -> Path:
    path = folder / f"{FIRST_DAY + timedelta(days=day):%Y/%m/%d}" / "#made-up.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(_day(lines, rng, said)), encoding="utf-8")
    return path


def _day(lines: int, rng: random.Random, said: list[str]) -> Iterator[str]:
    present = [f"{rng.choice(said)[:6].strip()}{rng.randrange(10_000)}" for _ in range(PRESENT)]
    talks = [rng.sample(present, 2) for _ in range(CONVERSATIONS)]
    for line in range(lines):
        minute = line * 1440 // lines
        stamp = f"[{minute // 60:02}:{minute % 60:02}]"
        chance = rng.random()
        if chance < 0.1:
            yield f"=== {rng.choice(present)} [~x@host]  has joined #made-up\n"
            continue
        talk = rng.choice(talks)
        if chance < 0.15:
            talk[:] = rng.sample(present, 2)
        speaker, other = talk if chance < 0.55 else reversed(talk)
        name = f"{other}: " if rng.random() < 0.45 else ""
        yield f"{stamp} <{speaker}> {name}{rng.choice(said)}\n"


def measure(lines: int, methods: list[str]) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder:
        logs = Path(folder) / "logs"
        files = write_log(logs, lines)
        plain = _plain(files)
        return {
            "lines": lines,
            "megabytes": round(sum(path.stat().st_size for path in files) / 1e6, 1),
            "plain_lines_a_second": round(lines / plain),
            **{
                method: _extract(logs, Path(folder) / method, method, lines, plain)
                for method in methods
            },
        }


def _plain(files: list[Path]) -> float:
    began = time.process_time()
    for path in files:
        path.read_text(encoding="utf-8").split("\n")
    return time.process_time() - began


def _extract(logs: Path, out: Path, method: str, lines: int, plain: float) -> dict[str, float]:
    command = [sys.executable, "-m", "crosstalk", "logs", "extract", str(logs), "--method", method]
    began = time.monotonic()
    process = subprocess.Popen([*command, "--out", str(out)], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    seconds = used.ru_utime + used.ru_stime
    return {
        "lines_a_second": round(lines / seconds),
        "lines_a_second_by_the_wall": round(lines / (time.monotonic() - began)),
        "times_plain": round(seconds / plain, 1),
        "peak_megabytes": round(used.ru_maxrss / 1024),
    }


if __name__ == "__main__":
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 500_000
    print(json.dumps(measure(size, sys.argv[2:] or ["paper", "links"])))
