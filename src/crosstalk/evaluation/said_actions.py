"""Acts about actions with their values as they are said: dates in words, `for one person`.

said = SaidActions(load_world("harbour", language="en"))
said.of(turn).acts      # Confirm(book_room, arrival, Friday 5 June), not 2026-06-05
"""

from collections.abc import Iterator
from dataclasses import replace

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Turn
from crosstalk.system.actions.action_language import ActionLanguage, about_actions
from crosstalk.worlds.tables import World


class SaidActions:
    """Finds the values of acts about actions in the texts of one world's language."""

    def __init__(self, world: World) -> None:
        self._schema = world.schema
        self._language = ActionLanguage(world)

    def of(self, turn: Turn) -> Turn:
        """The turn; a value stands in its acts as the text has it, if it is there at all."""
        if not about_actions(self._schema, turn.acts):
            return turn
        return replace(turn, acts=tuple(self._said(act, turn.text) for act in turn.acts))

    def _said(self, act: Act, text: str) -> Act:
        small = text.lower()
        for form in self._forms(act):
            at = small.find(form.lower())
            if form and at >= 0:
                return replace(act, value=text[at : at + len(form)])
        return act

    def _forms(self, act: Act) -> Iterator[str]:
        """Ways of saying the value, alone and with the words around it."""
        action = self._schema.action(act.domain)
        if action is None or act.slot not in action.arguments:
            return
        yield act.value
        for brief in (False, True):
            yield self._language.value(action, act.slot, act.value, brief=brief)
            yield self._language.detail(action, act.slot, act.value, brief=brief)
