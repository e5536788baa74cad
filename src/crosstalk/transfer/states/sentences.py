"""Sentence vectors of both sides of a turn, centred by language; or none, where there are none.

The mean of a language is taken over texts without labels. Without the encoder's package a tracker
learns and works all the same, from what it reads alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer.states.turn_features import TurnFeatures
from crosstalk.transfer.states.turns import StateDialogue

Matrix = np.ndarray[Any, Any]


@dataclass(slots=True)
class Sentences:
    """Vectors by a frozen encoder, and the means of the languages met so far."""

    encoder: CachedEncoder
    means: dict[str, Matrix] = field(default_factory=dict)
    """Language -> the mean vector of users' texts, then that of systems' texts."""

    def meet(self, language: str, dialogues: Iterable[StateDialogue]) -> None:
        """Learn how a language lies among the others; what is known already stays."""
        if language in self.means:
            return
        turns = [turn for dialogue in dialogues for turn in dialogue.turns]
        user = self.encoder.vectors(sorted({turn.user for turn in turns}))
        system = self.encoder.vectors(sorted({turn.system for turn in turns}))
        self.means[language] = np.concatenate([user.mean(axis=0), system.mean(axis=0)])

    def inputs(self, moments: Sequence[TurnFeatures]) -> Matrix:
        user = self.encoder.vectors([moment.turn.user for moment in moments])
        system = self.encoder.vectors([moment.turn.system for moment in moments])
        centres = np.stack([self.means[moment.language] for moment in moments])
        return np.asarray(np.hstack([user, system]) - centres, np.float32)
