"""The evidence from which rules derive the acts of a turn: texts, states and tables, never an act.

States of later turns are part of it: annotation happens after the dialogue, and what a user writes
into the table after an answer is what the answer told.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeVar

from crosstalk.dialogue.acts import GENERAL, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import SemanticTuple, Tuples
from crosstalk.dialogue.schema import Slot, SlotKind
from crosstalk.dialogue.states import SystemState
from crosstalk.language.keywords import GENERAL_KINDS, Keywords
from crosstalk.worlds.queries import Database


@dataclass(frozen=True, slots=True)
class Change:
    """A tuple of the user's table before and after a turn."""

    goal: SemanticTuple
    """As in the goal."""
    before: SemanticTuple
    after: SemanticTuple

    @property
    def is_ticked(self) -> bool:
        """Ticked by the user as said in this turn."""
        return self.after.expressed and not self.before.expressed

    @property
    def news(self) -> tuple[str, ...]:
        """Values that are new."""
        old = values_of(self.before)
        return tuple(value for value in values_of(self.after) if value not in old)


@dataclass(frozen=True, slots=True)
class UserEvidence:
    """A user turn."""

    text: str
    changes: tuple[Change, ...]
    """Changes of the table: the last answer filled in, what is said now ticked."""
    ticks: tuple[int, ...] | None = None
    """Positions of what was ticked in this turn, repeated ones too; None: not known."""

    @property
    def state(self) -> Tuples:
        return tuple(change.after for change in self.changes)

    @property
    def may_be_said_again(self) -> tuple[Change, ...]:
        """The changes that this turn may repeat: where ticks are known, the ticked ones."""
        if self.ticks is None:
            return self.changes
        return tuple(change for at, change in enumerate(self.changes) if at in self.ticks)


@dataclass(frozen=True, slots=True)
class SystemEvidence:
    """A system turn."""

    text: str
    changes: tuple[Change, ...]
    """Changes of the table after the turn."""
    asked: tuple[Change, ...]
    """Changes of the table for the turn that it answers."""
    first: SystemState
    last: SystemState


TurnEvidence = UserEvidence | SystemEvidence


def values_of(each: SemanticTuple) -> tuple[str, ...]:
    if isinstance(each.value, tuple):
        return each.value
    return (each.value,) if isinstance(each.value, str) and each.value else ()


def evidence_of(dialogue: Dialogue) -> Iterator[TurnEvidence]:
    """The evidence of each turn; of turns without states, only the text."""
    goal = dialogue.goal.tuples if dialogue.goal else unsaid_goal(dialogue)
    states = states_of(dialogue, goal)
    empty = SystemState()
    for number, turn in enumerate(dialogue.turns):
        done = changes_between(goal, states[number], states[number + 1])
        if turn.speaker is Speaker.USER:
            yield UserEvidence(turn.text, done, turn.ticks)
        else:
            asked = changes_between(goal, states[number - 1], states[number]) if number else ()
            told = changes_between(goal, states[number], states[min(number + 2, len(states) - 1)])
            last = turn.last_query or turn.first_query or empty
            yield SystemEvidence(turn.text, told, asked, turn.first_query or last, last)


def states_of(dialogue: Dialogue, goal: Tuples) -> list[Tuples]:
    """The user's table before each turn, and after the last."""
    states = [goal]
    for turn in dialogue.turns:
        states.append(turn.user_state if turn.user_state is not None else states[-1])
    return states


def unsaid_goal(dialogue: Dialogue) -> Tuples:
    """The goal of a dialogue without one, from its first table."""
    first = next((turn.user_state for turn in dialogue.turns if turn.user_state), ())
    return tuple(replace(each, expressed=False) for each in first)


def changes_between(goal: Tuples, before: Tuples, after: Tuples) -> tuple[Change, ...]:
    return tuple(Change(*three) for three in zip(goal, before, after, strict=False))


S = TypeVar("S")


@dataclass(frozen=True)
class RuleContext:
    """The database and keywords that rules use besides the evidence."""

    database: Database
    keywords: Keywords

    def slot(self, domain: str, slot: str) -> Slot | None:
        found = self.database.world.schema.domain(domain)
        return found.slot(slot) if found else None

    def is_kind(self, domain: str, slot: str, *kinds: SlotKind) -> bool:
        found = self.slot(domain, slot)
        return found is not None and found.kind in kinds

    @cached_property
    def services(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """Every service that some place has, by domain and slot."""
        world = self.database.world
        return {
            (domain.key, slot.key): tuple(world.texts(domain.key, slot.key))
            for domain in world.schema
            for slot in domain.of_kind(SlotKind.SERVICES)
        }


@dataclass(frozen=True, slots=True)
class Rule(Generic[S]):
    """A named function that proposes acts."""

    name: str
    why: str
    propose: Callable[[S, RuleContext], Iterator[Act]]


def general_acts_of(speaker: Speaker) -> Callable[[TurnEvidence, RuleContext], Iterator[Act]]:
    """A rule for General acts, from the keywords of one side."""

    def general_acts(evidence: TurnEvidence, context: RuleContext) -> Iterator[Act]:
        for kind in GENERAL_KINDS:
            if context.keywords.says(speaker, kind, evidence.text):
                yield Act(GENERAL, kind)

    return general_acts
