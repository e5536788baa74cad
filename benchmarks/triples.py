"""How fast `retrieve triples` is as a whole process: `python -m benchmarks.triples DIALOGUES`.

DIALOGUES is a folder of `logs extract --tsv`. The other program of the ratio works as the public
creator of the corpus does: it lists the small files of `dialogs/`, opens the file of each dialogue
that it draws, merges its turns, opens another file for a false response, and writes with the
standard library. It leaves out the creator's optional tokenising, stemming and its Python 2, so
that the ratio is a low one. Both make training pairs and groups of ten; what counts is the
processor's time of the process from its start to its end, the least of three runs, by turns.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

SEED, AGAIN = 1, 3
LONGEST_CONTEXT = 20


def measure(dialogues: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "made.csv"
        found: dict[str, Any] = {}
        for layout, negatives in (("pairs", 1), ("groups", 9)):
            ours = [sys.executable, "-m", "crosstalk", "retrieve", "triples", str(dialogues)]
            ours += ["--negatives", str(negatives), "--seed", str(SEED), "--out", str(made)]
            rows = _rows(ours, made)
            other = [sys.executable, "-m", "benchmarks.triples", str(dialogues)]
            other += [str(negatives), str(rows), str(made)]
            seconds = [(_seconds(ours), _seconds(other)) for _ in range(AGAIN)]
            least = [min(each) for each in zip(*seconds, strict=True)]
            found[layout] = {
                "rows": rows,
                "seconds": round(least[0], 2),
                "file_by_file_seconds": round(least[1], 2),
                "ratio": round(least[1] / least[0], 1),
            }
        return found


def _seconds(command: Sequence[str]) -> float:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    return used.ru_utime + used.ru_stime


def _rows(command: Sequence[str], made: Path) -> int:
    _seconds(command)
    with made.open(newline="", encoding="utf-8") as file:
        return sum(1 for _ in csv.reader(file)) - 1


# As the public creator works


def write_file_by_file(dialogues: Path, negatives: int, rows: int, out: Path) -> None:
    rng = Random(SEED)
    files = [path for path in sorted((dialogues / "dialogs").rglob("*.tsv")) if _is_long(path)]
    with out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["Context", "Utterance", "Label"])
        for row in range(rows):
            turns = _turns(files[row % len(files)])
            size = rng.randint(2, max(2, min(LONGEST_CONTEXT, len(turns) + 1) - 2))
            size = min(size, len(turns) - 1)
            context = "".join(f"{turn} __eot__ " for turn in turns[:size])
            false = (_any_turn(rng.choice(files), rng) for _ in range(negatives))
            if negatives > 1:
                writer.writerow([context, turns[size], *false])
            elif rng.random() < 0.5:
                writer.writerow([context, turns[size], 1])
            else:
                writer.writerow([context, next(false), 0])


def _is_long(path: Path) -> bool:
    return len(_turns(path)) > 2


def _any_turn(path: Path, rng: Random) -> str:
    turns = _turns(path)
    return turns[rng.randint(2, min(LONGEST_CONTEXT, len(turns)) - 1)]


def _turns(path: Path) -> list[str]:
    return [" ".join(f"{line} __eou__" for line in lines) for lines in _merged(path)]


def _merged(path: Path) -> Iterator[list[str]]:
    lines: list[str] = []
    before = ""
    with path.open(newline="", encoding="utf-8") as file:
        for _, sender, _, text in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if lines and sender != before:
                yield lines
                lines = []
            lines.append(text)
            before = sender
    if lines:
        yield lines


if __name__ == "__main__":
    folder, *rest = sys.argv[1:]
    if rest:
        write_file_by_file(Path(folder), int(rest[0]), int(rest[1]), Path(rest[2]))
    else:
        print(json.dumps(measure(Path(folder)), indent=2))
