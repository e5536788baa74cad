"""Conversations with expectations: `python -m benchmarks.conversations [dev|kept]`.

Our own conversations in five languages and in crosswoz (`benchmarks/conversations/`), written by
people who had not read the rules, and those of the data folder (`conversations/dev.jsonl`), held in
this process and scored by the scorer that lies beside them. `kept` halves are scored at the end,
never tuned on.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from crosstalk.errors import InputError
from crosstalk.system.build import build_system
from crosstalk.system.chat import reply
from crosstalk.system.pipeline import System

OWN = Path(__file__).parent / "conversations"
CROSSWOZ = Path("crosswoz/database")
"""Where the tables of crosswoz lie in the data folder."""
GRADES = ("right", "acceptable", "wrong")


@cache
def system(world: str, language: str) -> System:
    return build_system(world, language=language)


def hold(conversation: dict[str, Any], seconds: list[float]) -> dict[str, Any]:
    """The answers to one conversation; the processor's time of each turn joins `seconds`."""
    world = conversation.get("world", "harbour")
    talked = system(world, conversation["language"])
    session, turns = talked.begin(), []
    for turn in conversation["turns"]:
        began = time.process_time()
        answer, session = reply(talked, turn["say"], session)
        seconds.append(time.process_time() - began)
        turns.append({"say": turn["say"], "text": answer.text})
    kept = {"id": conversation.get("id"), "language": conversation["language"], "world": world}
    return {**kept, "turns": turns}


def read(part: str, data: Path) -> Iterator[dict[str, Any]]:
    files = sorted(OWN.glob(f"*-{part}.jsonl"))
    if part == "dev":
        files.append(data / "conversations" / "dev.jsonl")
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def score(part: str, data: Path) -> dict[str, Any]:
    """Shares of right, acceptable and wrong turns by language (and world), in percent."""
    seconds: list[float] = []
    conversations = list(read(part, data))
    answers = [hold(each, seconds) for each in conversations]
    with tempfile.TemporaryDirectory() as folder:
        asked, told, graded = (Path(folder) / name for name in ("asked", "told", "graded"))
        for file, records in ((asked, conversations), (told, answers)):
            file.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
        scorer = data / "conversations"
        command = [sys.executable, str(scorer / "score_chat.py"), str(asked), str(told)]
        for world, tables in (("harbour", scorer / "harbour"), ("crosswoz", data / CROSSWOZ)):
            command += ["--world-dir", f"{world}={tables}"]
        command += ["--json", str(graded), "--quiet"]
        subprocess.run(command, check=True, capture_output=True)
        rows = [json.loads(line) for line in graded.read_text(encoding="utf-8").splitlines()]
    elsewhere = {each["id"]: each["world"] for each in answers if each["world"] != "harbour"}
    for row in rows:
        row["language"] = "-".join(filter(None, (elsewhere.get(row["id"]), row["language"])))
    seconds.sort()
    return {
        "part": part,
        "languages": {code: shares(rows, code) for code in sorted({r["language"] for r in rows})},
        "overall": shares(rows),
        "p95_ms": round(1000 * seconds[int(0.95 * len(seconds))], 1),
    }


def shares(rows: list[dict[str, Any]], language: str = "") -> dict[str, float]:
    grades = [row["grade"] for row in rows if language in ("", row["language"])]
    found = {grade: round(100 * grades.count(grade) / len(grades), 1) for grade in GRADES}
    return {"turns": len(grades), **found, "good": round(100 - found["wrong"], 1)}


def main() -> None:
    data = os.environ.get("CROSSTALK_DATA")
    if not data:
        raise InputError(
            "CROSSTALK_DATA is not set",
            remedy="Name the data folder; the scorer lies in its folder `conversations`.",
        )
    part = sys.argv[1] if len(sys.argv) > 1 else "dev"
    print(json.dumps(score(part, Path(data)), indent=1))


if __name__ == "__main__":
    main()
