"""What it is to understand: an utterance and what went before, to dialogue acts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn

Acts = tuple[Act, ...]


class Understanding(Protocol):
    """Understands one utterance at a time."""

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> Acts:
        """The acts of an utterance, sorted; its own `acts` are never looked at.

        The turns of the history carry the acts that were understood then, not the true ones.
        """
        ...


@dataclass(frozen=True, slots=True)
class RememberedUnderstanding:
    """Knows the utterances it has seen, word for word, and no others."""

    seen: Mapping[tuple[Speaker, str], Acts]

    @classmethod
    def of(cls, dialogues: Iterable[Dialogue]) -> "RememberedUnderstanding":
        turns = (turn for dialogue in dialogues for turn in dialogue.turns)
        return cls({(turn.speaker, turn.text): turn.acts for turn in turns})

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> Acts:
        return self.seen.get((utterance.speaker, utterance.text), ())
