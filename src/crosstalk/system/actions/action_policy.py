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

from crosstalk.dialogue.actions import ENTITY, Action, Insert, Rule, argument_slot
from crosstalk.dialogue.acts import (
    AFFIRM,
    ASK,
    CONFIRM,
    COUNT,
    DENY,
    DO,
    DONE,
    GENERAL,
    IGNORED,
    INFORM,
    NOTHING,
    RECALL,
    RECOMMEND,
    REFUSE,
    REQUEST,
    UNSUPPORTED,
    Act,
    in_order,
)
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.schema import Schema, SlotKind
from crosstalk.dialogue.states import SystemState
from crosstalk.language.numerals import in_digits
from crosstalk.system.actions.action_nlg import INSTEAD, RULE
from crosstalk.worlds.action_events import REASONS, ActionEvent, TableState
from crosstalk.worlds.actions import Executor, changed_tables
from crosstalk.worlds.tables import Cell, Row

MOST_DONE: Final = 20
"""Events kept to find the codes of bookings made in the same conversation."""
MOST_REPEATED: Final = 2
"""Times that an open question is asked again."""
RAISED: Final = "+"
"""Begins the value of an argument that is to be raised: `+1` of *one more night*."""
_BESIDE: Final = frozenset({REQUEST, GENERAL, CONFIRM, COUNT, UNSUPPORTED, IGNORED})
"""What users say beside the matter, so that an open question stays open."""
_CLOSING: Final = frozenset({"bye", "restart", "thank"})


@dataclass(frozen=True, slots=True)
class ActionState:
    """The tables of a conversation, and the action that is being talked about."""

    tables: TableState
    action: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """As the user said them."""
    others: tuple[str, ...] = ()
    """Actions that may have been meant as well: what is to be cancelled is not said."""
    read_back: Mapping[str, str] | None = None
    """The arguments as they were read back."""
    asked: tuple[Act, ...] = ()
    """The question that is open."""
    repeated: int = 0
    """Times that it has been asked again."""
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
        """The answer to acts about an action.

        `history` ends with the turn that is answered and, if it was one about a place too, with
        what was found; it tells which places were spoken of.
        """
        if any(act.intent == RECALL for act in acts):
            return ActionMove(tuple(self._recalled(state, acts)), state)
        state = self._tracked(state, acts)
        action = self.executor.action(state.action)
        agrees = any(act.intent == AFFIRM for act in acts)
        denies = any(act.intent == DENY for act in acts)
        told = any(act.intent == INFORM and self._is_action(act) for act in acts)
        if denies and not told:
            return ActionMove((Act(DENY, action.key),), replace(state, read_back=None, asked=()))
        known = self._known(action, state, history, form)
        if missing := [name for name in action.needs if name not in known]:
            return self._asking(action, state, missing)
        agreed = agrees and state.read_back == known and not told
        return self._tried(action, state, known, agreed=agreed)

    def _recalled(self, state: ActionState, acts: Sequence[Act]) -> Iterator[Act]:
        """What was done and still stands, as it is now; an act without a slot if that is nothing.

        The arguments of each booking, then what it gave; the next one begins with its first.
        """
        told = [
            Act(RECALL, event.action, name, _text(value))
            for event, row in self._standing(state)
            for name, value in self._told_of(event, row)
        ]
        yield from told or [Act(RECALL, next(act.domain for act in acts if act.intent == RECALL))]

    def _standing(self, state: ActionState) -> Iterator[tuple[ActionEvent, Row]]:
        """What was done and still stands: each event that made a row, and the row as it is now.

        Left out is a row that is gone, or that was marked as such: its `status`, which no argument
        set, is another one, with which nothing can be done any more and for which nothing was given
        (a receipt).
        """
        for at, event in enumerate(state.done):
            effects = self.executor.action(event.action).steps
            tables = {each.table for each in effects if isinstance(each, Insert)}
            for made in (each for each in event.changes if each.table in tables):
                if made.before is not None or made.after is None:
                    continue
                now: Row | None = made.after
                last = event
                for later, change in ((e, c) for e in state.done[at + 1 :] for c in e.changes):
                    if now is not None and (change.table, change.before) == (made.table, now):
                        now, last = change.after, later
                set_by_user = {*event.arguments, *event.gives}
                marks = [k for k, v in made.after.items() if v is not None and k not in set_by_user]
                if now is None:
                    continue
                is_same = all(now.get(key) == made.after[key] for key in marks)
                if is_same or last.gives or self._can_be_changed(state.tables, now):
                    yield event, now

    def _can_be_changed(self, tables: TableState, row: Row) -> bool:
        """Whether an action can still be done that needs no more than what a row holds."""
        for action in self.executor.world.schema.actions:
            arguments = {name: row.get(name) for name in action.needs}
            is_known = ENTITY not in arguments and None not in arguments.values()
            if is_known and self.executor.perform(tables, action.key, arguments)[1].done:
                return True
        return False

    def _told_of(self, event: ActionEvent, row: Row) -> Iterator[tuple[str, Cell]]:
        action = self.executor.action(event.action)
        for name in action.arguments:
            value = row.get(name, event.arguments.get(name))
            if value is not None:
                yield name, value
        yield from ((key, value) for key, value in event.gives.items() if key in row)

    def put_off(self, state: ActionState, acts: Sequence[Act]) -> ActionMove:
        """What was said is kept; nothing is done, since the place it is about was not found."""
        return ActionMove((), replace(self._tracked(state, acts), read_back=None, asked=()))

    def asked_again(
        self, state: ActionState, acts: Sequence[Act]
    ) -> tuple[tuple[Act, ...], ActionState]:
        """The open question once more, after a turn that did not answer it.

        A turn that says what else is wanted leaves the action where it is.
        """
        moves_on = any(act.intent not in _BESIDE or act.domain in _CLOSING for act in acts)
        if not state.asked or moves_on or state.repeated >= MOST_REPEATED:
            return (), replace(state, asked=(), read_back=None)
        return state.asked, replace(state, repeated=state.repeated + 1)

    def _tracked(self, state: ActionState, acts: Sequence[Act]) -> ActionState:
        """The state with what the user said."""
        asked = [act for act in acts if act.intent == DO]
        key = self._meant(state, [act.domain for act in asked]) if asked else state.action
        key = key or next(act.domain for act in acts if self._is_action(act))
        corrected = state.refused or any(act.intent == DENY for act in acts)
        anew = corrected and bool(asked) and asked[0].value != INSTEAD
        if key != state.action or anew:
            others = tuple(act.domain for act in asked if act.domain != key)
            kept = self._codes(state) if key == state.action else {}
            state = replace(state, action=key, arguments=kept, read_back=None, others=others)
        state = replace(state, refused=False, asked=(), repeated=0)
        keys = {key, *(act.domain for act in asked)}
        takes = self.executor.action(key).arguments
        informs = [a for a in acts if a.intent == INFORM and a.domain in keys and a.slot in takes]
        told = {act.slot: _sum(state.arguments.get(act.slot), act.value) for act in informs}
        return replace(state, arguments={**state.arguments, **told})

    def _codes(self, state: ActionState) -> dict[str, str]:
        """What says which booking is meant; it stays the same when a change is put otherwise."""
        schema, action = self.executor.world.schema, self.executor.action(state.action)
        slots = {name: argument_slot(schema, action, name) for name in state.arguments}
        codes = {name for name, slot in slots.items() if slot and slot.kind is SlotKind.KEY}
        return {name: value for name, value in state.arguments.items() if name in codes}

    def _meant(self, state: ActionState, keys: Sequence[str]) -> str:
        """Of several actions the one on what was done last, else the first."""
        for event in reversed(state.done):
            tables = set(self.executor.action(event.action).tables)
            for key in keys:
                if tables & set(self.executor.action(key).tables):
                    return key
        return keys[0]

    def _is_action(self, act: Act) -> bool:
        return self.executor.world.schema.action(act.domain) is not None

    # What is known without being said

    def _known(
        self, action: Action, state: ActionState, history: Sequence[Turn], form: SystemState
    ) -> dict[str, str]:
        """What was said, and what the conversation tells: the ends of a ride, a code, the place.

        The place is the one that was spoken of last, as part of the wish or before it.
        """
        found = dict(self._of_form(action, form))
        for event in state.done[-MOST_DONE:]:
            before = self.executor.action(event.action)
            if set(before.tables) & set(action.tables):
                given = {key: str(event.gives[key]) for key in action.needs if key in event.gives}
                found.update(given)
        found.update(state.arguments)
        found |= self._raised(action, state, found)
        if ENTITY in action.needs and (name := self._place(action, history)):
            found[ENTITY] = name
        return found

    def _raised(
        self, action: Action, state: ActionState, known: Mapping[str, str]
    ) -> dict[str, str]:
        """Numbers that were to be raised (`+1`): by what the booking meant has now."""
        found: dict[str, str] = {}
        for name, value in known.items():
            if value.startswith(RAISED) and value[1:].isdigit():
                rows = [
                    row
                    for event, row in self._standing(state)
                    if set(self.executor.action(event.action).tables) & set(action.tables)
                    if all(row.get(key) == known.get(key) for key in action.needs if key in row)
                ]
                now = rows[-1].get(name) if rows else None
                found[name] = str(now + int(value[1:])) if isinstance(now, int) else value[1:]
        return found

    def _of_form(self, action: Action, form: SystemState) -> Iterator[tuple[str, str]]:
        for tab in form:
            if tab.domain == action.domain:
                for name in action.needs:
                    value = tab.get(name)
                    if isinstance(value, str) and value:
                        yield name, value

    def _place(self, action: Action, history: Sequence[Turn]) -> str:
        """The place of the action's domain that was spoken of last, by name or as its entity."""
        domain = self.executor.world.schema.domain(action.domain)
        slot = domain.name_slot if domain else None
        if slot is None:
            return ""
        for turn in reversed(history):
            named = [
                act.value
                for act in turn.acts
                if (act.domain, act.slot) in ((action.domain, slot.key), (action.key, ENTITY))
                and act.intent in (INFORM, RECOMMEND)
            ]
            if named and self.executor.database.find(action.domain, named[0]):
                return named[0]
        return ""

    # Moves

    def _asking(self, action: Action, state: ActionState, names: Sequence[str]) -> ActionMove:
        acts = in_order([Act(ASK, action.key, name, "") for name in names])
        return ActionMove(acts, replace(state, read_back=None, asked=acts))

    def _tried(
        self, action: Action, state: ActionState, known: Mapping[str, str], *, agreed: bool
    ) -> ActionMove:
        """The action done if it may be, or why not, or the question whether it shall be."""
        after, event = self.executor.perform(state.tables, action.key, known)
        if event.refusal:
            other = self._other(state, known)
            if other is None:
                return self._refused(action, state, event)
            action, state = other, replace(state, action=other.key, others=())
            after, event = self.executor.perform(state.tables, action.key, known)
        if rule := self._broken(action, state, known):
            act = Act(REFUSE, action.key, RULE, rule.key)
            return ActionMove((act,), replace(state, read_back=None, refused=True))
        left = [name for name in action.optional if name not in known]
        if left and not changed_tables(self.executor.world, event):
            return self._asking(action, state, left)
        if action.confirm and not agreed:
            acts = in_order(
                [
                    Act(CONFIRM, action.key, name, _text(event.arguments[name]))
                    for name in action.arguments
                    if name in event.arguments
                ]
            )
            return ActionMove(acts, replace(state, read_back=dict(known), asked=acts))
        gives = ((key, value) for key, value in event.gives.items() if value is not None)
        given = [Act(DONE, action.key, key, _text(value)) for key, value in gives]
        done = ActionState(after, done=(*state.done, event))
        return ActionMove(in_order(given or [Act(DONE, action.key)]), done, (event,))

    def _other(self, state: ActionState, known: Mapping[str, str]) -> Action | None:
        """Another action that may have been meant and that can be done."""
        for key in state.others:
            action = self.executor.action(key)
            if not set(action.needs) <= set(known) <= set(action.arguments):
                continue
            if not self.executor.perform(state.tables, key, known)[1].refusal:
                return action
        return None

    def _refused(self, action: Action, state: ActionState, event: ActionEvent) -> ActionMove:
        """Why not; an argument that cannot be is forgotten."""
        assert event.refusal is not None
        reason, argument = event.refusal.reason, event.refusal.argument
        kept = dict(state.arguments)
        if reason in REASONS:
            kept.pop(argument, None)
        act = Act(REFUSE, action.key, argument or NOTHING, reason)
        after = replace(state, arguments=kept, read_back=None, refused=True)
        return ActionMove((act,), after, (event,))

    def _broken(self, action: Action, state: ActionState, known: Mapping[str, str]) -> Rule | None:
        """The first rule of the policy that forbids the action now."""
        rules = [r for r in self.executor.world.schema.rules if action.key in r.actions]
        for rule in rules:
            count = sum(event.action in rule.actions for event in state.done)
            if rule.most is not None and count >= rule.most:
                return rule
            if self.executor.breaks(state.tables, action, known, rule.conditions):
                return rule
        return None


def _sum(before: str | None, said: str) -> str:
    """A number that is to be raised, where the one before is known: 3 of 2 and `+1`."""
    if before and before.isdigit() and said.startswith(RAISED) and said[1:].isdigit():
        return str(int(before) + int(said[1:]))
    return said


def names_place(schema: Schema, acts: Sequence[Act]) -> bool:
    """Whether an answer names a place."""
    names = {(place.key, place.name_slot.key) for place in schema.places if place.name_slot}
    return any(
        act.intent in (INFORM, RECOMMEND) and (act.domain, act.slot) in names for act in acts
    )


def _text(cell: Cell) -> str:
    """A cell as an act has it: 81 for 81.0."""
    return in_digits(cell) if isinstance(cell, float) else str(cell)
