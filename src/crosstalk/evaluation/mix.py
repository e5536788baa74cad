"""The mix of goal types that `overall` stands for.

Of goals drawn as they come, overall is all dialogues of a run. Of so many goals a type, it is the
rates of the types, weighted by how often each type was published: a run with as many single-domain
goals as cross-domain ones would otherwise look better than the same system does in the paper.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from crosstalk.dialogue.goals import GoalType

PUBLISHED: Final[Mapping[GoalType, int]] = {
    GoalType.S: 417,
    GoalType.M: 1573,
    GoalType.M_T: 691,
    GoalType.CM: 1759,
    GoalType.CM_T: 572,
}
"""Dialogues of each type in CrossWOZ's training split, as its paper counts them (5,012)."""
SOURCE: Final = "CrossWOZ's training split"


class Mix(StrEnum):
    """What `overall` weighs goal types by."""

    NATURAL = "natural"
    """All dialogues as they were drawn."""
    PUBLISHED = "published"
    """The types' rates, weighted by `PUBLISHED`."""


def shares(counts: Mapping[GoalType, int]) -> dict[GoalType, float]:
    """The weight of each type, from easy to hard; they sum to 1."""
    total = sum(counts.values())
    return {kind: counts[kind] / total for kind in GoalType if counts.get(kind)}


def published_weights(among: Mapping[GoalType, int]) -> dict[GoalType, float]:
    """The published weights of the types that a run has dialogues of."""
    return shares({kind: PUBLISHED[kind] for kind, count in among.items() if count})
