"""The learned policy: of all acts the database supports, those that wizards would say.

Reads the form being answered, the acts of the whole dialogue so far and earlier selections.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from crosstalk.database.queries import Database
from crosstalk.dialogue.acts import INFORM, RECOMMEND, Act
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.modules.dst.tracker import Belief
from crosstalk.modules.policy.candidates import Candidate, CandidateActs
from crosstalk.modules.policy.policy import Decision

THRESHOLD = 0.35
"""Acts likelier than this are said; best exact F1 in cross-validation on CrossWOZ val."""


class LearnedPolicy:
    """The policy over a trained model folder (`model.txt`, `knowledge.json`)."""

    def __init__(self, database: Database, trees: lightgbm.Booster, columns: Sequence[str]) -> None:
        self._database = database
        self._trees = trees
        self._columns = columns

    @classmethod
    def load(cls, folder: Path, database: Database) -> "LearnedPolicy":
        trees = lightgbm.Booster(model_str=(folder / "model.txt").read_text(encoding="utf-8"))
        told = json.loads((folder / "knowledge.json").read_text(encoding="utf-8"))
        return cls(database, trees, tuple(told["features"]))

    def decide(self, belief: Belief, history: tuple[Turn, ...]) -> Decision:
        candidates = list(CandidateActs(self._database, belief, history))
        scores = np.asarray(self._trees.predict(matrix(candidates, self._columns), num_threads=1))
        likely = {
            each.act for each, score in zip(candidates, scores, strict=True) if score > THRESHOLD
        }
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


def matrix(candidates: Sequence[Candidate], columns: Sequence[str]) -> "np.ndarray[Any, Any]":
    rows = [[each.features[name] for name in columns] for each in candidates]
    return np.array(rows, dtype=np.float32)
