"""Features of candidate acts for the gradient-boosted trees.

`UtteranceView` holds what all candidates of one utterance share and is computed once.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

from crosstalk.dialogue.acts import INFORM, NO_OFFER, NOTHING, RECOMMEND, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import SERVICE_MARK, Schema, Slot, SlotKind
from crosstalk.system.boosted import Features
from crosstalk.system.nlg.act_keys import PART
from crosstalk.system.nlu.act_candidates import (
    NEVER,
    ActKeyTable,
    CandidateEvidence,
    Candidates,
    DialogueContext,
)
from crosstalk.system.nlu.entity_lookup import EntityLookup
from crosstalk.system.nlu.reader import NetworkOutput

INTENTS: Final = {INFORM: 0, REQUEST: 1, RECOMMEND: 2, NO_OFFER: 3, SELECT: 4}

SlotKey = tuple[str, str, str]
"""Intent, domain, slot."""


def slot_key(act: Act) -> SlotKey:
    return act.intent, act.domain, act.slot


@dataclass(frozen=True, slots=True)
class DomainFeatures:
    """State of one domain at the time of the utterance; ages in turns."""

    odds: float
    """Highest label probability in this domain."""
    other_odds: float
    """Highest label probability in any other domain."""
    age: int
    age_user: int
    age_system: int
    younger: int
    """Number of domains mentioned more recently."""
    named: int
    """Age of the last mention of one of its places."""
    named_now: int
    """Number of its places that the utterance names."""
    said_at: int
    """Position of the domain's name in the utterance; -1 if it does not occur."""
    chosen: int
    """Age of the last search for one of its places near another place."""


@dataclass(frozen=True, slots=True)
class UtteranceView:
    """What all candidates of one utterance share."""

    domains: dict[str, DomainFeatures]
    youngest: int
    as_young: int
    domains_said: int
    labels: list[float]
    families: dict[str, tuple[float, float]]
    """Family with a candidate -> sum and maximum of its label probabilities."""
    intents: dict[str, float]
    """Intent -> highest label probability."""
    entities: int
    asked: frozenset[tuple[str, str]]
    asked_slots: frozenset[str]
    said_slots: frozenset[str]
    """Slots that a phrase of the utterance may request."""
    spans: Counter[str]
    """Key -> number of spans it is a candidate for."""
    best: dict[int, float]
    """Start of a span -> score of its most probable key."""
    rivals: Counter[SlotKey]
    rewordings: Counter[SlotKey]


class UtteranceViewMaker:
    """Computes the shared features of utterances in one world."""

    def __init__(self, book: ActKeyTable, lookup: EntityLookup) -> None:
        self._lookup = lookup
        self._domain_keys = [domain.key for domain in lookup.world.schema]
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

    def view(
        self, context: DialogueContext, reading: NetworkOutput, candidates: Candidates
    ) -> UtteranceView:
        labels = reading.labels.tolist()
        domains = self._domains(context, labels)
        ages = [domain.age for domain in domains.values()]
        asked = frozenset((act.domain, act.slot) for act in context.pending)
        families = {}
        for family in {self._family.get(each.key, "") for each in candidates.values()}:
            if odds := [labels[number] for number in self._by_family.get(family, ())]:
                families[family] = (sum(odds), max(odds))
        spans = {(each.span.start, each.key) for each in candidates.values() if each.span}
        best: dict[int, float] = {}
        for each in candidates.values():
            if each.span:
                best[each.span.start] = max(best.get(each.span.start, 0.0), each.score)
        return UtteranceView(
            domains,
            min(ages),
            ages.count(min(ages)),
            sum(domain.said_at >= 0 for domain in domains.values()),
            labels,
            families,
            {intent: _highest(labels, numbers) for intent, numbers in self._by_intent.items()},
            len(self._lookup.entities_in(context.text)),
            asked,
            frozenset(slot for _, slot in asked),
            self._lookup.said_slots(context.text),
            Counter(key for _, key in spans),
            best,
            Counter(map(slot_key, candidates)),
            Counter(slot_key(a) for a, e in candidates.items() if e.reworded or e.recalled),
        )

    def _domains(self, context: DialogueContext, labels: list[float]) -> dict[str, DomainFeatures]:
        odds = {key: _highest(labels, numbers) for key, numbers in self._by_domain.items()}
        ages = {key: context.domain_age(key) for key in self._domain_keys}
        said = self._lookup.said_domains(context.text)
        named: dict[str, int] = {}
        now: Counter[str] = Counter()
        for entity, age in context.named.items():
            named[entity.domain] = min(age, named.get(entity.domain, NEVER))
            now[entity.domain] += age == 0
        chosen: dict[str, int] = {}
        for (intent, domain, _), age in context.slots.items():
            if intent == SELECT:
                chosen[domain] = min(age, chosen.get(domain, NEVER))
        return {
            key: DomainFeatures(
                odds[key],
                max((each for other, each in odds.items() if other != key), default=0.0),
                ages[key],
                context.domains.get((Speaker.USER, key), NEVER),
                context.domains.get((Speaker.SYSTEM, key), NEVER),
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


_KINDS: Final = {kind: number for number, kind in enumerate(SlotKind)}
_NOWHERE: Final = DomainFeatures(0.0, 0.0, NEVER, NEVER, NEVER, 0, NEVER, 0, -1, NEVER)
"""Used for acts without a domain, such as greetings and thanks."""


class FeatureMaker:
    """Computes the features of candidates in one world."""

    def __init__(self, book: ActKeyTable, lookup: EntityLookup) -> None:
        self._book = book
        self._lookup = lookup
        self._views = UtteranceViewMaker(book, lookup)
        schema = lookup.world.schema
        self._slot = lru_cache(maxsize=1024)(partial(_slot, schema))
        self._numbers = {domain.key: number for number, domain in enumerate(schema)}

    def describe(
        self, context: DialogueContext, reading: NetworkOutput, candidates: Candidates
    ) -> Iterator[Features]:
        view = self._views.view(context, reading, candidates)
        shared = self._of_utterance(context, view)
        for act, evidence in candidates.items():
            yield {
                **shared,
                **self._of_reading(act, evidence, view),
                **self._of_span(act, evidence, context, view),
                **self._of_domain(act, view),
                **self._of_past(act, context, view),
                **self._of_tables(act, context),
            }

    def _of_utterance(self, context: DialogueContext, view: UtteranceView) -> Features:
        return {
            "is system": float(context.speaker is Speaker.SYSTEM),
            "turns": context.turns,
            "length": len(context.text),
            "entities": view.entities,
            "pending": len(context.pending),
            "domains said": view.domains_said,
            "domains as young": view.as_young,
            **{f"any {intent}": odds for intent, odds in view.intents.items()},
        }

    def _of_reading(self, act: Act, evidence: CandidateEvidence, view: UtteranceView) -> Features:
        number = self._book.label_number.get(evidence.key)
        own = view.labels[number] if number is not None else 0.0
        family = self._book.family.get(evidence.key, "")
        total, highest = view.families.get(family, (own, own))
        source = view.domains.get(act.value) if act.intent == SELECT else None
        return {
            "label": own,
            "family": total,
            "family best": highest,
            "source": source.odds if source else -1,
            "source age": source.age if source else -1,
            "source said": source.said_at >= 0 if source else -1,
            "source named": source.named if source else -1,
            "slot said": bool({act.slot, f"{act.domain}.{act.slot}"} & view.said_slots),
            "intent": INTENTS.get(act.intent, 5),
            "slot": -1 if number is None else number,
        }

    def _of_span(
        self, act: Act, evidence: CandidateEvidence, context: DialogueContext, view: UtteranceView
    ) -> Features:
        span = evidence.span
        slot = self._slot(act.domain, act.slot)
        return {
            "kind": _KINDS[slot.kind] if slot else -1,
            "is span": span is not None,
            "score": evidence.score,
            "score less best": evidence.score - view.best[span.start] if span else 0,
            "opening": span.opening if span else -1,
            "closing": span.closing if span else -1,
            "is value": span.is_value if span else -1,
            "is part": span.is_part if span else -1,
            "is tagged": span.is_tagged if span else -1,
            "span at": span.start / len(context.text) if span and context.text else -1,
            "span length": span.end - span.start if span else -1,
            "spans of key": view.spans[evidence.key],
            "share": span.share if span else -1,
            "weight": span.weight if span else -1,
            "reworded": evidence.reworded,
            "recalled": evidence.recalled,
            "in text": bool(act.value) and act.value in context.text,
            "rivals": view.rivals[slot_key(act)],
            "rewordings": view.rewordings[slot_key(act)],
        }

    def _of_domain(self, act: Act, view: UtteranceView) -> Features:
        domain = view.domains.get(act.domain, _NOWHERE)
        return {
            "domain number": self._numbers.get(act.domain, -1),
            "domain": domain.odds,
            "other domain": domain.other_odds,
            "domain age": domain.age,
            "domain age user": domain.age_user,
            "domain age system": domain.age_system,
            "domain is young": domain.age == view.youngest,
            "domain younger": domain.younger,
            "domain said": domain.said_at >= 0,
            "domain at": domain.said_at,
            "domain named": domain.named,
            "domain named now": domain.named_now,
            "chosen age": domain.chosen,
        }

    def _of_past(self, act: Act, context: DialogueContext, view: UtteranceView) -> Features:
        said = [each for each in context.last.get(Speaker.SYSTEM, ()) if each.value == act.value]
        asked = (act.domain, act.slot) in view.asked
        return {
            "act age": context.acts.get(act, NEVER),
            "slot age": context.slots.get(slot_key(act), NEVER),
            "value age": context.values.get(act.value, NEVER) if act.value else -1,
            "asked": asked,
            "asked elsewhere": not asked and act.slot in view.asked_slots,
            "asked age": context.slots.get((REQUEST, act.domain, act.slot), NEVER),
            "just said": len(said),
            "just said in domain": any(each.domain == act.domain for each in said),
            "refused age": context.slots.get((NO_OFFER, act.domain, NOTHING), NEVER),
        }

    def _of_tables(self, act: Act, context: DialogueContext) -> Features:
        """Age of the last named place for which the tables confirm or contradict the act."""
        slot, _, service = act.slot.partition(SERVICE_MARK)
        wanted = service or act.value
        true = elsewhere = false = NEVER
        own = -1
        if act.intent in (INFORM, RECOMMEND) and wanted:
            for entity, age in context.named.items():
                if entity.name == act.value:
                    own = age if own < 0 else min(own, age)
                said = self._lookup.said(entity).get(slot)
                if said is None:
                    continue
                if entity.domain != act.domain:
                    elsewhere = min(elsewhere, age) if wanted in said else elsewhere
                elif wanted in said:
                    true = min(true, age)
                else:
                    false = min(false, age)
        return {
            "true age": true,
            "true elsewhere age": elsewhere,
            "false age": false,
            "is name": own,
            "end true": self._at_end(act, context),
        }

    def _at_end(self, act: Act, context: DialogueContext) -> float:
        """For stations of rides: 1 if it belongs to the chosen end, 0 if not, -1 if unknown."""
        slot = self._slot(act.domain, act.slot)
        if not slot or slot.kind is not SlotKind.STATION or not slot.target:
            return -1
        end = context.latest.get((act.domain, slot.target))
        return -1 if end is None else act.value in self._lookup.stations(end)


def _slot(schema: Schema, domain: str, slot: str) -> Slot | None:
    found = schema.domain(domain)
    return found.slot(slot) if found else None
