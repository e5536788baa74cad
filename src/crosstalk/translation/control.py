"""Stage 3, quality control: a sample of dialogues, judged by two annotators.

    draw_sample(segments, 0.1, seed)
    queue = ControlQueue(Path("control"))
    queue.answer(ControlAnswer("MUL1", 0, acceptable=True, values_match=True), annotator="cleo")

    for one, other in pair_files([Path("control-de"), Path("control-ar")]):
        pairs, left_out = pair_judgements(one, other)

The sample is stratified and determined by the seed. Each split contributes its share: a tenth of
1,000 and 1,000 is 100 and 100. Inside a split, strata are the sets of domains; rounding goes to the
largest remainders, ties by the seed. The folder of a sample holds one file per annotator; answers
go to a journal beside them first.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from crosstalk.errors import InputError, Rejection
from crosstalk.files import making_folder
from crosstalk.translation.appendix_files import (
    AnnotatorJudgement,
    blind,
    judgement_record,
    read_judgements,
    write_judgements,
)
from crosstalk.translation.error_marks import ErrorMark
from crosstalk.translation.journal import Event, all_editors_ever, read_events, refuse_names
from crosstalk.translation.translation_segments import Segment, by_dialogue
from crosstalk.translation.work import (
    Key,
    Work,
    WorkQueue,
    after_settling,
    capped_seconds,
    refuse_text,
    refuse_unedited,
)

Strata = dict[tuple[str, ...], list[str]]
"""Domains to the dialogues that talk about them."""


def draw_sample(segments: Sequence[Segment], share: float, seed: int) -> list[Segment]:
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
    """Annotators and size of the sample."""

    annotators: tuple[str, ...] = ("annotator-1", "annotator-2")
    share: float = 0.1
    """Of the dialogues; the paper's is a tenth."""
    seed: int = 0
    unedited: bool = False
    """Judge the machine's text where there is no edit."""


def write_control(work: Work, out: Path, options: ControlOptions) -> list[Segment]:
    """Draw a sample, write it blind for each of two annotators, and return what was drawn."""
    refuse_annotators(options.annotators, work, out)
    drawn = draw_sample(work.segments, options.share, options.seed)
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
    """Raise InputError unless there are two annotators who are not editors, without answers."""
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
    """Ids of one split's sample; at least one dialogue."""
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
    """One annotator's answers about one utterance."""

    dialogue: str
    turn: int
    acceptable: bool
    values_match: bool | None
    note: str = ""
    seconds: float = 0.0
    marks: tuple[ErrorMark, ...] = ()


def read_answers(file: Path) -> list[AnnotatorJudgement]:
    """One annotator's file, with the answers that are only in the journal yet."""
    mine = {each.key: each for each in read_judgements(file)}
    for event in after_settling(read_events(file.parent / JOURNAL)):
        if event["event"] == "judge" and event["editor"] == file.stem:
            _answer(mine, event)
    return list(mine.values())


def _answer(judgements: dict[Key, AnnotatorJudgement], event: Event) -> None:
    key = str(event["dialogue"]), int(event["turn"])
    if key in judgements:
        answers = event["acceptable"], event["values_match"], event["note"]
        marks = tuple(ErrorMark(**each) for each in event.get("marks", ()))
        judgements[key] = judgements[key].answered(*answers, marks)


class ControlQueue(WorkQueue):
    """One sample, open for its annotators."""

    def __init__(
        self, folder: Path, *, marks: bool = False, clock: Callable[[], float] = time.time
    ) -> None:
        """`marks`: annotators may also mark errors in the text."""
        self.marks = marks
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
            return [judgement_record(each) for each in self._judgements[annotator].values()]

    def answer(self, answer: ControlAnswer, annotator: str) -> AnnotatorJudgement:
        """Durable when this returns; a later answer to the same question replaces this one."""
        key = answer.dialogue, answer.turn
        with self._lock:
            known = self._judgements.get(annotator, {}).get(key)
            if known is None:
                raise Rejection("unknown_turn", f"there is no turn {key[1]} in {key[0]} to judge")
            if known.has_values and answer.values_match is None:
                raise Rejection("bad_value", "the question about the values is not answered")
            refuse_text(answer.note)
            if fault := next(filter(None, (each.fault(known.text) for each in answer.marks)), ""):
                raise Rejection("bad_value", fault)
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
            "marks": [mark.record() for mark in answer.marks],
            "editor": annotator,
            "seconds": capped_seconds(answer.seconds),
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
        """Answers in the file count, unless the page has newer ones."""
        self._judgements[file.stem] |= {each.key: each for each in read_judgements(file)}
        self._take_unsettled()


LANGUAGES: Final = ("de", "ar", "zh", "cn", "ru", "en", "it", "fr", "es")
SPLITS: Final = ("train", "dev", "val", "test")
GIVE: Final = "Give two files, two folders of files, or folders that `translate control` made."
Judgements = dict[tuple[str, int], AnnotatorJudgement]


@dataclass(frozen=True, slots=True)
class JudgementPair:
    """The judgements of two annotators about one utterance."""

    first: AnnotatorJudgement
    second: AnnotatorJudgement
    language: str
    split: str


def pair_files(places: Sequence[Path]) -> list[tuple[Path, Path]]:
    """Pairs of annotators' files.

    `places` are two files, two folders (one per annotator, paired by file name), or any number of
    sample folders with two files each.
    """
    if len({os.path.realpath(place) for place in places}) < len(places):
        raise InputError("the same file or folder is given twice", remedy=GIVE)
    folders = [place for place in places if place.is_dir()]
    if len(places) == 2 and not folders:
        return [(places[0], places[1])]
    if len(folders) < len(places):
        given = ", ".join(map(str, places))
        raise InputError(f"these are not two annotators: {given}", remedy=GIVE)
    if all(map(_is_sample, folders)):
        return [_two(_files(folder)) for folder in folders]
    if len(folders) != 2:
        first = next(folder for folder in folders if not _is_sample(folder))
        raise InputError(f"{first} is no sample that two people have judged", remedy=GIVE)
    return _by_name(*folders)


def _is_sample(folder: Path) -> bool:
    """Whether a folder holds two files about the same translation."""
    files = _files(folder)
    if len(files) != 2:
        return False
    one, other = ([(each.key, each.text) for each in read_judgements(file)] for file in files)
    return sorted(one) == sorted(other)


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))


def _two(files: Sequence[Path]) -> tuple[Path, Path]:
    return files[0], files[1]


def _by_name(first: Path, second: Path) -> list[tuple[Path, Path]]:
    names = [file.name for file in _files(first)]
    there = [file.name for file in _files(second)]
    if only := sorted(set(names) ^ set(there)):
        raise InputError(
            f"only one annotator has {only[0]}", remedy="Give folders with the same files."
        )
    if not names:
        raise InputError(f"{first} has no .json file", remedy=GIVE)
    return [(first / name, second / name) for name in names]


def pair_judgements(one: Path, other: Path) -> tuple[list[JudgementPair], list[str]]:
    """(pairs of judgements of the same utterance, messages about what was left out)."""
    mine, theirs = _by_key(one), _by_key(other)
    pairs = [
        JudgementPair(mine[key], theirs[key], *_about(mine[key], one))
        for key in mine
        if key in theirs and _same_text(mine[key], theirs[key])
    ]
    return pairs, [*_alone(mine, theirs, one, other), *_unanswered(pairs, one, other)]


def _by_key(file: Path) -> Judgements:
    return {each.key: each for each in read_answers(file)}


def _same_text(one: AnnotatorJudgement, other: AnnotatorJudgement) -> bool:
    """Whether both judge the same text; files made elsewhere may lack the text."""
    return not one.text or not other.text or one.text == other.text


def _alone(mine: Judgements, theirs: Judgements, one: Path, other: Path) -> Iterator[str]:
    for here, there, file in ((mine, theirs, other), (theirs, mine, one)):
        for dialogue, turn in here:
            if (dialogue, turn) not in there:
                yield f"dialogue {dialogue}, turn {turn}: not in {file}"
    for key in mine:
        if key in theirs and not _same_text(mine[key], theirs[key]):
            yield f"dialogue {key[0]}, turn {key[1]}: another translation in {other} than in {one}"


def _unanswered(pairs: Sequence[JudgementPair], one: Path, other: Path) -> Iterator[str]:
    for file, judgements in ((one, [p.first for p in pairs]), (other, [p.second for p in pairs])):
        for each in judgements:
            if not each.finished:
                yield f"dialogue {each.dialogue}, turn {each.turn}: not answered in {file}"


def _about(judgement: AnnotatorJudgement, file: Path) -> tuple[str, str]:
    """(language, split) from the record, else from the file name, such as `dev-de.json`."""
    parts = file.stem.lower().replace("_", "-").split("-")
    language = next((part for part in parts if part in LANGUAGES), "")
    split = next((part for part in parts if part in SPLITS), "")
    return judgement.language or language, judgement.split or split
