"""Understanding by the sentences of a world's templates, each read back word for word.

    SentenceNLU(world, folder).understand(turn, history)

Simulated users hear so what a system says in the words of their world. An utterance of which no
sentence is known, as a generator from outside says it, is left to a trained model where there is
one.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from crosstalk.dialogue.acts import in_order
from crosstalk.dialogue.dialogues import Turn
from crosstalk.system.nlu.rules.written import WrittenSentences, spoken_of
from crosstalk.system.nlu.understanding import Acts, Understanding
from crosstalk.worlds.tables import World


class SentenceNLU:
    """Knows the templates of both sides; those of a side are read when it first speaks."""

    def __init__(self, world: World, folder: Path, otherwise: Understanding | None = None) -> None:
        """`folder` is the world's folder; `otherwise` understands what no sentence says."""
        self._sentences = cache(lambda speaker: WrittenSentences(world, folder, speaker))
        self._otherwise = otherwise

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> Acts:
        sentences: WrittenSentences = self._sentences(utterance.speaker)
        acts = sentences.read(utterance.text, spoken_of(history)).acts
        if acts or self._otherwise is None:
            return in_order(acts)
        return self._otherwise.understand(utterance, history)
