"""A user who also wants something done, around one that only wants to find things.

    user = ActionUser(SimulatedUser(...), goal, world, seed)

It speaks in acts; `SpokenUser` puts them into words. When everything is found, it asks for each
action of its goal (`Do`), sometimes without all details. It takes up what came of it:

* done: the next action, or thanks and the end
* a question for details (`Ask`): the details
* what was read back (`Confirm`): yes, or no and what is wrong
* refused (`Refuse`, or a call with the arguments it wanted): what the goal wants instead
* anything else: yes, and everything again, `PATIENCE` times; then it gives up

What was done is read from the actions of the agent's turn, not from its words.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

from crosstalk.dialogue.actions import argument_slot, is_reference
from crosstalk.dialogue.acts import (
    AFFIRM,
    ASK,
    CONFIRM,
    DENY,
    DO,
    GENERAL,
    INFORM,
    REFUSE,
    Act,
    in_order,
)
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.goals import ArgumentValue, Goal, Reference
from crosstalk.dialogue.participants import Participant, Reply
from crosstalk.dialogue.schema import SlotKind
from crosstalk.goals.action_goals import chosen_entities, settled
from crosstalk.worlds.policy_rules import actions_of
from crosstalk.worlds.tables import Cell, World

ASKED: Final = "asked_action"
"""Where the extras of a user's turn keep which action of the goal it asks for, from 0; a list where
it may ask for several."""
PATIENCE: Final = 3
"""Times that a user says yes to one wish without anything being done."""
INSTEAD: Final = "instead"
"""Value of a `Do` that follows a refusal: another way of doing the same."""
LEFT_OUT: Final = 0.3
"""Share of details that are not said before they are asked for."""

NAMED: Final = frozenset({SlotKind.NAME, SlotKind.ENDPOINT, SlotKind.KEY})
"""Kinds of arguments that say what a wish is about."""


@dataclass(frozen=True, slots=True)
class Wish:
    """One way of doing one action of a goal."""

    number: int
    """Position of the action in the goal."""
    action: str
    wanted: Mapping[str, ArgumentValue]
    """Its arguments as the goal has them."""
    arguments: Mapping[str, Cell] = field(default_factory=dict)
    """The same with the places that were chosen and what earlier actions gave."""

    @property
    def found(self) -> frozenset[str]:
        """Arguments that were found in the conversation, so that they need not be said."""
        known = (k for k, v in self.wanted.items() if isinstance(v, Reference) or is_reference(v))
        return frozenset(known)


@dataclass(frozen=True, slots=True)
class ActionUserState:
    """Where the user is: still finding things, or at a wish."""

    within: Any
    wishes: tuple[Wish, ...] | None = None
    """The wish it is at, and those to come; None while it is still finding things."""
    said: int = 0
    """Turns about the wish it is at."""
    refused: Wish | None = None
    """The wish before, if it was refused and this one is wanted instead."""
    last: Turn | None = None
    """Its last turn while it was finding things."""
    chosen: Mapping[int, str] = field(default_factory=dict)
    """The places that it found, by sub-goal."""
    given: Mapping[int, Mapping[str, Cell]] = field(default_factory=dict)
    """Number of an action of the goal, from 1 -> what it gave."""


@dataclass(frozen=True, slots=True)
class ActionUser:
    """A participant in acts; `within` says everything that is not about actions."""

    within: Participant[Any]
    goal: Goal
    world: World
    seed: str = ""

    def begin(self) -> ActionUserState:
        return ActionUserState(self.within.begin())

    def reply(self, heard: Turn | None, state: ActionUserState) -> tuple[Reply, ActionUserState]:
        if state.wishes is None:
            reply, within = self.within.reply(heard, state.within)
            state = replace(state, within=within, last=reply.turn)
            if not reply.done or _says_something(reply.turn):
                return replace(reply, done=False), state
            turn = reply.turn
            chosen = chosen_entities(self.world.schema, turn.user_state or ())
            state = replace(state, wishes=tuple(self._wishes()), chosen=chosen)
        else:
            assert state.last is not None
            turn = replace(state.last, extras={})
            state = _after(heard, state)
        state = _ready(state)
        if not state.wishes:
            return Reply(turn, done=True), state
        acts = self._opening(state) if not state.said else self._answer(heard, state.wishes[0])
        extras = {**turn.extras, ASKED: state.wishes[0].number}
        asking = replace(turn, acts=in_order(acts), extras=extras)
        return Reply(asking), replace(state, said=state.said + 1)

    def end(self, state: ActionUserState) -> None:
        if end := getattr(self.within, "end", None):
            end(state.within)

    def _wishes(self) -> Iterator[Wish]:
        for number, wanted in enumerate(self.goal.actions):
            yield from (Wish(number, wanted.action, wish) for wish in wanted.wishes)

    def _opening(self, state: ActionUserState) -> Iterator[Act]:
        """Asks for a wish; after a refusal, only for what is otherwise."""
        assert state.wishes
        wish, before = state.wishes[0], state.refused
        if before and wish.arguments.keys() >= before.arguments.keys():
            other = {k: v for k, v in wish.arguments.items() if before.arguments.get(k) != v}
            yield Act(DO, wish.action, value=INSTEAD)
            yield from _told(wish, other)
            return
        yield Act(DO, wish.action)
        rng = Random(f"actions {self.seed} {wish.number}")
        told = wish.arguments if before else dict(self._said_at_once(wish, rng))
        yield from _told(wish, told)

    def _said_at_once(self, wish: Wish, rng: Random) -> Iterator[tuple[str, Cell]]:
        """What a wish begins with.

        Places and codes are left out only if they are known; nor is what nobody would ask for: an
        optional detail of an action that is not read back.
        """
        action = self.world.schema.action(wish.action)
        never_asked = action.optional if action and not action.confirm else ()
        for name, value in wish.arguments.items():
            slot = argument_slot(self.world.schema, action, name) if action else None
            is_named = slot is not None and slot.kind in NAMED and name not in wish.found
            is_left_out = rng.random() < LEFT_OUT
            if is_named or name in never_asked or not is_left_out:
                yield name, value

    def _answer(self, heard: Turn | None, wish: Wish) -> Iterator[Act]:
        """What is said to a question of the system."""
        acts = [act for act in (heard.acts if heard else ()) if act.domain == wish.action]
        asked = [act.slot for act in acts if act.intent == ASK and act.slot in wish.arguments]
        read_back = {act.slot: act.value for act in acts if act.intent == CONFIRM}
        wrong = {k: v for k, v in wish.arguments.items() if read_back.get(k) != str(v)}
        if read_back and not wrong and not read_back.keys() <= wish.arguments.keys():
            yield Act(DENY, wish.action)  # something was read back that nobody wants
            yield Act(DO, wish.action)
            yield from _told(wish, wish.arguments)
        elif read_back and not wrong:
            yield Act(AFFIRM, wish.action)
        elif read_back:
            yield Act(DENY, wish.action)
            yield from _told(wish, wrong)
        elif asked:
            yield from _told(wish, {name: wish.arguments[name] for name in asked})
        else:
            yield Act(AFFIRM, wish.action)
            yield Act(DO, wish.action)
            yield from _told(wish, wish.arguments)


def _says_something(turn: Turn) -> bool:
    """Whether a turn says what the system has to hear before anything is to be done."""
    return any(act.intent != GENERAL for act in turn.acts)


def _told(wish: Wish, arguments: Mapping[str, Cell]) -> Iterator[Act]:
    return (Act(INFORM, wish.action, name, str(value)) for name, value in arguments.items())


def _after(heard: Turn | None, state: ActionUserState) -> ActionUserState:
    """The state after the agent's answer to a wish."""
    assert state.wishes and heard
    wish, *others = state.wishes
    events = [each for each in actions_of(heard) if each.action == wish.action]
    if done := [event for event in events if event.done]:
        rest = tuple(each for each in others if each.number != wish.number)
        given = {**state.given, wish.number + 1: done[-1].gives}
        return replace(state, wishes=rest, said=0, refused=None, given=given)
    refused = any(wish.arguments.items() <= event.arguments.items() for event in events)
    refused = refused or any(
        (act.intent, act.domain) == (REFUSE, wish.action) for act in heard.acts
    )
    if refused or state.said > PATIENCE:
        instead = bool(others) and others[0].number == wish.number
        before = wish if refused and instead else None
        return replace(state, wishes=tuple(others), said=0, refused=before)
    return state


def _ready(state: ActionUserState) -> ActionUserState:
    """The state at its next wish that can be said; those about what was never done are dropped."""
    wishes = list(state.wishes or ())
    while wishes:
        arguments = settled(wishes[0].wanted, state.chosen, state.given)
        if arguments is not None:
            wishes[0] = replace(wishes[0], arguments=arguments)
            break
        wishes.pop(0)
    return replace(state, wishes=tuple(wishes))


def has_asked(turns: Iterable[Turn], number: int) -> bool:
    """Whether the user has asked for an action of its goal, which are numbered from 0."""
    asked = (turn.extras.get(ASKED) for turn in turns)
    return any(number in each if isinstance(each, list) else number == each for each in asked)
