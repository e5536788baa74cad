"""What a tracker has in mind at a turn: the state so far, and what was said when."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from crosstalk.transfer.states.scene import TokenizedUtterance
from crosstalk.transfer.states.slots import StateSlot


@dataclass(frozen=True, slots=True)
class StateHistory:
    """Before a turn of the user."""

    turn: int = 0
    state: Mapping[str, str] = field(default_factory=dict)
    """Slot key -> value id."""
    domain: str = ""
    """The domain of what changed last."""
    spoken: Mapping[str, int] = field(default_factory=dict)
    """Domain -> the turn in which one of its words was last said."""
    heard: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Slot key -> value -> the turn in which it was last mentioned by anyone."""
    named: Mapping[str, str] = field(default_factory=dict)
    """Slot key of a name -> the value the system spoke of last."""

    def after(
        self,
        system: TokenizedUtterance,
        user: TokenizedUtterance,
        state: Mapping[str, str],
        slots: tuple[StateSlot, ...],
    ) -> "StateHistory":
        """After the turn, with the state it led to."""
        changed = [s.domain for s in slots if state.get(s.key) != self.state.get(s.key)]
        spoken = {
            s.domain: self.turn for s in slots if s.domain in user.cues or s.domain in system.cues
        }
        heard = {slot: dict(values) for slot, values in self.heard.items()}
        named = dict(self.named)
        for said in (system, user):
            for mention in said.mentions:
                for slot, value in mention.values.items():
                    heard.setdefault(slot, {})[value] = self.turn
        for each in slots:
            if each.is_name and (offered := list(system.values_of(each.key))):
                named[each.key] = offered[-1]
        return replace(
            self,
            turn=self.turn + 1,
            state=dict(state),
            domain=changed[-1] if changed else self.domain,
            spoken={**self.spoken, **spoken},
            heard=heard,
            named=named,
        )
