"""Understanding of what is said about actions, before an NLU that knows everything else.

    ActionNLU(nlu, world).understand(turn, history)

Users ask for an action (`Do`), give its arguments (`Inform`), agree or not (`Affirm`, `Deny`).
Systems ask for arguments (`Ask`), read back (`Confirm`), tell what came of it (`Done`, `Refuse`);
only our own sentences for these are read, since others say them in their own words. A turn that
says nothing about actions goes to the NLU within.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from crosstalk.dialogue.actions import ENTITY, Action
from crosstalk.dialogue.acts import (
    AFFIRM,
    ASK,
    CONFIRM,
    DENY,
    DO,
    DONE,
    INFORM,
    NOTHING,
    REFUSE,
    UNSUPPORTED,
    Act,
    in_order,
)
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.language.normalize import plain
from crosstalk.system.actions.action_language import ActionLanguage, about_actions
from crosstalk.system.actions.action_nlg import CHANGES, GIVEN, RULE, SEVERAL
from crosstalk.system.actions.action_spotter import ActionSpotter
from crosstalk.system.actions.argument_finder import ArgumentFinder
from crosstalk.system.nlg.world_templates import has_templates
from crosstalk.system.nlu.rules.written import WrittenSentences, spoken_of
from crosstalk.system.nlu.understanding import Acts, Understanding
from crosstalk.worlds.tables import World

BOOKING: Final = "booking"
"""The topic of which systems without actions say that they cannot do it."""
_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")


class ActionNLU:
    """An NLU that also understands acts about actions."""

    def __init__(self, within: Understanding, world: World) -> None:
        self._within = within
        self._schema = world.schema
        self._language = ActionLanguage(world)
        self._finder = ArgumentFinder(self._language)
        self._spotter = ActionSpotter(self._language)
        self._world = world

    @cached_property
    def _templates(self) -> WrittenSentences | None:
        """What users say about everything else, in sentences of the world's templates."""
        folder = self._world.folder
        if folder is None or not has_templates(folder, self._world.language.code):
            return None
        return WrittenSentences(self._world, folder, Speaker.USER)

    def understand(self, utterance: Turn, history: Sequence[Turn]) -> Acts:
        read = self._of_user if utterance.speaker is Speaker.USER else self._of_system
        found = tuple(read(utterance.text, history))
        if found:
            return in_order(found)
        others = tuple(turn for turn in history if not about_actions(self._schema, turn.acts))
        acts = self._within.understand(utterance, others)
        return tuple(act for act in acts if (act.intent, act.slot) != (UNSUPPORTED, BOOKING))

    # Users

    def _of_user(self, text: str, history: Sequence[Turn]) -> Iterator[Act]:
        last = history[-1].acts if history else ()
        current = self._current(last)
        asked = [act.slot for act in last if act.intent == ASK and act.slot != NOTHING]
        wanted = self._wanted(text, history, current)
        if wanted is None:
            if current is None:
                return
            told = self._finder.find(current, text, asked)
            if ENTITY in told and not (ENTITY in asked or len(told) > 1 or self._is_open(last)):
                del told[ENTITY]
            yield from (Act(INFORM, current.key, name, value) for name, value in told.items())
            yield from self._answer(current, text, last, bool(told))
            return
        told = self._finder.find(wanted, text, asked if wanted == current else ())
        yield Act(DO, wanted.key)
        yield from (Act(INFORM, wanted.key, name, value) for name, value in told.items())
        if wanted == current:
            yield from self._answer(wanted, text, last, told=False)

    def _current(self, last: Acts) -> Action | None:
        """The action that the system spoke of last and that is not done yet."""
        about = [act for act in last if self._schema.action(act.domain) and act.intent != DONE]
        return self._schema.action(about[0].domain) if about else None

    def _is_open(self, last: Acts) -> bool:
        """Whether the system has refused or read back, so that anything may be put otherwise."""
        return any(act.intent in (REFUSE, CONFIRM, DENY) for act in last)

    def _wanted(self, text: str, history: Sequence[Turn], current: Action | None) -> Action | None:
        """The action asked for; of several, the current one or one of the last domain.

        A sentence that the world's templates have for something else asks for no action.
        """
        written = self._templates.read(text, spoken_of(history)) if self._templates else None
        rest = written.rest if written else text
        found = self._spotter.find(rest)
        if current in found:
            return current
        if not found:
            return self._follow_up(rest, history)
        if len(found) < 2:
            return found[0]
        for act in (act for turn in reversed(history) for act in turn.acts):
            for action in found:
                if self._is_about(action, act.domain):
                    return action
        return found[0]

    def _follow_up(self, text: str, history: Sequence[Turn]) -> Action | None:
        """An action on what was done before, which is not named again in full."""
        done = [act.domain for turn in history for act in turn.acts if act.intent == DONE]
        for action in self._spotter.partly(text) if done else ():
            if any(self._is_about(action, key) for key in done):
                return action
        return None

    def _is_about(self, action: Action, domain: str) -> bool:
        """Whether an action is about a domain, or about what another action did."""
        other = self._schema.action(domain)
        shares = other is not None and bool(set(other.tables) & set(action.tables))
        return shares or (bool(domain) and action.domain == domain)

    def _answer(self, action: Action, text: str, last: Acts, told: bool) -> Iterator[Act]:
        """Yes or no to what was read back; a yes with other details is none."""
        if not any(act.intent == CONFIRM for act in last):
            return
        says = self._says(text)
        if says is False:
            yield Act(DENY, action.key)
        elif says and not told:
            yield Act(AFFIRM, action.key)

    def _says(self, text: str) -> bool | None:
        """Whether a text says yes or no; None where it says neither."""
        pack, book, words = self._language.pack, self._language.book, plain(text)
        for word, meaning in ((pack.yes, True), (pack.no, False)):
            edge = r"\b" if book is None or book.grammar.spaced else ""
            if re.match(rf"{re.escape(plain(word))}{edge}", words):
                return meaning
        if book is None:
            return None
        return False if book.has("no", words) else True if book.has("yes", words) else None

    # Our own system, as simulated users hear it

    def _of_system(self, text: str, history: Sequence[Turn]) -> Iterator[Act]:
        last = history[-1].acts if history else ()
        keys = dict.fromkeys(act.domain for act in last if self._schema.action(act.domain))
        for key in keys:
            action = self._schema.action(key)
            assert action is not None
            yield from self._said_of(action, text)

    def _said_of(self, action: Action, text: str) -> Iterator[Act]:
        for reason, sentence in self._reasons(action):
            if sentence in text:
                yield reason
        for match in self._matches(action, CONFIRM, action.key, text=text):
            groups = match.groupdict()
            told = self._finder.find(action, groups.get("details") or groups.get("together") or "")
            yield from (Act(CONFIRM, action.key, name, value) for name, value in told.items())
        if any(self._matches(action, DONE, action.key, text=text)):
            yield Act(DONE, action.key)
            for given in action.gives:
                for match in self._matches(action, GIVEN, given.key, text=text, slot=given.key):
                    yield Act(DONE, action.key, given.key, match.groupdict().get("value") or "")
        for name in action.arguments:
            kind = str(self._language.kind(action, name) or "")
            if any(self._matches(action, ASK, name, kind, text=text, slot=name)):
                yield Act(ASK, action.key, name, "")
        for key in (SEVERAL, CHANGES):
            for match in self._matches(action, ASK, key, text=text):
                listed = plain(match.groupdict().get("slots") or "")
                for name in action.arguments:
                    if plain(self._language.slot_name(action, name)) in listed:
                        yield Act(ASK, action.key, name, "")

    def _reasons(self, action: Action) -> Iterator[tuple[Act, str]]:
        pack = self._language.pack
        for key, sentence in pack.rules.items():
            yield Act(REFUSE, action.key, RULE, key), sentence
        for key, sentence in pack.refusals.items():
            if "{slot}" not in sentence:
                yield Act(REFUSE, action.key, value=key), sentence
                continue
            for name in action.arguments:
                said = sentence.replace("{slot}", self._language.slot_name(action, name))
                yield Act(REFUSE, action.key, name, key), said

    def _matches(
        self, action: Action, intent: str, *keys: str, text: str, slot: str = ""
    ) -> Iterator[re.Match[str]]:
        """Where a text has one of the sentences for an intent."""
        for sentence in self._language.words.sentences(intent, *keys):
            if match := _pattern(self._language, sentence, action, slot).search(text):
                yield match


def _pattern(language: ActionLanguage, sentence: str, action: Action, slot: str) -> re.Pattern[str]:
    """A sentence as a pattern; what differs from turn to turn is a group."""
    known = language.filled(sentence, {}, action=action, argument=slot)
    parts = _PLACEHOLDER.split(known)
    texts = [re.escape(part) for part in parts[::2]]
    groups = [f"(?P<{name.lower()}>.+?)" for name in parts[1::2]]
    joined = [text + group for text, group in zip(texts, [*groups, ""], strict=True)]
    return re.compile("".join(joined))
