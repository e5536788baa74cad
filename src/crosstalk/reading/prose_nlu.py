"""The reader of prose as a user's NLU: what a simulated user takes a foreign agent's reply for.

A reply is read in the context of the conversation; the user's own acts are known, the agent's never
are. Each reply is read once: readings of earlier ones are kept by the conversation that led there.
"""

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.reading.conversation import ConversationReader, SaidExchange, acts_of

KEPT: Final = 512
"""Conversations whose acts are remembered."""


class ProseNLU:
    """Understands free prose: several places in a reply, lists, tables, other units."""

    def __init__(self, world: str, language: str, data: Path | None = None) -> None:
        self._reader = ConversationReader.of(world, language, data)
        self._known: OrderedDict[tuple[str, ...], tuple[Act, ...]] = OrderedDict()

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> tuple[Act, ...]:
        """The acts of the last turn; `history` ends with the user's turn it answers."""
        turns = (*history, utterance)
        key = tuple(each.text for each in turns)
        if key not in self._known:
            exchanges = self._reader.read(said_in(turns))
            acts = acts_of(exchanges[-1].reading) if exchanges else ()
            self._known[key] = acts
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
        return self._known[key]


def said_in(turns: tuple[Turn, ...]) -> list[SaidExchange]:
    """The exchanges of a conversation; a reply without a user's turn before it stands alone."""
    said: list[SaidExchange] = []
    user: Turn | None = None
    for turn in turns:
        if turn.speaker is Speaker.USER:
            user = turn
            continue
        text, acts = (user.text, user.acts) if user else ("", ())
        said.append(SaidExchange(text, turn.text, acts=acts))
        user = None
    return said
