"""A system as a participant: understand, track, decide, say, four calls in order.

    System(world.schema, SearchTracker(...), RulePolicy(...))

At act level understanding is given: the user's acts come with the turn.
"""

from collections.abc import Callable
from dataclasses import dataclass

from crosstalk.conversation.participants import Reply
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import Schema
from crosstalk.modules.dst.tracker import Belief, Tracker, empty_form
from crosstalk.modules.policy.policy import Policy

Understands = Callable[[Turn], Turn]
"""A turn as heard -> the same turn with its acts."""
Says = Callable[[tuple[Act, ...]], str]
"""Acts -> words."""


def acts_as_given(turn: Turn) -> Turn:
    """Understanding at act level."""
    return turn


def without_words(acts: tuple[Act, ...]) -> str:
    """Speech at act level."""
    return ""


@dataclass(frozen=True, slots=True)
class Mind:
    """What a system carries from turn to turn."""

    belief: Belief
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class System:
    """The published pipeline; each part can be exchanged."""

    schema: Schema
    tracker: Tracker
    policy: Policy
    understand: Understands = acts_as_given
    say: Says = without_words

    def begin(self) -> Mind:
        return Mind(Belief(empty_form(self.schema)))

    def reply(self, heard: Turn | None, state: Mind) -> tuple[Reply, Mind]:
        if heard is None:
            raise ValueError("a system speaks after the user, never first")
        history = (*state.history, self.understand(heard))
        belief = self.tracker.update(state.belief, history)
        decision = self.policy.decide(belief, history)
        turn = Turn(
            Speaker.SYSTEM,
            self.say(decision.acts),
            decision.acts,
            first_query=belief.form,
            last_query=decision.form,
        )
        return Reply(turn), Mind(belief, (*history, turn))
