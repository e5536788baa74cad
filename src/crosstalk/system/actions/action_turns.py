"""What a user's words say about actions, whoever phrased them.

    reader = ActionTurnReader(world, nlu)
    reader.understand(text, history)          # acts, those about actions among them
    reader.said_otherwise(text, acts)         # what a text leaves out of such acts, what it adds

A language model that speaks for a simulated user is held to its acts with this reader.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from crosstalk.dialogue.actions import Action
from crosstalk.dialogue.acts import AFFIRM, ASK, DENY, DO, INFORM, Act
from crosstalk.dialogue.dialogues import ACTIONS, Speaker, Turn
from crosstalk.language.normalize import comparable, plain
from crosstalk.system.actions.action_language import ActionLanguage, about_actions
from crosstalk.system.actions.action_nlg import INSTEAD
from crosstalk.system.actions.action_nlu import ActionNLU
from crosstalk.system.actions.action_spotter import ActionSpotter
from crosstalk.system.actions.argument_finder import ArgumentFinder
from crosstalk.system.nlu.understanding import Understanding
from crosstalk.worlds.policy_rules import actions_of
from crosstalk.worlds.tables import World

Said = tuple[str, str, str]
"""Intent, argument and value of an act about an action."""
_NUMBER: Final = re.compile(r"\d+")


class ActionTurnReader:
    """Reads the turns of users who also want something done."""

    def __init__(self, world: World, within: Understanding) -> None:
        """`within`: reads everything that is not about actions."""
        self._schema = world.schema
        self._nlu = ActionNLU(within, world)
        self._language = ActionLanguage(world)
        self._finder = ArgumentFinder(self._language)
        self._spotter = ActionSpotter(self._language)

    def is_about_actions(self, acts: Sequence[Act]) -> bool:
        return about_actions(self._schema, acts)

    def understand(self, text: str, history: Sequence[Turn]) -> tuple[Act, ...]:
        """The acts of a turn.

        An agent in words says no acts: details that follow a wish answer it until it is done.
        """
        turns = list(history)
        if (open_ := self._open(turns)) and turns[-1].speaker is Speaker.SYSTEM:
            asked = tuple(Act(ASK, open_.key, name, "") for name in open_.arguments)
            turns[-1] = replace(turns[-1], acts=(*turns[-1].acts, *asked))
        return self._nlu.understand(Turn(Speaker.USER, text), turns)

    def _open(self, history: Sequence[Turn]) -> Action | None:
        """The action that the user asked for last, if it is not done yet."""
        for turn in reversed(history):
            if ACTIONS in turn.extras and any(event.done for event in actions_of(turn)):
                return None
            for act in turn.acts:
                if turn.speaker is Speaker.USER and act.intent == DO:
                    return self._schema.action(act.domain)
        return None

    def said_otherwise(
        self, text: str, acts: Sequence[Act]
    ) -> tuple[frozenset[Said], frozenset[Said]]:
        """What a text leaves out of acts about one action, and what it adds to them."""
        action = next(found for act in acts if (found := self._schema.action(act.domain)))
        meant = {act.slot: act.value for act in acts if act.intent == INFORM}
        told, rest = self._finder.read(action, text, list(meant))
        missing = {(INFORM, k, v) for k, v in meant.items() if told.get(k) != v}
        missing |= {(act.intent, "", "") for act in acts if not self._is_said(act, action, text)}
        added = {(INFORM, k, v) for k, v in told.items() if meant.get(k) != v}
        added |= {(INFORM, "", name) for name in self._other_names(text, meant)}
        added |= {(INFORM, "", each) for each in _NUMBER.findall(self._without(rest, meant))}
        return frozenset(missing), frozenset(added)

    def _is_said(self, act: Act, action: Action, text: str) -> bool:
        """Whether a text says yes, no, or what is wanted; a wish put otherwise is its details."""
        if act.intent in (AFFIRM, DENY):
            return self._nlu.says(text) is (act.intent == AFFIRM)
        if act.intent != DO or act.value == INSTEAD or self._nlu.says(text):
            return True
        spotter = self._spotter
        if spotter.names_thing(action, text) and self._finder.find(action, text):
            return True  # "a room for two people, please"
        return action in (*spotter.find(text), *spotter.partly(text), *spotter.by_verb(text))

    def _other_names(self, text: str, meant: Mapping[str, str]) -> list[str]:
        """Names of places in a text that are no value of the acts."""
        values = {comparable(value) for value in meant.values()}
        found = [each for each in self._finder.names.find(plain(text)) if each.sure]
        names = [{comparable(name) for _, name in each.places} for each in found]
        return [min(each) for each in names if not each & values]

    def _without(self, rest: str, meant: Mapping[str, str]) -> str:
        """What is left of a text without the values that were meant."""
        for value in map(comparable, meant.values()):
            rest = rest.replace(value, " ")
        return rest
