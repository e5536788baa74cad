"""What a tracker from words goes by: the dialogue so far, how surely the last turn was heard."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from crosstalk.dialogue.acts import INFORM, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, Schema, Slot, SlotKind
from crosstalk.system.dst.discourse import Discourse, UserActs

Doubts = Mapping[Act, float]
"""All acts the user's turn may stand for, the unlikely ones too, with their likelihoods."""


class Doubted:
    """How surely a value was heard for a field."""

    def __init__(self, doubts: Doubts, turn: Turn, schema: Schema, yes: str) -> None:
        self.heard = UserActs(replace(turn, acts=tuple(sorted(doubts))), schema, yes)
        self._values: dict[tuple[str, str, str], float] = {}
        self._near: dict[tuple[str, str], float] = {}
        for act, likelihood in doubts.items():
            domain = schema.domain(act.domain)
            slot = domain.slot(act.slot) if domain else None
            if act.intent == SELECT:
                self._near[act.domain, act.value] = likelihood
            elif act.intent == INFORM and slot:
                value = act.value
                if slot.kind is SlotKind.SERVICES:
                    value = act.slot.removeprefix(slot.key).removeprefix(SERVICE_MARK)
                self._values[act.domain, slot.key, value] = likelihood

    def likelihood(self, domain: Domain, slot: Slot, terms: Iterable[str]) -> float:
        """Of the least sure of several terms; 0 for what was not heard, -1 for nothing."""
        heard = [self._values.get((domain.key, slot.key, term), 0.0) for term in terms]
        return min(heard, default=-1.0)

    def surest(self, domain: Domain, slot: Slot) -> float:
        """Of the surest value of a field; for a nearby place, that one is sought there."""
        found = [
            likelihood
            for (where, what, _), likelihood in self._values.items()
            if (where, what) == (domain.key, slot.key)
        ]
        return max([*found, self._near.get((domain.key, slot.target), 0.0)])


@dataclass(frozen=True, slots=True)
class Hearing:
    """A dialogue up to the user's turn; forms in it are not looked at."""

    discourse: Discourse
    """All before the last turn."""
    heard: UserActs
    """The last turn, as it most likely was meant."""
    doubted: Doubted
    answers: tuple[str, ...]
    """The system's texts so far."""

    @classmethod
    def of(cls, schema: Schema, yes: str, history: tuple[Turn, ...], doubts: Doubts) -> "Hearing":
        words = tuple(Turn(turn.speaker, turn.text, turn.acts) for turn in history)
        return cls(
            Discourse.of(schema, yes, words),
            UserActs(words[-1], schema, yes),
            Doubted(doubts, words[-1], schema, yes),
            tuple(turn.text for turn in words if turn.speaker is Speaker.SYSTEM),
        )
