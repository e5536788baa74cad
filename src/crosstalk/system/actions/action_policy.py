"""What the system does about actions: ask, read back, do, refuse.

    policy = ActionPolicy(Executor(database))
    move = policy.decide(policy.begin(), acts, history)
    move.acts, move.events, move.state

Nothing is done that the tables refuse or a rule of the policy forbids, and nothing that asks for
confirmation before the user has agreed to what was read back.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from crosstalk.dialogue.actions import ENTITY, Action, Rule
from crosstalk.dialogue.acts import (
    AFFIRM,
    ASK,
    CONFIRM,
    DENY,
    DO,
    DONE,
    INFORM,
    NOTHING,
    RECOMMEND,
    REFUSE,
    Act,
    in_order,
)
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.states import SystemState
from crosstalk.language.numerals import in_digits
from crosstalk.system.actions.action_nlg import INSTEAD, RULE
from crosstalk.worlds.action_events import REASONS, ActionEvent, TableState
from crosstalk.worlds.actions import Executor, changed_tables
from crosstalk.worlds.tables import Cell

MOST_DONE: Final = 20
"""Events kept to find the codes of bookings made in the same conversation."""


@dataclass(frozen=True, slots=True)
class ActionState:
    """The tables of a conversation, and the action that is being talked about."""

    tables: TableState
    action: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """As the user said them."""
    read_back: bool = False
    """The arguments stand as they were read back."""
    refused: bool = False
    """The last answer was a refusal: asking for the same action again begins anew."""
    done: tuple[ActionEvent, ...] = ()
    """What has been done so far."""


@dataclass(frozen=True, slots=True)
class ActionMove:
    """The answer to a turn about an action."""

    acts: tuple[Act, ...]
    state: ActionState
    events: tuple[ActionEvent, ...] = ()
    """Calls that were made, refused ones included."""


@dataclass(frozen=True, slots=True)
class ActionPolicy:
    """Decides about the actions of one world."""

    executor: Executor
    conversation: str = ""
    """What codes depend on, beside the number of the call."""

    def begin(self) -> ActionState:
        return ActionState(self.executor.begin(self.conversation))

    def decide(
        self, state: ActionState, acts: Sequence[Act], history: Sequence[Turn], form: SystemState
    ) -> ActionMove:
        """The answer to acts about an action; `history` tells which places were spoken of."""
        state = self._tracked(state, acts)
        action = self.executor.action(state.action)
        agrees = any(act.intent == AFFIRM for act in acts)
        denies = any(act.intent == DENY for act in acts)
        told = any(act.intent == INFORM for act in acts)
        if denies and not told:
            return ActionMove((Act(DENY, action.key),), replace(state, read_back=False))
        known = {**self._recalled(action, state, history, form), **state.arguments}
        state = replace(state, arguments=known)
        if missing := [name for name in action.needs if name not in known]:
            return self._asking(action, state, missing)
        return self._tried(action, state, agreed=agrees and state.read_back and not told)

    def _tracked(self, state: ActionState, acts: Sequence[Act]) -> ActionState:
        """The state with what the user said."""
        asked = next((act for act in acts if act.intent == DO), None)
        key = asked.domain if asked else state.action
        key = key or next(act.domain for act in acts if self._is_action(act))
        corrected = state.refused or any(act.intent == DENY for act in acts)
        anew = corrected and asked is not None and asked.value != INSTEAD
        if key != state.action or anew:
            state = replace(state, action=key, arguments={}, read_back=False)
        state = replace(state, refused=False)
        told = {a.slot: a.value for a in acts if a.intent == INFORM and a.domain == key}
        return replace(state, arguments={**state.arguments, **told})

    def _is_action(self, act: Act) -> bool:
        return self.executor.world.schema.action(act.domain) is not None

    # What is known without being said

    def _recalled(
        self, action: Action, state: ActionState, history: Sequence[Turn], form: SystemState
    ) -> dict[str, str]:
        """Arguments from the conversation: the place chosen, the ends of a ride, a code."""
        found = dict(self._of_form(action, form))
        if ENTITY in action.needs and (name := self._place(action, history)):
            found[ENTITY] = name
        for event in state.done[-MOST_DONE:]:
            before = self.executor.action(event.action)
            if set(before.tables) & set(action.tables):
                given = {key: str(event.gives[key]) for key in action.needs if key in event.gives}
                found.update(given)
        return found

    def _of_form(self, action: Action, form: SystemState) -> Iterator[tuple[str, str]]:
        for tab in form:
            if tab.domain == action.domain:
                for name in action.needs:
                    value = tab.get(name)
                    if isinstance(value, str) and value:
                        yield name, value

    def _place(self, action: Action, history: Sequence[Turn]) -> str:
        """The place of the action's domain that was spoken of last."""
        domain = self.executor.world.schema.domain(action.domain)
        slot = domain.name_slot if domain else None
        if slot is None:
            return ""
        for turn in reversed(history):
            named = [
                act.value
                for act in turn.acts
                if (act.domain, act.slot) == (action.domain, slot.key)
                and act.intent in (INFORM, RECOMMEND)
            ]
            if named and self.executor.database.find(action.domain, named[0]):
                return named[0]
        return ""

    # Moves

    def _asking(self, action: Action, state: ActionState, names: Sequence[str]) -> ActionMove:
        acts = [Act(ASK, action.key, name, "") for name in names]
        return ActionMove(in_order(acts), replace(state, read_back=False))

    def _tried(self, action: Action, state: ActionState, *, agreed: bool) -> ActionMove:
        """The action done if it may be, or why not, or the question whether it shall be."""
        after, event = self.executor.perform(state.tables, action.key, state.arguments)
        if event.refusal:
            return self._refused(action, state, event)
        if rule := self._broken(action, state):
            act = Act(REFUSE, action.key, RULE, rule.key)
            return ActionMove((act,), replace(state, read_back=False, refused=True))
        left = [name for name in action.optional if name not in state.arguments]
        if left and not changed_tables(self.executor.world, event):
            return self._asking(action, state, left)
        if action.confirm and not agreed:
            acts = [
                Act(CONFIRM, action.key, name, _text(event.arguments[name]))
                for name in action.arguments
                if name in event.arguments
            ]
            return ActionMove(in_order(acts), replace(state, read_back=True))
        known = ((key, value) for key, value in event.gives.items() if value is not None)
        gives = [Act(DONE, action.key, key, _text(value)) for key, value in known]
        done = ActionState(after, done=(*state.done, event))
        return ActionMove(in_order(gives or [Act(DONE, action.key)]), done, (event,))

    def _refused(self, action: Action, state: ActionState, event: ActionEvent) -> ActionMove:
        """Why not; an argument that cannot be is forgotten."""
        assert event.refusal is not None
        reason, argument = event.refusal.reason, event.refusal.argument
        kept = dict(state.arguments)
        if reason in REASONS:
            kept.pop(argument, None)
        act = Act(REFUSE, action.key, argument or NOTHING, reason)
        after = replace(state, arguments=kept, read_back=False, refused=True)
        return ActionMove((act,), after, (event,))

    def _broken(self, action: Action, state: ActionState) -> Rule | None:
        """The first rule of the policy that forbids the action now."""
        rules = [r for r in self.executor.world.schema.rules if action.key in r.actions]
        for rule in rules:
            count = sum(event.action in rule.actions for event in state.done)
            if rule.most is not None and count >= rule.most:
                return rule
            if self.executor.breaks(state.tables, action, state.arguments, rule.conditions):
                return rule
        return None


def _text(cell: Cell) -> str:
    """A cell as an act has it: 81 for 81.0."""
    return in_digits(cell) if isinstance(cell, float) else str(cell)
