"""Candidates: the acts an utterance may hold, each with what speaks for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from crosstalk.dialogue.acts import INFORM, NOTHING, REQUEST, Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import SERVICE_MARK, SlotKind
from crosstalk.system.nlg.keys import PART
from crosstalk.system.nlu.encoding import ReaderVocabulary
from crosstalk.system.nlu.facts import Facts, TextSpan, slot_of
from crosstalk.system.nlu.reader import NetworkOutput
from crosstalk.system.nlu.scene import Scene
from crosstalk.system.nlu.spans import Stretch

LIKELY: Final = 0.02
"""A key less likely than this is a candidate only through its relatives in other domains."""
FAMILY: Final = 0.08
"""Keys of one intent and slot in different domains are looked at together from this sum on."""
RECENT: Final = 6
"""Turns within which a place is still being talked about."""


@dataclass(slots=True)
class Evidence:
    """What speaks for a candidate."""

    key: str
    span: Stretch | None = None
    score: float = 0.0
    """The reader's for this key on the span."""
    reworded: bool = False
    """The value stands otherwise in the text."""
    recalled: bool = False
    """It comes from the tables or from an open question, not from the words."""


Candidates = dict[Act, Evidence]


class KeyBook:
    """The reader's keys: which are relatives, and which acts they make."""

    def __init__(self, vocabulary: ReaderVocabulary, facts: Facts) -> None:
        self.spans = vocabulary.spans
        self.labels = vocabulary.labels
        self.label_number = {key: number for number, key in enumerate(vocabulary.labels)}
        self._facts = facts
        holes = set(vocabulary.spans)
        self.family = {key: self._family(key) for key in (*vocabulary.spans, *vocabulary.labels)}
        self.sentences = [
            (key, number, self.family[key])
            for key, number in self.label_number.items()
            if key not in holes
        ]
        self.relatives: dict[str, list[str]] = {}
        for key, family in self.family.items():
            self.relatives.setdefault(family, []).append(key)

    def _family(self, key: str) -> str:
        """Keys with the same family differ in domain, or in how a name comes to be told."""
        intent, domain, slot, *value = key.split(PART)
        found = slot_of(self._facts.world, domain, slot)
        if found is None:
            return intent if slot != "none" or domain in self._facts.world.tables else key
        match found[1].kind:
            case SlotKind.NAME:
                return f"name {domain}" if intent != REQUEST else f"{intent} {slot}"
            case SlotKind.SERVICES:
                return f"services {slot}"
            case SlotKind.NEARBY if intent == INFORM and not value:
                return f"name {found[1].target}"
            case _:
                return " ".join((intent, slot, *value))


def act_of(key: str, value: str = "", service: str = "") -> Act:
    """The act of a key; `value` fills what the key leaves open, `service` names the service."""
    intent, domain, slot, *fixed = key.split(PART)
    if service:
        slot = f"{slot}{SERVICE_MARK}{service}"
    if intent == REQUEST:
        return Act(intent, domain, slot, "")
    return Act(intent, domain, slot, value or (fixed[0] if fixed else NOTHING))


class CandidateMaker:
    """Lists the candidates of one utterance."""

    def __init__(self, book: KeyBook, facts: Facts) -> None:
        self._book = book
        self._facts = facts

    def candidates(
        self, scene: Scene, reading: NetworkOutput, spans: Sequence[Stretch]
    ) -> Candidates:
        found: Candidates = {}
        for key in self._sentence_keys(reading):
            found.setdefault(act_of(key), Evidence(key))
        for span in spans:
            self._add_span(found, scene, span)
        for act, evidence in self._answers(scene):
            found.setdefault(act, evidence)
        for act, evidence in self._told(scene):
            found.setdefault(act, evidence)
        for act, evidence in self._asked_by_name(scene):
            found.setdefault(act, evidence)
        return found

    def _sentence_keys(self, reading: NetworkOutput) -> Iterator[str]:
        odds = reading.labels.tolist()
        sums: dict[str, float] = {}
        for _, number, family in self._book.sentences:
            sums[family] = sums.get(family, 0.0) + odds[number]
        for key, number, family in self._book.sentences:
            if sums[family] > FAMILY or odds[number] > LIKELY:
                yield key

    def _add_span(self, found: Candidates, scene: Scene, span: Stretch) -> None:
        heard = TextSpan(scene.speaker, scene.text, span.start, span.end)
        for number in self._span_keys(span):
            key, score = self._book.spans[number], float(span.keys[number])
            for act, reworded in self._acts(key, heard):
                old = found.get(act)
                if old is None or old.score < score:
                    found[act] = Evidence(key, span, score, reworded)

    def _span_keys(self, span: Stretch) -> list[int]:
        """The likely keys, and the relatives of the likeliest."""
        scores = span.keys.tolist()
        best = self._book.spans[scores.index(max(scores))]
        relatives = set(self._book.relatives[self._book.family[best]])
        return [
            number
            for number, (key, score) in enumerate(zip(self._book.spans, scores, strict=True))
            if score > LIKELY or key in relatives
        ]

    def _acts(self, key: str, heard: TextSpan) -> list[tuple[Act, bool]]:
        """What a span of a text may stand for, and whether it says it in other words."""
        _, domain, slot, *fixed = key.split(PART)
        its = slot_of(self._facts.world, domain, slot)
        if its and its[1].kind is SlotKind.SERVICES:
            named = self._facts.services_meant(heard)
            return [(act_of(key, service=name), loose) for name, loose in named]
        only = fixed[0] if fixed else ""
        values = self._facts.meanings(domain, its[1] if its else None, heard, only)
        return [(act_of(key, value), value != heard.said) for value in values]

    def _answers(self, scene: Scene) -> Iterator[tuple[Act, Evidence]]:
        """A question that is open may be answered without its words: yes, no, there is none."""
        pack = self._facts.world.language
        if scene.speaker is Speaker.USER:
            return
        for asked in scene.pending:
            slot, mark, _ = asked.slot.partition(SERVICE_MARK)
            for value in (pack.yes, pack.no) if mark else (pack.nothing,):
                key = PART.join((INFORM, asked.domain, slot, value))
                if key in self._book.label_number:
                    act = Act(INFORM, asked.domain, asked.slot, value)
                    yield act, Evidence(key, recalled=True)

    def _told(self, scene: Scene) -> Iterator[tuple[Act, Evidence]]:
        """What the tables say of the places at hand, where the text says it a little otherwise."""
        for domain, slot, value in self._facts.spans_of_time(scene.text):
            key = PART.join((INFORM, domain, slot))
            yield Act(INFORM, domain, slot, value), Evidence(key, recalled=True)
        for entity, age in scene.named.items():
            if age > RECENT or scene.speaker is Speaker.USER:
                continue
            for slot, value in self._facts.told_loosely(entity, scene.text):
                key = PART.join((INFORM, entity.domain, slot))
                yield Act(INFORM, entity.domain, slot, value), Evidence(key, recalled=True)

    def _asked_by_name(self, scene: Scene) -> Iterator[tuple[Act, Evidence]]:
        """A user who says the name of a slot may be asking for it."""
        if scene.speaker is Speaker.SYSTEM:
            return
        for name in sorted(self._facts.slots_by_name(scene.text)):
            key = PART.join((REQUEST, *name.split(".", 1)))
            if key in self._book.label_number:
                yield act_of(key), Evidence(key, recalled=True)
