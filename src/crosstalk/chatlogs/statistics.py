"""Numbers of an extraction: the paper's Table 1, and what was dropped and why."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from crosstalk.chatlogs.run_part import LEFT_OUT, PARTS, PLANNED
from crosstalk.chatlogs.sources import RUN
from crosstalk.errors import InputError
from crosstalk.files import read_json

PUBLISHED: Final = {
    "dialogues": 930_000,
    "utterances": 7_100_000,
    "words": 100_000_000,
    "min_turns": 3,
    "mean_turns": 7.71,
    "words_a_line": 10.34,
    "median_minutes": 6,
}
"""Table 1 of the paper, for the whole corpus."""


@dataclass(frozen=True, slots=True)
class LogStatistics:
    """Sums over the parts of an extraction."""

    parts: int
    lines: Counter[str]
    problems: tuple[str, ...]
    conversations: int
    dialogues: int
    dialogue_lines: int
    words: int
    turns: Counter[int]
    minutes: Counter[int]
    dropped: Counter[str]

    def record(self) -> dict[str, Any]:
        utterances = sum(size * count for size, count in self.turns.items())
        return {
            "lines": sum(self.lines.values()),
            "lines_by_kind": dict(self.lines),
            "conversations": self.conversations,
            "dialogues": self.dialogues,
            "utterances": utterances,
            "words": self.words,
            "min_turns": min(self.turns, default=0),
            "mean_turns": utterances / self.dialogues if self.dialogues else None,
            "words_a_line": self.words / self.dialogue_lines if self.dialogue_lines else None,
            "words_an_utterance": self.words / utterances if utterances else None,
            "median_minutes": median(self.minutes),
            "turns": {str(size): count for size, count in sorted(self.turns.items())},
            "dropped": dict(self.dropped),
            "problems": list(self.problems),
        }


def read_statistics(folder: Path) -> LogStatistics:
    """The statistics of a folder that `logs extract` wrote."""
    summaries = [read_json(path) for path in sorted((folder / PARTS).glob("*.json"))]
    if not summaries:
        raise InputError(
            f"{folder} holds no extracted dialogues",
            remedy="Make some: crosstalk logs extract LOGS --out FOLDER",
        )
    run = read_json(folder / RUN)
    others = [f"{name}: no log, left out" for name in run.get(LEFT_OUT, [])]
    statistics = sum_up(summaries)
    missing = run.get(PLANNED, len(summaries)) - len(summaries)
    unfinished = [f"{folder}: not finished, {missing:,} parts are missing; go on with --resume"]
    problems = (*unfinished[: missing > 0], *statistics.problems, *others)
    return replace(statistics, problems=problems)


def sum_up(summaries: Iterable[dict[str, Any]]) -> LogStatistics:
    summaries = list(summaries)

    def total(field: str) -> int:
        return sum(summary[field] for summary in summaries)

    def merged(field: str) -> Counter[str]:
        return sum((Counter(summary[field]) for summary in summaries), Counter())

    def sizes(field: str) -> Counter[int]:
        return Counter({int(size): count for size, count in merged(field).items()})

    return LogStatistics(
        len(summaries),
        merged("lines"),
        tuple(problem for summary in summaries for problem in summary["problems"]),
        total("conversations"),
        total("dialogues"),
        total("dialogue_lines"),
        total("words"),
        sizes("turns"),
        sizes("minutes"),
        merged("dropped"),
    )


def median(counts: Counter[int]) -> float | None:
    """The middle of values given with how often they occur."""
    total = counts.total()
    if not total:
        return None
    values = sorted(counts.elements())
    return (values[(total - 1) // 2] + values[total // 2]) / 2
