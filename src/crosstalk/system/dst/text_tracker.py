"""What a tracker from words goes by: the dialogue so far, how surely the last turn was heard.

What the tracker from words learns besides its trees: words, rewordings, relaxations, style.

Candidates where no form was ever seen: the edits of this turn, relaxed values, ends of rides.

What the tracker from words sees of a candidate, besides what the edit model sees.

How sure it was of it before, when it came up, whether the places answered with would meet it, and
the clerk's style.

Our tracker from words alone: texts and what was understood of them, never a wizard's form.

What it believed before is all it knows of the form, so it was trained on its own beliefs. For every
field it judges all values that ever came up there, not only the edits of the last turn.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from crosstalk.dialogue.acts import INFORM, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, Schema, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.system import boosted
from crosstalk.system.boosted import Features, Trees
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.rule_tracker import open_requests
from crosstalk.system.dst.slot_candidates import (
    STEPS,
    Candidates,
    CandidateSource,
    FormCandidateMaker,
    Rewordings,
    SeenValue,
    SeenValues,
    add_candidates,
    judged,
    widened,
)
from crosstalk.system.dst.slot_features import DatabaseFeatureMaker
from crosstalk.system.dst.tracker import DialogueState
from crosstalk.system.dst.tree_tracker import Field
from crosstalk.system.dst.wizard_behaviour import TypingStyle
from crosstalk.worlds.conditions import several, terms
from crosstalk.worlds.queries import Database

ActProbabilities = Mapping[Act, float]
"""All acts the user's turn may stand for, the unlikely ones too, with their likelihoods."""


class UncertainActs:
    """How surely a value was heard for a field."""

    def __init__(self, doubts: ActProbabilities, turn: Turn, schema: Schema, yes: str) -> None:
        self.heard = UserActs(replace(turn, acts=tuple(sorted(doubts))), schema, yes)
        self._values: dict[tuple[str, str, str], float] = {}
        self._near: dict[tuple[str, str], float] = {}
        for act, likelihood in doubts.items():
            domain = schema.domain(act.domain)
            slot = domain.slot(act.slot) if domain else None
            if act.intent == SELECT:
                self._near[act.domain, act.value] = likelihood
            elif act.intent == INFORM and slot:
                value = act.value
                if slot.kind is SlotKind.SERVICES:
                    value = act.slot.removeprefix(slot.key).removeprefix(SERVICE_MARK)
                self._values[act.domain, slot.key, value] = likelihood

    def likelihood(self, domain: Domain, slot: Slot, terms: Iterable[str]) -> float:
        """Of the least sure of several terms; 0 for what was not heard, -1 for nothing."""
        heard = [self._values.get((domain.key, slot.key, term), 0.0) for term in terms]
        return min(heard, default=-1.0)

    def surest(self, domain: Domain, slot: Slot) -> float:
        """Of the surest value of a field; for a nearby place, that one is sought there."""
        found = [
            likelihood
            for (where, what, _), likelihood in self._values.items()
            if (where, what) == (domain.key, slot.key)
        ]
        return max([*found, self._near.get((domain.key, slot.target), 0.0)])


@dataclass(frozen=True, slots=True)
class TurnContext:
    """A dialogue up to the user's turn; forms in it are not looked at."""

    discourse: Discourse
    """All before the last turn."""
    heard: UserActs
    """The last turn, as it most likely was meant."""
    doubted: UncertainActs
    answers: tuple[str, ...]
    """The system's texts so far."""

    @classmethod
    def of(
        cls, schema: Schema, yes: str, history: tuple[Turn, ...], doubts: ActProbabilities
    ) -> "TurnContext":
        words = tuple(Turn(turn.speaker, turn.text, turn.acts) for turn in history)
        return cls(
            Discourse.of(schema, yes, words),
            UserActs(words[-1], schema, yes),
            UncertainActs(doubts, words[-1], schema, yes),
            tuple(turn.text for turn in words if turn.speaker is Speaker.SYSTEM),
        )


@dataclass(frozen=True, slots=True)
class TextTrackerKnowledge:
    """Learned from dialogues, kept in `knowledge.json`."""

    words: tuple[str, ...] = ()
    """Words whose presence in the utterance is a feature."""
    answer_words: tuple[str, ...] = ()
    """Words whose presence in the answer before is one."""
    rewordings: Rewordings = field(default_factory=dict)
    relaxations: Rewordings = field(default_factory=dict)
    """(domain, slot, value in the form) -> what wizards make of it when nothing is found."""
    style: TypingStyle = field(default_factory=TypingStyle)

    def to_json(self) -> dict[str, Any]:
        return {
            "words": list(self.words),
            "answer words": list(self.answer_words),
            "rewordings": _listed(self.rewordings),
            "relaxations": _listed(self.relaxations),
            "style": self.style.to_json(),
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> "TextTrackerKnowledge":
        return cls(
            tuple(told["words"]),
            tuple(told["answer words"]),
            _read(told["rewordings"]),
            _read(told["relaxations"]),
            TypingStyle.from_json(told["style"]),
        )


def _listed(rewordings: Rewordings) -> list[list[Any]]:
    return [[*said, list(typed)] for said, typed in rewordings.items()]


def _read(told: Iterable[Sequence[Any]]) -> Rewordings:
    return {(domain, slot, said): tuple(typed) for domain, slot, said, typed in told}


LIKELY_ENOUGH = 0.1
"""To have been in the form before."""


class TextCandidateMaker:
    """Lists the candidates of one turn, field by field."""

    def __init__(
        self, database: Database, hearing: TurnContext, knowledge: TextTrackerKnowledge
    ) -> None:
        discourse, separator = hearing.discourse, database.world.language.term_separator
        words = separator, knowledge.rewordings
        self._database = database
        self._edits = FormCandidateMaker(discourse, hearing.heard, *words)
        self._doubtful = FormCandidateMaker(discourse, hearing.doubted.heard, *words)
        self._discourse = discourse
        self._current = {discourse.domain, discourse.focus(hearing.heard)}
        self._relaxations = knowledge.relaxations

    def candidates(
        self, form: SystemState, domain: Domain, slot: Slot, known: SeenValues
    ) -> Candidates:
        """`known`: what has come up for the field before."""
        found = self._edits.candidates(form, domain, slot)
        for source, value in self._more(form, domain, slot, known):
            if value:
                found.setdefault(value, set()).add(source)
        for value in self._doubtful.candidates(form, domain, slot):
            if value not in found:
                found[value] = {CandidateSource.DOUBTED}
        return found

    def _more(
        self, form: SystemState, domain: Domain, slot: Slot, known: SeenValues
    ) -> Iterator[tuple[CandidateSource, SlotValue]]:
        if domain.key not in self._current:
            return
        before = str(form.get(domain.key).get(slot.key))
        for typed in self._relaxations.get((domain.key, slot.key, before), ()):
            yield CandidateSource.RELAXED, typed
        if slot.kind is SlotKind.ENDPOINT:
            for value in self._discourse.last.values():
                yield CandidateSource.END_LAST, value
        if slot.kind in STEPS:
            yield from self._widened(domain, slot, {before, *_possible(known)})

    def _widened(
        self, domain: Domain, slot: Slot, texts: Iterable[str]
    ) -> Iterator[tuple[CandidateSource, SlotValue]]:
        """What was in the form, with room for what the last answer offers."""
        for name in self._discourse.offered.get(domain.key, [])[:2]:
            number = (self._database.find(domain.key, name) or {}).get(slot.key)
            if isinstance(number, int | float):
                for text in filter(None, texts):
                    yield from widened(self._database.world.language, domain, slot, text, number)


def _possible(known: SeenValues) -> Iterator[str]:
    return (str(value) for value, each in known.items() if each.likelihood > LIKELY_ENOUGH)


SOURCES = tuple(CandidateSource)


class TextFeatureMaker(DatabaseFeatureMaker):
    """Describes the candidates of one turn."""

    def __init__(
        self,
        database: Database,
        hearing: TurnContext,
        form: SystemState,
        knowledge: TextTrackerKnowledge,
    ) -> None:
        discourse = hearing.discourse
        super().__init__(database, discourse, hearing.heard, {}, form, knowledge.words)
        self._doubted = hearing.doubted
        self._language = database.world.language
        answer = hearing.answers[-1] if hearing.answers else ""
        self._whole: Features = {
            "style": knowledge.style.likelihood(hearing.answers),
            "names in form": self._names_in_form(),
            "answer length": len(answer),
            **{f"answer: {word}": word in answer for word in knowledge.answer_words},
        }

    def describe_words(
        self, domain: Domain, slot: Slot, candidates: Candidates, sightings: SeenValues
    ) -> list[Features]:
        """One row a candidate; `sightings` has each of them."""
        rows = self.describe(domain, slot, candidates)
        shared = self._shared(domain, slot, sightings)
        return [
            {**row, **shared, **self._seen(domain, slot, value, sightings[value], sightings)}
            for row, value in zip(rows, candidates, strict=True)
        ]

    def _shared(self, domain: Domain, slot: Slot, sightings: SeenValues) -> Features:
        discourse, key = self._discourse, domain.key
        tab = self._form.get(key)
        newest = max(each.last for each in sightings.values())
        return {
            **self._whole,
            "heard for it": self._doubted.surest(domain, slot),
            "told": any(
                act.domain == key and act.slot == slot.key for act in discourse.system_acts
            ),
            "asked since search": len(discourse.asked_since_search.get(key, ())),
            "age of news": discourse.exchange - newest,
            "likelihood of empty": sightings[""].likelihood if "" in sightings else 0.0,
            "results before": self._results(domain, tab.constraints),
            "last unmet": self._unmet_in_all(domain, tab.constraints),
        }

    def _seen(
        self,
        domain: Domain,
        slot: Slot,
        value: SlotValue,
        sighting: SeenValue,
        sightings: SeenValues,
    ) -> Features:
        exchange = self._discourse.exchange
        likelier = sum(each.likelihood > sighting.likelihood for each in sightings.values())
        return {
            "likelihood before": sighting.likelihood,
            "heard": self._doubted.likelihood(domain, slot, self._terms(slot, value)),
            "likelier before": likelier,
            "age": exchange - sighting.last,
            "first age": exchange - sighting.first,
            "times": sighting.count,
            "newer": sum(each.last > sighting.last for each in sightings.values()),
            "came as": max((SOURCES.index(each) for each in sighting.sources), default=-1),
            "came by set": CandidateSource.SET in sighting.sources,
            "came by append": CandidateSource.APPEND in sighting.sources,
            "met by last": self._met(domain, slot, value, self._discourse.last.get(domain.key, "")),
            "met by offered": self._met_by_offered(domain, slot, value),
            "results with it": self._results_with(domain, slot, value),
            "place in results": self._place(domain, slot, value),
        }

    def _terms(self, slot: Slot, value: SlotValue) -> tuple[str, ...]:
        if slot.kind in (SlotKind.LIST, SlotKind.SERVICES):
            return terms(self._language, value)
        return several(value) if value else ()


Place = tuple[str, str]
"""Domain and slot."""


@dataclass(frozen=True, slots=True)
class TextDialogueState(DialogueState):
    """A belief with all that might be in the form."""

    sightings: Mapping[Place, SeenValues] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TurnCandidates:
    """The fields of one turn with what they might hold."""

    fields: tuple[Field, ...]
    sightings: Mapping[Place, dict[SlotValue, SeenValue]]
    hearing: TurnContext


class TurnCandidateMaker:
    """From a belief and the words so far to the candidates of every field."""

    def __init__(self, database: Database, knowledge: TextTrackerKnowledge) -> None:
        self._schema = database.world.schema
        self._language = database.world.language
        self._database = database
        self._knowledge = knowledge
        self._fields = [(domain, slot) for domain in self._schema for slot in domain.form]

    def scene(
        self, belief: DialogueState, history: tuple[Turn, ...], doubts: ActProbabilities
    ) -> TurnCandidates:
        hearing = TurnContext.of(self._schema, self._language.yes, history, doubts)
        candidates = TextCandidateMaker(self._database, hearing, self._knowledge)
        features = TextFeatureMaker(self._database, hearing, belief.form, self._knowledge)
        known = belief.sightings if isinstance(belief, TextDialogueState) else {}
        fields, sightings = [], {}
        for domain, slot in self._fields:
            before = known.get((domain.key, slot.key), {})
            found = candidates.candidates(belief.form, domain, slot, before)
            now = add_candidates(before, found, hearing.discourse.exchange)
            sightings[domain.key, slot.key] = now
            if len(now) > 1:
                full = {value: found.get(value, set()) for value in now}
                rows = features.describe_words(domain, slot, full, now)
                fields.append(Field(domain, slot, tuple(full), tuple(rows)))
        return TurnCandidates(tuple(fields), sightings, hearing)


def believed(
    scene: TurnCandidates, before: DialogueState, scores: list[float]
) -> TextDialogueState:
    """The likeliest value of each field."""
    form, discourse, heard = before.form, scene.hearing.discourse, scene.hearing.heard
    sightings: dict[Place, SeenValues] = dict(scene.sightings)
    start = 0
    for each in scene.fields:
        mine = scores[start : start + len(each.values)]
        start += len(each.values)
        best = each.values[mine.index(max(mine))]
        form = with_value(form, each.domain, each.slot, best)
        place = each.domain.key, each.slot.key
        sightings[place] = judged(scene.sightings[place], dict(zip(each.values, mine, strict=True)))
    requests = open_requests(before.requests, discourse.system_acts, heard.acts)
    return TextDialogueState(form, discourse.focus(heard), requests, discourse, sightings)


def with_value(form: SystemState, domain: Domain, slot: Slot, value: SlotValue) -> SystemState:
    tab = form.get(domain.key)
    if tab.get(slot.key) == value:
        return form
    return form.with_domain(tab.with_slot(slot.key, value))


class TextTracker:
    """The tracker over trained trees; reads texts and acts, ignores forms in the history."""

    def __init__(self, database: Database, trees: Trees, knowledge: TextTrackerKnowledge) -> None:
        self._scenes = TurnCandidateMaker(database, knowledge)
        self._trees = trees
        self._knowledge = knowledge

    def update(
        self,
        belief: DialogueState,
        history: tuple[Turn, ...],
        doubts: ActProbabilities | None = None,
    ) -> TextDialogueState:
        """`doubts`: all acts the last turn may stand for; without, its acts are taken as sure."""
        if doubts is None:
            doubts = dict.fromkeys(history[-1].acts, 1.0)
        scene = self._scenes.scene(belief, history, doubts)
        scores = self._trees.likelihoods([row for each in scene.fields for row in each.rows])
        return believed(scene, belief, scores)

    @classmethod
    def load(cls, folder: Path, database: Database) -> "TextTracker":
        trees, told = boosted.load(folder)
        return cls(database, trees, TextTrackerKnowledge.from_json(told))

    def save(self, folder: Path) -> None:
        boosted.save(self._trees, self._knowledge.to_json(), folder)
