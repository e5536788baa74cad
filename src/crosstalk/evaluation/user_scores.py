"""Single-turn scores of simulated users: the Simulator rows of CrossWOZ's Table 8.

For every user turn but the first, the user starts from the gold state after its last turn and reads
the gold acts of the system's turn. Its state must equal the person's in every value
and every flag; its acts are counted over all user turns, the opening included.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from statistics import fmean, pstdev
from typing import Any, Final

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import Goal, GoalType, Tuples
from crosstalk.evaluation.scores import BOOTSTRAP, Hits, Share, bootstrap
from crosstalk.users.simulator import Simulator


@dataclass(frozen=True, slots=True)
class UserScore:
    """State and acts of some dialogues."""

    states: Share = field(default_factory=Share)
    acts: Hits = field(default_factory=Hits)

    def __add__(self, other: "UserScore") -> "UserScore":
        return UserScore(self.states + other.states, self.acts + other.acts)


@dataclass(frozen=True, slots=True)
class UserScores:
    """Overall and by goal type."""

    overall: UserScore
    by_type: dict[GoalType, UserScore] = field(default_factory=dict)
    by_dialogue: tuple[UserScore, ...] = ()
    """For intervals."""


def score_user(
    simulator: Simulator,
    dialogues: Sequence[Dialogue],
    rng: Random,
    *,
    keep_changes: bool = False,
    ordered: bool = True,
) -> UserScores:
    """Score a simulator on dialogues between people; those without a goal are skipped.

    `keep_changes` is the published procedure: a goal relaxed in one turn stays relaxed in the
    later turns, and in the overall figures, which come from a second pass over the same goals.
    Not `ordered`: lists count as equal in any order.
    """
    judged = [dialogue for dialogue in dialogues if dialogue.goal]
    goals = {id(dialogue): dialogue.goal for dialogue in judged if dialogue.goal}
    by_type: dict[GoalType, UserScore] = {}
    by_dialogue: list[UserScore] = []
    for goal_type in GoalType:
        for dialogue in judged:
            if dialogue.goal and dialogue.goal.type is goal_type:
                score, last = score_dialogue(
                    simulator, dialogue, goals[id(dialogue)], rng, keep_changes, ordered
                )
                by_type[goal_type] = by_type.get(goal_type, UserScore()) + score
                by_dialogue.append(score)
                goals[id(dialogue)] = last if keep_changes else goals[id(dialogue)]
    if not keep_changes:
        return UserScores(sum(by_type.values(), UserScore()), by_type, tuple(by_dialogue))
    again = [
        score_dialogue(simulator, dialogue, goals[id(dialogue)], rng, keep_changes, ordered)[0]
        for dialogue in judged
    ]
    return UserScores(sum(again, UserScore()), by_type, tuple(again))


def score_dialogue(
    simulator: Simulator,
    dialogue: Dialogue,
    goal: Goal,
    rng: Random,
    keep_changes: bool,
    ordered: bool,
) -> tuple[UserScore, Goal]:
    """The score of one dialogue, and the goal after it."""
    score = UserScore()
    turns = dialogue.turns
    for position, turn in enumerate(turns):
        if turn.speaker is not Speaker.USER or turn.user_state is None:
            continue
        if position < 2:
            move = simulator.open(goal, rng)
            states = Share()
        else:
            before = turns[position - 2]
            state = before.user_state or goal.tuples
            heard = turns[position - 1].acts
            move = simulator.respond(goal, state, before.acts, heard, rng)
            states = Share(int(same_state(move.tuples, turn.user_state, ordered)), 1)
        score += UserScore(states, Hits.of(move.acts, turn.acts))
        goal = move.goal if keep_changes else goal
    return score, goal


def same_state(guess: Tuples, true: Tuples, ordered: bool = True) -> bool:
    """Equal in every value and flag; in the published protocol the order of lists counts."""
    return guess == true if ordered else _unordered(guess) == _unordered(true)


def _unordered(tuples: Tuples) -> Tuples:
    return tuple(
        replace(each, value=tuple(sorted(each.value))) if isinstance(each.value, tuple) else each
        for each in tuples
    )


FIGURES: Final[Mapping[str, Callable[[UserScore], float | None]]] = {
    "state_accuracy": lambda score: score.states.percent,
    "act_f1": lambda score: score.acts.f1,
}


def figures_of_seeds(scores: Sequence[UserScores]) -> dict[str, Any]:
    """Means over passes with different seeds, in percent, as JSON; intervals of the first one."""
    overall = [each.overall for each in scores]
    kinds = sorted({kind for each in scores for kind in each.by_type})
    return {
        **_over(overall, fmean),
        "by_type": {
            str(kind): _over([each.by_type[kind] for each in scores], fmean) for kind in kinds
        },
        "spread": _over(overall, pstdev),
        "states": overall[0].states.total,
        "intervals": {key: bootstrap(scores[0].by_dialogue, read) for key, read in FIGURES.items()},
        "interval": f"{BOOTSTRAP}, first seed",
    }


def _over(
    scores: Sequence[UserScore], reduce: Callable[[list[float]], float]
) -> dict[str, float | None]:
    figures = {}
    for key, read in FIGURES.items():
        values = [value for score in scores if (value := read(score)) is not None]
        figures[key] = reduce(values) if values else None
    return figures
