"""Two understandings in one: a trained one for what corpora contain, rules for the rest.

    HybridNLU(RankedUnderstanding.load(...), RulesNLU(...)).understand(turn, history)

What people say beyond the published acts (limits taken back, exclusion, lists, comparisons, picks)
stands in no corpus that a model could learn it from. The rules find it; where they have read the
whole utterance and found such an act, their reading counts, elsewhere that of the trained model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crosstalk.dialogue.acts import GENERAL, IGNORED, PUBLISHED, REFINE, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.system.nlu.understanding import Acts, Understanding

COURTESIES: Final = frozenset({"greet", "thank", "bye"})
"""General acts that corpora contain."""


@dataclass(frozen=True, slots=True)
class HybridNLU:
    """A trained understanding with rules beside it."""

    trained: Understanding
    rules: Understanding

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> Acts:
        if utterance.speaker is Speaker.SYSTEM:
            return self.trained.understand(utterance, history)
        read = self.rules.understand(utterance, history)
        if any(map(_is_beyond, read)) and all(act.intent != IGNORED for act in read):
            return read
        return self.trained.understand(utterance, history) or read


def _is_beyond(act: Act) -> bool:
    """Whether corpora never contain such an act."""
    if act.intent == GENERAL:
        return act.domain not in COURTESIES
    return act.intent not in PUBLISHED and act.intent not in (REFINE, IGNORED)
