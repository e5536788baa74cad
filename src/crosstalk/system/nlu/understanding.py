"""The interface of an NLU: an utterance and its history to dialogue acts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn

Acts = tuple[Act, ...]


class Understanding(Protocol):
    """Interface of every NLU."""

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> Acts:
        """The acts of an utterance, sorted; the turn's own `acts` are not read.

        The turns of the history carry the acts predicted then, not the gold ones.
        """
        ...


@dataclass(frozen=True, slots=True)
class RememberedNLU:
    """Returns the acts of utterances it has seen, word for word, and none for others."""

    seen: Mapping[tuple[Speaker, str], Acts]

    @classmethod
    def of(cls, dialogues: Iterable[Dialogue]) -> "RememberedNLU":
        turns = (turn for dialogue in dialogues for turn in dialogue.turns)
        return cls({(turn.speaker, turn.text): turn.acts for turn in turns})

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> Acts:
        return self.seen.get((utterance.speaker, utterance.text), ())
