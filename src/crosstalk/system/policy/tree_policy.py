"""The tree policy: boosted trees choose, of all acts the database supports, what wizards would say.

It reads the form being answered, the acts of the whole dialogue so far and earlier selections.
Candidate acts are described by kind and position, never by name, so that one model serves every
world; the names of the features and their order are part of trained models.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from crosstalk.dialogue.acts import GENERAL, INFORM, NO_OFFER, RECOMMEND, SELECT, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.schema import Domain, DomainKind, Slot, SlotKind
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.system import boosted
from crosstalk.system.boosted import Features, LabelledRows, Trees, grow
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.tracker import DialogueState, current_domain
from crosstalk.system.policy.policy import Decision
from crosstalk.training.boosting import Rounds
from crosstalk.training.stages import Stages
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.worlds.display import answer
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row

COURTESIES = ("greet", "thank", "welcome", "bye", "reqmore")
MOST_NAMES = 8
MOST_VALUES = 8
UNASKED = (SlotKind.NUMBER, SlotKind.RATING, SlotKind.CATEGORY, SlotKind.DURATION, SlotKind.LIST)
"""Kinds of slots told without being asked for, mostly where an offer differs from the wish."""


BLANK: Features = dict.fromkeys(
    (
        *("type", "domain", "rows", "source", "constraints", "form changed", "informed"),
        *("given up in all", "changed in all", "asked in domain", "asks name", "near", "is source"),
        *(
            "name said",
            "nothing offered before",
            "in focus",
            "rank",
            "told",
            "is last",
            "is entity",
        ),
        *(
            "length",
            "unknown",
            "name asked",
            "slot",
            "kind",
            "asked",
            "values",
            "wished",
            "given up",
        ),
        *("written", "nothing", "habit of lists", "met", "number", "value told", "value wished"),
    ),
    -1.0,
)
"""Features that not all candidates have, with the value for "does not apply"."""


@dataclass(frozen=True, slots=True)
class ActCandidate:
    """An act that could be said."""

    act: Act
    features: Features


@dataclass(frozen=True, slots=True)
class Topic:
    """The database's answer to one domain."""

    domain: Domain
    rows: tuple[Row, ...]
    """What matches the form."""
    entity: Row | None
    """What questions are about."""
    source: int
    """Where the entity comes from: 0 said now, 1 in the form, 2 spoken of, 3 best match, 4 none."""


class CandidateActs:
    """The candidate acts of one turn, with their features."""

    def __init__(
        self, database: Database, belief: DialogueState, history: tuple[Turn, ...]
    ) -> None:
        world = database.world
        self._database = database
        self._schema = world.schema
        self._language = world.language
        self._belief = belief
        self._discourse = belief.discourse or Discourse.of(
            world.schema, world.language.yes, history
        )
        self._heard = UserActs(history[-1], world.schema, world.language.yes)
        self._told = {act.value for act in self._discourse.told}
        self._numbers = {domain.key: number for number, domain in enumerate(world.schema)}
        self._turn = self._turn_features(history)

    def __iter__(self) -> Iterator[ActCandidate]:
        for number, courtesy in enumerate(COURTESIES):
            yield self._made(Act(GENERAL, courtesy), {"type": number})
        for domain in self._concerned():
            if domain.kind is DomainKind.PLACE:
                yield from self._place(self._topic(domain))
            else:
                yield from self._ride(domain)

    def _made(self, act: Act, features: Mapping[str, float]) -> ActCandidate:
        return ActCandidate(act, {**BLANK, **self._turn, **features})

    def _concerned(self) -> list[Domain]:
        keys = [act.domain for act in self._heard.acts if act.intent != GENERAL]
        found = (self._schema.domain(key) for key in dict.fromkeys([*keys, self._belief.domain]))
        return [domain for domain in found if domain is not None]

    def _topic(self, domain: Domain) -> Topic:
        key, name = domain.key, self._discourse.names[domain.key]
        constraints = self._belief.form.get(key).constraints
        rows = self._database.search(key, constraints) if constraints else ()
        searches = key in self._heard.near or any(s != name for s in self._heard.slots(key))
        said = self._heard.informed.get((key, name), [])
        choices = [
            (0, "" if key in self._heard.near else (said or [""])[-1]),
            (1, str(constraints.get(name, ""))),
            (2, "" if searches else self._discourse.last.get(key, "")),
        ]
        for source, wanted in choices:
            if entity := self._database.find(key, wanted):
                return Topic(domain, rows, entity, source)
        ranked = self._ranked(rows, name)
        return Topic(domain, rows, ranked[0] if ranked else None, 3 if ranked else 4)

    def _ranked(self, rows: tuple[Row, ...], name: str) -> list[Row]:
        """Places spoken of before the others, then in table order."""
        return sorted(rows, key=lambda row: row[name] not in self._told)

    def _place(self, topic: Topic) -> Iterator[ActCandidate]:
        shared = self._topic_features(topic)
        key = topic.domain.key
        yield self._made(Act(NO_OFFER, key), {**shared, "type": 5})
        yield from self._names(topic, shared)
        if topic.entity is None:
            return
        asked = self._heard.asked.get(key, set())
        told = [slot.key for slot in topic.domain.slots if slot.kind in UNASKED]
        for slot in dict.fromkeys([*sorted(asked), *told]):
            found = topic.domain.slot(slot)
            if found and found.kind is not SlotKind.NAME:
                yield from self._attribute(topic, found, slot, slot in asked, shared)

    def _names(self, topic: Topic, shared: Features) -> Iterator[ActCandidate]:
        name = self._discourse.names[topic.domain.key]
        ranked = self._ranked(topic.rows, name)[:MOST_NAMES]
        if topic.entity is not None and topic.entity not in ranked:
            ranked.append(topic.entity)
        for number, row in enumerate(ranked):
            text = str(row[name])
            features = {
                **shared,
                "rank": number,
                "told": text in self._told,
                "is last": text == self._discourse.last.get(topic.domain.key),
                "is entity": row is topic.entity,
                "length": len(text),
                "unknown": sum(cell is None for cell in row.values()),
                "name asked": name in self._heard.asked.get(topic.domain.key, ()),
            }
            yield self._made(Act(INFORM, topic.domain.key, name, text), {**features, "type": 6})
            yield self._made(Act(RECOMMEND, topic.domain.key, name, text), {**features, "type": 7})

    def _attribute(
        self, topic: Topic, slot: Slot, key: str, asked: bool, shared: Features
    ) -> Iterator[ActCandidate]:
        assert topic.entity is not None
        values = answer(self._language, topic.domain, topic.entity, key)
        if slot.kind is SlotKind.SERVICES and key == slot.key:
            return
        if slot.kind is SlotKind.LIST:
            values = tuple(value for value in values if value not in slot.tags) or values
        wished = self._heard.informed.get((topic.domain.key, slot.key), [])
        written = self._belief.form.get(topic.domain.key).get(slot.key)
        features = {
            **shared,
            "type": 8,
            "slot": topic.domain.slots.index(slot),
            "kind": list(SlotKind).index(slot.kind),
            "asked": asked,
            "values": len(values),
            "wished": len(wished),
            "given up": bool(wished) and not written,
            "written": bool(written),
            "nothing": values[0] == self._language.nothing,
            "habit of lists": self._list_habit(slot.kind),
            "met": not self._database.unmet(
                topic.domain.key, topic.entity, {slot.key: wished[0]} if wished else {}
            ),
        }
        for number, value in enumerate(values[:MOST_VALUES]):
            more = {
                "number": number,
                "value told": value in self._told,
                "value wished": value in wished,
            }
            yield self._made(Act(INFORM, topic.domain.key, key, value), {**features, **more})

    def _ride(self, domain: Domain) -> Iterator[ActCandidate]:
        rows = self._database.search(domain.key, self._belief.form.get(domain.key).constraints)
        for row in rows:
            for number, slot in enumerate(domain.slots):
                if slot.kind is SlotKind.ENDPOINT or slot.key not in row:
                    continue
                features = {
                    "type": 9,
                    "domain": self._numbers[domain.key],
                    "slot": number,
                    "asked": slot.key in self._heard.asked.get(domain.key, ()),
                    "nothing": row[slot.key] is None,
                }
                for value in answer(self._language, domain, row, slot.key):
                    yield self._made(Act(INFORM, domain.key, slot.key, value), features)

    def _turn_features(self, history: tuple[Turn, ...]) -> Features:
        intents = Counter(act.intent for act in self._heard.acts)
        general = {act.domain for act in self._heard.acts if act.intent == GENERAL}
        before = [act for turn in history[1::2] for act in turn.acts]
        courtesies = Counter(act.domain for act in before if act.intent == GENERAL)
        return {
            "exchange": self._discourse.exchange,
            "acts": len(self._heard.acts),
            "informs": intents[INFORM],
            "asks": sum(map(len, self._heard.asked.values())),
            "selects": intents[SELECT],
            "user thanks": "thank" in general,
            "user greets": "greet" in general,
            "user leaves": "bye" in general,
            "habit of courtesy": sum(courtesies.values()),
            "recommended before": sum(act.intent == RECOMMEND for act in before),
            **{f"said {word}": courtesies[word] for word in COURTESIES},
        }

    def _topic_features(self, topic: Topic) -> Features:
        key, name = topic.domain.key, self._discourse.names[topic.domain.key]
        form = self._belief.form.get(key)
        informed = [slot for slot in self._heard.slots(key) if slot != name]
        before = self._discourse.form.get(key).slots if self._discourse.form else ()
        return {
            "domain": self._numbers[key],
            "rows": min(len(topic.rows), 20),
            "source": topic.source,
            "constraints": len(form.constraints),
            "form changed": form.slots != before,
            "informed": len(informed),
            "given up in all": sum(not form.get(slot) for slot in informed),
            "changed in all": sum(
                form.get(slot) not in ("", self._heard.informed[key, slot][-1]) for slot in informed
            ),
            "asked in domain": len(self._heard.asked.get(key, ())),
            "asks name": name in self._heard.asked.get(key, ()),
            "near": key in self._heard.near,
            "is source": key in self._heard.near.values() and key not in self._heard.near,
            "name said": bool(self._heard.informed.get((key, name))),
            "nothing offered before": any(
                act.intent == NO_OFFER and act.domain == key for act in self._discourse.system_acts
            ),
            "in focus": key == self._belief.domain,
        }

    def _list_habit(self, kind: SlotKind) -> float:
        """How many values of a kind this wizard named at once so far, on average; -1 if unknown."""
        told: Counter[tuple[str, str]] = Counter()
        for act in self._discourse.told:
            domain = self._schema.domain(act.domain)
            slot = domain.slot(act.slot) if domain else None
            if slot and slot.kind is kind and act.intent == INFORM:
                told[act.domain, act.slot] += 1
        return sum(told.values()) / len(told) if told else -1


THRESHOLD = 0.35
"""Acts likelier than this are said; best exact F1 in cross-validation on CrossWOZ val."""


class TreePolicy:
    """The policy over trained trees."""

    def __init__(self, database: Database, trees: Trees, *, always_answers: bool = False) -> None:
        """`always_answers`: where no act is likely, the likeliest one is said.

        Of ten places that match, each is unlikely to be the one a wizard named, but in a
        conversation silence does not help. Compared with wizards, it stays silent.
        """
        self._database = database
        self._trees = trees
        self._always_answers = always_answers

    @classmethod
    def load(
        cls, folder: Path, database: Database, *, always_answers: bool = False
    ) -> "TreePolicy":
        return cls(database, boosted.load(folder)[0], always_answers=always_answers)

    def as_judged(self) -> "TreePolicy":
        """The same policy for comparison with wizards: silent where no act is likely."""
        return TreePolicy(self._database, self._trees)

    def save(self, folder: Path) -> None:
        boosted.save(self._trees, {}, folder)

    def decide(self, belief: DialogueState, history: tuple[Turn, ...]) -> Decision:
        candidates = list(CandidateActs(self._database, belief, history))
        scores = self._trees.likelihoods([each.features for each in candidates])
        scored = [(each.act, score) for each, score in zip(candidates, scores, strict=True)]
        likely = {act for act, score in scored if score > THRESHOLD}
        if self._always_answers and all(act.intent == GENERAL for act in likely):
            about = [pair for pair in scored if pair[0].intent != GENERAL] or scored
            likely |= {max(about, key=lambda pair: pair[1])[0]} if about else set()
        acts = tuple(sorted(likely))
        return Decision(acts, self._selecting(belief.form, acts))

    def _selecting(self, form: SystemState, acts: tuple[Act, ...]) -> SystemState:
        """The form with the entities named ticked in their tabs."""
        for domain in self._database.world.schema.places:
            slot = domain.name_slot
            names = tuple(
                act.value
                for act in acts
                if slot
                and act.intent in (INFORM, RECOMMEND)
                and (act.domain, act.slot) == (domain.key, slot.key)
            )
            tab = form.get(domain.key)
            form = form.with_domain(DomainState(tab.domain, tab.slots, names))
        return form


@dataclass(frozen=True, slots=True)
class TreePolicyConfig:
    """Training of the trees."""

    rounds: int = 300
    patience: int = 0
    """Rounds without a lower loss on one dialogue in ten that end training; 0: all rounds."""
    seed: int = 0


def train_tree_policy(
    dialogues: Iterable[Dialogue],
    database: Database,
    config: TreePolicyConfig,
    *,
    told: StepCallback = nobody,
    stages: Stages | None = None,
) -> TreePolicy:
    """Train on annotated dialogues: which candidate acts did the wizard say?"""
    data = LabelledRows()
    for number, dialogue in enumerate(dialogues):
        for belief, history, reply in answered_turns([dialogue]):
            found = list(CandidateActs(database, belief, history))
            labels = [each.act in reply.acts for each in found]
            data.add(number, [each.features for each in found], labels)
    rounds = Rounds(config.rounds, config.patience, told, "acts", stages)
    trees = grow(data.rows, data.labels, seed=config.seed, owners=data.owners, rounds=rounds)
    return TreePolicy(database, trees)


def answered_turns(
    dialogues: Iterable[Dialogue],
) -> Iterator[tuple[DialogueState, tuple[Turn, ...], Turn]]:
    """(state, history, the wizard's turn); the form is the wizard's last, with nothing selected."""
    for dialogue in dialogues:
        for position, turn in enumerate(dialogue.turns):
            if turn.speaker is not Speaker.SYSTEM or turn.last_query is None:
                continue
            history = dialogue.turns[:position]
            before = history[-2].acts if len(history) > 1 else ()
            domain = current_domain(history[-1].acts, before)
            yield DialogueState(unticked(turn.last_query), domain), history, turn


def unticked(form: SystemState) -> SystemState:
    return SystemState(tuple(DomainState(tab.domain, tab.slots) for tab in form))
