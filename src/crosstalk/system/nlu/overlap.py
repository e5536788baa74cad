"""Utterances that two models would both learn from, found and left out.

Utterances are compared as templates, that is without their values: what differs from a template
file only by the name of a hotel is the same utterance.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.system.nlg.crosswoz import read_auto, read_manual
from crosstalk.system.nlg.extraction import open_holes
from crosstalk.system.nlg.keys import ActKeys
from crosstalk.system.nlg.templates import HOLE

SHORT: Final = 6
"""Letters beside the values: utterances with at most so many are everybody's, such as thanks."""


@dataclass(frozen=True, slots=True)
class CorpusOverlap:
    """How many turns of a corpus another model learns from too."""

    turns: int
    """All turns of the corpus."""
    short: int
    """Shared and short: they stay."""
    long: int
    """Shared and longer: they are left out."""

    @property
    def learnt(self) -> int:
        return self.turns - self.long


class UtterancesOfOthers:
    """What another model learns from: corpora, and folders of template files."""

    def __init__(self, schema: Schema, language: LanguagePack) -> None:
        self._schema = schema
        self._keys = {side: ActKeys.of(schema, language, side) for side in Speaker}
        self._known: Mapping[Speaker, set[str]] = {side: set() for side in Speaker}

    def add_corpus(self, dialogues: Iterable[Dialogue]) -> None:
        for dialogue in dialogues:
            for turn in dialogue.turns:
                self._known[turn.speaker].update((turn.text, self._without_values(turn)))

    def add_templates(self, folder: Path) -> None:
        for side, known in self._known.items():
            for texts in (read_auto(folder, side), read_manual(folder, side, self._schema)):
                known.update(text for group in texts.values() for text in group)

    def knows(self, turn: Turn) -> bool:
        known = self._known[turn.speaker]
        return turn.text in known or self._without_values(turn) in known

    def forbids(self, turn: Turn) -> bool:
        """Whether a turn is known and longer than what everybody says."""
        fixed = HOLE.sub("", self._without_values(turn))
        return sum(letter.isalnum() for letter in fixed) > SHORT and self.knows(turn)

    def overlap(self, dialogues: Iterable[Dialogue]) -> CorpusOverlap:
        turns = [turn for dialogue in dialogues for turn in dialogue.turns]
        long = sum(map(self.forbids, turns))
        return CorpusOverlap(len(turns), sum(map(self.knows, turns)) - long, long)

    def _without_values(self, turn: Turn) -> str:
        spoken = self._keys[turn.speaker].in_order(turn.acts)
        return open_holes(turn.text, spoken) or turn.text
