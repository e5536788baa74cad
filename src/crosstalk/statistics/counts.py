"""Counts of dialogues: whole numbers that add; rates and means are worked out from the sums.

Tables 6 and 7 of the CrossWOZ paper. A rate is None where the corpus does not hold what it needs
(no goals, no acts, no queries): unknown is not zero.
"""

from dataclasses import astuple, dataclass
from operator import add

from crosstalk.dialogue.acts import GENERAL, NO_OFFER
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.goals import Reference, SemanticTuple, count_subgoals


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of some dialogues; the sum of two is the counts of both together."""

    dialogues: int = 0
    turns: int = 0
    """Utterances of either side."""
    tokens: int = 0
    goals: int = 0
    """Dialogues with a goal."""
    subgoals: int = 0
    tuples: int = 0
    annotated: int = 0
    """Dialogues with at least one act."""
    annotated_turns: int = 0
    """All turns of those dialogues."""
    acts: int = 0
    no_offers: int = 0
    """Dialogues in which the system says at least once that nothing fits."""
    queries: int = 0
    """System turns whose first and last query are known."""
    multi_queries: int = 0
    """... and differ in a constraint, whatever was selected."""
    followed_goals: int = 0
    """Dialogues whose goal and final goal are known, tuple by tuple."""
    changed_goals: int = 0
    """... and differ in something the goal asked for from the start."""
    placed: int = 0
    """Dialogues of which we know the domains."""
    domains: int = 0
    """Distinct domains of each dialogue, summed."""

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*map(add, astuple(self), astuple(other)))

    @property
    def turns_per_dialogue(self) -> float | None:
        return _ratio(self.turns, self.dialogues)

    @property
    def tokens_per_turn(self) -> float | None:
        return _ratio(self.tokens, self.turns)

    @property
    def subgoals_per_goal(self) -> float | None:
        return _ratio(self.subgoals, self.goals)

    @property
    def tuples_per_goal(self) -> float | None:
        return _ratio(self.tuples, self.goals)

    @property
    def acts_per_turn(self) -> float | None:
        return _ratio(self.acts, self.annotated_turns)

    @property
    def no_offer_rate(self) -> float | None:
        """Share of dialogues with a NoOffer act."""
        return _ratio(self.no_offers, self.annotated)

    @property
    def multi_query_rate(self) -> float | None:
        """Share of system turns that asked the database again with other constraints."""
        return _ratio(self.multi_queries, self.queries)

    @property
    def goal_change_rate(self) -> float | None:
        """Share of dialogues in which the user gave up a constraint of the goal."""
        return _ratio(self.changed_goals, self.followed_goals)

    @property
    def domains_per_dialogue(self) -> float | None:
        return _ratio(self.domains, self.placed)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def count_dialogue(dialogue: Dialogue, tokens: int) -> Counts:
    """The counts of one dialogue, given how many words its turns have."""
    tuples = dialogue.goal.tuples if dialogue.goal else ()
    acts = [act for turn in dialogue.turns for act in turn.acts]
    queried = [turn for turn in dialogue.system_turns if turn.first_query and turn.last_query]
    changed = goal_changed(dialogue)
    domains = dialogue_domains(dialogue)
    return Counts(
        dialogues=1,
        turns=len(dialogue.turns),
        tokens=tokens,
        goals=int(bool(tuples)),
        subgoals=count_subgoals(tuples),
        tuples=len(tuples),
        annotated=int(bool(acts)),
        annotated_turns=len(dialogue.turns) if acts else 0,
        acts=len(acts),
        no_offers=int(any(act.intent == NO_OFFER for act in acts)),
        queries=len(queried),
        multi_queries=sum(map(is_multi_query, queried)),
        followed_goals=int(changed is not None),
        changed_goals=int(changed or False),
        placed=int(bool(domains)),
        domains=len(domains),
    )


def is_multi_query(turn: Turn) -> bool:
    """The system asked, then asked again with other constraints."""
    if turn.first_query is None or turn.last_query is None:
        return False
    return not turn.first_query.same_constraints(turn.last_query)


def goal_changed(dialogue: Dialogue) -> bool | None:
    """Whether a constraint of the goal ended with another value; None if that cannot be told.

    Questions and references to other sub-goals are there to be filled in: that is no change.
    """
    old = dialogue.goal.tuples if dialogue.goal else ()
    new = dialogue.final_goal or ()
    if not old or [_about(each) for each in old] != [_about(each) for each in new]:
        return None
    return any(
        _is_constraint(before) and before.value != after.value
        for before, after in zip(old, new, strict=True)
    )


def _about(each: SemanticTuple) -> tuple[int, str, str]:
    return each.subgoal, each.domain, each.slot


def _is_constraint(each: SemanticTuple) -> bool:
    return not each.is_open and not isinstance(each.value, Reference)


def dialogue_domains(dialogue: Dialogue) -> frozenset[str]:
    """The domains of the goal; without a goal, those its acts are about."""
    if dialogue.goal and dialogue.goal.tuples:
        return frozenset(each.domain for each in dialogue.goal.tuples)
    acts = (act for turn in dialogue.turns for act in turn.acts)
    return frozenset(act.domain for act in acts if act.intent != GENERAL)
