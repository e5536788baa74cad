"""Our tracker: for every field, the likeliest of a handful of edits, judged by boosted trees.

Reads the whole dialogue so far: texts, acts of both sides, forms and selections of earlier turns.
"""

from dataclasses import dataclass, field
from pathlib import Path

from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Domain, Schema, Slot
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.system import boosted
from crosstalk.system.boosted import Features, Trees
from crosstalk.system.dst.candidates import CandidateMaker, Rewordings
from crosstalk.system.dst.features import FeatureMaker
from crosstalk.system.dst.habits import habits_of
from crosstalk.system.dst.memory import Heard, Memory
from crosstalk.system.dst.tracker import Belief


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
    schema: Schema,
    language: LanguagePack,
    knowledge: EditKnowledge,
    form: SystemState,
    history: tuple[Turn, ...],
) -> list[Field]:
    """The fields that have more than one candidate after the last turn of `history`."""
    memory = Memory.of(schema, language.yes, history)
    heard = Heard(history[-1], schema, language.yes)
    maker = CandidateMaker(memory, heard, language.term_separator, knowledge.rewordings)
    habits = habits_of(schema, language.yes, history)
    features = FeatureMaker(schema, memory, heard, habits, form, knowledge.words)
    fields = []
    for domain in schema:
        for slot in domain.form:
            found = maker.candidates(form, domain, slot)
            if len(found) > 1:
                rows = tuple(features.describe(domain, slot, found))
                fields.append(Field(domain, slot, tuple(found), rows))
    return fields


class EditTracker:
    """The tracker over trained trees."""

    def __init__(
        self, schema: Schema, language: LanguagePack, trees: Trees, knowledge: EditKnowledge
    ) -> None:
        self._schema = schema
        self._language = language
        self._trees = trees
        self._knowledge = knowledge

    @classmethod
    def load(cls, folder: Path, schema: Schema, language: LanguagePack) -> "EditTracker":
        trees, told = boosted.load(folder)
        rewordings = {(d, s, said): tuple(typed) for d, s, said, typed in told["rewordings"]}
        return cls(schema, language, trees, EditKnowledge(tuple(told["words"]), rewordings))

    def save(self, folder: Path) -> None:
        rewordings = [[*said, list(typed)] for said, typed in self._knowledge.rewordings.items()]
        told = {"words": self._knowledge.words, "rewordings": rewordings}
        boosted.save(self._trees, told, folder)

    def update(self, belief: Belief, history: tuple[Turn, ...]) -> Belief:
        form = belief.form
        fields = fields_of(self._schema, self._language, self._knowledge, form, history)
        scores = self._trees.likelihoods([row for each in fields for row in each.rows])
        start = 0
        for each in fields:
            mine = scores[start : start + len(each.values)]
            start += len(each.values)
            best = each.values[mine.index(max(mine))]
            form = form.with_domain(form.get(each.domain.key).with_slot(each.slot.key, best))
        return Belief(form, belief.domain, belief.requests)
