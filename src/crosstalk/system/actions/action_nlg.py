"""Sentences about actions, for both sides, around what a generator says of everything else.

ActionNLG(generator, world).say((Act("Done", "book_room", "reference", "AB12CD34"),), Random(1))
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from crosstalk.dialogue.actions import Action
from crosstalk.dialogue.acts import (
    AFFIRM,
    ASK,
    CONFIRM,
    DENY,
    DO,
    DONE,
    INFORM,
    NOTHING,
    RECALL,
    REFUSE,
    Act,
)
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.system.actions.action_language import ActionLanguage
from crosstalk.system.nlg.generator import Generator
from crosstalk.worlds.tables import World

BARE: Final = "bare"
"""Key of the sentence that asks for an action without any detail."""
AGAIN: Final = "again"
"""Key of the yes that is followed by the wish."""
INSTEAD: Final = "instead"
"""Key, and value of `Do`: another way of doing it, after a refusal."""
SEVERAL: Final = "several"
"""Key of the question for more than one argument."""
CHANGES: Final = "changes"
"""Key of the question for what is optional, where nothing else is missing."""
GIVEN: Final = "Given"
"""What an action gives, one sentence each."""
DENIED: Final = "Denied"
"""What the system says to a no."""
BRIEF: Final = 0.5
"""Share of a user's turns in which dates within a week are said as days of the week."""
RULE: Final = "rule"
"""Slot of a refusal because of a rule of the policy, which is its value."""


class ActionNLG:
    """A generator that can also say acts about actions."""

    def __init__(self, generator: Generator, world: World, speaker: Speaker) -> None:
        self._generator = generator
        self._language = ActionLanguage(world)
        self._schema = world.schema
        self._speaker = speaker

    def say(self, acts: Sequence[Act], rng: Random) -> str:
        return next(self.ways(acts, rng, 1))

    def ways(self, acts: Sequence[Act], rng: Random, most: int) -> Iterator[str]:
        """Wordings of acts; sentences about actions are drawn once."""
        ours = [act for act in acts if self._schema.action(act.domain)]
        others = [act for act in acts if act not in ours]
        if not ours:
            yield from self._others(others, rng, most)
            return
        said = self._said(ours, rng)
        for text in self._others(others, rng, most) if others else [""]:
            yield self._space.join(filter(None, (text, said)))

    def _others(self, acts: Sequence[Act], rng: Random, most: int) -> Iterator[str]:
        ways = getattr(self._generator, "ways", None)
        if ways is None:
            yield self._generator.say(acts, rng)
        else:
            yield from ways(acts, rng, most)

    @property
    def _space(self) -> str:
        goal = self._language.pack.goal
        return goal.sentence_space if goal else " "

    def _said(self, acts: Sequence[Act], rng: Random) -> str:
        parts: list[str] = []
        for key in dict.fromkeys(act.domain for act in acts):
            action = self._schema.action(key)
            assert action is not None
            group = [act for act in acts if act.domain == key]
            by_user = self._speaker is Speaker.USER
            parts += (self._by_user if by_user else self._by_system)(action, group, rng)
        return self._space.join(filter(None, parts))

    # The user

    def _by_user(self, action: Action, acts: Sequence[Act], rng: Random) -> Iterator[str]:
        intents = {act.intent for act in acts}
        told = {act.slot: act.value for act in acts if act.intent == INFORM}
        details = self._language.details(action, told, brief=rng.random() < BRIEF)
        if AFFIRM in intents:
            yield self._sentence(action, AFFIRM, rng, *([AGAIN] if DO in intents else []))
        if DENY in intents:
            yield self._sentence(action, DENY, rng)
        if Act(DO, action.key, value=INSTEAD) in acts:
            yield self._sentence(action, INFORM, rng, INSTEAD, **details)
        elif DO in intents and told:
            yield self._sentence(action, DO, rng, action.key, **details)
        elif DO in intents:
            yield self._sentence(action, DO, rng, BARE)
        elif told:
            yield self._sentence(action, INFORM, rng, **details)

    # The system

    def _by_system(self, action: Action, acts: Sequence[Act], rng: Random) -> Iterator[str]:
        by_intent: dict[str, list[Act]] = {}
        for act in acts:
            by_intent.setdefault(act.intent, []).append(act)
        if DONE in by_intent:
            yield self._sentence(action, DONE, rng, action.key)
        for act in by_intent.get(DONE, ()):
            if act.slot != NOTHING:
                value = self._language.value(action, act.slot, act.value)
                yield self._sentence(action, GIVEN, rng, act.slot, argument=act.slot, value=value)
        for booking in _bookings(by_intent.get(RECALL, ())):
            yield from self._recalled(action, booking, rng)
        for act in by_intent.get(REFUSE, ()):
            yield self._sentence(action, REFUSE, rng, reason=self._reason(action, act))
        if DENY in by_intent:
            yield self._sentence(action, DENIED, rng)
        if ASK in by_intent:
            yield self._question(action, [act.slot for act in by_intent[ASK]], rng)
        if CONFIRM in by_intent:
            told = {act.slot: act.value for act in by_intent[CONFIRM] if act.slot != NOTHING}
            details = self._language.details(action, told)
            yield self._sentence(action, CONFIRM, rng, action.key, **details)

    def _recalled(self, action: Action, told: dict[str, str], rng: Random) -> Iterator[str]:
        """One thing that was done, and what it gave; or that nothing was."""
        if not told:
            yield self._sentence(action, RECALL, rng, NOTHING)
            return
        yield self._sentence(
            action, RECALL, rng, action.key, **self._language.details(action, told)
        )
        for slot in (each for each in told if each not in action.arguments):
            value = self._language.value(action, slot, told[slot])
            yield self._sentence(action, GIVEN, rng, slot, argument=slot, value=value)

    def _reason(self, action: Action, act: Act) -> str:
        pack = self._language.pack
        if act.slot == RULE:
            return pack.rules.get(act.value, act.value)
        sentence = pack.refusals.get(act.value, act.value)
        return sentence.replace("{slot}", self._language.slot_name(action, act.slot))

    def _question(self, action: Action, slots: Sequence[str], rng: Random) -> str:
        names = [self._language.slot_name(action, slot) for slot in slots]
        listed = self._language.listed(names)
        if all(slot in action.optional for slot in slots):
            return self._sentence(action, ASK, rng, CHANGES, slots=listed)
        if len(slots) > 1:
            return self._sentence(action, ASK, rng, SEVERAL, slots=listed)
        kind = str(self._language.kind(action, slots[0]) or "")
        return self._sentence(action, ASK, rng, slots[0], kind, argument=slots[0], slots=listed)

    def _sentence(
        self,
        action: Action,
        intent: str,
        rng: Random,
        *keys: str,
        argument: str = "",
        **values: str,
    ) -> str:
        """A sentence for an intent, by the first of the keys that has one."""
        sentence = rng.choice(self._language.words.sentences(intent, *keys))
        return self._language.filled(sentence, values, action=action, argument=argument)


def _bookings(acts: Sequence[Act]) -> Iterator[dict[str, str]]:
    """What was done, one mapping each; a slot that stands there already begins the next."""
    told: dict[str, str] = {}
    for act in acts:
        if act.slot in told:
            yield told
            told = {}
        if act.slot != NOTHING:
            told[act.slot] = act.value
    if acts:
        yield told
