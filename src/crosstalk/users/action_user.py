"""A user who also wants something done, around one that only wants to find things.

    user = ActionUser(SpokenUser(...), goal, world)

When everything is found, it asks for each action of its goal in the words of the language pack
(`book a room: Laurel Hotel, arrival 2026-06-08, nights 2, people 2.`). It takes up what came of it:

* done: the next action, or thanks and the end
* refused, with the arguments it wanted: what the goal wants instead
* anything else, such as a question: yes, and the details again, `PATIENCE` times; then it gives up

What came of it is read from the actions of the agent's turn, not from its words.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from crosstalk.dialogue.actions import ENTITY
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.goals import Goal
from crosstalk.dialogue.participants import Participant, Reply
from crosstalk.goals.action_goals import chosen_entities, settled
from crosstalk.goals.describe import enumeration
from crosstalk.worlds.policy_rules import actions_of
from crosstalk.worlds.tables import Cell, World

ASKED: Final = "asked_action"
"""Where the extras of a user's turn keep which action of the goal it asks for, from 0."""
PATIENCE: Final = 3
"""Times that a user says yes to one wish without anything being done."""


@dataclass(frozen=True, slots=True)
class Wish:
    """One way of doing one action of a goal."""

    number: int
    """Position of the action in the goal."""
    action: str
    arguments: dict[str, Cell]
    """With the places that were chosen."""


@dataclass(frozen=True, slots=True)
class ActionUserState:
    """Where the user is: still finding things, or at a wish."""

    within: Any
    wishes: tuple[Wish, ...] | None = None
    """The wish it is at, and those to come; None while it is still finding things."""
    said: int = 0
    """Times that the wish it is at was said."""
    last: Turn | None = None
    """Its last turn while it was finding things."""


@dataclass(frozen=True, slots=True)
class ActionUser:
    """A participant in words; `within` says everything that is not about actions."""

    within: Participant[Any]
    goal: Goal
    world: World

    def begin(self) -> ActionUserState:
        return ActionUserState(self.within.begin())

    def reply(self, heard: Turn | None, state: ActionUserState) -> tuple[Reply, ActionUserState]:
        if state.wishes is None:
            reply, within = self.within.reply(heard, state.within)
            state = replace(state, within=within, last=reply.turn)
            if not reply.done:
                return reply, state
            turn = reply.turn
            state = replace(state, wishes=tuple(self._wishes(turn)))
        else:
            assert state.last is not None
            turn = replace(state.last, extras={})
            state = _after(heard, state)
        if not state.wishes:
            return Reply(turn, done=True), state
        asking = self._asking(state.wishes[0], turn, again=state.said > 0)
        return Reply(asking), replace(state, said=state.said + 1)

    def end(self, state: ActionUserState) -> None:
        if end := getattr(self.within, "end", None):
            end(state.within)

    def _wishes(self, turn: Turn) -> Iterator[Wish]:
        chosen = chosen_entities(self.world.schema, turn.user_state or ())
        for number, wanted in enumerate(self.goal.actions):
            for wish in wanted.wishes:
                if arguments := settled(wish, chosen):
                    yield Wish(number, wanted.action, arguments)

    def _asking(self, wish: Wish, turn: Turn, *, again: bool) -> Turn:
        """The turn that asks for a wish, or says yes to it, instead of saying goodbye."""
        yes = self.world.language.yes
        confirms = f"{yes[:1].upper()}{yes[1:]}. " if again else ""
        text = confirms + self.sentence(wish)
        return replace(turn, text=text, acts=(), extras={**turn.extras, ASKED: wish.number})

    def sentence(self, wish: Wish) -> str:
        """An action and its arguments in the words of the language, in no grammatical case."""
        pack, action = self.world.language, self.world.schema.action(wish.action)
        domain = action.domain if action else ""
        details = [
            str(value) if key == ENTITY else f"{pack.slot_name(domain, key)} {value}"
            for key, value in wish.arguments.items()
        ]
        does = pack.action_name(wish.action)
        listed = enumeration(details, pack.goal) if pack.goal else ", ".join(details)
        return f"{does[:1].upper()}{does[1:]}: {listed}."


def _after(heard: Turn | None, state: ActionUserState) -> ActionUserState:
    """The state after the agent's answer to a wish."""
    assert state.wishes
    wish, *others = state.wishes
    events = [each for each in (actions_of(heard) if heard else ()) if each.action == wish.action]
    if any(event.done for event in events):
        rest = tuple(each for each in others if each.number != wish.number)
        return replace(state, wishes=rest, said=0)
    refused = any(wish.arguments.items() <= event.arguments.items() for event in events)
    if refused or state.said > PATIENCE:
        return replace(state, wishes=tuple(others), said=0)
    return state


def has_asked(turns: Iterable[Turn], number: int) -> bool:
    """Whether the user has asked for an action of its goal, which are numbered from 0."""
    return any(turn.extras.get(ASKED) == number for turn in turns)
