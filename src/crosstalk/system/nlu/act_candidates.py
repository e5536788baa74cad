"""Candidate acts of an utterance with their evidence; the trees of `ranked.py` choose among them.

`DialogueContext` is what was understood and named before the utterance, `ScoredSpan` a part of the
text that may be the value of an act, `CandidateMaker` puts both together.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from crosstalk.dialogue.acts import GENERAL, INFORM, NOTHING, REQUEST, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import SERVICE_MARK, SlotKind
from crosstalk.language.gazetteer import Match
from crosstalk.system.nlg.act_keys import PART
from crosstalk.system.nlu.encoding import ReaderVocabulary
from crosstalk.system.nlu.entity_lookup import Entity, EntityLookup, TextSpan, slot_of
from crosstalk.system.nlu.reader import FloatArray, NetworkOutput

SUSPECTED: Final = 0.05
"""A table value in the text is a span if the reader's mean probability of a value is above this."""


@dataclass(frozen=True, slots=True)
class ScoredSpan:
    """A part of the text with the probabilities that the reader assigns to it."""

    start: int
    end: int
    keys: FloatArray
    """Probability of each span key, mean over the characters."""
    opening: float
    """Probability that a span begins at the first character."""
    closing: float
    """Probability that no span continues after the last character."""
    is_value: bool
    """Whether the text is a value of the tables."""
    is_tagged: bool
    """Whether the most probable tags mark exactly this span."""
    is_part: bool
    """Whether it lies inside a longer value of the tables."""
    share: float = 0.0
    """Share of a table value that the span covers; `weight`: how distinctive that part is."""
    weight: float = 0.0


def scored_spans(reading: NetworkOutput, matches: Iterable[Match]) -> list[ScoredSpan]:
    """The spans that the tags mark, and the table values that may have been meant."""
    begins = reading.tags[:, 1::2]
    within = reading.tags[:, 2::2]
    tagged = set(_marked(reading.tags, begins.sum(axis=1), within.sum(axis=1)))
    values = {(match.start, match.end): match for match in matches if match.end <= len(begins)}
    some = 1 - reading.tags[:, 0]
    suspected = {pair for pair in values if some[pair[0] : pair[1]].mean() > SUSPECTED}
    found = []
    for start, end in sorted(tagged | suspected):
        match = values.get((start, end))
        goes_on = within[end].sum() if end < len(within) else 0.0
        found.append(
            ScoredSpan(
                start,
                end,
                (begins[start:end] + within[start:end]).mean(axis=0),
                float(begins[start].sum()),
                1 - float(goes_on),
                (start, end) in values,
                (start, end) in tagged,
                any(a <= start and end <= z and z - a > end - start for a, z in values),
                match.share if match else 0.0,
                match.weight if match else 0.0,
            )
        )
    return found


def _marked(tags: FloatArray, begins: FloatArray, within: FloatArray) -> Iterator[tuple[int, int]]:
    """Spans of the most probable tags; an inside tag without a begin tag opens a span."""
    states = np.argmax(np.stack([tags[:, 0], begins, within]), axis=0).tolist()
    start = None
    for position, state in enumerate([*states, 0]):
        if start is not None and state != 2:
            yield start, position
            start = None
        if state == 1 or (state == 2 and start is None):
            start = position


NEVER: Final = 99
"""Age of what has not happened yet."""


@dataclass(slots=True)
class DialogueContext:
    """What was understood and named before an utterance.

    Ages are in turns: 0 is this utterance, 1 the one before it.
    """

    speaker: Speaker
    text: str
    turns: int
    """Number of previous turns."""
    domains: dict[tuple[Speaker, str], int] = field(default_factory=dict)
    """(speaker, domain) -> age of the last act of this speaker in the domain."""
    acts: dict[Act, int] = field(default_factory=dict)
    slots: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """(intent, domain, slot) -> age, for any value."""
    values: dict[str, int] = field(default_factory=dict)
    """Value -> age, for any act."""
    named: dict[Entity, int] = field(default_factory=dict)
    latest: dict[tuple[str, str], str] = field(default_factory=dict)
    """(domain, slot) -> the most recent value."""
    last: dict[Speaker, tuple[Act, ...]] = field(default_factory=dict)
    """The acts of each speaker's last turn."""

    @property
    def pending(self) -> tuple[Act, ...]:
        """The requests of the user's last turn."""
        return tuple(act for act in self.last.get(Speaker.USER, ()) if act.intent == REQUEST)

    def domain_age(self, domain: str) -> int:
        return min(self.domains.get((speaker, domain), NEVER) for speaker in Speaker)


def dialogue_context(
    utterance: Turn, history: Sequence[Turn], lookup: EntityLookup
) -> DialogueContext:
    context = DialogueContext(utterance.speaker, utterance.text, len(history))
    for age, turn in enumerate((utterance, *reversed(history))):
        for _, entity in lookup.entities_in(turn.text):
            context.named.setdefault(entity, age)
        if age:
            context.last.setdefault(turn.speaker, turn.acts)
            for act in turn.acts:
                _remember(context, turn.speaker, act, age)
    return context


def _remember(context: DialogueContext, speaker: Speaker, act: Act, age: int) -> None:
    context.acts.setdefault(act, age)
    context.slots.setdefault((act.intent, act.domain, act.slot), age)
    if act.intent != GENERAL:
        context.domains.setdefault((speaker, act.domain), age)
    if act.value:
        context.latest.setdefault((act.domain, act.slot), act.value)
        context.values.setdefault(act.value, age)


LIKELY: Final = 0.02
"""A key less probable than this is a candidate only through its family (`ActKeyTable`)."""
FAMILY: Final = 0.08
"""All keys of a family are candidates if their probabilities sum to more than this."""
RECENT: Final = 6
"""Turns within which a named place still counts as under discussion."""


@dataclass(slots=True)
class CandidateEvidence:
    """Where a candidate comes from."""

    key: str
    span: ScoredSpan | None = None
    score: float = 0.0
    """The reader's probability of this key on the span."""
    reworded: bool = False
    """The text says the value in other words."""
    recalled: bool = False
    """It comes from the tables or from an open question, not from a span."""


Candidates = dict[Act, CandidateEvidence]


class ActKeyTable:
    """The reader's act keys, grouped in families that are easily confused."""

    def __init__(self, vocabulary: ReaderVocabulary, lookup: EntityLookup) -> None:
        self.spans = vocabulary.spans
        self.labels = vocabulary.labels
        self.label_number = {key: number for number, key in enumerate(vocabulary.labels)}
        self._lookup = lookup
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
        """Keys of one family differ in the domain, or in the act that gives a name."""
        intent, domain, slot, *value = key.split(PART)
        found = slot_of(self._lookup.world, domain, slot)
        if found is None:
            return intent if slot != "none" or domain in self._lookup.world.tables else key
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
    """The act of a key; `value` is used if the key has none, `service` names the service."""
    intent, domain, slot, *fixed = key.split(PART)
    if service:
        slot = f"{slot}{SERVICE_MARK}{service}"
    if intent == REQUEST:
        return Act(intent, domain, slot, "")
    return Act(intent, domain, slot, value or (fixed[0] if fixed else NOTHING))


class CandidateMaker:
    """Lists the candidates of one utterance."""

    def __init__(self, book: ActKeyTable, lookup: EntityLookup) -> None:
        self._book = book
        self._lookup = lookup

    def candidates(
        self, context: DialogueContext, reading: NetworkOutput, spans: Sequence[ScoredSpan]
    ) -> Candidates:
        found: Candidates = {}
        for key in self._sentence_keys(reading):
            found.setdefault(act_of(key), CandidateEvidence(key))
        for span in spans:
            self._add_span(found, context, span)
        for act, evidence in self._answers(context):
            found.setdefault(act, evidence)
        for act, evidence in self._told(context):
            found.setdefault(act, evidence)
        for act, evidence in self._asked_by_name(context):
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

    def _add_span(self, found: Candidates, context: DialogueContext, span: ScoredSpan) -> None:
        heard = TextSpan(context.speaker, context.text, span.start, span.end)
        for number in self._span_keys(span):
            key, score = self._book.spans[number], float(span.keys[number])
            for act, reworded in self._acts(key, heard):
                old = found.get(act)
                if old is None or old.score < score:
                    found[act] = CandidateEvidence(key, span, score, reworded)

    def _span_keys(self, span: ScoredSpan) -> list[int]:
        """The probable keys, and the whole family of the most probable one."""
        scores = span.keys.tolist()
        best = self._book.spans[scores.index(max(scores))]
        relatives = set(self._book.relatives[self._book.family[best]])
        return [
            number
            for number, (key, score) in enumerate(zip(self._book.spans, scores, strict=True))
            if score > LIKELY or key in relatives
        ]

    def _acts(self, key: str, heard: TextSpan) -> list[tuple[Act, bool]]:
        """The acts a span may stand for, and whether the text says the value in other words."""
        _, domain, slot, *fixed = key.split(PART)
        its = slot_of(self._lookup.world, domain, slot)
        if its and its[1].kind is SlotKind.SERVICES:
            named = self._lookup.linked_services(heard)
            return [(act_of(key, service=name), loose) for name, loose in named]
        only = fixed[0] if fixed else ""
        values = self._lookup.linked_values(domain, its[1] if its else None, heard, only)
        return [(act_of(key, value), value != heard.said) for value in values]

    def _answers(self, context: DialogueContext) -> Iterator[tuple[Act, CandidateEvidence]]:
        """Answers to an open question that need no span: yes, no, nothing."""
        pack = self._lookup.world.language
        if context.speaker is Speaker.USER:
            return
        for asked in context.pending:
            slot, mark, _ = asked.slot.partition(SERVICE_MARK)
            for value in (pack.yes, pack.no) if mark else (pack.nothing,):
                key = PART.join((INFORM, asked.domain, slot, value))
                if key in self._book.label_number:
                    act = Act(INFORM, asked.domain, asked.slot, value)
                    yield act, CandidateEvidence(key, recalled=True)

    def _told(self, context: DialogueContext) -> Iterator[tuple[Act, CandidateEvidence]]:
        """Table values of recently named places that the text writes with other punctuation."""
        for domain, slot, value in self._lookup.durations_in(context.text):
            key = PART.join((INFORM, domain, slot))
            yield Act(INFORM, domain, slot, value), CandidateEvidence(key, recalled=True)
        for entity, age in context.named.items():
            if age > RECENT or context.speaker is Speaker.USER:
                continue
            for slot, value in self._lookup.values_mentioned(entity, context.text):
                key = PART.join((INFORM, entity.domain, slot))
                yield Act(INFORM, entity.domain, slot, value), CandidateEvidence(key, recalled=True)

    def _asked_by_name(self, context: DialogueContext) -> Iterator[tuple[Act, CandidateEvidence]]:
        """Requests for slots whose names the user says."""
        if context.speaker is Speaker.SYSTEM:
            return
        for name in sorted(self._lookup.slots_by_name(context.text)):
            key = PART.join((REQUEST, *name.split(".", 1)))
            if key in self._book.label_number:
                yield act_of(key), CandidateEvidence(key, recalled=True)
