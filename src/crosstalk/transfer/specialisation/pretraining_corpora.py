"""The dialogue corpora that TOD pretraining reads in a data folder (`pretraining_corpora.toml`).

    pretraining_dialogues(Path("data")).learnt

As published, of MultiWOZ only the training split is learnt from and the development split held out;
the other corpora are learnt from whole. Turns of one speaker in a row are joined, and the user
begins, as the pretraining has it.
"""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import CrosstalkError, InputError
from crosstalk.transfer.transfer_corpora import (
    DialogueTexts,
    all_corpora,
    find_corpus,
    read_dialogue_texts,
)

CATALOGUE: Final = Path(__file__).with_suffix(".toml")
HELD_OUT: Final = 10
"""One dialogue in so many is held out where there is no training split beside the other."""


@dataclass(frozen=True, slots=True)
class PretrainingCorpus:
    """One of the nine corpora of the paper."""

    name: str
    files: tuple[str, ...]
    """Patterns in the data folder; empty: we have no reader of its published files."""
    about: str = ""
    language: str = ""

    def found(self, data: Path) -> list[Path]:
        return sorted({file for pattern in self.files for file in data.glob(pattern)})


@dataclass(frozen=True, slots=True)
class PretrainingDialogues:
    """Dialogues to learn from and held out, and what they are."""

    learnt: Sequence[DialogueTexts]
    held_out: Sequence[DialogueTexts]
    learnt_from: str


def listed_corpora() -> list[PretrainingCorpus]:
    raw = tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))
    return [
        PretrainingCorpus(
            each["name"], tuple(each["files"]), each.get("about", ""), raw["language"]
        )
        for each in raw["corpora"]
    ]


def pretraining_dialogues(data: Path, source: str = "en") -> PretrainingDialogues:
    """All dialogues of the folder's corpora; raises `InputError` if there are none."""
    learnt, held_out, names = _benchmark(data, source)
    for corpus in (each for each in listed_corpora() if each.language == source):
        dialogues = [each for file in corpus.found(data) for each in spoken_dialogues(file)]
        if dialogues:
            learnt += dialogues
            names.append(f"{corpus.name} ({len(dialogues)})")
    if not learnt or not held_out:
        raise InputError(
            f"--data {data}: too few dialogues: {len(learnt)} to learn from and {len(held_out)} to "
            "judge by",
            remedy="Give a folder of fetched corpora with MultiWOZ: crosstalk fetch multiwoz.",
        )
    return PretrainingDialogues(learnt, held_out, ", ".join(names))


def _benchmark(
    data: Path, source: str
) -> tuple[list[DialogueTexts], list[DialogueTexts], list[str]]:
    """The training split of MultiWOZ, and a fifth of the development split to judge by."""
    held = find_corpus(data, source, "dev")
    judged = read_dialogue_texts(held.file)
    try:
        train = all_corpora(data, source, "train")[0]
    except CrosstalkError:
        learnt = [each for number, each in enumerate(judged, 1) if number % HELD_OUT]
        return learnt, judged[HELD_OUT - 1 :: HELD_OUT], [f"{held.name}, {source}, dev"]
    return read_dialogue_texts(train.file), judged[::5], [f"{train.name}, {source}"]


def spoken_dialogues(file: Path) -> list[DialogueTexts]:
    """The dialogues of a corpus file in any format, as turns that alternate."""
    found = (_alternating(dialogue) for dialogue in read_corpus(file, strict=False))
    return [each for each in found if len(each.texts) > 1]


def _alternating(dialogue: Dialogue) -> DialogueTexts:
    return DialogueTexts(dialogue.id, tuple(_joined(dialogue)))


def _joined(dialogue: Dialogue) -> Iterator[str]:
    begun = False
    for speaker, turns in groupby(dialogue.turns, key=lambda turn: turn.speaker):
        begun = begun or speaker is Speaker.USER
        if begun:
            yield " ".join(" ".join(turn.text.split()) for turn in turns)
