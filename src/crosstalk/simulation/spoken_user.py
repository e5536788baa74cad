"""A user who hears words and answers in words: any act-level user between ears and a voice."""

from dataclasses import dataclass, replace
from typing import Any

from crosstalk.conversation.participants import Participant, Reply
from crosstalk.dialogue.dialogues import Turn
from crosstalk.system.speech import History, Says, Understands, note

State = tuple[Any, History]
"""The state of the user within, and the dialogue as it knows it."""


@dataclass(frozen=True, slots=True)
class SpokenUser:
    """The user within decides in acts, about what it has understood."""

    within: Participant[Any]
    understand: Understands
    say: Says

    def begin(self) -> State:
        return self.within.begin(), ()

    def reply(self, heard: Turn | None, state: State) -> tuple[Reply, State]:
        within, history = state
        taken = self.understand(heard, history) if heard else None
        history = (*history, taken) if taken else history
        reply, within = self.within.reply(taken, within)
        text = self.say(reply.turn.acts, history)
        turn = replace(reply.turn, text=text, extras={**reply.turn.extras, **note(heard, taken)})
        return replace(reply, turn=turn), (within, (*history, turn))
