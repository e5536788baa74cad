"""Equal values, one object: acts, tuples and tabs repeat from turn to turn.

A form is carried through the whole dialogue, so a corpus read this way needs about a tenth of the
memory, and comparing states is quick.
"""

from functools import lru_cache

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.goals import Reference, SemanticTuple, Value
from crosstalk.dialogue.states import DomainState, SlotValue

SHARED = 1 << 16
"""How many values of each kind are remembered."""


@lru_cache(SHARED)
def shared_act(intent: str, domain: str, slot: str, value: str) -> Act:
    return Act(intent, domain, slot, value)


@lru_cache(SHARED)
def shared_reference(subgoal: int, nearby: bool) -> Reference:
    return Reference(subgoal, nearby)


@lru_cache(SHARED)
def shared_tuple(
    subgoal: int, domain: str, slot: str, value: Value, expressed: bool
) -> SemanticTuple:
    return SemanticTuple(subgoal, domain, slot, value, expressed)


@lru_cache(SHARED)
def shared_tab(
    domain: str,
    slots: tuple[tuple[str, SlotValue], ...],
    selected: tuple[str, ...],
    order: tuple[str, str] | None = None,
) -> DomainState:
    return DomainState(domain, slots, selected, order)
