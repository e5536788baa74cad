"""The text tracker: boosted trees over texts and predicted acts; it never sees a wizard's form.

The only form it knows is the one it predicted before, so it is trained on its own predictions
(`text_tracker_training`). For every slot it scores all values that have come up in the dialogue,
not only those of the last turn. Beyond the features of `slot_features` a candidate is described by
its likelihood after the last turn, when it came up, whether the places offered meet it, and how
likely this wizard is to type names.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from crosstalk.dialogue.acts import INFORM, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, Schema, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.system import boosted
from crosstalk.system.boosted import Features, Trees
from crosstalk.system.dst.candidate_scoring import (
    SlotCandidates,
    all_rows,
    scores_by_slot,
    with_best_values,
)
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.rule_tracker import open_requests
from crosstalk.system.dst.slot_candidates import (
    ROUNDING_STEPS,
    Candidates,
    CandidateSource,
    FormCandidateMaker,
    Rewordings,
    SeenValue,
    SeenValues,
    add_candidates,
    widened,
    with_likelihoods,
)
from crosstalk.system.dst.slot_features import DatabaseFeatureMaker
from crosstalk.system.dst.tracker import DialogueState
from crosstalk.system.dst.tree_tracker import (
    TreeTrackerKnowledge,
    rewordings_from_json,
    rewordings_to_json,
)
from crosstalk.system.dst.wizard_behaviour import TypingStyle
from crosstalk.worlds.conditions import several, terms
from crosstalk.worlds.queries import Database

ActProbabilities = Mapping[Act, float]
"""Every act that the user's turn may mean, with its likelihood; unlikely acts included."""


class UncertainActs:
    """How likely it is that the user named a value for a slot."""

    def __init__(
        self, probabilities: ActProbabilities, turn: Turn, schema: Schema, yes: str
    ) -> None:
        self.heard = UserActs(replace(turn, acts=tuple(sorted(probabilities))), schema, yes)
        self._values: dict[tuple[str, str, str], float] = {}
        self._near: dict[tuple[str, str], float] = {}
        for act, likelihood in probabilities.items():
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
        """The lowest likelihood of the terms; 0 for a term not named, -1 without terms."""
        heard = [self._values.get((domain.key, slot.key, term), 0.0) for term in terms]
        return min(heard, default=-1.0)

    def surest(self, domain: Domain, slot: Slot) -> float:
        """The highest likelihood of any value; for a nearby slot, that its target is sought."""
        found = [
            likelihood
            for (where, what, _), likelihood in self._values.items()
            if (where, what) == (domain.key, slot.key)
        ]
        return max([*found, self._near.get((domain.key, slot.target), 0.0)])


@dataclass(frozen=True, slots=True)
class TextTurnContext:
    """A dialogue up to the user's turn, without the forms in it."""

    discourse: Discourse
    """Everything before the last turn."""
    heard: UserActs
    """The likeliest acts of the last turn."""
    uncertain: UncertainActs
    """All acts the last turn may mean."""
    answers: tuple[str, ...]
    """The system's texts so far."""

    @classmethod
    def of(
        cls, schema: Schema, yes: str, history: tuple[Turn, ...], probabilities: ActProbabilities
    ) -> "TextTurnContext":
        words = tuple(Turn(turn.speaker, turn.text, turn.acts) for turn in history)
        return cls(
            Discourse.of(schema, yes, words),
            UserActs(words[-1], schema, yes),
            UncertainActs(probabilities, words[-1], schema, yes),
            tuple(turn.text for turn in words if turn.speaker is Speaker.SYSTEM),
        )


@dataclass(frozen=True, slots=True)
class TextTrackerKnowledge(TreeTrackerKnowledge):
    """What is learned besides the trees, with what only this tracker uses."""

    answer_words: tuple[str, ...] = ()
    """Words whose presence in the last answer is a feature."""
    relaxations: Rewordings = field(default_factory=dict)
    """(domain, slot, value in the form) -> what wizards change it to when nothing is found."""
    style: TypingStyle = field(default_factory=TypingStyle)

    def to_json(self) -> dict[str, Any]:
        return {
            "words": list(self.words),
            "answer words": list(self.answer_words),
            "rewordings": rewordings_to_json(self.rewordings),
            "relaxations": rewordings_to_json(self.relaxations),
            "style": self.style.to_json(),
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "TextTrackerKnowledge":
        return cls(
            tuple(content["words"]),
            rewordings_from_json(content["rewordings"]),
            tuple(content["answer words"]),
            rewordings_from_json(content["relaxations"]),
            TypingStyle.from_json(content["style"]),
        )


LIKELY_ENOUGH = 0.1
"""Values above this likelihood may have been in the form before."""


class TextCandidateMaker:
    """Lists candidates: the edits of this turn, relaxed values, widened numbers, ends of rides."""

    def __init__(
        self, database: Database, context: TextTurnContext, knowledge: TextTrackerKnowledge
    ) -> None:
        discourse, separator = context.discourse, database.world.language.term_separator
        words = separator, knowledge.rewordings
        self._database = database
        self._edits = FormCandidateMaker(discourse, context.heard, *words)
        self._unlikely = FormCandidateMaker(discourse, context.uncertain.heard, *words)
        self._discourse = discourse
        self._current = {discourse.domain, discourse.focus(context.heard)}
        self._relaxations = knowledge.relaxations

    def candidates(
        self, form: SystemState, domain: Domain, slot: Slot, known: SeenValues
    ) -> Candidates:
        """`known`: values that came up for the slot before."""
        found = self._edits.candidates(form, domain, slot)
        for source, value in self._more(form, domain, slot, known):
            if value:
                found.setdefault(value, set()).add(source)
        for value in self._unlikely.candidates(form, domain, slot):
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
        if slot.kind in ROUNDING_STEPS:
            yield from self._widened(domain, slot, {before, *_possible(known)})

    def _widened(
        self, domain: Domain, slot: Slot, texts: Iterable[str]
    ) -> Iterator[tuple[CandidateSource, SlotValue]]:
        """Bounds that may be in the form, widened so that the places offered last meet them."""
        for name in self._discourse.offered.get(domain.key, [])[:2]:
            number = (self._database.find(domain.key, name) or {}).get(slot.key)
            if isinstance(number, int | float):
                for text in filter(None, texts):
                    yield from widened(self._database.world.language, domain, slot, text, number)


def _possible(known: SeenValues) -> Iterator[str]:
    return (str(value) for value, each in known.items() if each.likelihood > LIKELY_ENOUGH)


SOURCES = tuple(CandidateSource)


class TextFeatureMaker(DatabaseFeatureMaker):
    """Describes candidates with what this tracker knows beyond the features of all trackers."""

    def __init__(
        self,
        database: Database,
        context: TextTurnContext,
        form: SystemState,
        knowledge: TextTrackerKnowledge,
    ) -> None:
        discourse = context.discourse
        super().__init__(database, discourse, context.heard, {}, form, knowledge.words)
        self._uncertain = context.uncertain
        self._language = database.world.language
        answer = context.answers[-1] if context.answers else ""
        self._whole: Features = {
            "style": knowledge.style.likelihood(context.answers),
            "names in form": self._names_in_form(),
            "answer length": len(answer),
            **{f"answer: {word}": word in answer for word in knowledge.answer_words},
        }

    def describe_seen(
        self, domain: Domain, slot: Slot, candidates: Candidates, seen: SeenValues
    ) -> list[Features]:
        """One row per candidate; `seen` has each of them."""
        rows = self.describe(domain, slot, candidates)
        shared = self._of_slot(domain, slot, seen)
        return [
            {**row, **shared, **self._of_candidate(domain, slot, value, seen[value], seen)}
            for row, value in zip(rows, candidates, strict=True)
        ]

    def _of_slot(self, domain: Domain, slot: Slot, seen: SeenValues) -> Features:
        discourse, key = self._discourse, domain.key
        tab = self._form.get(key)
        newest = max(each.last for each in seen.values())
        return {
            **self._whole,
            "heard for it": self._uncertain.surest(domain, slot),
            "told": any(
                act.domain == key and act.slot == slot.key for act in discourse.system_acts
            ),
            "asked since search": len(discourse.asked_since_search.get(key, ())),
            "age of news": discourse.exchange - newest,
            "likelihood of empty": seen[""].likelihood if "" in seen else 0.0,
            "results before": self._results(domain, tab.constraints),
            "last unmet": self._unmet_in_all(domain, tab.constraints),
        }

    def _of_candidate(
        self,
        domain: Domain,
        slot: Slot,
        value: SlotValue,
        entry: SeenValue,
        seen: SeenValues,
    ) -> Features:
        exchange = self._discourse.exchange
        likelier = sum(each.likelihood > entry.likelihood for each in seen.values())
        return {
            "likelihood before": entry.likelihood,
            "heard": self._uncertain.likelihood(domain, slot, self._terms(slot, value)),
            "likelier before": likelier,
            "age": exchange - entry.last,
            "first age": exchange - entry.first,
            "times": entry.count,
            "newer": sum(each.last > entry.last for each in seen.values()),
            "came as": max((SOURCES.index(each) for each in entry.sources), default=-1),
            "came by set": CandidateSource.SET in entry.sources,
            "came by append": CandidateSource.APPEND in entry.sources,
            "met by last": self._met(domain, slot, value, self._discourse.last.get(domain.key, "")),
            "met by offered": self._met_by_offered(domain, slot, value),
            "results with it": self._results_with(domain, slot, value),
            "place in results": self._place(domain, slot, value),
        }

    def _terms(self, slot: Slot, value: SlotValue) -> tuple[str, ...]:
        if slot.kind.is_list:
            return terms(self._language, value)
        return several(value) if value else ()


SlotKey = tuple[str, str]
"""Domain and slot."""


@dataclass(frozen=True, slots=True)
class TextDialogueState(DialogueState):
    """A dialogue state with the values that each slot of the form might hold."""

    seen: Mapping[SlotKey, SeenValues] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class TurnCandidates:
    """The candidates of one turn."""

    slots: tuple[SlotCandidates, ...]
    """Slots with more than one candidate."""
    seen: Mapping[SlotKey, dict[SlotValue, SeenValue]]
    """Candidates of all slots, with when they came up."""
    context: TextTurnContext


class TurnCandidateMaker:
    """Lists and describes the candidates of every slot, from a state and the dialogue so far."""

    def __init__(self, database: Database, knowledge: TextTrackerKnowledge) -> None:
        self._schema = database.world.schema
        self._language = database.world.language
        self._database = database
        self._knowledge = knowledge
        self._fields = [(domain, slot) for domain in self._schema for slot in domain.form]

    def candidates(
        self, belief: DialogueState, history: tuple[Turn, ...], probabilities: ActProbabilities
    ) -> TurnCandidates:
        context = TextTurnContext.of(self._schema, self._language.yes, history, probabilities)
        candidates = TextCandidateMaker(self._database, context, self._knowledge)
        features = TextFeatureMaker(self._database, context, belief.form, self._knowledge)
        known = belief.seen if isinstance(belief, TextDialogueState) else {}
        slots, seen = [], {}
        for domain, slot in self._fields:
            before = known.get((domain.key, slot.key), {})
            found = candidates.candidates(belief.form, domain, slot, before)
            now = add_candidates(before, found, context.discourse.exchange)
            seen[domain.key, slot.key] = now
            if len(now) > 1:
                full = {value: found.get(value, set()) for value in now}
                rows = features.describe_seen(domain, slot, full, now)
                slots.append(SlotCandidates(domain, slot, tuple(full), tuple(rows)))
        return TurnCandidates(tuple(slots), seen, context)


def next_state(
    turn: TurnCandidates, before: DialogueState, scores: list[float]
) -> TextDialogueState:
    """The state with the best value of each slot; likelihoods are kept for the next turn."""
    discourse, heard = turn.context.discourse, turn.context.heard
    seen: dict[SlotKey, SeenValues] = dict(turn.seen)
    for each, own in scores_by_slot(turn.slots, scores):
        likelihoods = dict(zip(each.values, own, strict=True))
        seen[each.key] = with_likelihoods(turn.seen[each.key], likelihoods)
    form = with_best_values(before.form, turn.slots, scores)
    requests = open_requests(before.requests, discourse.system_acts, heard.acts)
    return TextDialogueState(form, discourse.focus(heard), requests, discourse, seen)


class TextTracker:
    """A tracker over trained trees; it reads texts and acts and ignores forms in the history."""

    def __init__(self, database: Database, trees: Trees, knowledge: TextTrackerKnowledge) -> None:
        self._candidates = TurnCandidateMaker(database, knowledge)
        self._trees = trees
        self._knowledge = knowledge

    def update(
        self,
        belief: DialogueState,
        history: tuple[Turn, ...],
        probabilities: ActProbabilities | None = None,
    ) -> TextDialogueState:
        """`probabilities`: of all acts the last turn may mean; without, its acts are certain."""
        if probabilities is None:
            probabilities = dict.fromkeys(history[-1].acts, 1.0)
        turn = self._candidates.candidates(belief, history, probabilities)
        scores = self._trees.likelihoods(all_rows(turn.slots))
        return next_state(turn, belief, scores)

    @classmethod
    def load(cls, folder: Path, database: Database) -> "TextTracker":
        trees, knowledge = boosted.load(folder)
        return cls(database, trees, TextTrackerKnowledge.from_json(knowledge))

    def save(self, folder: Path) -> None:
        boosted.save(self._trees, self._knowledge.to_json(), folder)
