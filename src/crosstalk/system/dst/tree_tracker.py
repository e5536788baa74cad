"""Our tracker: for every field, the likeliest of a handful of edits, judged by boosted trees.

Reads the whole dialogue so far: texts, acts of both sides, forms and selections of earlier turns,
and the world's tables.
"""

from dataclasses import dataclass, field
from pathlib import Path

from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.schema import Domain, Slot
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.system import boosted
from crosstalk.system.boosted import Features, Trees
from crosstalk.system.dst.candidates import Rewordings
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.edit_candidates import EditCandidateMaker
from crosstalk.system.dst.edit_features import EditFeatureMaker
from crosstalk.system.dst.habits import habits_of
from crosstalk.system.dst.naming_history import naming_features
from crosstalk.system.dst.tracker import DialogueState
from crosstalk.worlds.queries import Database


@dataclass(frozen=True, slots=True)
class EditKnowledge:
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
    knowledge: EditKnowledge,
    form: SystemState,
    history: tuple[Turn, ...],
) -> list[Field]:
    """The fields that have more than one candidate after the last turn of `history`."""
    schema, language = database.world.schema, database.world.language
    discourse = Discourse.of(schema, language.yes, history)
    heard = UserActs(history[-1], schema, language.yes)
    maker = EditCandidateMaker(discourse, heard, language.term_separator, knowledge.rewordings)
    habits = habits_of(schema, language.yes, history)
    named = naming_features(database, history)
    features = EditFeatureMaker(database, discourse, heard, habits, form, knowledge.words, named)
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

    def __init__(self, database: Database, trees: Trees, knowledge: EditKnowledge) -> None:
        self._database = database
        self._trees = trees
        self._knowledge = knowledge

    @classmethod
    def load(cls, folder: Path, database: Database) -> "TreeTracker":
        trees, told = boosted.load(folder)
        rewordings = {(d, s, said): tuple(typed) for d, s, said, typed in told["rewordings"]}
        return cls(database, trees, EditKnowledge(tuple(told["words"]), rewordings))

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
