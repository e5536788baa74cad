"""Features: what there is to know about a candidate act, as numbers for the trees."""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Final

from crosstalk.dialogue.acts import INFORM, NO_OFFER, RECOMMEND, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import SERVICE_MARK, Schema, Slot, SlotKind
from crosstalk.modules.boosted import Features
from crosstalk.modules.nlg.keys import PART
from crosstalk.modules.nlu.candidates import Candidates, Evidence, KeyBook
from crosstalk.modules.nlu.facts import Facts
from crosstalk.modules.nlu.reader import Reading
from crosstalk.modules.nlu.scene import NEVER, Scene

_INTENTS: Final = {INFORM: 0, REQUEST: 1, RECOMMEND: 2, NO_OFFER: 3, SELECT: 4}
_KINDS: Final = {kind: number for number, kind in enumerate(SlotKind)}


class FeatureMaker:
    """Describes the candidates of utterances of one world."""

    def __init__(self, book: KeyBook, facts: Facts) -> None:
        self._book = book
        self._facts = facts
        schema = facts.world.schema
        self._slot = lru_cache(maxsize=1024)(partial(_slot, schema))
        self._domains = [domain.key for domain in schema]
        self._words = {key: facts.world.language.domain_name(key) for key in self._domains}
        self._numbers = {key: number for number, key in enumerate(book.labels)}
        self._by_domain = {
            domain: [n for n, key in enumerate(book.labels) if key.split(PART)[1] == domain]
            for domain in self._domains
        }
        self._by_family: dict[str, list[int]] = {}
        for key, family in book.family.items():
            self._by_family.setdefault(family, []).append(self._numbers[key])
        self._by_intent = {
            intent: [n for n, key in enumerate(book.labels) if key.split(PART)[0] == intent]
            for intent in _INTENTS
        }

    def describe(
        self, scene: Scene, reading: Reading, candidates: Candidates
    ) -> Iterator[Features]:
        shared = self._of_utterance(scene, reading)
        spans = Counter(
            (evidence.span.start, evidence.key) for evidence in candidates.values() if evidence.span
        )
        names = Counter(key for _, key in spans)
        rivals = Counter((act.intent, act.domain, act.slot) for act in candidates)
        rewordings = Counter(
            (act.intent, act.domain, act.slot)
            for act, evidence in candidates.items()
            if evidence.reworded or evidence.recalled
        )
        best = self._best_on_spans(candidates)
        domain_odds = {
            domain: float(reading.labels[numbers].max()) if numbers else 0.0
            for domain, numbers in self._by_domain.items()
        }
        ages = {domain: scene.domain_age(domain) for domain in self._domains}
        youngest = min(ages.values())
        for act, evidence in candidates.items():
            yield (
                shared
                | self._of_reading(act, evidence, reading, domain_odds)
                | self._of_span(act, evidence, scene, best, names)
                | self._of_domain(act, scene, ages, youngest)
                | self._of_past(act, scene)
                | self._of_facts(act, scene)
                | {
                    "rivals": float(rivals[act.intent, act.domain, act.slot]),
                    "rewordings": float(rewordings[act.intent, act.domain, act.slot]),
                }
            )

    def _of_utterance(self, scene: Scene, reading: Reading) -> Features:
        entities = self._facts.entities_in(scene.text)
        labels = reading.labels
        return {
            "is system": float(scene.speaker is Speaker.SYSTEM),
            "turns": float(scene.turns),
            "length": float(len(scene.text)),
            "entities": float(len(entities)),
            "pending": float(len(scene.pending)),
            **{
                f"any {intent}": float(labels[numbers].max()) if numbers else 0.0
                for intent, numbers in self._by_intent.items()
            },
        }

    def _of_reading(
        self, act: Act, evidence: Evidence, reading: Reading, domain_odds: dict[str, float]
    ) -> Features:
        number = self._numbers.get(evidence.key)
        own = float(reading.labels[number]) if number is not None else 0.0
        family = self._by_family.get(self._book.family.get(evidence.key, ""), [])
        relatives = reading.labels[family] if family else [own]
        other = max((odds for key, odds in domain_odds.items() if key != act.domain), default=0.0)
        return {
            "label": own,
            "family": float(sum(relatives)),
            "family best": float(max(relatives)),
            "domain": domain_odds.get(act.domain, 0.0),
            "other domain": other,
            "source": domain_odds.get(act.value, 0.0) if act.intent == SELECT else -1.0,
        }

    def _best_on_spans(self, candidates: Candidates) -> dict[int, float]:
        best: dict[int, float] = {}
        for evidence in candidates.values():
            if evidence.span:
                start = evidence.span.start
                best[start] = max(best.get(start, 0.0), evidence.score)
        return best

    def _of_span(
        self,
        act: Act,
        evidence: Evidence,
        scene: Scene,
        best: dict[int, float],
        names: Counter[str],
    ) -> Features:
        span = evidence.span
        slot = self._slot(act.domain, act.slot)
        return {
            "intent": float(_INTENTS.get(act.intent, 5)),
            "domain number": float(self._number(act.domain)),
            "slot": float(self._numbers.get(evidence.key, -1)),
            "kind": float(_KINDS[slot.kind]) if slot else -1.0,
            "is span": float(span is not None),
            "score": evidence.score,
            "score less best": evidence.score - best[span.start] if span else 0.0,
            "opening": span.opening if span else -1.0,
            "closing": span.closing if span else -1.0,
            "is value": float(span.is_value) if span else -1.0,
            "is part": float(span.is_part) if span else -1.0,
            "is tagged": float(span.is_tagged) if span else -1.0,
            "reworded": float(evidence.reworded),
            "recalled": float(evidence.recalled),
            "in text": float(bool(act.value) and act.value in scene.text),
            "spans of key": float(names[evidence.key]),
            "span at": span.start / len(scene.text) if span and scene.text else -1.0,
            "span length": float(span.end - span.start) if span else -1.0,
        }

    def _number(self, domain: str) -> int:
        return self._domains.index(domain) if domain in self._domains else -1

    def _of_domain(self, act: Act, scene: Scene, ages: dict[str, int], youngest: int) -> Features:
        age = ages.get(act.domain, NEVER)
        source = act.value if act.intent == SELECT else ""
        word = self._words.get(act.domain, "")
        words = sum(name in scene.text for name in self._words.values())
        return {
            "domain age": float(age),
            "domain age user": float(scene.domains.get((Speaker.USER, act.domain), NEVER)),
            "domain age system": float(scene.domains.get((Speaker.SYSTEM, act.domain), NEVER)),
            "domain is young": float(age == youngest),
            "domains as young": float(sum(other == youngest for other in ages.values())),
            "domain younger": float(sum(other < age for other in ages.values())),
            "domain said": float(bool(word) and word in scene.text),
            "domains said": float(words),
            "domain at": float(scene.text.find(word)) if word else -1.0,
            "source age": float(ages.get(source, NEVER)) if source else -1.0,
            "source said": float(self._words[source] in scene.text) if source else -1.0,
            "source named": float(self._named(scene, source)) if source else -1.0,
            "domain named": float(self._named(scene, act.domain)),
            "domain named now": float(
                sum(entity.domain == act.domain and age == 0 for entity, age in scene.named.items())
            ),
        }

    def _named(self, scene: Scene, domain: str) -> int:
        """How long ago a place of the domain was named."""
        return min(
            (age for entity, age in scene.named.items() if entity.domain == domain), default=NEVER
        )

    def _of_past(self, act: Act, scene: Scene) -> Features:
        asked = {(each.domain, each.slot) for each in scene.pending}
        slots = {slot for _, slot in asked}
        said = scene.last.get(Speaker.SYSTEM, ())
        name_of = [each for each in said if each.value == act.value]
        return {
            "act age": float(scene.acts.get(act, NEVER)),
            "slot age": float(scene.slots.get((act.intent, act.domain, act.slot), NEVER)),
            "value age": float(scene.values.get(act.value, NEVER)) if act.value else -1.0,
            "asked": float((act.domain, act.slot) in asked),
            "asked elsewhere": float((act.domain, act.slot) not in asked and act.slot in slots),
            "asked age": float(scene.slots.get((REQUEST, act.domain, act.slot), NEVER)),
            "just said": float(len(name_of)),
            "just said in domain": float(any(each.domain == act.domain for each in name_of)),
            "refused age": float(scene.slots.get((NO_OFFER, act.domain, "none"), NEVER)),
            "chosen age": float(
                min(
                    (
                        age
                        for (intent, domain, _), age in scene.slots.items()
                        if intent == SELECT and domain == act.domain
                    ),
                    default=NEVER,
                )
            ),
        }

    def _of_facts(self, act: Act, scene: Scene) -> Features:
        slot, _, service = act.slot.partition(SERVICE_MARK)
        wanted = service or act.value
        here, elsewhere, denied = NEVER, NEVER, NEVER
        own = -1
        if act.intent in (INFORM, RECOMMEND) and wanted:
            own = min((age for e, age in scene.named.items() if e.name == act.value), default=-1)
            for entity, age in scene.named.items():
                said = self._facts.said(entity).get(slot)
                if said is None:
                    continue
                if wanted in said:
                    if entity.domain == act.domain:
                        here = min(here, age)
                    else:
                        elsewhere = min(elsewhere, age)
                elif entity.domain == act.domain:
                    denied = min(denied, age)
        return {
            "true age": float(here),
            "true elsewhere age": float(elsewhere),
            "false age": float(denied),
            "is name": float(own),
            "end true": self._at_end(act, scene),
        }

    def _at_end(self, act: Act, scene: Scene) -> float:
        """For stations of rides: 1 where it is that of the end it belongs to, 0 where not."""
        slot = self._slot(act.domain, act.slot)
        if not slot or slot.kind is not SlotKind.STATION or not slot.target:
            return -1.0
        end = scene.latest.get((act.domain, slot.target))
        return -1.0 if end is None else float(act.value in self._facts.stations(end))


def _slot(schema: Schema, domain: str, slot: str) -> Slot | None:
    found = schema.domain(domain)
    return found.slot(slot) if found else None
