"""Understanding of what is said about actions, before an NLU that knows everything else.

    ActionNLU(nlu, world).understand(turn, history)

Users ask for an action (`Do`), give its arguments (`Inform`), agree or not (`Affirm`, `Deny`).
Systems ask for arguments (`Ask`), read back (`Confirm`), tell what came of it (`Done`, `Refuse`);
only our own sentences for these are read, since others say them in their own words. A turn that
says nothing about actions goes to the NLU within.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
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
    EXCLUDE,
    INFORM,
    NOTHING,
    PICK,
    RECALL,
    RECOMMEND,
    REFUSE,
    REQUEST,
    SORT,
    UNSUPPORTED,
    Act,
    in_order,
)
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.normalize import plain
from crosstalk.language.patterns import pattern
from crosstalk.language.times import minutes_of
from crosstalk.language.writing import writing_of
from crosstalk.system.actions.action_language import (
    ActionLanguage,
    about_actions,
    without_actions,
)
from crosstalk.system.actions.action_nlg import CHANGES, GIVEN, INSTEAD, RULE, SEVERAL
from crosstalk.system.actions.action_policy import RAISED
from crosstalk.system.actions.action_spotter import ActionSpotter
from crosstalk.system.actions.argument_finder import ArgumentFinder
from crosstalk.system.nlg.world_templates import has_templates
from crosstalk.system.nlu.rules.written import WrittenSentences, spoken_of
from crosstalk.system.nlu.understanding import Acts, Understanding
from crosstalk.worlds.tables import World

BOOKING: Final = "booking"
"""The topic of which systems without actions say that they cannot do it."""
RECENT: Final = 8
"""Turns in which an action may be corrected, once something else has been spoken of."""
MOMENTS: Final = frozenset({SlotKind.DATE, SlotKind.DAY, SlotKind.TIME})
BRIEF: Final = 3
"""Words, or signs, of a text that has nothing beside its verb."""
NEAR_TIME: Final = 90
"""Minutes by which a time is moved with a bare number."""
NEAR_COUNT: Final = 2
"""By how much a number of people or nights is changed with a bare number."""
ENOUGH: Final = 3
"""Details that ask for an action without a word for what is counted."""
_WISHES: Final = frozenset({INFORM, EXCLUDE, SORT, PICK})
_NUMBER: Final = re.compile(r"\d+")
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
        others = without_actions(self._schema, history)
        acts = self._within.understand(utterance, others)
        return tuple(act for act in acts if (act.intent, act.slot) != (UNSUPPORTED, BOOKING))

    # Users

    def _of_user(self, text: str, history: Sequence[Turn]) -> Iterator[Act]:
        if self._recall.search(plain(text)):
            yield Act(RECALL, self._last_done(history) or self._schema.actions[0].key)
            return
        last = history[-1].acts if history else ()
        current = self._current(last)
        asked = [act.slot for act in last if act.intent == ASK and act.slot != NOTHING]
        written = self._templates.read(text, spoken_of(history)) if self._templates else None
        rest = written.rest if written else text
        wanted = self._best(self._wanted(rest, history, current), text)
        if current and self._gives_code(current, asked, text):
            wanted = []
        if raised := self._raised(wanted, text, history, current):
            yield from raised
        elif current and wanted and self._means_current(current, wanted[0], text, history):
            told = self._finder.find(current, text, asked)
            yield from self._informs(current, told)
            yield from () if told else (Act(DENY, current.key),)
        elif wanted and (corrected := self._redone(wanted[0], rest, history)):
            yield from corrected
        elif wanted:
            yield from self._asks_for(wanted, text, history, asked if current in wanted else ())
            if current == wanted[0]:
                yield from self._answer(current, text, last, told=False)
        elif current:
            told = self._as_time(current, self._finder.find(current, text, asked), text, history)
            if ENTITY in told and not (ENTITY in asked or len(told) > 1 or self._is_open(last)):
                del told[ENTITY]
            if asked and self._is_beside(current, told, asked, text):
                return
            yield from self._informs(current, told)
            yield from self._answer(current, text, last, bool(told))
        elif rest:
            yield from self._corrected(rest, history) or self._implied(rest, history)

    @cached_property
    def _recall(self) -> re.Pattern[str]:
        return pattern(self._language.words.recall, self._language.pack.code)

    @cached_property
    def _more(self) -> re.Pattern[str]:
        return pattern(self._language.words.more, self._language.pack.code)

    @cached_property
    def _otherwise(self) -> re.Pattern[str]:
        return pattern(self._language.words.otherwise, self._language.pack.code)

    def _corrects(self, words: str) -> bool:
        """Whether a plain text puts something otherwise."""
        book = self._language.book
        has_cue = book is not None and (book.has("correction", words) or book.has("replace", words))
        return has_cue or bool(self._otherwise.search(words))

    def _gives_code(self, action: Action, asked: Sequence[str], text: str) -> bool:
        """Whether a text is the code that was asked for and no more than its name beside it."""
        told, rest = self._finder.read(action, text, asked)
        for name in asked:
            if name in told and self._language.kind(action, name) is SlotKind.KEY:
                left = plain(rest).replace(plain(self._language.slot_name(action, name)), " ")
                return self._is_short(left.strip())
        return False

    def _last_done(self, history: Sequence[Turn]) -> str:
        acts = [act for turn in history for act in turn.acts if act.intent == DONE]
        return acts[-1].domain if acts else ""

    def _raised(
        self,
        wanted: Sequence[Action],
        text: str,
        history: Sequence[Turn],
        current: Action | None,
    ) -> list[Act]:
        """A number of what is read back or was done, to be raised: *one more night*."""
        book, words = self._language.book, plain(text)
        if book is None or not self._more.search(words):
            return []
        if not self._finder.counts.names_unit(words):
            return []
        done = self._schema.action(self._last_done(history))
        if current is not None:
            possible, added = [current], current.arguments
        elif done is not None:
            possible = [a for a in self._schema.actions if a.optional and _share_tables(a, done)]
            added = tuple(name for action in possible for name in action.optional)
        else:
            return []
        if any(each not in possible for each in wanted):
            return []
        left = self._more.sub(" ", words)
        for action in possible:
            for said in (left, self._more.sub(" 1 ", words), f"1 {left}"):
                told = self._finder.find(action, said)
                if [*told] and all(self._is_count(action, name) for name in told):
                    raised = {n: RAISED + v for n, v in told.items() if n in added}
                    ask = [] if action == current else [Act(DO, action.key)]
                    return [*ask, *self._informs(action, raised)] if raised else []
        return []

    def _is_count(self, action: Action, name: str) -> bool:
        return self._language.kind(action, name) is SlotKind.COUNT

    def _best(self, actions: list[Action], text: str) -> list[Action]:
        """Of several actions those for which a text says most."""
        told = [len(self._finder.find(each, text)) for each in actions] if actions[1:] else []
        return [each for each, n in zip(actions, told, strict=False) if n == max(told)] or actions

    def _is_beside(
        self, action: Action, told: Collection[str], asked: Sequence[str], text: str
    ) -> bool:
        """Whether a text answers no question about an action: another thing is spoken of."""
        book, words = self._language.book, plain(text)
        if book is None or (self._is_short(words) and not told):
            return False
        others = (key for key in book.domains if key != action.domain and action.domain)
        if any(book.domains[key].search(words) for key in others):
            return not self._spotter.names_thing(action, text)
        return not set(told) & set(asked) and not book.has("correction", words)

    def _as_time(
        self, action: Action, told: dict[str, str], text: str, history: Sequence[Turn]
    ) -> dict[str, str]:
        """What was told; a bare number near the time said before is one: *make it 8 instead*."""
        words = plain(text)
        if len(told) != 1 or self._finder.counts.names_unit(words) or not self._corrects(words):
            return told
        ((name, value),) = told.items()
        known = {
            act.slot: act.value
            for turn in history[-RECENT:]
            for act in turn.acts
            if act.domain == action.key and act.intent in (CONFIRM, INFORM)
        }
        if not (self._is_count(action, name) and value.isdigit() and known.get(name, "").isdigit()):
            return told
        for each, now in known.items():
            if self._language.kind(action, each) is not SlotKind.TIME:
                continue
            hours = (int(value), int(value) + 12)
            near = [hour for hour in hours if abs(hour * 60 - minutes_of(now)) <= NEAR_TIME]
            if near and abs(int(value) - int(known[name])) > NEAR_COUNT:
                return {each: f"{near[0]:02}:00"}
        return told

    def _informs(self, action: Action, told: Mapping[str, str]) -> Iterator[Act]:
        return (Act(INFORM, action.key, name, value) for name, value in told.items())

    def _asks_for(
        self, wanted: Sequence[Action], text: str, history: Sequence[Turn], asked: Sequence[str]
    ) -> Iterator[Act]:
        """An action with its arguments, and what is said of the place that it is about."""
        action = wanted[0]
        told, rest = self._finder.read(action, text, asked)
        told |= self._there(action, text, told, history)
        yield from (Act(DO, each.key) for each in wanted)
        yield from self._informs(action, told)
        if ENTITY in action.needs and ENTITY not in told:
            yield from self._searched(action, rest, set(told.values()), history)

    def _there(
        self, action: Action, text: str, told: Collection[str], history: Sequence[Turn]
    ) -> dict[str, str]:
        """The end of a ride that is only pointed at: the place that was spoken of last."""
        book = self._language.book
        kinds = {name: self._language.kind(action, name) for name in action.needs}
        ends = [name for name, kind in kinds.items() if kind is SlotKind.ENDPOINT]
        open_ = [name for name in ends if name not in told]
        if not open_ or book is None or not book.has("here", plain(text)):
            return {}
        names = {
            (place.key, place.name_slot.key) for place in self._schema.places if place.name_slot
        }
        spoken = [
            act.value
            for turn in history
            for act in turn.acts
            if (act.domain, act.slot) in names or act.slot == ENTITY
            if act.intent in (INFORM, RECOMMEND, CONFIRM)
        ]
        return {open_[-1]: spoken[-1]} if spoken else {}

    def _searched(
        self, action: Action, text: str, told: Set[str], history: Sequence[Turn]
    ) -> Iterator[Act]:
        """What a text says of the place that an action is about: *book a hotel with a sauna*.

        Once a place was spoken of, what is an argument's value is no wish for another one.
        """
        others = without_actions(self._schema, history)
        acts = self._within.understand(Turn(Speaker.USER, text), others)
        about = [act for act in acts if act.domain == action.domain]
        spoken = {(act.intent, act.domain, act.slot) for turn in history for act in turn.acts}
        name = (action.domain, self._name(action))
        is_known = any((intent, *name) in spoken for intent in (INFORM, RECOMMEND))
        wishes = [
            act
            for act in about
            if act.intent in _WISHES
            and not told & set(_NUMBER.findall(act.value))
            and not (is_known and any(act.value in value for value in told))
        ]
        if wishes:
            yield from wishes
            yield from (
                act for act in about if act.intent == REQUEST and act.slot == self._name(action)
            )

    def _name(self, action: Action) -> str:
        domain = self._schema.domain(action.domain)
        return domain.name_slot.key if domain and domain.name_slot else ""

    def _current(self, last: Acts) -> Action | None:
        """The action that the system spoke of last and that is not done yet."""
        over = (DONE, RECALL)
        about = [act for act in last if self._schema.action(act.domain) and act.intent not in over]
        return self._schema.action(about[0].domain) if about else None

    def _is_open(self, last: Acts) -> bool:
        """Whether the system has refused or read back, so that anything may be put otherwise."""
        return any(act.intent in (REFUSE, CONFIRM, DENY) for act in last)

    def _wanted(self, rest: str, history: Sequence[Turn], current: Action | None) -> list[Action]:
        """The actions asked for: the current one, those of the last domain, or all that may be.

        A sentence that the world's templates have for something else asks for no action.
        """
        found = self._spotter.find(rest)
        if current in found:
            return [each for each in found if each == current]
        if not found:
            return self._follow_up(rest, history)
        if len(found) < 2:
            return found
        if named := [each for each in found if self._names_domain(each, rest)]:
            found = named
        for act in (act for turn in reversed(history) for act in turn.acts):
            for action in found:
                if self._is_about(action, act.domain):
                    return [action]
        return found

    def _follow_up(self, text: str, history: Sequence[Turn]) -> list[Action]:
        """An action that is not named in full: on what was done before, or on what was found."""
        acts = [act for turn in reversed(history) for act in turn.acts]
        done = [act.domain for act in acts if act.intent == DONE]
        found = next((act.domain for act in acts if self._schema.domain(act.domain)), "")
        partly, by_verb = self._spotter.partly(text), self._spotter.by_verb(text)
        for action in (*partly, *by_verb) if done else ():
            if any(self._is_about(action, key) for key in done) and action.key not in done[:1]:
                return [action]
        if with_entity := [each for each in self._schema.actions if self._names_whole(each, text)]:
            return with_entity[:1]
        if by_verb and self._is_brief(text):
            about = [each for each in by_verb if each.domain and each.domain == found]
            return about[:1] or ([] if found and not done else by_verb)
        return [each for each in partly if each.domain and each.domain == found]

    def _names_whole(self, action: Action, text: str) -> bool:
        """Whether a text has an entity, and the verb of an action or what it is about and more."""
        told = self._finder.find(action, text) if ENTITY in action.needs else {}
        if ENTITY not in told:
            return False
        names_thing = len(told) > 1 and self._spotter.names_thing(action, text)
        return names_thing or action in self._spotter.by_verb(text)

    def _is_brief(self, text: str) -> bool:
        """Whether a text leaves open what it is about: *book it for Friday*, *cancel*."""
        book, words = self._language.book, plain(text)
        points = book is not None and book.has("here", words)
        return points or self._is_short(words) or self._is_verb_alone(words)

    def _is_verb_alone(self, words: str) -> bool:
        """Whether nothing stands beside one word but numbers, what they count and small words."""
        book = self._language.book
        if book is None or not self._is_spaced:
            return False
        counts, small = self._finder.counts, book.cues.get("small")
        left = [
            word
            for word in words.split()
            if not word.isdecimal()
            and word not in self._finder.number_words
            and not counts.names_unit(word)
            and not (small and small.fullmatch(word))
        ]
        return len(left) == 1

    def _is_short(self, words: str) -> bool:
        return len(words.split() if self._is_spaced else words) <= BRIEF

    @property
    def _is_spaced(self) -> bool:
        return writing_of(self._language.pack.code).spaced

    def _is_about(self, action: Action, domain: str) -> bool:
        """Whether an action is about a domain, or about what another action did."""
        other = self._schema.action(domain)
        if other is not None:
            return _share_tables(action, other)
        related = (each for each in self._schema.actions if _share_tables(action, each))
        return bool(domain) and any(each.domain == domain for each in related)

    def _means_current(
        self, current: Action, wanted: Action, text: str, history: Sequence[Turn]
    ) -> bool:
        """Whether changing or cancelling is said of what is not done yet.

        It is if there is nothing else to be changed: nobody has named a code.
        """
        codes = [n for n in wanted.needs if self._language.kind(wanted, n) is SlotKind.KEY]
        if wanted == current or not codes or not _share_tables(wanted, current):
            return False
        if not set(self._finder.find(wanted, text)).isdisjoint(codes):
            return False
        return not any(
            act.intent == DONE and self._is_about(wanted, act.domain)
            for turn in history
            for act in turn.acts
        )

    def _redone(self, wanted: Action, text: str, history: Sequence[Turn]) -> list[Act]:
        """What is asked for again as a correction: *can I have the table at 13:00 instead*."""
        done = [act.domain for turn in history for act in turn.acts if act.intent == DONE]
        again = done[-1:] == [wanted.key] and ENTITY not in self._finder.find(wanted, text)
        return self._corrected(text, history) if again else []

    def _corrected(self, text: str, history: Sequence[Turn]) -> list[Act]:
        """Other details of the last action, done or not: *make it 19:30 instead*."""
        book = self._language.book
        last = history[-1].acts if history else ()
        is_no = any(act.intent == DONE for act in last) and self.says(text) is False
        says_otherwise = book is not None and book.has("correction", plain(text))
        if not (is_no or says_otherwise or self._otherwise.search(plain(text))):
            return []
        turns = [turn.acts for turn in history[-RECENT:] if about_actions(self._schema, turn.acts)]
        if not turns:
            return []
        spoken = next(act for act in turns[-1] if self._schema.action(act.domain))
        before = self._schema.action(spoken.domain)
        assert before is not None
        is_done = any(act.intent == DONE for act in turns[-1])
        for action in self._schema.actions if is_done else [before]:
            if is_done and not (action.optional and _share_tables(action, before)):
                continue
            told = self._finder.find(action, text)
            told = {n: v for n, v in told.items() if not is_done or n in action.optional}
            if told and (history[-1].acts == turns[-1] or self._is_sure(action, told, text)):
                instead = NOTHING if is_done else INSTEAD
                return [Act(DO, action.key, value=instead), *self._informs(action, told)]
        return []

    def _is_sure(self, action: Action, told: Collection[str], text: str) -> bool:
        """Whether details are no bare numbers, which may be wishes of another sort."""
        kinds = {self._language.kind(action, name) for name in told}
        return self._finder.counts.names_unit(plain(text)) or bool(kinds & MOMENTS)

    def _implied(self, text: str, history: Sequence[Turn]) -> list[Act]:
        """An action by its details alone: *a table for four on Friday at eight*.

        A day or a time, and how many come or where a ride begins and ends.
        """
        best, most = list[Act](), 0
        for action in self._schema.actions:
            told = self._finder.find(action, text)
            told |= self._there(action, text, told, history)
            kinds = {self._language.kind(action, name) for name in told}
            counted = SlotKind.COUNT in kinds and (
                len(told) >= ENOUGH or self._is_sure(action, (), text)
            )
            if SlotKind.KEY in kinds or not kinds & MOMENTS or not self._fits(action, text, told):
                continue
            if len(told) > most and (counted or SlotKind.ENDPOINT in kinds):
                best, most = list(self._asks_for([action], text, history, ())), len(told)
        return best

    def _fits(self, action: Action, text: str, told: Collection[str]) -> bool:
        """Whether a text names the domain of an action, or its entity, and nothing is left open."""
        if any(self._language.kind(action, name) is SlotKind.KEY for name in action.needs):
            return False
        if not self._is_spaced and self._names_domain(action, text):
            return True
        return ENTITY in told or self._spotter.names_thing(action, text)

    def _names_domain(self, action: Action, text: str) -> bool:
        book = self._language.book
        named = book.domains.get(action.domain) if book else None
        is_named = named is not None and bool(named.search(plain(text)))
        return is_named or self._spotter.names_thing(action, text)

    def _answer(self, action: Action, text: str, last: Acts, told: bool) -> Iterator[Act]:
        """Yes or no to what was read back or asked; a yes with other details is none."""
        if not any(act.intent in (CONFIRM, ASK) for act in last):
            return
        says = self.says(text)
        if says is False and not (told and any(act.intent == ASK for act in last)):
            yield Act(DENY, action.key)
        elif says and not told:
            yield Act(AFFIRM, action.key)

    def says(self, text: str) -> bool | None:
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


def _share_tables(one: Action, other: Action) -> bool:
    return bool(set(one.tables) & set(other.tables))


def _pattern(language: ActionLanguage, sentence: str, action: Action, slot: str) -> re.Pattern[str]:
    """A sentence as a pattern; what differs from turn to turn is a group."""
    known = language.filled(sentence, {}, action=action, argument=slot)
    parts = _PLACEHOLDER.split(known)
    texts = [re.escape(part) for part in parts[::2]]
    groups = [f"(?P<{name.lower()}>.+?)" for name in parts[1::2]]
    joined = [text + group for text, group in zip(texts, [*groups, ""], strict=True)]
    return re.compile("".join(joined))
