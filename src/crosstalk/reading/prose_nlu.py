"""The reader of prose as a user's NLU: what a simulated user takes a foreign agent's reply for.

A reply is read in the context of the conversation; the user's own acts are known, the agent's never
are. Each reply is read once, however long the conversation grows: what was read so far is kept by
the exchanges that led there.
"""

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.reading.conversation import ConversationReader, ReadSoFar, SaidExchange, acts_of

KEPT: Final = 512
"""Conversations that are remembered, each as far as it was read at one turn."""


class ProseNLU:
    """Understands free prose: several places in a reply, lists, tables, other units."""

    def __init__(self, world: str, language: str, data: Path | None = None) -> None:
        self._reader = ConversationReader.of(world, language, data)
        self._known: OrderedDict[tuple[SaidExchange, ...], ReadSoFar] = OrderedDict()

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> tuple[Act, ...]:
        """The acts of the last turn; `history` ends with the user's turn it answers."""
        exchanges = self._read(tuple(said_in((*history, utterance)))).exchanges
        return acts_of(exchanges[-1].reading) if exchanges else ()

    def _read(self, said: tuple[SaidExchange, ...]) -> ReadSoFar:
        """The conversation as read; what was read of its beginning is not read again."""
        known = next((n for n in range(len(said), 0, -1) if said[:n] in self._known), 0)
        so_far = self._known.get(said[:known], ReadSoFar())
        for each in said[known:]:
            so_far = self._reader.follow(so_far, each)
        self._known[said] = so_far
        self._known.move_to_end(said)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return so_far


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
