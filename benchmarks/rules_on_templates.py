"""The rules on sentences that they were not written for: `python -m benchmarks.rules_on_templates`.

    python -m benchmarks.rules_on_templates [SEED [COUNT [LANGUAGE ...]]]

Simulated users of harbour speak in template sentences, or in utterances put together for training;
the rules read each turn after the true turns before it, without knowing any template by heart.
Shares of turns whose meaning is the same, in percent, by language and source.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, Final

from crosstalk.dialogue.acts import (
    GENERAL,
    IGNORED,
    INFORM,
    LIST,
    REFINE,
    REQUEST,
    SELECT,
    Act,
)
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.schema import SERVICE_MARK, DomainKind, SlotKind
from crosstalk.language.number_forms import forms_of, read_bounds
from crosstalk.language.phrases import load_phrases
from crosstalk.language.quantities import Quantities
from crosstalk.language.training_phrases import load_book
from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.sessions import Plan, SessionRules, hold, sessions
from crosstalk.system.build import WORDS
from crosstalk.system.dst.discourse import Discourse
from crosstalk.system.nlu.augmentation import Augmenter
from crosstalk.system.nlu.rules.nlu import RulesNLU
from crosstalk.system.nlu.value_linking import ValueLinker
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world

WORLD: Final = "harbour"
LANGUAGES: Final = ("en", "zh", "de", "ar", "ru")
NEAR: Final = "Near"
"""Looks for what is near a place, however that is said; the slot is the other domain."""
ASIDE: Final = frozenset({REFINE, IGNORED})
CLOSING: Final = frozenset({"thank", "bye"})

Meaning = tuple[str, str, str, Any]


class Meanings:
    """What acts mean after some turns, so that acts with the same effect are equal."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._schema = world.schema
        self._read_hours = Quantities(
            load_phrases(find_world(world.name), world.language, world.schema)
        ).read_hours

    def of(self, acts: Iterable[Act], history: tuple[Turn, ...]) -> frozenset[Meaning]:
        memory = Discourse.of(self._schema, self._world.language.yes, history)
        said = [act for act in acts if act.intent not in ASIDE]
        meant = {each for act in said for each in self._meaning(act, said, memory)}
        sources = {(slot, value) for intent, _, slot, value in meant if intent == NEAR}
        named = {each for each in meant if self._is_known(each, memory, sources)}
        meant = meant - named or meant
        searches = {each for each in meant if self._is_search(each)}
        busy = {domain for _, domain, *_ in meant - searches}
        return frozenset(each for each in meant if each not in searches or each[1] not in busy)

    def _meaning(self, act: Act, said: Sequence[Act], memory: Discourse) -> Iterator[Meaning]:
        domain = self._schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        if act.intent == GENERAL:
            if all(each.intent == GENERAL for each in said):
                yield GENERAL, "closing" if act.domain in CLOSING else act.domain, "", ""
        elif act.intent == LIST:
            yield REQUEST, act.domain, memory.names.get(act.domain, ""), ""
        elif act.intent == SELECT:
            yield NEAR, act.domain, act.value, self._place(act.value, said, memory)
        elif slot and slot.kind is SlotKind.NEARBY and act.intent == REQUEST:
            yield NEAR, slot.target, act.domain, self._place(act.domain, said, memory)
        elif slot and slot.kind is SlotKind.NEARBY and act.intent == INFORM:
            yield NEAR, act.domain, slot.target, act.value
        elif domain and domain.kind is not DomainKind.PLACE and self._has_ends(act, said):
            if act.intent == INFORM:
                yield act.intent, act.domain, act.slot, act.value
        else:
            yield act.intent, act.domain, self._slot_key(act), self._value(act)

    def _place(self, domain: str, said: Sequence[Act], memory: Discourse) -> str:
        """The place that something is near of; empty where it is looked for in the same turn."""
        name = memory.names[domain]
        for act in said:
            if act.intent == INFORM and (act.domain, act.slot) == (domain, name):
                return act.value
        sought = any(act.intent in (INFORM, SELECT) and act.domain == domain for act in said)
        return "" if sought else memory.current.get(domain, "")

    def _has_ends(self, act: Act, said: Sequence[Act]) -> bool:
        return any(other.intent == INFORM and other.domain == act.domain for other in said)

    def _slot_key(self, act: Act) -> str:
        """The slot; of a service, all values of the tables that it may mean."""
        domain = self._schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        if slot is None or slot.kind is not SlotKind.SERVICES or act.slot == slot.key:
            return act.slot
        service = act.slot.removeprefix(slot.key + SERVICE_MARK)
        return f"{slot.key}: {sorted(self._matching(act.domain, slot.key, service))}"

    def _matching(self, domain: str, slot: str, value: str) -> frozenset[str]:
        texts = self._world.texts(domain, slot)
        return frozenset(text for text in texts if value in text) or frozenset([value])

    def _value(self, act: Act) -> object:
        """Amounts as bounds, visits in hours, terms as all values of the tables that they mean."""
        domain = self._schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        if domain and slot and slot.kind in (SlotKind.NUMBER, SlotKind.RATING) and act.value:
            forms = forms_of(self._world.language, domain.key, slot)
            return read_bounds(forms, act.value) or act.value
        if slot and slot.kind is SlotKind.DURATION and act.value:
            return self._read_hours(act.value) or act.value
        if slot and slot.kind in (SlotKind.CATEGORY, SlotKind.LIST) and act.value:
            return self._matching(act.domain, slot.key, act.value)
        return act.value

    def _is_known(
        self, each: Meaning, memory: Discourse, sources: Iterable[tuple[str, str]]
    ) -> bool:
        """Whether a place is only named again, or as the one that something is near of."""
        intent, domain, slot, value = each
        if intent != INFORM or slot != memory.names.get(domain):
            return False
        return memory.current.get(domain) == value or (domain, value) in sources

    def _is_search(self, each: Meaning) -> bool:
        intent, key, slot, _ = each
        domain = self._schema.domain(key)
        name = domain.name_slot if domain else None
        return intent == REQUEST and name is not None and slot == name.key


Reading = tuple[str, frozenset[Meaning], frozenset[Meaning]]
"""A text, what it means, and what was read."""


def readings(dialogues: Iterable[Dialogue], rules: RulesNLU, meanings: Meanings) -> list[Reading]:
    found: list[Reading] = []
    for dialogue in dialogues:
        for at, turn in enumerate(dialogue.turns):
            history = dialogue.turns[:at]
            if turn.speaker is Speaker.USER and turn.acts:
                read = rules.understand(Turn(Speaker.USER, turn.text), history)
                found.append(
                    (turn.text, meanings.of(turn.acts, history), meanings.of(read, history))
                )
    return found


def sources(language: str, seed: int, count: int) -> tuple[World, dict[str, list[Dialogue]]]:
    """Dialogues in template sentences, and the same reworded with made-up turns at the end."""
    simulation = build(Setup(WORLD, language, level=WORDS, user_nlg="template"))
    world = simulation.world
    told = [
        hold(each, simulation, SessionRules(1)) for each in sessions(Plan(seed, count=count), world)
    ]
    book = load_book(find_world(WORLD), language)
    augmenter = Augmenter(ValueLinker(world, book), book)
    return world, {"templates": told, "made up": augmenter.dialogues(told, Random(seed))}


def measure(language: str, seed: int, count: int) -> dict[str, list[Reading]]:
    world, dialogues = sources(language, seed, count)
    rules = RulesNLU(world, find_world(WORLD), templates=False)
    meanings = Meanings(world)
    return {name: readings(each, rules, meanings) for name, each in dialogues.items()}


def share(found: Sequence[Reading]) -> float:
    return round(100 * sum(meant == read for _, meant, read in found) / len(found), 1)


def main(seed: str = "77", count: str = "40", *languages: str) -> None:
    for language in languages or LANGUAGES:
        found = measure(language, int(seed), int(count))
        shares = {name: share(each) for name, each in found.items()}
        turns = {name: len(each) for name, each in found.items()}
        print(json.dumps({"language": language, "right": shares, "turns": turns}))


if __name__ == "__main__":
    main(*sys.argv[1:])
