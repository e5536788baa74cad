"""What a language says about the actions of a world: names of arguments, values, sentences.

language = ActionLanguage(world)
language.detail(action, "arrival", "2026-06-05")   ->  "arriving on Friday 5 June"
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from functools import cached_property
from typing import Any

from crosstalk.dialogue.actions import ENTITY, Action, argument_slot
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.schema import Schema, Slot, SlotKind
from crosstalk.goals.describe import enumeration
from crosstalk.language.action_words import CHANGED, ActionWords, words_of
from crosstalk.language.dates import Dates, weekday_cues
from crosstalk.language.phrases import Phrasebook, load_phrases, speaks
from crosstalk.language.writing import writing_of
from crosstalk.worlds.tables import World


def about_actions(schema: Schema, acts: Iterable[Act]) -> bool:
    """Whether a turn with these acts is about an action."""
    keys = {action.key for action in schema.actions}
    return any(act.domain in keys for act in acts)


def without_actions(schema: Schema, turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """The turns without their acts about actions; those that have no others are left out."""
    kept = list[Turn]()
    for turn in turns:
        others = tuple(act for act in turn.acts if not about_actions(schema, (act,)))
        if others or not turn.acts:
            kept.append(turn if others == turn.acts else replace(turn, acts=others))
    return tuple(kept)


class ActionLanguage:
    """Words for the actions of one world, in its language."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.pack = world.language
        self.words: ActionWords = words_of(world.folder, self.pack)

    @cached_property
    def book(self) -> Phrasebook | None:
        world = self.world
        if world.folder is None or not speaks(world.folder, self.pack.code):
            return None
        return load_phrases(world.folder, self.pack, world.schema)

    @cached_property
    def dates(self) -> Dates:
        today = date.fromisoformat(self.world.schema.today) if self.world.schema.today else None
        cues = weekday_cues(self.book.cues) if self.book else None
        return Dates(writing_of(self.pack.code), self.pack.days, today=today, cues=cues)

    def slot(self, action: Action, argument: str) -> Slot | None:
        return argument_slot(self.world.schema, action, argument)

    def kind(self, action: Action, argument: str) -> SlotKind | None:
        slot = self.slot(action, argument)
        return slot.kind if slot else None

    def does(self, action: Action) -> str:
        """What an action does in a few words; its key where the language has none."""
        return self.pack.action_name(action.key)

    def slot_name(self, action: Action, argument: str) -> str:
        if argument == ENTITY and action.domain:
            return self.pack.domain_name(action.domain)
        return self.pack.slot_name(action.domain, argument)

    def value(self, action: Action, argument: str, value: Any, *, brief: bool = False) -> str:
        """A value as it is said: dates in words, all others as they are."""
        if self.kind(action, argument) is SlotKind.DATE:
            return self.dates.say(str(value), brief=brief)
        return str(value)

    def detail(self, action: Action, argument: str, value: Any, *, brief: bool = False) -> str:
        """An argument with its value, as part of a list; what is changed stands with its name.

        An optional argument is said as what is changed, unless the action has words for it.
        """
        kind = self.kind(action, argument)
        has_own = f"{action.key}.{argument}" in self.words.details
        if argument in action.optional and not has_own:
            form = self.words.detail(action.key, CHANGED, "", value)
        else:
            form = self.words.detail(action.key, argument, str(kind or ""), value)
        said = self.value(action, argument, value, brief=brief)
        return self.filled(form, {"value": said}, action=action, argument=argument)

    def details(
        self, action: Action, arguments: Mapping[str, Any], *, brief: bool = False
    ) -> dict[str, str]:
        """Arguments in the order of the action: as a list, and in one go as part of a sentence.

        `brief`: dates as people say them among themselves.
        """
        order = [name for name in action.arguments if name in arguments]
        said = [self.detail(action, name, arguments[name], brief=brief) for name in order]
        return {"details": self.words.comma.join(said), "together": " ".join(said)}

    def listed(self, texts: Iterable[str]) -> str:
        items = list(texts)
        return enumeration(items, self.pack.goal) if self.pack.goal else ", ".join(items)

    def filled(
        self, sentence: str, values: Mapping[str, str], *, action: Action, argument: str = ""
    ) -> str:
        """A sentence with its placeholders filled; `{Slot}` begins with a capital letter."""
        everything = {
            "does": self.does(action),
            "yes": self.pack.yes,
            "no": self.pack.no,
            "slot": self.slot_name(action, argument) if argument else "",
            "domain": self.pack.domain_name(action.domain) if action.domain else "",
            **values,
        }
        for name, value in everything.items():
            sentence = sentence.replace(f"{{{name}}}", value)
            sentence = sentence.replace(
                f"{{{name.capitalize()}}}", f"{value[:1].upper()}{value[1:]}"
            )
        return sentence
