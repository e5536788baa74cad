"""Stage 3, quality control: a sample of the dialogues, and what its annotators answer.

    draw(segments, 0.1, seed)
    queue = ControlQueue(Path("control"))
    queue.answer(ControlAnswer("MUL1", 0, acceptable=True, values_match=True), annotator="cleo")

The sample is stratified, the same for a seed. Every split gives its share: a tenth of 1,000 and
1,000 is 100 and 100. Inside a split, strata are the domains a dialogue talks about; what is left
over by rounding goes to the largest remainders, among equal ones by the seed. The folder of a
sample holds one file an annotator; answers go to a journal beside them first.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from crosstalk.errors import InputError, Rejection
from crosstalk.files import making_folder
from crosstalk.translation.appendix_b import (
    AnnotatorJudgement,
    blind,
    encoded,
    read_judgements,
    write_judgements,
)
from crosstalk.translation.journal import Event, read_events
from crosstalk.translation.people import all_editors_ever, refuse_names
from crosstalk.translation.segments import Segment, by_dialogue
from crosstalk.translation.work import Work, after_settling, refuse_unedited
from crosstalk.translation.work_queues import Key, WorkQueue, refuse_text, worked

Strata = dict[tuple[str, ...], list[str]]
"""Domains to the dialogues that talk about them."""


def draw(segments: Sequence[Segment], share: float, seed: int) -> list[Segment]:
    """Whole dialogues, in their order; ids decide, so that every language gets the same."""
    if not 0 < share <= 1:
        raise InputError(f"a share of {share:g}", remedy="Give a number above 0 and up to 1.")
    dialogues = by_dialogue(segments)
    if not dialogues:
        raise InputError("there is no dialogue to judge", remedy="Give a file that has some.")
    splits: dict[str, Strata] = {}
    for id, turns in dialogues.items():
        strata = splits.setdefault(turns[0].split, {})
        strata.setdefault(tuple(sorted(turns[0].services)), []).append(id)
    drawn: set[str] = set()
    for split, strata in splits.items():
        drawn |= _drawn(strata, share, Random(f"control {seed} {split}"))
    return [segment for id, turns in dialogues.items() if id in drawn for segment in turns]


@dataclass(frozen=True, slots=True)
class ControlOptions:
    """Who judges how much of a translation."""

    annotators: tuple[str, ...] = ("annotator-1", "annotator-2")
    share: float = 0.1
    """Of the dialogues; the paper's is a tenth."""
    seed: int = 0
    unedited: bool = False
    """The machine's text is judged where nobody has edited."""


def write_control(work: Work, out: Path, options: ControlOptions) -> list[Segment]:
    """Draw a sample, write it blind for each of two annotators, and return what was drawn."""
    refuse_annotators(options.annotators, work, out)
    drawn = draw(work.segments, options.share, options.seed)
    if not options.unedited:
        remedy = "Let the editors finish, or give --unedited to judge what is there."
        refuse_unedited(drawn, "drawn are not edited yet", remedy)
    judgements = [blind(segment) for segment in drawn]
    with making_folder(out):
        for name in options.annotators:
            write_judgements(judgements, answers_file(out, name))
    return drawn


def answers_file(folder: Path, annotator: str) -> Path:
    return folder / f"{annotator}.json"


def refuse_annotators(names: Sequence[str], work: Work, out: Path) -> None:
    """Raise unless there are two, who have not edited, and whose answers are not there yet."""
    refuse_names(names)
    if len(names) != 2:
        raise InputError(
            f"{len(names)} annotators", remedy="Give --annotator twice: agreement is of two."
        )
    editors = {name.casefold() for name in all_editors_ever(work.events)}
    if both := [name for name in names if name.casefold() in editors]:
        raise InputError(
            f"{both[0]} is an editor of this translation",
            remedy="Fresh annotators judge: name others.",
        )
    if there := [name for name in names if answers_file(out, name).exists()]:
        raise InputError(
            f"{answers_file(out, there[0])} exists already",
            remedy="Choose another --out: answers are not written over.",
        )


def _drawn(strata: Strata, share: float, rng: Random) -> set[str]:
    """One split's share, one dialogue at least."""
    found: set[str] = set()
    for domains, count in _counts(strata, share, rng).items():
        found |= set(rng.sample(sorted(strata[domains]), count))
    return found


def _counts(strata: Strata, share: float, rng: Random) -> dict[tuple[str, ...], int]:
    exact = {domains: share * len(strata[domains]) for domains in sorted(strata)}
    counts = {domains: int(number) for domains, number in exact.items()}
    wanted = max(1, round(share * sum(map(len, strata.values()))))
    order = rng.sample(list(exact), len(exact))
    order.sort(key=lambda domains: counts[domains] - exact[domains])
    for domains in order[: wanted - sum(counts.values())]:
        counts[domains] += 1
    return counts


JOURNAL: Final = "answers.edits"


@dataclass(frozen=True, slots=True)
class ControlAnswer:
    """What an annotator thinks of one utterance."""

    dialogue: str
    turn: int
    acceptable: bool
    values_match: bool | None
    note: str = ""
    seconds: float = 0.0


def read_answers(file: Path) -> list[AnnotatorJudgement]:
    """One annotator's file, with the answers that a site which was killed did not write yet."""
    mine = {each.key: each for each in read_judgements(file)}
    for event in after_settling(read_events(file.parent / JOURNAL)):
        if event["event"] == "judge" and event["editor"] == file.stem:
            _answer(mine, event)
    return list(mine.values())


def _answer(judgements: dict[Key, AnnotatorJudgement], event: Event) -> None:
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

    def judgements(self, annotator: str, dialogue: str) -> list[AnnotatorJudgement]:
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

    def answer(self, answer: ControlAnswer, annotator: str) -> AnnotatorJudgement:
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

    def _event(self, answer: ControlAnswer, annotator: str) -> Event:
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
