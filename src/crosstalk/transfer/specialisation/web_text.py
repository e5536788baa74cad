"""Text of the web by language: a folder with a file each, as `en.txt` or CC-100's `zh-Hans.txt`."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from crosstalk.errors import InputError
from crosstalk.transfer.languages import CODES


def text_files(folder: Path) -> dict[str, Path]:
    """By language code; files whose names do not start with one are left alone."""
    found: dict[str, Path] = {}
    for file in sorted(folder.glob("*.txt")):
        start = re.split("[^a-z]", file.name.lower())[0]
        if len(start) == 2:
            found.setdefault(CODES.get(start, start), file)
    return found


def chosen_files(files: Mapping[str, Path], mix: str, languages: Sequence[str]) -> dict[str, Path]:
    """Those of the languages; all that are there, where the mix is `multi`."""
    if missing := [each for each in languages if each not in files]:
        here = ", ".join(file.name for file in files.values())
        raise InputError(
            f"--mix {mix}: there is no text in {' and '.join(missing)}: found {here}",
            remedy=f"Give a folder that holds {' and '.join(f'{each}.txt' for each in languages)}, "
            "one line a segment.",
        )
    return dict(files) if mix == "multi" else {each: files[each] for each in languages}
