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
from crosstalk.system.speech import Says, Understands, acts_as_given, note, without_words
from crosstalk.worlds.queries import Database

if TYPE_CHECKING:
    from crosstalk.system.build import SystemCard


@dataclass(frozen=True, slots=True)
class SystemSession:
    """What a system carries from turn to turn."""

    belief: DialogueState
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class System:
    """The published pipeline; each part can be exchanged."""

    schema: Schema
    tracker: Tracker
    policy: Policy
    understand: Understands = acts_as_given
    say: Says = without_words
    database: Database | None = None
    """The tables that the policy looks things up in, for who wants to show results."""
    card: "SystemCard | None" = field(default=None, compare=False, repr=False)
    """What it was built from, where `build_system` built it."""

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
            extras=note(heard, taken),
        )
        return turn, SystemSession(belief, (*history, turn))
