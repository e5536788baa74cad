"""A system as a participant: understand, track, decide, say, four calls in order.

    System(world.schema, SearchTracker(...), RulePolicy(...))

At act level understanding is given: the user's acts come with the turn. Where the system can do
something (`actions`), turns about actions are decided there; the other parts never see them.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Scenario
from crosstalk.dialogue.participants import Reply
from crosstalk.dialogue.schema import Schema
from crosstalk.system.actions.action_language import about_actions
from crosstalk.system.actions.action_policy import ActionPolicy, ActionState
from crosstalk.system.dst.tracker import DialogueState, Tracker, empty_form
from crosstalk.system.policy.policy import Policy
from crosstalk.system.text_adapters import (
    Says,
    Understands,
    given_acts,
    no_text,
    understood_extras,
)
from crosstalk.worlds.policy_rules import with_actions
from crosstalk.worlds.queries import Database

if TYPE_CHECKING:
    from crosstalk.system.build import SystemCard


@dataclass(frozen=True, slots=True)
class SystemSession:
    """The state of a conversation, from the system's side."""

    belief: DialogueState
    history: tuple[Turn, ...] = ()
    actions: ActionState | None = None
    """The tables that the system changes, and the action it talks about; None: it does nothing."""


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
    actions: ActionPolicy | None = None
    """Does the actions of the world; None: it only finds things."""

    def begin(self) -> SystemSession:
        doing = self.actions.begin() if self.actions else None
        return SystemSession(DialogueState(empty_form(self.schema)), actions=doing)

    def of_session(self, conversation: str, scenario: Scenario | None = None) -> "System":
        """The same system for one conversation, on whose name the codes it gives out depend.

        `scenario`: rows that the tables have in this conversation.
        """
        if self.actions is None:
            return self
        executor = self.actions.executor.within(scenario or {})
        actions = replace(self.actions, conversation=conversation, executor=executor)
        return replace(self, actions=actions)

    def reply(self, heard: Turn | None, state: SystemSession) -> tuple[Reply, SystemSession]:
        if heard is None:
            raise ValueError("a system speaks after the user, never first")
        turn, after = self.answer(heard, state)
        return Reply(turn), after

    def answer(self, heard: Turn, state: SystemSession) -> tuple[Turn, SystemSession]:
        """The turn that answers a user's turn."""
        taken = self.understand(heard, state.history)
        history = (*state.history, taken)
        if self.actions and about_actions(self.schema, taken.acts):
            return self._acted(self.actions, heard, state, history)
        others = self._others(history)
        belief = self.tracker.update(state.belief, others)
        decision = self.policy.decide(belief, others)
        turn = Turn(
            Speaker.SYSTEM,
            self.say(decision.acts, history),
            decision.acts,
            first_query=belief.form,
            last_query=decision.form,
            extras=understood_extras(heard, taken),
        )
        return turn, replace(state, belief=belief, history=(*history, turn))

    def _others(self, history: tuple[Turn, ...]) -> tuple[Turn, ...]:
        """The turns that are not about actions."""
        if self.actions is None:
            return history
        return tuple(turn for turn in history if not about_actions(self.schema, turn.acts))

    def _acted(
        self,
        policy: ActionPolicy,
        heard: Turn,
        state: SystemSession,
        history: tuple[Turn, ...],
    ) -> tuple[Turn, SystemSession]:
        """The turn that answers one about an action; what is searched for stays as it is."""
        doing, form, taken = state.actions or policy.begin(), state.belief.form, history[-1]
        move = policy.decide(doing, taken.acts, history[:-1], form)
        turn = Turn(
            Speaker.SYSTEM,
            self.say(move.acts, history),
            move.acts,
            first_query=form,
            last_query=form,
            extras=understood_extras(heard, taken),
        )
        after = replace(state, history=(*history, turn), actions=move.state)
        return with_actions(turn, move.events), after
