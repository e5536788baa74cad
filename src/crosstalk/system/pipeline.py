"""A system as a participant: understand, track, decide, say, four calls in order.

    System(world.schema, SearchTracker(...), RulePolicy(...))

At act level understanding is given: the user's acts come with the turn.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.participants import Reply
from crosstalk.dialogue.schema import Schema
from crosstalk.system.dst.tracker import DialogueState, Tracker, empty_form
from crosstalk.system.policy.policy import Policy
from crosstalk.system.text_adapters import (
    Says,
    Understands,
    given_acts,
    no_text,
    understood_extras,
)
from crosstalk.worlds.queries import Database

if TYPE_CHECKING:
    from crosstalk.system.build import SystemCard


@dataclass(frozen=True, slots=True)
class SystemSession:
    """The state of a conversation, from the system's side."""

    belief: DialogueState
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class System:
    """The published pipeline; each part can be exchanged."""

    schema: Schema
    tracker: Tracker
    policy: Policy
    understand: Understands = given_acts
    say: Says = no_text
    database: Database | None = None
    """The tables that the policy queries, for displaying results."""
    card: "SystemCard | None" = field(default=None, compare=False, repr=False)
    """What it was built from, if `build_system` built it."""

    def begin(self) -> SystemSession:
        return SystemSession(DialogueState(empty_form(self.schema)))

    def reply(self, heard: Turn | None, state: SystemSession) -> tuple[Reply, SystemSession]:
        if heard is None:
            raise ValueError("a system speaks after the user, never first")
        turn, after = self.answer(heard, state)
        return Reply(turn), after

    def answer(self, heard: Turn, state: SystemSession) -> tuple[Turn, SystemSession]:
        """The turn that answers a user's turn."""
        taken = self.understand(heard, state.history)
        history = (*state.history, taken)
        belief = self.tracker.update(state.belief, history)
        decision = self.policy.decide(belief, history)
        turn = Turn(
            Speaker.SYSTEM,
            self.say(decision.acts, history),
            decision.acts,
            first_query=belief.form,
            last_query=decision.form,
            extras=understood_extras(heard, taken),
        )
        return turn, SystemSession(belief, (*history, turn))
