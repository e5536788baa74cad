"""A whole extraction: a folder that can be finished later, with the same bytes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from json import dump
from pathlib import Path
from typing import Any

from crosstalk import __version__
from crosstalk.chatlogs.corpus_layout import write_corpus_layout
from crosstalk.chatlogs.methods import Settings, linker_digest
from crosstalk.chatlogs.parts import parts_of
from crosstalk.chatlogs.run_part import (
    CONVERSATIONS,
    DIALOGUES,
    LEFT_OUT,
    PARTS,
    PLANNED,
    PartTask,
    run_part,
)
from crosstalk.chatlogs.sources import RUN, LogFile, find_logs, left_out
from crosstalk.chatlogs.statistics import LogStatistics, read_statistics
from crosstalk.errors import InputError
from crosstalk.files import read_json, writing
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.workers import over, over_cluster

HALF_WRITTEN = ".*.part"


ENGINES = ("processes", "ray")


@dataclass(frozen=True, slots=True)
class ExtractOptions:
    """How an extraction is run."""

    workers: int = 1
    engine: str = "processes"
    """Or `ray`: an existing Ray cluster."""
    resume: bool = False
    """Go on with what was begun in the folder."""
    tsv: bool = False
    """Also dialogs/N/M.tsv, as the corpus was released."""


def extract_logs(
    logs: Sequence[Path],
    out: Path,
    settings: Settings,
    options: ExtractOptions | None = None,
    reporter: Reporter = SILENT,
) -> LogStatistics:
    """Extract dialogues from log files, folders or zips into a new folder; what came of it."""
    options = options or ExtractOptions()
    if options.engine not in ENGINES:
        raise InputError(
            f"there is no engine called {options.engine!r}", remedy=f"Known: {', '.join(ENGINES)}."
        )
    files = find_logs(logs)
    tasks = unfinished(plan(files, settings, out))
    # a missing cluster shows here, before the folder is made
    done = run_tasks(tasks, workers=options.workers, engine=options.engine)
    begin(out, files, settings, others=left_out(logs, files), resume=options.resume)
    for _ in reporter.track(done, doing="extracting", total=len(tasks)):
        pass
    if options.tsv:
        write_corpus_layout(out / DIALOGUES, out)
    return read_statistics(out)


def plan(logs: list[LogFile], settings: Settings, out: Path) -> list[PartTask]:
    return [PartTask(part, settings, out) for part in parts_of(logs, by_month=settings.by_month)]


def begin(
    out: Path,
    logs: list[LogFile],
    settings: Settings,
    *,
    others: Sequence[str] = (),
    resume: bool,
) -> None:
    """Make the folder, or see that it is the one this run was begun in; `others` are no logs."""
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
    """Files that a killed run was just writing."""
    for folder in (".", DIALOGUES, CONVERSATIONS, PARTS):
        for file in (out / folder).glob(HALF_WRITTEN):
            if file.is_file():
                file.unlink()


def unfinished(tasks: list[PartTask]) -> list[PartTask]:
    return [task for task in tasks if not task.summary_file.exists()]


def run_tasks(tasks: list[PartTask], *, workers: int, engine: str) -> Iterator[str]:
    """Names of parts as they are finished, in order."""
    if engine == "ray":
        return over_cluster(run_part, tasks)
    return over(run_part, tasks, workers=workers)


def _record(logs: list[LogFile], settings: Settings) -> dict[str, Any]:
    return {
        "crosstalk": __version__,
        **settings.record(),
        "linker": linker_digest(settings),
        PLANNED: len(parts_of(logs, by_month=settings.by_month)),
        "files": [[log.channel, log.member or log.path.name, str(log.day)] for log in logs],
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
