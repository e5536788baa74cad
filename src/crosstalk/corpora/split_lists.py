"""Lists of the dialogues of each split, as they lie beside the files of some corpora.

    released_splits(Path("data.json"))("SNG0073.json")  # "validation", as valListFile.txt says

| corpus | files |
| --- | --- |
| MultiWOZ 2.0, 2.1, 2.3, 2.4 | `valListFile.txt`, `testListFile.txt`, in some releases `.json` |
| Taskmaster 1 | `train-dev-test/train.csv` and its neighbours |
| Taskmaster 3 | `splits/train/*.tsv` and its neighbours, whose third column is the id |
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

from crosstalk.archives import ZipMember, members
from crosstalk.corpora.split_names import split_named
from crosstalk.files import Source, open_text

NAMES: Final = re.compile(
    r"(trainListFile|valListFile|testListFile)\.(txt|json)"
    r"|train-dev-test/(train|dev|test)\.csv"
    r"|splits/(train|dev|test)/[^/]+\.tsv"
)
PATTERNS: Final = (
    "*ListFile.txt",
    "*ListFile.json",
    "train-dev-test/*.csv",
    "splits/*/*.tsv",
)
"""Where such lists lie in the folder of a file, or in the one above."""
ID: Final = re.compile(r"""[^\s"',\[\]]+""")
ENDING: Final = ".json"
"""MultiWOZ has ids with and without it."""

SplitFinder = Callable[[str], str]
"""The split of a dialogue by its id; empty if no list has it."""


def released_splits(source: Source) -> SplitFinder | None:
    """The splits of the dialogues of a file; None where no lists lie beside it."""
    lists = _lists_beside(source)
    return _finder(tuple(lists)) if lists and source not in lists else None


@lru_cache(maxsize=4)
def _finder(lists: tuple[Source, ...]) -> SplitFinder:
    splits: dict[str, str] = {}
    for each in lists:
        split = _split_of_list(each)
        splits |= dict.fromkeys(_ids(each), split)
    rest = "" if "train" in splits.values() else "train"
    return lambda id: splits.get(id.removesuffix(ENDING), rest)


def _lists_beside(source: Source) -> list[Source]:
    if isinstance(source, ZipMember):
        folder = PurePosixPath(source.name).parent
        return [
            ZipMember(source.archive, name)
            for place in dict.fromkeys((folder, folder.parent))
            for name in members(source.archive)
            if PurePosixPath(name).is_relative_to(place)
            and NAMES.fullmatch(PurePosixPath(name).relative_to(place).as_posix())
        ]
    for place in (source.parent, source.parent.parent):
        found = [each for pattern in PATTERNS for each in sorted(place.glob(pattern))]
        named = [each for each in found if NAMES.fullmatch(each.relative_to(place).as_posix())]
        if named:
            return list[Source](named)
    return []


def _split_of_list(source: Source) -> str:
    path = PurePosixPath(source.name if isinstance(source, ZipMember) else source.as_posix())
    return split_named(path.name.replace("ListFile", "-")) or split_named(path.parent.name)


def _ids(source: Source) -> Iterator[str]:
    """The ids of a list: one a line, a JSON list, or the last column of a table."""
    with open_text(source) as lines:
        for line in lines:
            for id in ID.findall(line.rpartition("\t")[2]):
                yield id.removesuffix(ENDING)
