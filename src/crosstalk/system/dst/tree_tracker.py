"""Our tracker: for every field, the likeliest of a handful of edits, judged by boosted trees.

Reads the whole dialogue so far: texts, acts of both sides, forms and selections of earlier turns,
and the world's tables.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crosstalk.dialogue.acts import INFORM
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.schema import Domain, Schema, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.language.tokenize import words
from crosstalk.system import boosted
from crosstalk.system.boosted import Features, Trees, grow
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.slot_candidates import Rewordings, TreeCandidateMaker
from crosstalk.system.dst.slot_features import TreeFeatureMaker
from crosstalk.system.dst.tracker import DialogueState, empty_form
from crosstalk.system.dst.wizard_behaviour import typed_name_features, wizard_counts
from crosstalk.training.boosting import Rounds
from crosstalk.training.stages import Stages
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.worlds.queries import Database


@dataclass(frozen=True, slots=True)
class TreeTrackerKnowledge:
    """What is learned besides the trees."""

    words: tuple[str, ...] = ()
    """Words whose presence in the utterance is a feature."""
    rewordings: Rewordings = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the form with what it may become."""

    domain: Domain
    slot: Slot
    values: tuple[SlotValue, ...]
    rows: tuple[Features, ...]


def fields_of(
    database: Database,
    knowledge: TreeTrackerKnowledge,
    form: SystemState,
    history: tuple[Turn, ...],
) -> list[Field]:
    """The fields that have more than one candidate after the last turn of `history`."""
    schema, language = database.world.schema, database.world.language
    discourse = Discourse.of(schema, language.yes, history)
    heard = UserActs(history[-1], schema, language.yes)
    maker = TreeCandidateMaker(discourse, heard, language.term_separator, knowledge.rewordings)
    habits = wizard_counts(schema, language.yes, history)
    named = typed_name_features(database, history)
    features = TreeFeatureMaker(database, discourse, heard, habits, form, knowledge.words, named)
    fields = []
    for domain in schema:
        for slot in domain.form:
            found = maker.candidates(form, domain, slot)
            if len(found) > 1:
                rows = tuple(features.describe(domain, slot, found))
                fields.append(Field(domain, slot, tuple(found), rows))
    return fields


class TreeTracker:
    """The tracker over trained trees."""

    def __init__(self, database: Database, trees: Trees, knowledge: TreeTrackerKnowledge) -> None:
        self._database = database
        self._trees = trees
        self._knowledge = knowledge

    @classmethod
    def load(cls, folder: Path, database: Database) -> "TreeTracker":
        trees, told = boosted.load(folder)
        rewordings = {(d, s, said): tuple(typed) for d, s, said, typed in told["rewordings"]}
        return cls(database, trees, TreeTrackerKnowledge(tuple(told["words"]), rewordings))

    def save(self, folder: Path) -> None:
        rewordings = [[*said, list(typed)] for said, typed in self._knowledge.rewordings.items()]
        told = {"words": self._knowledge.words, "rewordings": rewordings}
        boosted.save(self._trees, told, folder)

    def update(self, belief: DialogueState, history: tuple[Turn, ...]) -> DialogueState:
        form = belief.form
        fields = fields_of(self._database, self._knowledge, form, history)
        scores = self._trees.likelihoods([row for each in fields for row in each.rows])
        start = 0
        for each in fields:
            mine = scores[start : start + len(each.values)]
            start += len(each.values)
            best = each.values[mine.index(max(mine))]
            form = form.with_domain(form.get(each.domain.key).with_slot(each.slot.key, best))
        return DialogueState(form, belief.domain, belief.requests)


@dataclass(frozen=True, slots=True)
class TreeTrackerConfig:
    """How the trees of the edit tracker grow."""

    rounds: int = 300
    patience: int = 0
    """So many rounds without a lower loss on one dialogue in ten; 0: all rounds."""
    seed: int = 1


def train_tree_tracker(
    dialogues: Sequence[Dialogue],
    database: Database,
    config: TreeTrackerConfig | None = None,
    *,
    told: StepCallback = nobody,
    stages: Stages | None = None,
) -> TreeTracker:
    """A tracker trained on these dialogues."""
    config = config or TreeTrackerConfig()
    schema, language = database.world.schema, database.world.language
    said = (turn.text for dialogue in dialogues for turn in dialogue.user_turns)
    learned = TreeTrackerKnowledge(
        common_words(said, language.code), learn_rewordings(dialogues, schema)
    )
    rows: list[Features] = []
    labels: list[bool] = []
    owners: list[int] = []
    for number, dialogue in enumerate(dialogues):
        for form, history, typed in samples(dialogue, schema):
            for each in fields_of(database, learned, form, history):
                gold = typed.get(each.domain.key).get(each.slot.key)
                rows.extend(each.rows)
                labels.extend(value == gold for value in each.values)
                owners.extend([number] * len(each.rows))
    rounds = Rounds(config.rounds, config.patience, told, "edits", stages)
    trees = grow(rows, labels, seed=config.seed, owners=owners, rounds=rounds)
    return TreeTracker(database, trees, learned)


def samples(
    dialogue: Dialogue, schema: Schema
) -> Iterator[tuple[SystemState, tuple[Turn, ...], SystemState]]:
    """(form before, history up to the user's turn, form the wizard typed first), turn by turn."""
    form = empty_form(schema)
    for position, turn in enumerate(dialogue.turns):
        if turn.speaker is Speaker.SYSTEM and turn.first_query and turn.last_query:
            yield form, dialogue.turns[:position], turn.first_query
            form = turn.last_query


def common_words(texts: Iterable[str], language: str, *, most: int = 60) -> tuple[str, ...]:
    """The words that stand in many of the texts, but not in most."""
    seen: Counter[str] = Counter()
    count = 0
    for text in texts:
        count += 1
        seen.update({word for word in words(text, language) if word.isalpha()})
    usual = [(word, times) for word, times in seen.items() if times < count * 0.6]
    return tuple(word for word, _ in sorted(usual, key=lambda pair: (-pair[1], pair[0]))[:most])


def learn_rewordings(
    dialogues: Iterable[Dialogue], schema: Schema, *, least: int = 2
) -> Rewordings:
    """What wizards type, at least twice, when users say something else."""
    typed: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for dialogue in dialogues:
        for user, system in zip(dialogue.turns[0::2], dialogue.turns[1::2], strict=False):
            for act in user.acts:
                domain = schema.domain(act.domain)
                slot = domain.slot(act.slot) if domain else None
                if (
                    act.intent != INFORM
                    or slot is None
                    or slot.kind in (SlotKind.NAME, SlotKind.LIST)
                ):
                    continue
                value = (
                    system.first_query.get(act.domain).get(slot.key) if system.first_query else ""
                )
                if isinstance(value, str) and value and value != act.value and slot.key == act.slot:
                    typed[act.domain, act.slot, act.value][value] += 1
    kept = {said: tuple(v for v, n in found.items() if n >= least) for said, found in typed.items()}
    return {said: values for said, values in kept.items() if values}
