"""Options of goal sampling, and changes to the probabilities of a world (`--odds ride=0.5`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

from crosstalk.dialogue.goals import GoalType
from crosstalk.dialogue.schema import GoalOdds, Schema
from crosstalk.errors import InputError

PROBABILITIES = ("independent", "cross_default", "ride", "both_rides", "name_only", "second_term")
WEIGHTS = ("constraints", "requests", "services")
CROSS = "cross."


def cross_odds(odds: GoalOdds, source: str, target: str) -> float:
    """The probability that a request for `target` entities near a `source` becomes a sub-goal."""
    return odds.cross.get(source, {}).get(target, odds.cross_default)


def changed_odds(schema: Schema, changes: Mapping[str, str]) -> GoalOdds:
    """The probabilities of a world with some replaced.

    `{"ride": "0.5", "requests": "30,70", "cross.hotel.restaurant": "1"}`
    """
    fields: dict[str, Any] = {}
    cross = dict(schema.odds.cross)
    for name, text in changes.items():
        if name in PROBABILITIES:
            fields[name] = _probability(name, text)
        elif name in WEIGHTS:
            fields[name] = _weights(name, text)
        else:
            source, target = _places(name, schema)
            cross[source] = {**cross.get(source, {}), target: _probability(name, text)}
    return replace(schema.odds, cross=cross, **fields)


def _places(name: str, schema: Schema) -> tuple[str, str]:
    """The two place domains of `cross.SOURCE.TARGET`."""
    keys = [place.key for place in schema.places]
    source, _, target = name.removeprefix(CROSS).partition(".")
    if name.startswith(CROSS) and source in keys and target in keys:
        return source, target
    known = ", ".join((*PROBABILITIES, *WEIGHTS, f"{CROSS}SOURCE.TARGET"))
    raise InputError(
        f"no odds are called {name!r}",
        remedy=f"There are {known}, where SOURCE and TARGET are among {', '.join(keys)}.",
    )


def _probability(name: str, text: str) -> float:
    numbers = _numbers(text)
    if len(numbers) != 1 or not 0 <= numbers[0] <= 1:
        raise InputError(f"the odds {name} are {text!r}", remedy="Give a number from 0 to 1.")
    return numbers[0]


def _weights(name: str, text: str) -> tuple[float, ...]:
    numbers = _numbers(text)
    if not any(numbers) or min(numbers) < 0:
        raise InputError(
            f"the weights {name} are {text!r}",
            remedy="Give numbers of at least 0, one of them more, with commas between: 30,70.",
        )
    return numbers


def _numbers(text: str) -> tuple[float, ...]:
    """Numbers separated by commas; empty if one of them is not a number."""
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        return ()
    return numbers if all(map(isfinite, numbers)) else ()


def parse_odds(given: Iterable[str]) -> dict[str, str]:
    """Parse `ride=0.5`: name -> value, as text."""
    pairs = [text.partition("=") for text in given]
    for name, mark, _ in pairs:
        if not mark:
            raise InputError(f"--odds {name}: no value", remedy="Write --odds NAME=VALUE.")
    return {name: value for name, _, value in pairs}


@dataclass(frozen=True, slots=True)
class GoalOptions:
    """Which goals to sample; by default as published, with the probabilities of the world."""

    only: frozenset[GoalType] = frozenset()
    """Types to keep; empty: every type."""
    forbid: frozenset[GoalType] = frozenset()
    max_subgoals: int | None = None
    odds: GoalOdds | None = None
    """Probabilities that replace those of the world."""
    satisfiable: bool = False
    """Only goals that the database can meet, references included."""
    exclusions: float = 0.0
    """Share of place sub-goals in which one constraint becomes an exclusion, if possible."""
    actions: bool = False
    """Goals in which something is to be done, too."""
    tries: int = 10_000
    """Goals drawn for one accepted goal before an error is raised: one or two seconds."""

    @property
    def types(self) -> frozenset[GoalType]:
        return (self.only or frozenset(GoalType)) - self.forbid

    def odds_for(self, schema: Schema) -> GoalOdds:
        odds = self.odds or schema.odds
        most = odds.max_subgoals if self.max_subgoals is None else self.max_subgoals
        return replace(odds, max_subgoals=most)


def refuse_impossible(options: GoalOptions, schema: Schema) -> None:
    """Raise if a type asked for, or every type that is left, can never be drawn."""
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
    """Why a goal of this type can never be drawn in a world; empty if it can."""
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
