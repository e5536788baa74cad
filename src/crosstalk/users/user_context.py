"""The context of a user turn: the goal, the state, and what both sides said last.

Slots and domains appear as kinds and positions, never as names, so that a model trained on one
world works in another.
"""

from collections import Counter
from dataclasses import dataclass, replace

from crosstalk.dialogue.acts import INFORM, NO_OFFER, RECOMMEND, REQUEST, SELECT, Act
from crosstalk.dialogue.goals import Goal, Tuples
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import DomainKind, Schema, Slot, SlotKind
from crosstalk.users.simulator import TupleRole, current_subgoal, role_of

SlotKey = tuple[str, str]
"""(domain, slot)"""

ROLES = tuple(TupleRole)
SLOT_KINDS = tuple(SlotKind)
DOMAIN_KINDS = tuple(DomainKind)
NAME = SLOT_KINDS.index(SlotKind.NAME)
ENDPOINT = SLOT_KINDS.index(SlotKind.ENDPOINT)
SEVERAL = frozenset({SLOT_KINDS.index(SlotKind.LIST), SLOT_KINDS.index(SlotKind.NEARBY)})
"""SlotKinds whose answers are lists."""
NUMBERS = frozenset({SLOT_KINDS.index(SlotKind.NUMBER), SLOT_KINDS.index(SlotKind.RATING)})
CONSTRAINT, REFERENCE, REQUESTED = map(
    ROLES.index, (TupleRole.CONSTRAINT, TupleRole.REFERENCE, TupleRole.REQUEST)
)


class SlotKinds:
    """The kinds of a world's slots and domains as numbers; -1 for unknown ones."""

    def __init__(self, schema: Schema, language: LanguagePack) -> None:
        self.language = language
        self.names = {place.key: place.name_slot.key for place in schema if place.name_slot}
        self._schema = schema
        self._domains = {domain.key: DOMAIN_KINDS.index(domain.kind) for domain in schema}
        self._kinds: dict[SlotKey, int] = {}

    def slot(self, key: SlotKey) -> Slot | None:
        domain = self._schema.domain(key[0])
        return domain.slot(key[1]) if domain else None

    def kind(self, key: SlotKey) -> int:
        """Cached: a conversation asks for the same few slots again and again."""
        if key not in self._kinds:
            slot = self.slot(key)
            self._kinds[key] = SLOT_KINDS.index(slot.kind) if slot else -1
        return self._kinds[key]

    def domain(self, key: str) -> int:
        return self._domains.get(key, -1)


@dataclass(frozen=True, slots=True)
class UserContext:
    """What a user knows when its turn comes."""

    goal: Goal
    before: Tuples
    """The state after the user's last turn; in the opening, the goal's tuples."""
    said: tuple[Act, ...]
    heard: tuple[Act, ...]
    opening: bool
    roles: tuple[int, ...]
    kinds: tuple[int, ...]
    """The kind of the slot of each tuple."""
    positions: dict[int, tuple[int, ...]]
    """Sub-goal -> positions of its tuples."""
    names: dict[int, int]
    """Sub-goal -> position of its name."""
    informed: dict[SlotKey, list[str]]
    recommended: dict[str, list[str]]
    refused: frozenset[str]
    """Domains in which the system had nothing to offer."""
    about: Counter[str]
    """Domain -> number of system acts about it."""
    asked: frozenset[SlotKey]
    told: frozenset[SlotKey]
    """Slots informed by the user in its last turn."""
    selecting: frozenset[str]
    current: int
    """The first sub-goal that is not settled; 0 when all are."""
    last: int
    """The furthest sub-goal the user has spoken of; 0 for none."""

    @property
    def subgoals(self) -> int:
        return len(self.positions)

    @property
    def offers(self) -> int:
        return sum(map(len, self.recommended.values()))


def opening_context(kinds: SlotKinds, goal: Goal) -> UserContext:
    return replace(context_of(kinds, goal, goal.tuples, (), ()), opening=True)


def context_of(
    kinds: SlotKinds, goal: Goal, tuples: Tuples, said: tuple[Act, ...], heard: tuple[Act, ...]
) -> UserContext:
    slot_kinds = tuple([kinds.kind((each.domain, each.slot)) for each in tuples])
    positions: dict[int, tuple[int, ...]] = {}
    names: dict[int, int] = {}
    for at, each in enumerate(tuples):
        positions[each.subgoal] = (*positions.get(each.subgoal, ()), at)
        if slot_kinds[at] == NAME:
            names[each.subgoal] = at
    informed: dict[SlotKey, list[str]] = {}
    recommended: dict[str, list[str]] = {}
    for act in heard:
        if act.intent == INFORM:
            informed.setdefault((act.domain, act.slot), []).append(act.value)
        elif act.intent == RECOMMEND:
            recommended.setdefault(act.domain, []).append(act.value)
    return UserContext(
        goal=goal,
        before=tuples,
        said=said,
        heard=heard,
        opening=False,
        roles=tuple([ROLES.index(role_of(wanted)) for wanted in goal.tuples]),
        kinds=slot_kinds,
        positions=positions,
        names=names,
        informed=informed,
        recommended=recommended,
        refused=frozenset(act.domain for act in heard if act.intent == NO_OFFER),
        about=Counter(act.domain for act in heard if act.intent in (INFORM, RECOMMEND)),
        asked=frozenset((act.domain, act.slot) for act in said if act.intent == REQUEST),
        told=frozenset((act.domain, act.slot) for act in said if act.intent == INFORM),
        selecting=frozenset(act.domain for act in said if act.intent == SELECT),
        current=current_subgoal(tuples) or 0,
        last=max((each.subgoal for each in tuples if each.expressed), default=0),
    )
