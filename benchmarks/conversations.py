"""Conversations with expectations: `python -m benchmarks.conversations [dev|kept]`.

Our own conversations in five languages and in crosswoz (`benchmarks/conversations/`), by writers
who had not read the rules (the latest batch: a language model, no person), and those of the data
folder (`conversations/dev.jsonl`), held in this process and scored by the
scorer that lies beside them. `kept` halves are scored at the end,
never tuned on. Three kinds of errors are counted apart: limits and exclusions of the turn itself
that the places offered break without a word (`broken`), superlatives that name another place than
the best (`superlatives`), and statements that the tables do not bear out (`false`).
"""

import importlib.util
import json
import os
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from crosstalk.errors import InputError
from crosstalk.evaluation.claims import ClaimChecker
from crosstalk.system.build import build_system
from crosstalk.system.chat import reply
from crosstalk.system.pipeline import System

OWN = Path(__file__).parent / "conversations"
CROSSWOZ = Path("crosswoz/database")
"""Where the tables of crosswoz lie in the data folder."""
GRADES = ("right", "acceptable", "wrong")
ERRORS = ("broken", "superlatives", "false")


@cache
def system(world: str, language: str) -> System:
    return build_system(world, language=language)


@cache
def checker(world: str, language: str) -> ClaimChecker:
    database = system(world, language).database
    assert database is not None
    return ClaimChecker(database)


def hold(conversation: dict[str, Any], seconds: list[float]) -> list[dict[str, Any]]:
    """The answers to one conversation; the processor's time of each turn joins `seconds`."""
    kind = conversation.get("world", "harbour"), conversation["language"]
    talked = system(*kind)
    session, turns = talked.begin(), []
    for turn in conversation["turns"]:
        began = time.process_time()
        answer, session = reply(talked, turn["say"], session)
        seconds.append(time.process_time() - began)
        claims = checker(*kind).false_claims(session.history)
        turns.append({"text": answer.text, "false": len(claims)})
    return turns


def read(part: str, data: Path) -> Iterator[dict[str, Any]]:
    files = sorted(OWN.glob(f"*-{part}.jsonl"))
    if part == "dev":
        files.append(data / "conversations" / "dev.jsonl")
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def scorer(data: Path) -> Any:
    """The module of the data folder that grades answers."""
    file = data / "conversations" / "score_chat.py"
    spec = importlib.util.spec_from_file_location("score_chat", file)
    if spec is None or spec.loader is None or not file.exists():
        raise InputError(f"{file}: there is no scorer", remedy="Name the data folder.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def score(part: str, data: Path) -> dict[str, Any]:
    """Shares of right, acceptable and wrong turns by language (and world), in percent."""
    seconds: list[float] = []
    grader = scorer(data)
    rows = [row for each in read(part, data) for row in graded(each, grader, data, seconds)]
    seconds.sort()
    return {
        "part": part,
        "languages": {code: shares(rows, code) for code in sorted({r["language"] for r in rows})},
        "overall": shares(rows),
        "p95_ms": round(1000 * seconds[int(0.95 * len(seconds))], 1),
    }


def graded(
    conversation: dict[str, Any], grader: Any, data: Path, seconds: list[float]
) -> Iterator[dict[str, Any]]:
    """One row a turn."""
    world, language = conversation.get("world", "harbour"), conversation["language"]
    folder = data / "conversations" / "harbour" if world == "harbour" else data / CROSSWOZ
    talk = grader.Talk(grader.World(world, folder, language), conversation["turns"])
    label = language if world == "harbour" else f"{world}-{language}"
    for turn, answer in zip(conversation["turns"], hold(conversation, seconds), strict=True):
        judge = grader.Judge(talk, turn, answer["text"])
        grade = grader.score_turn(talk, turn, answer["text"])
        wrong = grade == "wrong"
        yield {
            "language": label,
            "grade": grade,
            "broken": wrong and any(is_broken(judge, spec) for spec in searches(turn)),
            "superlatives": wrong
            and any("best" in each and judge.names for each in searches(turn)),
            "false": answer["false"],
        }


def searches(turn: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The searches that a right answer comes from."""
    for check in turn.get("right", []):
        found = check.get("find", [])
        yield from found if isinstance(found, list) else [found]


def is_broken(judge: Any, search: dict[str, Any]) -> bool:
    """Whether every place offered breaks a limit or exclusion of the turn, and nothing says so."""
    where = search.get("where", {})
    limits = {k: v for k, v in where.items() if k.endswith("_not") or isinstance(v, dict)}
    offered = [name for name in judge.of(search["domain"]) if name not in judge.anchors(where)]
    met = any(judge.meets(name, limits) for name in offered)
    return bool(limits and offered) and not met and not judge.says_none(search["domain"])


def shares(rows: list[dict[str, Any]], language: str = "") -> dict[str, float]:
    grades = [row["grade"] for row in rows if language in ("", row["language"])]
    found = {grade: round(100 * grades.count(grade) / len(grades), 1) for grade in GRADES}
    chosen = [row for row in rows if language in ("", row["language"])]
    errors = {key: sum(row[key] for row in chosen) for key in ERRORS}
    return {"turns": len(grades), **found, "good": round(100 - found["wrong"], 1), **errors}


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
