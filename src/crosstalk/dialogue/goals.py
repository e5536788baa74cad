"""Goals: what a user wants, as semantic tuples grouped into sub-goals."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby

from crosstalk.dialogue.schema import NOT_MARK


@dataclass(frozen=True, slots=True)
class Reference:
    """A value that depends on the entity chosen in another sub-goal."""

    subgoal: int
    nearby: bool
    """True: some entity near that one. False: that very entity (the end of a ride)."""


@dataclass(frozen=True, slots=True)
class WantedAction:
    """Something the user wants done; what is wanted first, and what else will do."""

    action: str
    wishes: tuple[Mapping[str, "ArgumentValue"], ...]
    """Arguments, in the order in which they are tried: the first that is possible is to be done."""
    forbidden: bool = False
    """The system must refuse it: nothing is to be done."""


Scenario = Mapping[str, tuple[Mapping[str, str | int | float], ...]]
"""Changing table -> rows that it has from the start in one conversation, beside the world's."""
ArgumentValue = str | int | float | Reference
"""A value, or (not nearby) the entity of another sub-goal; `$1.reference` is the `reference` that
the first action of the goal gives."""
Value = str | tuple[str, ...] | Reference
"""Text, several texts, or a reference. Empty text or an empty tuple is a question."""


@dataclass(frozen=True, slots=True)
class SemanticTuple:
    """One thing the user wants to say (a constraint) or to learn (a request)."""

    subgoal: int
    domain: str
    slot: str
    value: Value
    expressed: bool = False

    @property
    def is_open(self) -> bool:
        """Still a question: nothing has been filled in."""
        return self.value == "" or self.value == ()

    @property
    def is_settled(self) -> bool:
        """Said, answered, and no longer depending on another sub-goal."""
        return self.expressed and not self.is_open and not isinstance(self.value, Reference)

    @property
    def is_exclusion(self) -> bool:
        """Whether it is an exclusion: its slot is `!<slot>`."""
        return self.slot.startswith(NOT_MARK)

    def filled(self, value: Value) -> "SemanticTuple":
        return replace(self, value=value)

    def said(self) -> "SemanticTuple":
        return replace(self, expressed=True)


Tuples = tuple[SemanticTuple, ...]
"""A goal's tuples, or the same tuples as they stand at some turn (the user state)."""


class GoalType(StrEnum):
    """The five kinds of goal in CrossWOZ's Table 7, from easy to hard."""

    S = "S"
    """One sub-goal."""
    M = "M"
    """Several independent sub-goals."""
    M_T = "M+T"
    """... with a ride between two of them."""
    CM = "CM"
    """Several sub-goals, at least one near the entity found for another."""
    CM_T = "CM+T"
    """... with a ride."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What one user wants from one dialogue."""

    tuples: Tuples
    type: GoalType | None = None
    description: tuple[str, ...] = ()
    """The goal in words, one paragraph per sub-goal."""
    actions: tuple[WantedAction, ...] = ()
    """What is to be done, in order, after what is to be found."""
    first_wishes: Tuples = ()
    """What the user wishes at first, each in the place of the tuple with the same sub-goal and
    slot; once the system has answered, the user says what `tuples` have there."""
    scenario: Scenario = field(default_factory=dict, hash=False)
    """What this conversation finds in the tables that change, such as rooms that are taken."""

    def in_force(self, state: Tuples | None = None) -> Tuples:
        """The wishes that hold while the user state is `state`; None: at the beginning.

        A first wish holds as long as the state has its value.
        """
        if not self.first_wishes:
            return self.tuples
        first = {(each.subgoal, each.slot): each for each in self.first_wishes}
        pairs = zip(self.tuples, state or (None,) * len(self.tuples), strict=True)
        return tuple(
            tried
            if (tried := first.get((wanted.subgoal, wanted.slot)))
            and (each is None or each.value == tried.value)
            else wanted
            for wanted, each in pairs
        )


def subgoals(tuples: Tuples) -> Iterator[tuple[int, Tuples]]:
    """The number and tuples of each sub-goal, in order."""
    for number, group in groupby(tuples, key=lambda each: each.subgoal):
        yield number, tuple(group)


def count_subgoals(tuples: Tuples) -> int:
    return len({each.subgoal for each in tuples})


def goal_type(tuples: Tuples, rides: Collection[str]) -> GoalType:
    """The type of a goal; `rides` names the domains that move a user between two places.

    The rule agrees with the label stored in all 1,000 released val and test dialogues.
    """
    if not tuples or tuples[-1].subgoal == 1:
        return GoalType.S
    crosses = any(
        isinstance(each.value, Reference) and each.value.nearby and each.domain not in rides
        for each in tuples
    )
    if any(each.domain in rides for each in tuples):
        return GoalType.CM_T if crosses else GoalType.M_T
    return GoalType.CM if crosses else GoalType.M
