"""Views: what all candidates of one utterance have in common, worked out once."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from crosstalk.dialogue.acts import INFORM, NO_OFFER, RECOMMEND, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.system.nlg.keys import PART
from crosstalk.system.nlu.candidates import Candidates, KeyBook
from crosstalk.system.nlu.facts import Facts
from crosstalk.system.nlu.reader import NetworkOutput
from crosstalk.system.nlu.scene import NEVER, Scene

INTENTS: Final = {INFORM: 0, REQUEST: 1, RECOMMEND: 2, NO_OFFER: 3, SELECT: 4}

SlotKey = tuple[str, str, str]
"""Intent, domain, slot."""


def slot_key(act: Act) -> SlotKey:
    return act.intent, act.domain, act.slot


@dataclass(frozen=True, slots=True)
class DomainView:
    """One domain as it stands when the utterance is heard; ages in turns."""

    odds: float
    """The reader's likeliest act in it."""
    other_odds: float
    """The reader's likeliest act in any other."""
    age: int
    age_user: int
    age_system: int
    younger: int
    """Domains spoken of since."""
    named: int
    """Since a place of it was named."""
    named_now: int
    """How many of its places the utterance names."""
    said_at: int
    """Where the utterance says the domain's own name; -1 where it does not."""
    chosen: int
    """Since a place of it was looked for near another."""


@dataclass(frozen=True, slots=True)
class View:
    """One utterance, its candidates and its scene."""

    domains: dict[str, DomainView]
    youngest: int
    as_young: int
    domains_said: int
    labels: list[float]
    families: dict[str, tuple[float, float]]
    """Sum and maximum of the labels of each family that has a candidate."""
    intents: dict[str, float]
    """The likeliest label of each intent."""
    entities: int
    asked: frozenset[tuple[str, str]]
    asked_slots: frozenset[str]
    said_slots: frozenset[str]
    """Slots that a phrase of the utterance may ask for."""
    spans: Counter[str]
    """How many spans each key may have."""
    best: dict[int, float]
    """Where a span starts -> the score of its likeliest key."""
    rivals: Counter[SlotKey]
    rewordings: Counter[SlotKey]


class ViewMaker:
    """Makes the views of one world's utterances."""

    def __init__(self, book: KeyBook, facts: Facts) -> None:
        self._facts = facts
        self._domain_keys = [domain.key for domain in facts.world.schema]
        parts = [key.split(PART) for key in book.labels]
        self._by_domain = {
            domain: [n for n, part in enumerate(parts) if part[1] == domain]
            for domain in self._domain_keys
        }
        self._by_intent = {
            intent: [n for n, part in enumerate(parts) if part[0] == intent] for intent in INTENTS
        }
        self._family = book.family
        self._by_family: dict[str, list[int]] = {}
        for key, family in book.family.items():
            self._by_family.setdefault(family, []).append(book.label_number[key])

    def view(self, scene: Scene, reading: NetworkOutput, candidates: Candidates) -> View:
        labels = reading.labels.tolist()
        domains = self._domains(scene, labels)
        ages = [domain.age for domain in domains.values()]
        asked = frozenset((act.domain, act.slot) for act in scene.pending)
        families = {}
        for family in {self._family.get(each.key, "") for each in candidates.values()}:
            if odds := [labels[number] for number in self._by_family.get(family, ())]:
                families[family] = (sum(odds), max(odds))
        spans = {(each.span.start, each.key) for each in candidates.values() if each.span}
        best: dict[int, float] = {}
        for each in candidates.values():
            if each.span:
                best[each.span.start] = max(best.get(each.span.start, 0.0), each.score)
        return View(
            domains,
            min(ages),
            ages.count(min(ages)),
            sum(domain.said_at >= 0 for domain in domains.values()),
            labels,
            families,
            {intent: _highest(labels, numbers) for intent, numbers in self._by_intent.items()},
            len(self._facts.entities_in(scene.text)),
            asked,
            frozenset(slot for _, slot in asked),
            self._facts.said_slots(scene.text),
            Counter(key for _, key in spans),
            best,
            Counter(map(slot_key, candidates)),
            Counter(slot_key(a) for a, e in candidates.items() if e.reworded or e.recalled),
        )

    def _domains(self, scene: Scene, labels: list[float]) -> dict[str, DomainView]:
        odds = {key: _highest(labels, numbers) for key, numbers in self._by_domain.items()}
        ages = {key: scene.domain_age(key) for key in self._domain_keys}
        said = self._facts.said_domains(scene.text)
        named: dict[str, int] = {}
        now: Counter[str] = Counter()
        for entity, age in scene.named.items():
            named[entity.domain] = min(age, named.get(entity.domain, NEVER))
            now[entity.domain] += age == 0
        chosen: dict[str, int] = {}
        for (intent, domain, _), age in scene.slots.items():
            if intent == SELECT:
                chosen[domain] = min(age, chosen.get(domain, NEVER))
        return {
            key: DomainView(
                odds[key],
                max((each for other, each in odds.items() if other != key), default=0.0),
                ages[key],
                scene.domains.get((Speaker.USER, key), NEVER),
                scene.domains.get((Speaker.SYSTEM, key), NEVER),
                sum(age < ages[key] for age in ages.values()),
                named.get(key, NEVER),
                now[key],
                said[key],
                chosen.get(key, NEVER),
            )
            for key in self._domain_keys
        }


def _highest(labels: list[float], numbers: list[int]) -> float:
    return max((labels[number] for number in numbers), default=0.0)
