"""Training the learned policy from annotated dialogues: which candidate acts did wizards say?"""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import lightgbm

from crosstalk.database.queries import Database
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.files import writing
from crosstalk.modules.dst.tracker import Belief, current_domain
from crosstalk.modules.policy.candidates import Candidate, CandidateActs
from crosstalk.modules.policy.learned import LearnedPolicy, matrix

ROUNDS = 300
SETTINGS: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 31,
    "min_data_in_leaf": 20,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "verbose": -1,
    "num_threads": 2,
    "deterministic": True,
    "force_row_wise": True,
}


def train_learned(dialogues: Iterable[Dialogue], database: Database, *, seed: int) -> LearnedPolicy:
    """A policy trained on these dialogues."""
    trees, columns = _train(dialogues, database, seed)
    return LearnedPolicy(database, trees, columns)


def save_learned(
    dialogues: Iterable[Dialogue], database: Database, folder: Path, *, seed: int
) -> None:
    """Train and write the model folder."""
    trees, columns = _train(dialogues, database, seed)
    with writing(folder / "model.txt") as text:
        text.write(trees.model_to_string())
    with writing(folder / "knowledge.json") as text:
        json.dump({"features": columns}, text, indent=1)


def _train(
    dialogues: Iterable[Dialogue], database: Database, seed: int
) -> tuple[lightgbm.Booster, Sequence[str]]:
    candidates: list[Candidate] = []
    labels: list[bool] = []
    for belief, history, answer in answered_turns(dialogues):
        found = list(CandidateActs(database, belief, history))
        said = set(answer.acts)
        candidates.extend(found)
        labels.extend(each.act in said for each in found)
    columns = tuple(candidates[0].features)
    data = lightgbm.Dataset(matrix(candidates, columns), labels)
    return lightgbm.train({**SETTINGS, "seed": seed}, data, ROUNDS), columns


def answered_turns(
    dialogues: Iterable[Dialogue],
) -> Iterator[tuple[Belief, tuple[Turn, ...], Turn]]:
    """(belief, history, the wizard's turn): the form is the wizard's last one, nothing ticked."""
    for dialogue in dialogues:
        for position, turn in enumerate(dialogue.turns):
            if turn.speaker is not Speaker.SYSTEM or turn.last_query is None:
                continue
            history = dialogue.turns[:position]
            before = history[-2].acts if len(history) > 1 else ()
            domain = current_domain(history[-1].acts, before)
            yield Belief(unticked(turn.last_query), domain), history, turn


def unticked(form: SystemState) -> SystemState:
    return SystemState(tuple(DomainState(tab.domain, tab.slots) for tab in form))
