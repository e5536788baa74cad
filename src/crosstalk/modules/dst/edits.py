"""Our tracker: for every field, the likeliest of a handful of edits, judged by boosted trees.

Reads the whole dialogue so far: texts, acts of both sides, forms and selections of earlier turns.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import lightgbm
import numpy as np

from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Domain, Schema, Slot
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.modules.dst.candidates import CandidateMaker, Rewordings
from crosstalk.modules.dst.features import FeatureMaker, Features
from crosstalk.modules.dst.habits import habits_of
from crosstalk.modules.dst.memory import Heard, Memory
from crosstalk.modules.dst.tracker import Belief


@dataclass(frozen=True, slots=True)
class EditKnowledge:
    """What is learned besides the trees."""

    features: tuple[str, ...] = ()
    """The columns of the trees, in order."""
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


def matrix(
    rows: Sequence[Features], columns: Sequence[str]
) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    return np.array([[row[name] for name in columns] for row in rows], dtype=np.float32)


class EditTracker:
    """The tracker over a trained model folder (`model.txt`, `knowledge.json`)."""

    def __init__(
        self,
        schema: Schema,
        language: LanguagePack,
        trees: lightgbm.Booster,
        knowledge: EditKnowledge,
    ) -> None:
        self._schema = schema
        self._language = language
        self._trees = trees
        self._knowledge = knowledge

    @classmethod
    def load(cls, folder: Path, schema: Schema, language: LanguagePack) -> "EditTracker":
        trees = lightgbm.Booster(model_str=(folder / "model.txt").read_text(encoding="utf-8"))
        told = json.loads((folder / "knowledge.json").read_text(encoding="utf-8"))
        rewordings = {(d, s, said): tuple(typed) for d, s, said, typed in told["rewordings"]}
        knowledge = EditKnowledge(tuple(told["features"]), tuple(told["words"]), rewordings)
        return cls(schema, language, trees, knowledge)

    def update(self, belief: Belief, history: tuple[Turn, ...]) -> Belief:
        form = belief.form
        fields = fields_of(self._schema, self._language, self._knowledge, form, history)
        if not fields:
            return belief
        rows = [row for each in fields for row in each.rows]
        scores = np.asarray(
            self._trees.predict(matrix(rows, self._knowledge.features), num_threads=1)
        )
        start = 0
        for each in fields:
            best = int(np.argmax(scores[start : start + len(each.values)]))
            start += len(each.values)
            tab = form.get(each.domain.key).with_slot(each.slot.key, each.values[best])
            form = form.with_domain(tab)
        return Belief(form, belief.domain, belief.requests)
