"""Stage 3 at work: annotators answer the two questions, each alone, every answer durable.

    queue = ControlQueue(Path("control"))
    queue.answer(Answer("MUL1", 0, acceptable=True, values_match=True), annotator="cleo")

The folder holds one file an annotator, as `translate control` writes them; answers go to a journal
beside them first.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crosstalk.errors import InputError, Rejection
from crosstalk.translation.appendix_b import (
    Judgement,
    encoded,
    read_judgements,
    write_judgements,
)
from crosstalk.translation.journal import Event, read_events
from crosstalk.translation.names import refuse_names
from crosstalk.translation.work import after_settling
from crosstalk.translation.work_queues import Key, WorkQueue, refuse_text, worked

JOURNAL: Final = "answers.edits"


@dataclass(frozen=True, slots=True)
class Answer:
    """What an annotator thinks of one utterance."""

    dialogue: str
    turn: int
    acceptable: bool
    values_match: bool | None
    note: str = ""
    seconds: float = 0.0


def read_answers(file: Path) -> list[Judgement]:
    """One annotator's file, with the answers that a site which was killed did not write yet."""
    mine = {each.key: each for each in read_judgements(file)}
    for event in after_settling(read_events(file.parent / JOURNAL)):
        if event["event"] == "judge" and event["editor"] == file.stem:
            _answer(mine, event)
    return list(mine.values())


def _answer(judgements: dict[Key, Judgement], event: Event) -> None:
    key = str(event["dialogue"]), int(event["turn"])
    if key in judgements:
        answers = event["acceptable"], event["values_match"], event["note"]
        judgements[key] = judgements[key].answered(*answers)


class ControlQueue(WorkQueue):
    """One sample, open for its annotators."""

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.time) -> None:
        files = sorted(folder.glob("*.json")) if folder.is_dir() else []
        if not files:
            raise InputError(
                f"{folder} has no file to judge",
                remedy="Give the folder that `crosstalk translate control` made.",
            )
        self.annotators = tuple(file.stem for file in files)
        refuse_names(self.annotators)
        read = {file.stem: read_judgements(file) for file in files}
        super().__init__(folder, folder / JOURNAL, clock)
        self._remember_files()
        self._judgements = {
            name: {each.key: each for each in judgements} for name, judgements in read.items()
        }
        self._take_unsettled()
        self._dirty = any(each["event"] == "judge" for each in after_settling(self._journal.events))
        first = next(iter(read.values()))
        self.dialogues = tuple(dict.fromkeys(each.dialogue for each in first))
        self._first = first[:1]

    @property
    def people(self) -> tuple[str, ...]:
        return self.annotators

    @property
    def languages(self) -> tuple[str, str]:
        for some in self._first:
            return str(some.extras.get("source", "")), some.language
        return "", ""

    def judgements(self, annotator: str, dialogue: str) -> list[Judgement]:
        with self._lock:
            mine = self._judgements[annotator].values()
            return sorted((e for e in mine if e.dialogue == dialogue), key=lambda e: e.turn)

    def progress(self, annotator: str) -> dict[str, tuple[int, int]]:
        found = {dialogue: [0, 0] for dialogue in self.dialogues}
        with self._lock:
            for each in self._judgements[annotator].values():
                counts = found.setdefault(each.dialogue, [0, 0])
                counts[0] += each.finished
                counts[1] += 1
        return {dialogue: (done, all) for dialogue, (done, all) in found.items()}

    def records(self, annotator: str) -> Iterable[dict[str, Any]]:
        with self._lock:
            return [encoded(each) for each in self._judgements[annotator].values()]

    def answer(self, answer: Answer, annotator: str) -> Judgement:
        """Durable when this returns; a later answer to the same question counts."""
        key = answer.dialogue, answer.turn
        with self._lock:
            known = self._judgements.get(annotator, {}).get(key)
            if known is None:
                raise Rejection("unknown_turn", f"there is no turn {key[1]} in {key[0]} to judge")
            if known.has_values and answer.values_match is None:
                raise Rejection("bad_value", "the question about the values is not answered")
            refuse_text(answer.note)
            event = self._event(answer, annotator)
            self._journal.append(event)
            self._take(event)
            self._dirty = True
            return self._judgements[annotator][key]

    def _event(self, answer: Answer, annotator: str) -> Event:
        return {
            "event": "judge",
            "dialogue": answer.dialogue,
            "turn": answer.turn,
            "acceptable": answer.acceptable,
            "values_match": answer.values_match,
            "note": answer.note,
            "editor": annotator,
            "seconds": worked(answer.seconds),
            "at": self._now(),
        }

    def _take(self, event: Event) -> None:
        if event["event"] == "judge":
            _answer(self._judgements.get(str(event["editor"]), {}), event)

    def _take_unsettled(self) -> None:
        for event in after_settling(self._journal.events):
            self._take(event)

    def files(self) -> tuple[Path, ...]:
        return tuple(self.path / f"{name}.json" for name in self.annotators)

    def _write(self, file: Path) -> None:
        write_judgements(self._judgements[file.stem].values(), file)

    def _read_again(self, file: Path) -> None:
        """Answers of the file stand, unless the page was answered since."""
        self._judgements[file.stem] |= {each.key: each for each in read_judgements(file)}
        self._take_unsettled()
