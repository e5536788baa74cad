"""Features: what there is to know about a candidate act, as numbers for the trees."""

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Final

from crosstalk.dialogue.acts import INFORM, NO_OFFER, NOTHING, RECOMMEND, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import SERVICE_MARK, Schema, Slot, SlotKind
from crosstalk.system.boosted import Features
from crosstalk.system.nlu.candidates import Candidates, Evidence, KeyBook
from crosstalk.system.nlu.facts import Facts
from crosstalk.system.nlu.reader import NetworkOutput
from crosstalk.system.nlu.scene import NEVER, Scene
from crosstalk.system.nlu.views import INTENTS, DomainView, View, ViewMaker, slot_key

_KINDS: Final = {kind: number for number, kind in enumerate(SlotKind)}
_NOWHERE: Final = DomainView(0.0, 0.0, NEVER, NEVER, NEVER, 0, NEVER, 0, -1, NEVER)
"""What stands in the domain's place of an act that has none: greetings, thanks."""


class FeatureMaker:
    """Describes the candidates of utterances of one world."""

    def __init__(self, book: KeyBook, facts: Facts) -> None:
        self._book = book
        self._facts = facts
        self._views = ViewMaker(book, facts)
        schema = facts.world.schema
        self._slot = lru_cache(maxsize=1024)(partial(_slot, schema))
        self._numbers = {domain.key: number for number, domain in enumerate(schema)}

    def describe(
        self, scene: Scene, reading: NetworkOutput, candidates: Candidates
    ) -> Iterator[Features]:
        view = self._views.view(scene, reading, candidates)
        shared = self._of_utterance(scene, view)
        for act, evidence in candidates.items():
            yield {
                **shared,
                **self._of_reading(act, evidence, view),
                **self._of_span(act, evidence, scene, view),
                **self._of_domain(act, view),
                **self._of_past(act, scene, view),
                **self._of_facts(act, scene),
            }

    def _of_utterance(self, scene: Scene, view: View) -> Features:
        return {
            "is system": float(scene.speaker is Speaker.SYSTEM),
            "turns": scene.turns,
            "length": len(scene.text),
            "entities": view.entities,
            "pending": len(scene.pending),
            "domains said": view.domains_said,
            "domains as young": view.as_young,
            **{f"any {intent}": odds for intent, odds in view.intents.items()},
        }

    def _of_reading(self, act: Act, evidence: Evidence, view: View) -> Features:
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

    def _of_span(self, act: Act, evidence: Evidence, scene: Scene, view: View) -> Features:
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
            "span at": span.start / len(scene.text) if span and scene.text else -1,
            "span length": span.end - span.start if span else -1,
            "spans of key": view.spans[evidence.key],
            "share": span.share if span else -1,
            "weight": span.weight if span else -1,
            "reworded": evidence.reworded,
            "recalled": evidence.recalled,
            "in text": bool(act.value) and act.value in scene.text,
            "rivals": view.rivals[slot_key(act)],
            "rewordings": view.rewordings[slot_key(act)],
        }

    def _of_domain(self, act: Act, view: View) -> Features:
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

    def _of_past(self, act: Act, scene: Scene, view: View) -> Features:
        said = [each for each in scene.last.get(Speaker.SYSTEM, ()) if each.value == act.value]
        asked = (act.domain, act.slot) in view.asked
        return {
            "act age": scene.acts.get(act, NEVER),
            "slot age": scene.slots.get(slot_key(act), NEVER),
            "value age": scene.values.get(act.value, NEVER) if act.value else -1,
            "asked": asked,
            "asked elsewhere": not asked and act.slot in view.asked_slots,
            "asked age": scene.slots.get((REQUEST, act.domain, act.slot), NEVER),
            "just said": len(said),
            "just said in domain": any(each.domain == act.domain for each in said),
            "refused age": scene.slots.get((NO_OFFER, act.domain, NOTHING), NEVER),
        }

    def _of_facts(self, act: Act, scene: Scene) -> Features:
        """Whether the tables say it of a place that was named, and how long ago that was."""
        slot, _, service = act.slot.partition(SERVICE_MARK)
        wanted = service or act.value
        true = elsewhere = false = NEVER
        own = -1
        if act.intent in (INFORM, RECOMMEND) and wanted:
            for entity, age in scene.named.items():
                if entity.name == act.value:
                    own = age if own < 0 else min(own, age)
                said = self._facts.said(entity).get(slot)
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
            "end true": self._at_end(act, scene),
        }

    def _at_end(self, act: Act, scene: Scene) -> float:
        """For stations of rides: 1 where it is that of the end it belongs to, 0 where not."""
        slot = self._slot(act.domain, act.slot)
        if not slot or slot.kind is not SlotKind.STATION or not slot.target:
            return -1
        end = scene.latest.get((act.domain, slot.target))
        return -1 if end is None else act.value in self._facts.stations(end)


def _slot(schema: Schema, domain: str, slot: str) -> Slot | None:
    found = schema.domain(domain)
    return found.slot(slot) if found else None
