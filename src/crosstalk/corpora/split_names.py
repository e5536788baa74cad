"""The splits of released corpora, as names of files and folders tell them."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from crosstalk.archives import ZipMember
from crosstalk.files import Source

SPLIT: Final = "split"
"""Key of the extras that name the released split of a dialogue."""
SPLITS: Final = {
    "train": "train",
    "training": "train",
    "dev": "validation",
    "val": "validation",
    "valid": "validation",
    "validate": "validation",
    "validation": "validation",
    "test": "test",
}
"""Part of a name -> split."""


def split_named(name: str) -> str:
    """The split that a name tells, as `woz_validate_de.json` does; empty if it tells none."""
    parts = re.split(r"[\W_]+", name.lower())
    return next((SPLITS[part] for part in parts if part in SPLITS), "")


def name_without_endings(source: Source) -> str:
    """The name of a file without folders and endings."""
    return _path(source).name.split(".")[0]


def _path(source: Source) -> PurePosixPath:
    return PurePosixPath(source.name if isinstance(source, ZipMember) else source.as_posix())


def split_of(source: Source) -> str:
    """The split of a file, by its name or those of the two folders it lies in."""
    return next(filter(None, map(split_named, _names(_path(source)))), "")


def _names(path: PurePosixPath) -> Iterator[str]:
    """The folder first, for a file may be called `test` by chance."""
    folders = [each.name for each in path.parents]
    yield from (each for each in folders[:1] if each.lower() in SPLITS)
    yield path.name
    yield from (each for each in folders[1:2] if each.lower() in SPLITS)
