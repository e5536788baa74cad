"""A system as a participant: understand, track, decide, say, four calls in order.

    System(world.schema, SearchTracker(...), RulePolicy(...))

At act level understanding is given: the user's acts come with the turn. Where the system can do
something (`actions`), turns about actions are decided there; the other parts never see them.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Scenario
from crosstalk.dialogue.participants import Reply
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState
from crosstalk.system.actions.action_language import about_actions, without_actions
from crosstalk.system.actions.action_policy import ActionPolicy, ActionState, names_place
from crosstalk.system.dst.tracker import DialogueState, Tracker, empty_form
from crosstalk.system.policy.policy import Decision, Policy
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
        belief, decision = self._found(state, history)
        acts, doing = decision.acts, state.actions
        if self.actions and doing:
            again, doing = self.actions.asked_again(doing, taken.acts)
            acts = (*acts, *again)
        turn = self._turn(heard, history, acts, belief.form, decision.form)
        return turn, replace(state, belief=belief, history=(*history, turn), actions=doing)

    def _found(
        self, state: SystemSession, history: tuple[Turn, ...]
    ) -> tuple[DialogueState, Decision]:
        """What is wanted and the answer to it, as if nothing had been said about actions."""
        others = without_actions(self.schema, history) if self.actions else history
        belief = self.tracker.update(state.belief, others)
        return belief, self.policy.decide(belief, others)

    def _turn(
        self,
        heard: Turn,
        history: tuple[Turn, ...],
        acts: tuple[Act, ...],
        first: SystemState,
        last: SystemState,
    ) -> Turn:
        return Turn(
            Speaker.SYSTEM,
            self.say(acts, history),
            acts,
            first_query=first,
            last_query=last,
            extras=understood_extras(heard, history[-1]),
        )

    def _acted(
        self,
        policy: ActionPolicy,
        heard: Turn,
        state: SystemSession,
        history: tuple[Turn, ...],
    ) -> tuple[Turn, SystemSession]:
        """The turn that answers one about an action.

        What is searched for stays as it is, unless the turn also says which place is wanted; then
        the place is found first, and nothing is done if there is none.
        """
        doing, taken = state.actions or policy.begin(), history[-1]
        belief, form, found = state.belief, state.belief.form, tuple[Act, ...]()
        if any(not about_actions(self.schema, (act,)) for act in taken.acts):
            belief, decision = self._found(state, history)
            form, found = decision.form, decision.acts
        if found and not names_place(self.schema, found):
            move = policy.put_off(doing, taken.acts)
        else:
            offer = (Turn(Speaker.SYSTEM, "", found),) if found else ()
            move = policy.decide(doing, taken.acts, (*history, *offer), belief.form)
        turn = self._turn(heard, history, (*found, *move.acts), belief.form, form)
        after = replace(state, belief=belief, history=(*history, turn), actions=move.state)
        return with_actions(turn, move.events), after
