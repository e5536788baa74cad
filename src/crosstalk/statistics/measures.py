"""What we say about a group of dialogues: each measure with its name in JSON and for people."""

from collections.abc import Callable
from dataclasses import dataclass

from crosstalk.statistics.counts import Counts

Number = int | float | None


@dataclass(frozen=True, slots=True)
class Measure:
    """One number about some dialogues."""

    key: str
    """Its name in JSON."""
    label: str
    """Its name in a table."""
    of: Callable[[Counts], Number]


DIALOGUES = Measure("dialogues", "dialogues", lambda counts: counts.dialogues)
TURNS = Measure("turns", "turns", lambda counts: counts.turns)
TOKENS = Measure("tokens", "tokens", lambda counts: counts.tokens)
SUBGOALS = Measure("subgoals", "sub-goals per dialogue", lambda counts: counts.subgoals_per_goal)
TUPLES = Measure("tuples", "semantic tuples per dialogue", lambda counts: counts.tuples_per_goal)
TURNS_PER_DIALOGUE = Measure(
    "turns_per_dialogue", "turns per dialogue", lambda counts: counts.turns_per_dialogue
)
TOKENS_PER_TURN = Measure(
    "tokens_per_turn", "tokens per turn", lambda counts: counts.tokens_per_turn
)
DOMAINS_PER_DIALOGUE = Measure(
    "domains_per_dialogue", "domains per dialogue", lambda counts: counts.domains_per_dialogue
)

BY_TYPE = (
    DIALOGUES,
    Measure("nooffer_rate", "NoOffer rate", lambda counts: counts.no_offer_rate),
    Measure("multi_query_rate", "multi-query rate", lambda counts: counts.multi_query_rate),
    Measure("goal_change_rate", "goal-change rate", lambda counts: counts.goal_change_rate),
    Measure("acts_per_turn", "acts per turn", lambda counts: counts.acts_per_turn),
    SUBGOALS,
    TUPLES,
    TURNS_PER_DIALOGUE,
    TOKENS_PER_TURN,
)
"""The rows of Table 7."""

EVERY = (DIALOGUES, TURNS, TOKENS, *BY_TYPE[1:], DOMAINS_PER_DIALOGUE)
