"""Sentences and their translations, that have nothing to do with any dialogue."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from crosstalk.files import open_text
from crosstalk.transfer.corpora import CATALOGUE

Pair = tuple[str, str]


def read_translations(data: Path, source: str, target: str, *, most: int, seed: int) -> list[Pair]:
    """At most so many pairs, drawn by seed; none where the data folder holds no such file."""
    for each in _catalogue():
        file = data / each["file"]
        if sorted(each["languages"]) == sorted((source, target)) and file.is_file():
            turned = each["languages"][0] != source
            rows = list(_rows(file, each["tags"]))
            pairs = [(right, left) if turned else (left, right) for left, right in rows]
            return Random(f"translations {seed}").sample(pairs, min(most, len(pairs)))
    return []


def translated_from(source: str) -> list[str]:
    """Languages of which the catalogue knows translations."""
    pairs = [each["languages"] for each in _catalogue() if source in each["languages"]]
    return sorted(language for pair in pairs for language in pair if language != source)


def _catalogue() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))["sentences"]
    return found


def _rows(file: Path, tags: list[list[str]]) -> Iterator[Pair]:
    with open_text(file) as text:
        for line in text:
            columns = line.rstrip("\r\n").split("\t")
            if len(columns) == 4 and columns[0] in tags[0] and columns[1] in tags[1]:
                yield columns[2], columns[3]
