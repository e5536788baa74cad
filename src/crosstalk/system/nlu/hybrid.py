"""Two understandings in one: a trained one for what corpora contain, rules for the rest.

    HybridNLU(RankedUnderstanding.load(...), RulesNLU(...), world.schema).understand(turn, history)

What people say beyond the published acts (limits taken back, exclusion, lists, comparisons, picks)
stands in no corpus that a model could learn it from. The rules find it; where they have read the
whole utterance and found such an act, their reading counts, elsewhere that of the trained model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crosstalk.dialogue.acts import GENERAL, IGNORED, PUBLISHED, REFINE, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import Schema
from crosstalk.system.dst.memory import nearby_target
from crosstalk.system.nlu.understanding import Acts, Understanding

COURTESIES: Final = frozenset({"greet", "thank", "bye"})
"""General acts that corpora contain."""


@dataclass(frozen=True, slots=True)
class HybridNLU:
    """A trained understanding with rules beside it."""

    trained: Understanding
    rules: Understanding
    schema: Schema

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> Acts:
        if utterance.speaker is Speaker.SYSTEM:
            return self.trained.understand(utterance, history)
        read = self.rules.understand(utterance, history)
        whole = all(act.intent != IGNORED for act in read)
        if whole and any(map(_is_beyond, read)):
            return read
        trained = self.trained.understand(utterance, history)
        if whole and self._is_missed(read, trained):
            return read
        return trained or read

    def _is_missed(self, read: Acts, trained: Acts) -> bool:
        """Whether the trained model overlooks a ride, or near what something is sought."""
        rides = {domain.key for domain in self.schema.rides}
        ride = any(act.domain in rides for act in read)
        near = any(nearby_target(self.schema, act) for act in read)
        knows_ride = any(act.domain in rides for act in trained)
        knows_near = any(act.intent == SELECT for act in trained)
        return (ride and not knows_ride) or (near and not knows_near)


def _is_beyond(act: Act) -> bool:
    """Whether corpora never contain such an act."""
    if act.intent == GENERAL:
        return act.domain not in COURTESIES
    return act.intent not in PUBLISHED and act.intent not in (REFINE, IGNORED)
