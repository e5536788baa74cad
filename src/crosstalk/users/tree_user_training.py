"""Training the learned user from dialogues between people: minutes; one seed gives one model."""

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
from crosstalk.users.act_choice import act_option_rows, act_options, newly_said, tuple_choices
from crosstalk.users.simulator import GoalActs
from crosstalk.users.user_context import SlotKinds, UserContext, context_of, opening_context
from crosstalk.users.user_model import Forest, ListOrder, Tree, UserModel, learn_order
from crosstalk.users.value_choice import value_candidates, value_rows

Examples = Iterator[tuple[list[float], bool]]
Turns = Sequence[tuple[UserContext, Turn]]
"""The context of every user turn of one dialogue, with the turn."""
ORDINARY_SPLIT = "<="


@dataclass(frozen=True, slots=True)
class UserTrainingConfig:
    """Training of the trees; chosen by cross-validation on the CrossWOZ validation split."""

    trees: int = 60
    patience: int = 0
    """Trees without a lower loss on one dialogue in ten that end training; 0: all are trained."""
    leaves: int = 15
    rate: float = 0.12
    smallest_leaf: int = 20
    seed: int = 1


def train_user(
    dialogues: Sequence[Dialogue],
    schema: Schema,
    language: LanguagePack,
    growth: UserTrainingConfig | None = None,
    *,
    told: StepCallback = nobody,
    stages: Stages | None = None,
) -> UserModel:
    """Train on dialogues with goals and user states."""
    kinds, goal_acts = SlotKinds(schema, language), GoalActs.of(schema, language)
    order = learn_order(_stored_lists(dialogues))
    talks = [[(_situation(kinds, *each), each[1]) for each in _samples(d)] for d in dialogues]
    if not any(talks):
        raise InputError(
            "none of the dialogues has a goal and user states to learn from",
            remedy="Train on a corpus with goals, such as CrossWOZ.",
        )
    forests = _Forests(growth or UserTrainingConfig(), talks, told, stages)
    return UserModel(
        values=forests.grow("values", lambda turns: _value_examples(turns, kinds, order)),
        telling=forests.grow("telling", lambda turns: _telling_examples(turns, kinds)),
        wording=forests.grow("wording", lambda turns: _wording_examples(turns, kinds, goal_acts)),
        order=order,
    )


# Examples


def _samples(dialogue: Dialogue) -> Iterator[tuple[Dialogue, Turn, int]]:
    for position, turn in enumerate(dialogue.turns):
        if turn.speaker is Speaker.USER and turn.user_state and dialogue.goal:
            before = dialogue.turns[position - 2].user_state if position >= 2 else ()
            if before is not None and len(turn.user_state) == len(dialogue.goal.tuples):
                yield dialogue, turn, position


def _situation(kinds: SlotKinds, dialogue: Dialogue, turn: Turn, position: int) -> UserContext:
    assert dialogue.goal is not None
    if position < 2:
        return opening_context(kinds, dialogue.goal)
    before, heard = dialogue.turns[position - 2], dialogue.turns[position - 1]
    return context_of(
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


def _value_examples(turns: Turns, kinds: SlotKinds, order: ListOrder) -> Examples:
    for now, turn in turns:
        if now.opening or turn.user_state is None:
            continue
        for at, true in enumerate(turn.user_state):
            found = value_candidates(now, at, kinds, order)
            if len(found) > 1:
                for each, row in zip(found, value_rows(now, at, found, kinds), strict=True):
                    yield row, each.value == true.value


def _telling_examples(turns: Turns, kinds: SlotKinds) -> Examples:
    for now, turn in turns:
        if turn.user_state is None:
            continue
        decisions = tuple_choices(now, _with_learned(now, turn.user_state), kinds)
        made: list[bool] = []
        for at in decisions.unsaid:
            yield decisions.row(made), turn.user_state[at].expressed
            made.append(turn.user_state[at].expressed)


def _with_learned(now: UserContext, after: Tuples) -> Tuples:
    """The state with the values that were written down, before anything was said."""
    return tuple(
        new.said() if old.value != new.value and not _is_ride_end(old.value) else old
        for old, new in zip(now.before, after, strict=True)
    )


def _is_ride_end(value: object) -> bool:
    return isinstance(value, Reference) and not value.nearby


def _wording_examples(turns: Turns, kinds: SlotKinds, goal_acts: GoalActs) -> Examples:
    for now, turn in turns:
        if turn.user_state is None:
            continue
        new = newly_said(now, turn.user_state)
        found = act_options(now, turn.user_state, new, goal_acts)
        rows = act_option_rows(now, turn.user_state, new, found, kinds)
        for each, row in zip(found, rows, strict=True):
            yield row, each.act in turn.acts


# Forests


@dataclass(frozen=True, slots=True)
class _Forests:
    """Trains one forest after the other on the same turns."""

    growth: UserTrainingConfig
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


def _settings(growth: UserTrainingConfig) -> dict[str, Any]:
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
