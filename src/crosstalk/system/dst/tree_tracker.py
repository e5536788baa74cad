"""The tree tracker: boosted trees choose one of a few candidate values for every slot of the form.

It reads the whole dialogue so far: texts, acts of both sides, forms and selections of earlier
turns, and the world's tables. `candidate_scoring` has what it shares with the other tree trackers.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from crosstalk.dialogue.acts import INFORM
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn, exchanges
from crosstalk.dialogue.schema import Schema, SlotKind
from crosstalk.dialogue.states import SystemState
from crosstalk.language.tokenize import words
from crosstalk.system import boosted
from crosstalk.system.boosted import LabelledRows, Trees, grow
from crosstalk.system.dst.candidate_scoring import SlotCandidates, all_rows, with_best_values
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
    """What is learned besides the trees; kept in `knowledge.json`."""

    words: tuple[str, ...] = ()
    """Words whose presence in the utterance is a feature."""
    rewordings: Rewordings = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"words": list(self.words), "rewordings": rewordings_to_json(self.rewordings)}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "TreeTrackerKnowledge":
        return cls(tuple(content["words"]), rewordings_from_json(content["rewordings"]))


def rewordings_to_json(rewordings: Rewordings) -> list[list[Any]]:
    return [[*said, list(typed)] for said, typed in rewordings.items()]


def rewordings_from_json(content: Iterable[Sequence[Any]]) -> Rewordings:
    return {(domain, slot, said): tuple(typed) for domain, slot, said, typed in content}


def turn_candidates(
    database: Database,
    knowledge: TreeTrackerKnowledge,
    form: SystemState,
    history: tuple[Turn, ...],
) -> list[SlotCandidates]:
    """The slots that have more than one candidate after the last turn of `history`."""
    schema, language = database.world.schema, database.world.language
    discourse = Discourse.of(schema, language.yes, history)
    heard = UserActs(history[-1], schema, language.yes)
    maker = TreeCandidateMaker(discourse, heard, language.term_separator, knowledge.rewordings)
    counts = wizard_counts(schema, language.yes, history)
    named = typed_name_features(database, history)
    features = TreeFeatureMaker(database, discourse, heard, counts, form, knowledge.words, named)
    slots = []
    for domain in schema:
        for slot in domain.form:
            found = maker.candidates(form, domain, slot)
            if len(found) > 1:
                rows = tuple(features.describe(domain, slot, found))
                slots.append(SlotCandidates(domain, slot, tuple(found), rows))
    return slots


class TreeTracker:
    """A tracker over trained trees; leaves domain and requests of the state as they are."""

    def __init__(self, database: Database, trees: Trees, knowledge: TreeTrackerKnowledge) -> None:
        self._database = database
        self._trees = trees
        self._knowledge = knowledge

    @classmethod
    def load(cls, folder: Path, database: Database) -> "TreeTracker":
        trees, knowledge = boosted.load(folder)
        return cls(database, trees, TreeTrackerKnowledge.from_json(knowledge))

    def save(self, folder: Path) -> None:
        boosted.save(self._trees, self._knowledge.to_json(), folder)

    def update(self, belief: DialogueState, history: tuple[Turn, ...]) -> DialogueState:
        slots = turn_candidates(self._database, self._knowledge, belief.form, history)
        scores = self._trees.likelihoods(all_rows(slots))
        form = with_best_values(belief.form, slots, scores)
        return DialogueState(form, belief.domain, belief.requests)


# Training


@dataclass(frozen=True, slots=True)
class TreeTrackerConfig:
    """Training of the trees."""

    rounds: int = 300
    patience: int = 0
    """Rounds without a lower loss on one dialogue in ten that end training; 0: all rounds."""
    seed: int = 1


def train_tree_tracker(
    dialogues: Sequence[Dialogue],
    database: Database,
    config: TreeTrackerConfig | None = None,
    *,
    told: StepCallback = nobody,
    stages: Stages | None = None,
) -> TreeTracker:
    """Train on dialogues with acts and forms: which candidate did the wizard type?"""
    config = config or TreeTrackerConfig()
    schema, language = database.world.schema, database.world.language
    said = (turn.text for dialogue in dialogues for turn in dialogue.user_turns)
    knowledge = TreeTrackerKnowledge(
        common_words(said, language.code), learn_rewordings(dialogues, schema)
    )
    data = LabelledRows()
    for number, dialogue in enumerate(dialogues):
        for form, history, typed in samples(dialogue, schema):
            for each in turn_candidates(database, knowledge, form, history):
                data.add(number, each.rows, each.labels(typed))
    rounds = Rounds(config.rounds, config.patience, told, "edits", stages)
    trees = grow(data.rows, data.labels, seed=config.seed, owners=data.owners, rounds=rounds)
    return TreeTracker(database, trees, knowledge)


def samples(
    dialogue: Dialogue, schema: Schema
) -> Iterator[tuple[SystemState, tuple[Turn, ...], SystemState]]:
    """(form before, history up to the user's turn, form the wizard typed first), turn by turn."""
    form = empty_form(schema)
    for position, (before, turn) in enumerate(pairwise(dialogue.turns), start=1):
        answers = before.speaker is Speaker.USER and turn.speaker is Speaker.SYSTEM
        if answers and turn.first_query and turn.last_query:
            yield form, dialogue.turns[:position], turn.first_query
            form = turn.last_query


def common_words(texts: Iterable[str], language: str, *, most: int = 60) -> tuple[str, ...]:
    """The most frequent words, without those in more than six of ten texts."""
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
    """What wizards type instead of what users say, where that was seen `least` times."""
    typed: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for dialogue in dialogues:
        for user, system in exchanges(dialogue.turns):
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
