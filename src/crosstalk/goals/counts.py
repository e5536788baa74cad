"""Counting goals: the mix of types, and how large the goals of each type are."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crosstalk.dialogue.goals import Goal, GoalType, count_subgoals


@dataclass(frozen=True, slots=True)
class TypeCount:
    """Goals of one type, and what is in them. Adds."""

    goals: int = 0
    subgoals: int = 0
    tuples: int = 0

    def __add__(self, other: "TypeCount") -> "TypeCount":
        return TypeCount(
            self.goals + other.goals, self.subgoals + other.subgoals, self.tuples + other.tuples
        )

    @property
    def subgoals_per_goal(self) -> float:
        return self.subgoals / self.goals if self.goals else 0.0

    @property
    def tuples_per_goal(self) -> float:
        return self.tuples / self.goals if self.goals else 0.0


@dataclass(frozen=True, slots=True)
class GoalCounts:
    """Counts by type. Adds."""

    by_type: Mapping[GoalType, TypeCount] = field(default_factory=dict, hash=False)
    """Every type, those without a goal too."""

    def __add__(self, other: "GoalCounts") -> "GoalCounts":
        return GoalCounts({kind: self.of(kind) + other.of(kind) for kind in GoalType})

    def of(self, kind: GoalType) -> TypeCount:
        return self.by_type.get(kind, TypeCount())

    @property
    def total(self) -> TypeCount:
        return sum(self.by_type.values(), TypeCount())

    def share(self, kind: GoalType) -> float:
        """The type's part of all goals, in percent; 0 when there are none."""
        return 100 * self.of(kind).goals / self.total.goals if self.total.goals else 0.0

    def record(self) -> dict[str, Any]:
        """As JSON: the mix of types in percent, sizes on average."""
        kinds = self.by_type
        return {
            "goals": self.total.goals,
            "mix": {kind: round(self.share(kind), 2) for kind in kinds},
            "subgoals": {kind: round(each.subgoals_per_goal, 3) for kind, each in kinds.items()},
            "tuples": {kind: round(each.tuples_per_goal, 3) for kind, each in kinds.items()},
        }


def count_goals(goals: Iterable[Goal]) -> GoalCounts:
    """Counts over goals whose type is known; goals without one are left out."""
    by_type = dict.fromkeys(GoalType, TypeCount())
    for goal in goals:
        if goal.type is not None:
            one = TypeCount(1, count_subgoals(goal.tuples), len(goal.tuples))
            by_type[goal.type] += one
    return GoalCounts(by_type)
