"""One part of a log from beginning to end: read, extract, write, sum up."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crosstalk.chatlogs.dropping import Dropped, why_dropped
from crosstalk.chatlogs.extraction import Walk
from crosstalk.chatlogs.methods import Settings, build_extractor
from crosstalk.chatlogs.parts import Part
from crosstalk.chatlogs.tables import Pieces, Row, write_tsv
from crosstalk.chatlogs.threads import Thread, turns
from crosstalk.chatlogs.views import two_person
from crosstalk.files import writing

DIALOGUES, CONVERSATIONS, PARTS = "dialogues", "conversations", "parts"


@dataclass(frozen=True, slots=True)
class Task:
    """A part, how it is worked on, and where the results go."""

    part: Part
    settings: Settings
    out: Path
    tsv: bool = False

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

    def add(self, dialogue: Thread) -> None:
        self.dialogues += 1
        self.dialogue_lines += len(dialogue)
        self.turns[len(turns(dialogue))] += 1
        self.words += sum(len(line.text.split()) for line in dialogue)
        self.minutes[(dialogue[-1].message.time - dialogue[0].message.time) // 60] += 1


def run_part(task: Task) -> str:
    """Do the work; the summary is written last and says that the part is finished."""
    _remove_leftovers(task)
    walk = Walk(task.part, build_extractor(task.settings))
    summary = Summary()
    _write(task, walk, summary)
    with writing(task.summary_file) as text:
        json.dump(_record(task, walk, summary), text, ensure_ascii=False, indent=1)
    return task.part.name


def _write(task: Task, walk: Walk, summary: Summary) -> None:
    conversations = Pieces(task.out / CONVERSATIONS, task.part.name)
    dialogues = Pieces(task.out / DIALOGUES, task.part.name)
    bots = task.settings.rules.bots
    for conversation in walk.conversations():
        name = f"{task.part.name}/{summary.conversations:06}"
        summary.conversations += 1
        if len(conversation) > 1:
            conversations.add(_rows(conversation, name, "", walk))
        for side in two_person(conversation, is_bot=bots):
            if reason := why_dropped(side):
                summary.dropped[reason] += 1
                continue
            dialogues.add(_rows(side, name, f"{task.part.name}/{summary.dialogues:06}", walk))
            summary.add(side)
            if task.tsv:
                write_tsv(task.out / "tsv" / task.part.name, summary.dialogues, side)
    conversations.flush()
    dialogues.flush()


def _rows(thread: Thread, conversation: str, dialogue: str, walk: Walk) -> Iterator[Row]:
    for line in thread:
        log, message = walk.file_of(line.order), line.message
        yield (
            *(log.channel, conversation, dialogue, line.order),
            *(log.path.name if not log.member else log.member, message.number, message.time),
            *(message.sender, line.recipient, line.text, line.parent, line.confidence),
        )


def _record(task: Task, walk: Walk, summary: Summary) -> dict[str, Any]:
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


def _remove_leftovers(task: Task) -> None:
    """What an interrupted run left of this part."""
    for folder in (CONVERSATIONS, DIALOGUES):
        for piece in (task.out / folder).glob(f"{task.part.name}-[0-9][0-9][0-9][0-9].parquet"):
            piece.unlink()
