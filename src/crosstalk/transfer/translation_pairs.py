"""Translation pairs: turns of a translated corpus with their originals, and unrelated sentences."""

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from crosstalk.errors import InputError
from crosstalk.files import open_text
from crosstalk.transfer.ridge_mapping import Pair
from crosstalk.transfer.transfer_corpora import (
    CATALOGUE,
    DialogueTexts,
    all_corpora,
    read_dialogue_texts,
)


def turn_translation_pairs(
    data: Path, source: str, dialogues: Sequence[DialogueTexts], shots: Sequence[DialogueTexts]
) -> list[Pair]:
    """Return every turn of `shots` (a subset of `dialogues`) with its original in the source.

    Raises `InputError` if the data folder does not hold the originals.
    """
    known = _originals(data, source, dialogues)
    pairs = [
        pair
        for shot in shots
        if shot.id in known
        for pair in zip(shot.texts, known[shot.id].texts, strict=True)
    ]
    if not pairs:
        raise InputError(
            f"{data}: the dialogues to learn from are not there in the source language, {source}",
            remedy="Put the development dialogues that were translated, with the same ids, beside "
            "their translations.",
        )
    return sorted(dict.fromkeys(pairs))


def _originals(
    data: Path, source: str, dialogues: Sequence[DialogueTexts]
) -> dict[str, DialogueTexts]:
    """Return the originals by id, from the file that matches the most dialogues."""
    files = [corpus.file for corpus in all_corpora(data, source, "dev")]
    return max((_matched(dialogues, read_dialogue_texts(file)) for file in files), key=len)


def _matched(
    dialogues: Sequence[DialogueTexts], others: Sequence[DialogueTexts]
) -> dict[str, DialogueTexts]:
    """Match dialogues by id, else by position; both must have the same number of turns."""
    by_id = {dialogue.id: dialogue for dialogue in others}
    pairs = [(dialogue, by_id[dialogue.id]) for dialogue in dialogues if dialogue.id in by_id]
    if not pairs and len(dialogues) == len(others):
        pairs = list(zip(dialogues, others, strict=True))
    return {one.id: other for one, other in pairs if len(one.texts) == len(other.texts)}


def read_translations(data: Path, source: str, target: str, *, most: int, seed: int) -> list[Pair]:
    """Sample at most `most` sentence pairs; empty if the data folder holds no such file."""
    for each in _catalogue():
        file = data / each["file"]
        if sorted(each["languages"]) == sorted((source, target)) and file.is_file():
            turned = each["languages"][0] != source
            rows = list(_rows(file, each["tags"]))
            pairs = [(right, left) if turned else (left, right) for left, right in rows]
            return Random(f"translations {seed}").sample(pairs, min(most, len(pairs)))
    return []


def translated_from(source: str) -> list[str]:
    """Return the languages for which the catalogue lists sentence pairs with the source."""
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
