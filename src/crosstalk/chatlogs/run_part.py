"""One part of a log from beginning to end: read, extract, write, sum up."""

import gc
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import Any

from crosstalk.chatlogs.extraction import FileWalk
from crosstalk.chatlogs.methods import Settings, build_extractor
from crosstalk.chatlogs.parts import LogPart
from crosstalk.chatlogs.tables import ThreadTables
from crosstalk.chatlogs.thread_filter import Dropped, why_dropped
from crosstalk.chatlogs.threads import Thread, count_turns
from crosstalk.chatlogs.views import two_person
from crosstalk.files import writing

DIALOGUES, CONVERSATIONS, PARTS = "dialogues", "conversations", "parts"
LEFT_OUT, PLANNED = "left_out", "parts"
"""What a run remembers: the files that were no logs, and how many parts there are."""


@dataclass(frozen=True, slots=True)
class PartTask:
    """A part, how it is worked on, and where the results go."""

    part: LogPart
    settings: Settings
    out: Path

    @property
    def summary_file(self) -> Path:
        return self.out / PARTS / f"{self.part.name}.json"


@dataclass(slots=True)
class Summary:
    """Counts of one part; what statistics are made of."""

    conversations: int = 0
    dialogues: int = 0
    dialogue_lines: int = 0
    turns: Counter[int] = field(default_factory=Counter)
    """How many dialogues have so many turns."""
    words: int = 0
    minutes: Counter[int] = field(default_factory=Counter)
    """How many dialogues last so many minutes."""
    dropped: Counter[Dropped] = field(default_factory=Counter)

    def add(self, dialogue: Thread, turns: int) -> None:
        self.dialogues += 1
        self.dialogue_lines += len(dialogue)
        self.turns[turns] += 1
        self.minutes[(dialogue[-1].message.time - dialogue[0].message.time) // 60] += 1


def run_part(task: PartTask) -> str:
    """Do the work; the summary is written last and says that the part is finished."""
    _remove_leftovers(task)
    with _without_collecting():
        return _run(task)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Millions of lines and no cycles among them: looking for some takes two fifths of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _run(task: PartTask) -> str:
    walk = FileWalk(task.part, build_extractor(task.settings))
    summary = Summary()
    _write(task, walk, summary)
    with writing(task.summary_file) as text:
        json.dump(_record(task, walk, summary), text, ensure_ascii=False, indent=1)
    return task.part.name


def _write(task: PartTask, walk: FileWalk, summary: Summary) -> None:
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
            if reason := why_dropped(side, turns, settings.least_sure):
                summary.dropped[reason] += 1
            else:
                dialogues.add(side, name, f"{stem}/{summary.dialogues:06}")
                summary.add(side, turns)
    conversations.flush()
    dialogues.flush()
    summary.words = dialogues.words


def _sides(conversation: Thread, settings: Settings) -> Iterable[Thread]:
    if settings.by_links:
        return two_person(conversation, is_bot=settings.rules.bots)
    return (conversation,)  # the paper's are of two people and no bot already


def _record(task: PartTask, walk: FileWalk, summary: Summary) -> dict[str, Any]:
    return {
        "channel": task.part.channel,
        "month": task.part.month,
        "files": len(task.part.own),
        "lines": dict(walk.tally.kinds),
        "problems": walk.tally.problems,
        "conversations": summary.conversations,
        "dialogues": summary.dialogues,
        "dialogue_lines": summary.dialogue_lines,
        "words": summary.words,
        "turns": {str(size): count for size, count in sorted(summary.turns.items())},
        "minutes": {str(length): count for length, count in sorted(summary.minutes.items())},
        "dropped": {reason.value: count for reason, count in sorted(summary.dropped.items())},
    }


def _remove_leftovers(task: PartTask) -> None:
    """What an interrupted run left of this part."""
    name = escape(task.part.name)
    for folder in (CONVERSATIONS, DIALOGUES):
        for piece in (task.out / folder).glob(f"{name}-[0-9][0-9][0-9][0-9].parquet"):
            piece.unlink()
