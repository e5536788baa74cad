"""Whether the actions of a conversation kept to the policy: each breach with its turn.

    breaches(executor, dialogue.turns)   ->  [Breach(turn=5, "book_room", "confirm")]

What is checked are `confirm` and the `[[rules]]` of `world.toml`. The actions of a turn stand in
its extras, as `with_actions` puts them there.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crosstalk.dialogue.actions import Action, Rule
from crosstalk.dialogue.acts import AFFIRM, CONFIRM
from crosstalk.dialogue.dialogues import ACTIONS, Speaker, Turn
from crosstalk.language.normalize import plain
from crosstalk.language.phrases import Phrasebook, load_phrases, speaks
from crosstalk.worlds.action_events import ActionEvent, TableState, applied, event_of
from crosstalk.worlds.actions import Executor

CONFIRMATION: Final = "confirm"
"""The rule that an action with `confirm = true` is agreed to before it is done."""


@dataclass(frozen=True, slots=True)
class Breach:
    """An action that was done against a rule."""

    turn: int
    """Position of the turn in the dialogue."""
    action: str
    rule: str
    """Key of the rule, or `confirm`."""


def with_actions(turn: Turn, events: Sequence[ActionEvent]) -> Turn:
    """A turn that keeps what was done in it."""
    if not events:
        return turn
    return replace(turn, extras={**turn.extras, ACTIONS: [event.record() for event in events]})


def actions_of(turn: Turn) -> list[ActionEvent]:
    """What was done in a turn, refused calls included."""
    return [event_of(record) for record in turn.extras.get(ACTIONS, ())]


def breaches(executor: Executor, turns: Sequence[Turn]) -> list[Breach]:
    """The breaches of a conversation, in order."""
    checker = _Checker(executor, turns)
    state, done = executor.begin(), Counter[str]()
    found: list[Breach] = []
    for at, turn in enumerate(turns):
        for event in actions_of(turn):
            if not event.done:
                continue
            done[event.action] += 1
            found += [
                Breach(at, event.action, rule) for rule in checker.broken(state, event, at, done)
            ]
            state = applied(state, event)
    return found


@dataclass(frozen=True, slots=True)
class _Checker:
    executor: Executor
    turns: Sequence[Turn]

    def broken(
        self, state: TableState, event: ActionEvent, at: int, done: Counter[str]
    ) -> Iterator[str]:
        """The rules that a call made in a state breaks."""
        action = self.executor.action(event.action)
        if action.confirm and not self._is_confirmed(action, at):
            yield CONFIRMATION
        for rule in self.executor.world.schema.rules:
            if event.action in rule.actions and self._breaks(rule, state, action, event, done):
                yield rule.key

    def _breaks(
        self, rule: Rule, state: TableState, action: Action, event: ActionEvent, done: Counter[str]
    ) -> bool:
        if rule.most is not None and sum(done[key] for key in rule.actions) > rule.most:
            return True
        return self.executor.breaks(state, action, event.arguments, rule.conditions)

    def _is_confirmed(self, action: Action, at: int) -> bool:
        """Whether the system had asked in the turn before, and the user then agreed.

        Where both turns have acts, they say so; otherwise the user's words have to hold a yes.
        """
        if at < 2 or self.turns[at - 1].speaker is not Speaker.USER:
            return False
        asked, agreed = self.turns[at - 2], self.turns[at - 1]
        if asked.acts and agreed.acts:
            confirmed = any((a.intent, a.domain) == (CONFIRM, action.key) for a in asked.acts)
            return confirmed and any(
                (a.intent, a.domain) == (AFFIRM, action.key) for a in agreed.acts
            )
        return self._says_yes(agreed.text)

    def _says_yes(self, text: str) -> bool:
        words, book = plain(text), self._book()
        yes = self.executor.world.language.yes
        if book is None:
            return plain(yes) in words
        begins = re.match(rf"{re.escape(yes)}\b", text, re.IGNORECASE)
        return bool(begins) or book.has("yes", words)

    def _book(self) -> Phrasebook | None:
        world = self.executor.world
        if world.folder is None or not speaks(world.folder, world.language.code):
            return None
        return load_phrases(world.folder, world.language, world.schema)
