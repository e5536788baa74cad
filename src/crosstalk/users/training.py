"""Training a user from dialogues between people: minutes, and the same model every time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Reference, Tuples
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.errors import InputError
from crosstalk.training.boosting import Rounds, boost
from crosstalk.training.stages import Stages
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.users.act_choice import newly_said, sayings, wording_rows
from crosstalk.users.list_order import ListOrder, learn_order
from crosstalk.users.model import Forest, Tree, UserModel
from crosstalk.users.next_tuples import choice
from crosstalk.users.situation import Kinds, Situation, at_the_start, look_back
from crosstalk.users.speech import GoalSpeech
from crosstalk.users.values import candidates, value_rows

Examples = Iterator[tuple[list[float], bool]]
Turns = Sequence[tuple[Situation, Turn]]
"""What the user of one dialogue saw, and what that user said."""
ORDINARY_SPLIT = "<="


@dataclass(frozen=True, slots=True)
class Growth:
    """How the forests grow; chosen by cross-validation on the CrossWOZ validation split."""

    trees: int = 60
    patience: int = 0
    """So many trees without a lower loss on one dialogue in ten end it; 0: all are grown."""
    leaves: int = 15
    rate: float = 0.12
    smallest_leaf: int = 20
    seed: int = 1


def train_user(
    dialogues: Sequence[Dialogue],
    schema: Schema,
    language: LanguagePack,
    growth: Growth | None = None,
    *,
    told: StepCallback = nobody,
    stages: Stages | None = None,
) -> UserModel:
    """Learn from dialogues with goals and user states."""
    kinds, speech = Kinds(schema, language), GoalSpeech.of(schema, language)
    order = learn_order(_stored_lists(dialogues))
    talks = [[(_situation(kinds, *each), each[1]) for each in _samples(d)] for d in dialogues]
    if not any(talks):
        raise InputError(
            "none of the dialogues has a goal and user states to learn from",
            remedy="Train on a corpus with goals, such as CrossWOZ.",
        )
    forests = _Forests(growth or Growth(), talks, told, stages)
    return UserModel(
        values=forests.grow("values", lambda turns: _value_examples(turns, kinds, order)),
        telling=forests.grow("telling", lambda turns: _telling_examples(turns, kinds)),
        wording=forests.grow("wording", lambda turns: _wording_examples(turns, kinds, speech)),
        order=order,
    )


# Examples


def _samples(dialogue: Dialogue) -> Iterator[tuple[Dialogue, Turn, int]]:
    for position, turn in enumerate(dialogue.turns):
        if turn.speaker is Speaker.USER and turn.user_state and dialogue.goal:
            before = dialogue.turns[position - 2].user_state if position >= 2 else ()
            if before is not None and len(turn.user_state) == len(dialogue.goal.tuples):
                yield dialogue, turn, position


def _situation(kinds: Kinds, dialogue: Dialogue, turn: Turn, position: int) -> Situation:
    assert dialogue.goal is not None
    if position < 2:
        return at_the_start(kinds, dialogue.goal)
    before, heard = dialogue.turns[position - 2], dialogue.turns[position - 1]
    return look_back(
        kinds, dialogue.goal, before.user_state or dialogue.goal.tuples, before.acts, heard.acts
    )


def _stored_lists(dialogues: Sequence[Dialogue]) -> Iterator[tuple[str, ...]]:
    """Lists the user wrote down; those of the goal itself keep the goal's order."""
    for dialogue in dialogues:
        wanted = dialogue.goal.tuples if dialogue.goal else ()
        for turn in dialogue.user_turns:
            for wish, each in zip(wanted, turn.user_state or (), strict=False):
                if wish.is_open and isinstance(each.value, tuple):
                    yield each.value


def _value_examples(turns: Turns, kinds: Kinds, order: ListOrder) -> Examples:
    for now, turn in turns:
        if now.opening or turn.user_state is None:
            continue
        for at, true in enumerate(turn.user_state):
            found = candidates(now, at, kinds, order)
            if len(found) > 1:
                for each, row in zip(found, value_rows(now, at, found, kinds), strict=True):
                    yield row, each.value == true.value


def _telling_examples(turns: Turns, kinds: Kinds) -> Examples:
    for now, turn in turns:
        if turn.user_state is None:
            continue
        decisions = choice(now, _with_learned(now, turn.user_state), kinds)
        made: list[bool] = []
        for at in decisions.unsaid:
            yield decisions.row(made), turn.user_state[at].expressed
            made.append(turn.user_state[at].expressed)


def _with_learned(now: Situation, after: Tuples) -> Tuples:
    """The state with what the person wrote down, before anything was said."""
    return tuple(
        new.said() if old.value != new.value and not _is_ride_end(old.value) else old
        for old, new in zip(now.before, after, strict=True)
    )


def _is_ride_end(value: object) -> bool:
    return isinstance(value, Reference) and not value.nearby


def _wording_examples(turns: Turns, kinds: Kinds, speech: GoalSpeech) -> Examples:
    for now, turn in turns:
        if turn.user_state is None:
            continue
        new = newly_said(now, turn.user_state)
        found = sayings(now, turn.user_state, new, speech)
        rows = wording_rows(now, turn.user_state, new, found, kinds)
        for each, row in zip(found, rows, strict=True):
            yield row, each.act in turn.acts


# Forests


@dataclass(frozen=True, slots=True)
class _Forests:
    """Grown one after the other from the same turns, each dialogue's on their own."""

    growth: Growth
    talks: Sequence[Turns]
    told: StepCallback
    stages: Stages | None

    def grow(self, part: str, examples: Callable[[Turns], Examples]) -> Forest:
        rows: list[list[float]] = []
        answers: list[bool] = []
        owners: list[int] = []
        for number, turns in enumerate(self.talks):
            for row, answer in examples(turns):
                rows.append(row)
                answers.append(answer)
                owners.append(number)
        if not rows:
            return Forest((), 0)  # nothing was ever to be decided: even odds
        data = numpy.array(rows, dtype=numpy.float64)
        rounds = Rounds(self.growth.trees, self.growth.patience, self.told, part, self.stages)
        grown = boost(_settings(self.growth), data, answers, owners, rounds)
        trees = [_tree(each["tree_structure"]) for each in grown.dump_model()["tree_info"]]
        return Forest(tuple(trees), data.shape[1])


def _settings(growth: Growth) -> dict[str, Any]:
    return {
        "objective": "binary",
        "learning_rate": growth.rate,
        "num_leaves": growth.leaves,
        "min_data_in_leaf": growth.smallest_leaf,
        "feature_fraction": 0.6,
        "bagging_fraction": 0.8,
        "bagging_freq": 1,
        "seed": growth.seed,
        "use_missing": False,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "verbose": -1,
    }


def _tree(root: dict[str, Any]) -> Tree:
    """A tree as parallel lists, from the nested form; leaves are counted from -1 downwards."""
    features: list[int] = []
    thresholds: list[float] = []
    left: list[int] = []
    right: list[int] = []
    leaves: list[float] = []

    def place(node: dict[str, Any]) -> int:
        if "leaf_value" in node:
            leaves.append(node["leaf_value"])
            return -len(leaves)
        if node["decision_type"] != ORDINARY_SPLIT:
            raise ValueError(f"a split by {node['decision_type']!r}")
        at = len(features)
        features.append(node["split_feature"])
        thresholds.append(node["threshold"])
        left.append(0)
        right.append(0)
        left[at], right[at] = place(node["left_child"]), place(node["right_child"])
        return at

    place(root)
    return Tree(tuple(features), tuple(thresholds), tuple(left), tuple(right), tuple(leaves))
