"""Options: what a user wants of the goals she samples."""

from dataclasses import dataclass, replace

from crosstalk.dialogue.goals import GoalType
from crosstalk.dialogue.schema import GoalOdds, Schema
from crosstalk.errors import InputError
from crosstalk.goals.odds import cross_odds


@dataclass(frozen=True, slots=True)
class GoalOptions:
    """Wishes of the user; the defaults are the published procedure with the world's own odds."""

    only: frozenset[GoalType] = frozenset()
    """Types to keep; empty: every type."""
    forbid: frozenset[GoalType] = frozenset()
    max_subgoals: int | None = None
    odds: GoalOdds | None = None
    """Probabilities in place of the world's."""
    satisfiable: bool = False
    """Only goals that the database can meet as they stand, references included."""
    exclusions: float = 0.0
    """Share of place sub-goals in which one wish becomes an exclusion, where that is possible."""
    tries: int = 10_000
    """Goals drawn and thrown away for one goal before giving up: a second's work or two."""

    @property
    def types(self) -> frozenset[GoalType]:
        return (self.only or frozenset(GoalType)) - self.forbid

    def odds_for(self, schema: Schema) -> GoalOdds:
        odds = self.odds or schema.odds
        most = odds.max_subgoals if self.max_subgoals is None else self.max_subgoals
        return replace(odds, max_subgoals=most)


def refuse_impossible(options: GoalOptions, schema: Schema) -> None:
    """Say at once when a type asked for by name, or every type that is left, is impossible."""
    odds = options.odds_for(schema)
    if odds.max_subgoals < 1:
        raise InputError(
            f"a goal cannot have at most {odds.max_subgoals} sub-goals",
            remedy="Allow one or more.",
        )
    if not options.types:
        raise InputError("no goal type is left to draw", remedy="Forbid fewer types.")
    reasons = {kind: why_impossible(kind, schema, odds) for kind in sorted(options.types)}
    if any(reasons.values()) if options.only else all(reasons.values()):
        told = "; ".join(f"{kind} {reason}" for kind, reason in reasons.items() if reason)
        raise InputError(
            f"goals of a type wished for can never be drawn: {told}",
            remedy="Wish for other types, allow more sub-goals, or use another world.",
        )


def why_impossible(kind: GoalType, schema: Schema, odds: GoalOdds) -> str:
    """Why the world and its odds cannot give a goal of this type; empty if they can."""
    crosses = kind in (GoalType.CM, GoalType.CM_T)
    rides = kind in (GoalType.M_T, GoalType.CM_T)
    fewest = 1 if kind is GoalType.S else 2 + rides
    if odds.max_subgoals < fewest:
        return f"needs {fewest} sub-goals"
    if rides and (not schema.rides or odds.ride <= 0):
        return "needs rides, and there are none" if not schema.rides else "needs rides, never drawn"
    if crosses and not _can_cross(schema, odds):
        return "needs sub-goals near others, never drawn"
    if kind in (GoalType.M, GoalType.M_T) and (len(schema.places) < 2 or odds.independent <= 0):
        return "needs two independent sub-goals, never drawn"
    return ""


def _can_cross(schema: Schema, odds: GoalOdds) -> bool:
    return any(
        slot.request and slot.target and cross_odds(odds, place.key, slot.target) > 0
        for place in schema.places
        for slot in place.slots
    )
