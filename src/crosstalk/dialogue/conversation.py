"""The state of a conversation: whose turn it is, which moves are legal, when it ends. No I/O.

    conversation = Conversation().say(user_turn).say(system_turn)

`simulation/dialogue_loop.py` drives it with participants, the website with messages of people.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.errors import CrosstalkError


class Ending(StrEnum):
    """Why a conversation is over."""

    FINISHED = "finished"
    """The user has said that everything is settled, and the system has answered."""
    LIMIT = "limit"
    """The maximum number of exchanges was reached."""
    USER_FAULT = "user fault"
    """The user's side raised, timed out or returned an invalid reply."""
    SYSTEM_FAULT = "system fault"
    """The system's side did."""
    INFRASTRUCTURE = "infrastructure"
    """A service between the two did not answer: nobody's fault, to be held again."""
    ABORTED = "aborted"
    """Somebody left."""


class IllegalMove(CrosstalkError):
    """A turn that the state of the conversation does not allow."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A dialogue under way."""

    turns: tuple[Turn, ...] = ()
    exchanges: int = 15
    """Maximum number of pairs of user and system turns."""
    user_is_done: bool = False
    ending: Ending | None = None

    @property
    def next_speaker(self) -> Speaker | None:
        """Who may speak now: the user begins, then both alternate, until it is over."""
        if self.ending:
            return None
        return Speaker.SYSTEM if len(self.turns) % 2 else Speaker.USER

    @property
    def exchange(self) -> int:
        """Which exchange is under way, from 1."""
        return len(self.turns) // 2 + 1

    def say(self, turn: Turn, *, done: bool = False) -> "Conversation":
        """The conversation after this turn; `done`: the user says that everything is settled."""
        self._refuse_illegal(turn, done)
        after = replace(self, turns=(*self.turns, turn), user_is_done=self.user_is_done or done)
        if turn.speaker is Speaker.USER:
            return after
        if after.user_is_done:
            return after.end(Ending.FINISHED)
        return after.end(Ending.LIMIT) if len(after.turns) >= 2 * self.exchanges else after

    def end(self, ending: Ending) -> "Conversation":
        """The conversation ended here; the first ending stays."""
        return self if self.ending else replace(self, ending=ending)

    def _refuse_illegal(self, turn: Turn, done: bool) -> None:
        if self.ending:
            raise IllegalMove(f"the conversation is over ({self.ending}); nobody may speak")
        if turn.speaker is not self.next_speaker:
            raise IllegalMove(f"it is the {self.next_speaker}'s turn, not the {turn.speaker}'s")
        if done and turn.speaker is not Speaker.USER:
            raise IllegalMove("only the user can say that everything is settled")
