"""Two annotators side by side: which files, and which answers are about the same translation.

for one, other in files_in_pairs([Path("control-de"), Path("control-ar")]):
pairs, left_out = in_pairs(one, other)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crosstalk.errors import InputError
from crosstalk.translation.appendix_b import AnnotatorJudgement, read_judgements
from crosstalk.translation.control import read_answers

LANGUAGES: Final = ("de", "ar", "zh", "cn", "ru", "en", "it", "fr", "es")
SPLITS: Final = ("train", "dev", "val", "test")
GIVE: Final = "Give two files, two folders of files, or folders that `translate control` made."
Judgements = dict[tuple[str, int], AnnotatorJudgement]


@dataclass(frozen=True, slots=True)
class Both:
    """What two annotators said about one utterance."""

    first: AnnotatorJudgement
    second: AnnotatorJudgement
    language: str
    split: str


def files_in_pairs(places: Sequence[Path]) -> list[tuple[Path, Path]]:
    """Two files; two folders, one an annotator, by names of files; or samples of two files each."""
    if len({place.resolve() for place in places}) < len(places):
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


def in_pairs(one: Path, other: Path) -> tuple[list[Both], list[str]]:
    """Utterances that both files have, and in words what was left out."""
    mine, theirs = _by_key(one), _by_key(other)
    pairs = [
        Both(mine[key], theirs[key], *_about(mine[key], one))
        for key in mine
        if key in theirs and _same_text(mine[key], theirs[key])
    ]
    return pairs, [*_alone(mine, theirs, one, other), *_unanswered(pairs, one, other)]


def _by_key(file: Path) -> Judgements:
    return {each.key: each for each in read_answers(file)}


def _same_text(one: AnnotatorJudgement, other: AnnotatorJudgement) -> bool:
    """Files made elsewhere may leave the text out."""
    return not one.text or not other.text or one.text == other.text


def _alone(mine: Judgements, theirs: Judgements, one: Path, other: Path) -> Iterator[str]:
    for here, there, file in ((mine, theirs, other), (theirs, mine, one)):
        for dialogue, turn in here:
            if (dialogue, turn) not in there:
                yield f"dialogue {dialogue}, turn {turn}: not in {file}"
    for key in mine:
        if key in theirs and not _same_text(mine[key], theirs[key]):
            yield f"dialogue {key[0]}, turn {key[1]}: another translation in {other} than in {one}"


def _unanswered(pairs: Sequence[Both], one: Path, other: Path) -> Iterator[str]:
    for file, judgements in ((one, [p.first for p in pairs]), (other, [p.second for p in pairs])):
        for each in judgements:
            if not each.finished:
                yield f"dialogue {each.dialogue}, turn {each.turn}: not answered in {file}"


def _about(judgement: AnnotatorJudgement, file: Path) -> tuple[str, str]:
    """Language and split, as the record or the file's name says: `dev-de.json`."""
    parts = file.stem.lower().replace("_", "-").split("-")
    language = next((part for part in parts if part in LANGUAGES), "")
    split = next((part for part in parts if part in SPLITS), "")
    return judgement.language or language, judgement.split or split
