"""What may be read of a language in which nothing is learnt: raw texts, translations, values.

No state is read here. Files with dialogues hold states too; only what was said is taken from them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError
from crosstalk.transfer.ridge_mapping import Pair
from crosstalk.transfer.states.ontology import Ontology
from crosstalk.transfer.states.state_dialogues import state_turns
from crosstalk.transfer.transfer_corpora import (
    SOURCE,
    all_corpora,
    known_languages,
    read_dialogue_texts,
)
from crosstalk.transfer.translation_pairs import read_translations

MOST: Final = 200_000
"""Sentences with their translations that are read."""


@dataclass(frozen=True, slots=True)
class TargetTexts:
    """The texts of one language, without a label."""

    language: str
    users: list[str]
    """What users say in dialogues of the domain."""
    systems: list[str]
    bilingual: bool = False
    """Whether the system speaks English to users of the language (WOZ 2.0)."""
    pairs: list[Pair] = field(default_factory=list)
    """English sentences and their translations, of other domains."""
    values: Mapping[str, list[str]] = field(default_factory=dict)
    """Slot key -> the values that files in the language use, in no order; empty: English ones."""

    @property
    def raw(self) -> list[str]:
        """All texts in the language, each once."""
        return sorted({*self.users, *(() if self.bilingual else self.systems)})

    def names(self, ontology: Ontology) -> list[str]:
        """The values of all slots that hold names."""
        places = [slot.key for slot in ontology.slots if slot.kind == "place"]
        return [name for key in places for name in self.values.get(key, ())]


def read_said(files: Iterable[Path]) -> tuple[list[str], list[str]]:
    """What users and systems say in the dialogues of some files, each text once."""
    talks = [talk for file in files for talk in read_dialogue_texts(file)]
    users, systems = (
        sorted({text for talk in talks for text in talk.texts[first::2] if text.strip()})
        for first in (0, 1)
    )
    return users, systems


def read_pairs(data: Path, language: str) -> list[Pair]:
    """Sentences in translation, and dialogues that are no part of a benchmark in two languages."""
    pairs = read_translations(data, SOURCE, language, most=MOST, seed=1)
    if language in known_languages("parallel"):
        pairs += _parallel_turns(data, language)
    return pairs


def _parallel_turns(data: Path, language: str) -> list[Pair]:
    """Turns of dialogues that both languages have under one id, where such files are there."""
    try:
        english, foreign = (
            {talk.id: talk.texts for each in all_corpora(data, code, "parallel")
             for talk in read_dialogue_texts(each.file)}
            for code in (SOURCE, language)
        )  # fmt: skip
    except InputError:
        return []
    return [
        pair
        for id, texts in foreign.items()
        if len(english.get(id, ())) == len(texts)
        for pair in zip(english[id], texts, strict=True)
    ]


def source_texts(dialogues: Iterable[Dialogue], *, users_only: bool) -> list[str]:
    """What is said in English dialogues, each text once."""
    turns = [turn for dialogue in dialogues for turn in state_turns(dialogue)]
    systems = set() if users_only else {turn.system for turn in turns}
    return sorted(({turn.user for turn in turns} | systems) - {""})
