"""A whole extraction run: plan parts, run them (resumable, byte-identical), statistics."""

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from json import dump
from pathlib import Path
from typing import Any, Final

from crosstalk import __version__
from crosstalk.chatlogs.extraction_methods import ExtractionSettings, linker_digest
from crosstalk.chatlogs.log_files import (
    RUN,
    LogFile,
    find_logs,
    nobody_speaks,
    split_by_month,
    unread_files,
)
from crosstalk.chatlogs.log_messages import LineKind
from crosstalk.chatlogs.part_extraction import (
    CONVERSATIONS,
    DIALOGUES,
    LEFT_OUT,
    PARTS,
    PLANNED,
    PartTask,
    run_part,
)
from crosstalk.chatlogs.thread_tables import write_corpus_layout
from crosstalk.errors import FormatError, InputError
from crosstalk.files import read_json, writing
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.workers import over, over_cluster

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
    """Totals over the parts of an extraction."""

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
    first: int | None = None
    """The time of the first line that somebody says, in seconds since 1970; `last`: the last."""
    last: int | None = None

    @property
    def spoken(self) -> int:
        """The number of lines that somebody says."""
        return sum(self.lines[kind] for kind in (LineKind.MESSAGE, LineKind.ACTION))

    def record(self) -> dict[str, Any]:
        utterances = sum(size * count for size, count in self.turns.items())
        return {
            "lines": sum(self.lines.values()),
            "lines_by_kind": dict(self.lines),
            "first": _iso(self.first),
            "last": _iso(self.last),
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


def _iso(time: int | None) -> str | None:
    return None if time is None else f"{datetime.fromtimestamp(time, UTC):%Y-%m-%dT%H:%M:%SZ}"


def read_statistics(folder: Path) -> LogStatistics:
    """Read the statistics of a folder that `logs extract` wrote."""
    summaries = [read_json(path) for path in sorted((folder / PARTS).glob("*.json"))]
    if not summaries:
        raise InputError(
            f"{folder} holds no extracted dialogues",
            remedy="Make some: crosstalk logs extract LOGS --out FOLDER",
        )
    run = read_json(folder / RUN)
    try:
        others = [f"{name}: no log, left out" for name in run.get(LEFT_OUT, [])]
        statistics = total_statistics(summaries)
        statistics.record()
        missing = run.get(PLANNED, len(summaries)) - len(summaries)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise FormatError(
            f"{folder}: not what `logs extract` wrote: {error!r}",
            remedy="Its files were changed afterwards; extract the logs anew.",
        ) from error
    unfinished = [f"{folder}: not finished, {missing:,} parts are missing; go on with --resume"]
    problems = (*unfinished[: missing > 0], *statistics.problems, *others)
    return replace(statistics, problems=problems)


def total_statistics(summaries: Iterable[dict[str, Any]]) -> LogStatistics:
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
        min((each["first"] for each in summaries if each["first"] is not None), default=None),
        max((each["last"] for each in summaries if each["last"] is not None), default=None),
    )


def median(counts: Counter[int]) -> float | None:
    """Return the median of values given as counts."""
    total = counts.total()
    if not total:
        return None
    values = sorted(counts.elements())
    return (values[(total - 1) // 2] + values[total // 2]) / 2


HALF_WRITTEN = ".*.part"


ENGINES = ("processes", "ray")


@dataclass(frozen=True, slots=True)
class ExtractOptions:
    """Workers, engine and outputs of a run."""

    workers: int = 1
    engine: str = "processes"
    """`processes`, or `ray` for an existing Ray cluster."""
    resume: bool = False
    """Resume the run in the folder."""
    tsv: bool = False
    """Also write dialogs/N/M.tsv, as the corpus was released."""
    format: str = ""
    """The format of all files; empty: each is recognised."""


def extract_logs(
    logs: Sequence[Path],
    out: Path,
    settings: ExtractionSettings,
    options: ExtractOptions | None = None,
    reporter: Reporter = SILENT,
) -> LogStatistics:
    """Extract dialogues from log files, folders or zips into a folder; returns statistics."""
    options = options or ExtractOptions()
    if options.engine not in ENGINES:
        raise InputError(
            f"there is no engine called {options.engine!r}", remedy=f"Known: {', '.join(ENGINES)}."
        )
    files = find_logs(logs, options.format)
    tasks = unfinished(plan(files, settings, out))
    # a missing cluster shows here, before the folder is made
    done = run_tasks(tasks, workers=options.workers, engine=options.engine)
    begin(out, files, settings, others=unread_files(logs, files), resume=options.resume)
    for _ in reporter.track(done, doing="extracting", total=len(tasks)):
        pass
    statistics = read_statistics(out)
    if not statistics.spoken:
        shutil.rmtree(out)
        raise nobody_speaks(logs, statistics.problems)
    if options.tsv:
        write_corpus_layout(out / DIALOGUES, out)
    return statistics


def plan(logs: list[LogFile], settings: ExtractionSettings, out: Path) -> list[PartTask]:
    return [
        PartTask(part, settings, out) for part in split_by_month(logs, by_month=settings.by_month)
    ]


def begin(
    out: Path,
    logs: list[LogFile],
    settings: ExtractionSettings,
    *,
    others: Sequence[str] = (),
    resume: bool,
) -> None:
    """Create the folder or check that it holds this run; `others` are files that are no logs."""
    record = _record(logs, settings) | {LEFT_OUT: list(others)}
    if (out / RUN).exists():
        _refuse_other(out, read_json(out / RUN), record, resume)
        _remove_half_written(out)
        return
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file", remedy="Give a new folder with --out.")
    if out.exists() and {*out.iterdir()} - {*out.glob(HALF_WRITTEN)}:
        raise InputError(
            f"{out} is not empty, and holds no extraction",
            remedy="Give a new folder with --out.",
        )
    with writing(out / RUN) as text:  # makes the folder, or says in words why it cannot
        dump(record, text, ensure_ascii=False, indent=1)
    _remove_half_written(out)


def _remove_half_written(out: Path) -> None:
    """Remove partial files of an interrupted run."""
    for folder in (".", DIALOGUES, CONVERSATIONS, PARTS):
        for file in (out / folder).glob(HALF_WRITTEN):
            if file.is_file():
                file.unlink()


def unfinished(tasks: list[PartTask]) -> list[PartTask]:
    return [task for task in tasks if not task.summary_file.exists()]


def run_tasks(tasks: list[PartTask], *, workers: int, engine: str) -> Iterator[str]:
    """Yield the names of finished parts, in order."""
    if engine == "ray":
        return over_cluster(run_part, tasks)
    return over(run_part, tasks, workers=workers)


def _record(logs: list[LogFile], settings: ExtractionSettings) -> dict[str, Any]:
    return {
        "crosstalk": __version__,
        **settings.record(),
        "linker": linker_digest(settings),
        PLANNED: len(split_by_month(logs, by_month=settings.by_month)),
        "files": [[log.channel, log.file_name, str(log.day)] for log in logs],
    }


def _refuse_other(out: Path, begun: Any, record: dict[str, Any], resume: bool) -> None:
    if not resume:
        raise InputError(
            f"{out} holds an extraction already",
            remedy="Finish it with --resume, or give a new folder with --out.",
        )
    changed = [
        key for key in record if not isinstance(begun, dict) or begun.get(key) != record[key]
    ]
    if changed:
        raise InputError(
            f"{out} was begun with other {', '.join(changed)}",
            remedy="Give the command it was begun with, or a new folder with --out.",
        )
