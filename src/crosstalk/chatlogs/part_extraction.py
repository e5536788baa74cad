"""Extract one part of a log (a channel and a month): read, disentangle, write, sum up."""

import gc
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from glob import escape
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crosstalk.chatlogs.conversation_threads import (
    DropReason,
    Extractor,
    Thread,
    count_turns,
    drop_reason,
    two_person,
)
from crosstalk.chatlogs.extraction_methods import ExtractionSettings, build_extractor
from crosstalk.chatlogs.log_files import LogFile, LogPart
from crosstalk.chatlogs.log_messages import LogMessage
from crosstalk.chatlogs.log_reader import ReadTally, read_batches
from crosstalk.chatlogs.thread_tables import ThreadTables
from crosstalk.files import writing

LARGEST_DAY = 100_000
"""Maximum messages of a "day": a busy channel has 30,000, but a file may hold years."""
SECONDS_A_DAY = 86_400
TIME = attrgetter("time")


class PartReader:
    """Reads the files of a part and yields its conversations; knows the file of each line."""

    def __init__(self, part: LogPart, extractor: Extractor) -> None:
        self._part = part
        self._extractor = extractor
        self._starts: list[int] = []
        self._names: list[str] = []
        self._own = range(0)
        self.tally = ReadTally()
        self.lines = 0

    def conversations(self) -> Iterator[Thread]:
        """Yield the conversations that begin in the part's own files."""
        return (thread for thread in self._all() if thread[0].order in self._own)

    def files_of(self, orders: Sequence[int]) -> pl.Series:
        """Return the file name of each line."""
        files = np.searchsorted(np.array(self._starts), np.array(orders), side="right") - 1
        return pl.Series(self._names, dtype=pl.String).gather(files)

    def _all(self) -> Iterator[Thread]:
        for log in self._part.before:
            yield from self._through(log, ReadTally())
        self._own = range(self.lines, sys.maxsize)
        for log in self._part.own:
            yield from self._through(log, self.tally)
        self._own = range(self._own.start, self.lines)
        for log in self._part.after:
            yield from self._through(log, ReadTally())
        yield from self._extractor.end()

    def _through(self, log: LogFile, tally: ReadTally) -> Iterator[Thread]:
        self._starts.append(self.lines)
        self._names.append(log.file_name)
        for day in _days(read_batches(log, tally)):
            self.lines += len(day)
            yield from self._extractor.day(day)


def _days(batches: Iterable[list[LogMessage]]) -> Iterator[list[LogMessage]]:
    """Group messages by day, in pieces if a day has very many."""
    day: list[LogMessage] = []
    midnight = 0
    for batch in batches:
        for piece in _at_midnights(batch):
            if day and (piece[0].time >= midnight or len(day) >= LARGEST_DAY):
                yield day
                day = []
            if not day:
                midnight = _next_midnight(piece[0])
            day += piece
    if day:
        yield day


def _at_midnights(batch: list[LogMessage]) -> Iterator[list[LogMessage]]:
    """Split a batch at midnight."""
    start = 0
    midnight = _next_midnight(batch[0])
    if max(map(TIME, batch)) >= midnight:  # few batches do
        for at, message in enumerate(batch):
            if message.time >= midnight:
                yield batch[start:at]
                start, midnight = at, _next_midnight(message)
    yield batch[start:]


def _next_midnight(message: LogMessage) -> int:
    return message.time - message.time % SECONDS_A_DAY + SECONDS_A_DAY


DIALOGUES, CONVERSATIONS, PARTS = "dialogues", "conversations", "parts"
LEFT_OUT, PLANNED = "left_out", "parts"
"""Keys of `run.json`: files that were no logs, and the number of parts."""


@dataclass(frozen=True, slots=True)
class PartTask:
    """A part, its settings and its output folder."""

    part: LogPart
    settings: ExtractionSettings
    out: Path

    @property
    def summary_file(self) -> Path:
        return self.out / PARTS / f"{self.part.name}.json"


@dataclass(slots=True)
class PartSummary:
    """Counts of one part, from which statistics are summed."""

    conversations: int = 0
    dialogues: int = 0
    dialogue_lines: int = 0
    turns: Counter[int] = field(default_factory=Counter)
    """Number of turns -> number of dialogues."""
    words: int = 0
    minutes: Counter[int] = field(default_factory=Counter)
    """Duration in minutes -> number of dialogues."""
    dropped: Counter[DropReason] = field(default_factory=Counter)

    def add(self, dialogue: Thread, turns: int) -> None:
        self.dialogues += 1
        self.dialogue_lines += len(dialogue)
        self.turns[turns] += 1
        self.minutes[(dialogue[-1].message.time - dialogue[0].message.time) // 60] += 1


def run_part(task: PartTask) -> str:
    """Extract a part; the summary is written last and marks the part as finished."""
    _remove_leftovers(task)
    with _without_collecting():
        return _run(task)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Disable garbage collection, which takes 40 % of the time; lines form no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _run(task: PartTask) -> str:
    walk = PartReader(task.part, build_extractor(task.settings))
    summary = PartSummary()
    _write(task, walk, summary)
    with writing(task.summary_file) as text:
        json.dump(_record(task, walk, summary), text, ensure_ascii=False, indent=1)
    return task.part.name


def _write(task: PartTask, walk: PartReader, summary: PartSummary) -> None:
    channel, stem, settings = task.part.channel, task.part.name, task.settings
    conversations = ThreadTables(task.out / CONVERSATIONS, stem, channel, walk.files_of)
    dialogues = ThreadTables(task.out / DIALOGUES, stem, channel, walk.files_of)
    for conversation in walk.conversations():
        name = f"{stem}/{summary.conversations:06}"
        summary.conversations += 1
        if len(conversation) > 1 and settings.by_links:
            conversations.add(conversation, name, "")
        for side in _sides(conversation, settings):
            turns = count_turns(side)
            if reason := drop_reason(side, turns, settings.least_sure):
                summary.dropped[reason] += 1
            else:
                dialogues.add(side, name, f"{stem}/{summary.dialogues:06}")
                summary.add(side, turns)
    conversations.flush()
    dialogues.flush()
    summary.words = dialogues.words


def _sides(conversation: Thread, settings: ExtractionSettings) -> Iterable[Thread]:
    if settings.by_links:
        return two_person(conversation, is_bot=settings.rules.bots)
    return (conversation,)  # the paper's are of two people and no bot already


def _record(task: PartTask, walk: PartReader, summary: PartSummary) -> dict[str, Any]:
    return {
        "channel": task.part.channel,
        "month": task.part.month,
        "files": len(task.part.own),
        "lines": dict(walk.tally.kinds),
        "problems": walk.tally.problems,
        "first": walk.tally.first,
        "last": walk.tally.last,
        "conversations": summary.conversations,
        "dialogues": summary.dialogues,
        "dialogue_lines": summary.dialogue_lines,
        "words": summary.words,
        "turns": {str(size): count for size, count in sorted(summary.turns.items())},
        "minutes": {str(length): count for length, count in sorted(summary.minutes.items())},
        "dropped": {reason.value: count for reason, count in sorted(summary.dropped.items())},
    }


def _remove_leftovers(task: PartTask) -> None:
    """Remove files that an interrupted run left of this part."""
    name = escape(task.part.name)
    for folder in (CONVERSATIONS, DIALOGUES):
        for piece in (task.out / folder).glob(f"{name}-[0-9][0-9][0-9][0-9].parquet"):
            piece.unlink()
