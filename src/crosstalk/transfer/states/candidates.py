"""Which value each slot might take at a turn, and where the thought comes from."""

from dataclasses import dataclass

from crosstalk.transfer.states.memory import StateHistory
from crosstalk.transfer.states.scene import TokenizedUtterance, ValueMention
from crosstalk.transfer.states.slots import ANY, StateSlot


@dataclass(frozen=True, slots=True)
class SlotCandidate:
    """A value for a slot; how it was met."""

    slot: StateSlot
    value: str
    said: ValueMention | None = None
    """By the user, in this turn."""
    offered: ValueMention | None = None
    """By the system, just before."""
    copied: tuple[str, ...] = ()
    """Other slots that hold it already."""
    named: bool = False
    """The last of its kind that the system spoke of."""


FAMILIES = ("day", "people", "area", "price", "place", "time")
"""What one domain may take over from another: the same day, the same group."""


def family(slot: StateSlot) -> str:
    return slot.kind if slot.kind in ("place", "time") else slot.topic


def candidates(
    slots: tuple[StateSlot, ...],
    system: TokenizedUtterance,
    user: TokenizedUtterance,
    memory: StateHistory,
) -> list[SlotCandidate]:
    """All that differ from what a slot holds."""
    found = []
    for slot in slots:
        held = memory.state.get(slot.key)
        if slot.domain and not _in_play(slot, system, user, memory):
            continue
        found += [
            each for each in _of_slot(slot, slots, system, user, memory) if each.value != held
        ]
    return found


def _in_play(
    slot: StateSlot, system: TokenizedUtterance, user: TokenizedUtterance, memory: StateHistory
) -> bool:
    """Whether anything was ever said of the slot's domain, or it holds something already."""
    if slot.domain in user.cues or slot.domain in system.cues or slot.domain in memory.spoken:
        return True
    return any(key.startswith(slot.domain) for key in memory.state) or slot.is_name


def _of_slot(
    slot: StateSlot,
    slots: tuple[StateSlot, ...],
    system: TokenizedUtterance,
    user: TokenizedUtterance,
    memory: StateHistory,
) -> list[SlotCandidate]:
    said, offered = user.values_of(slot.key), system.values_of(slot.key)
    copied = _copies(slot, slots, memory)
    named = _named(slot, slots, memory)
    values = dict.fromkeys([*said, *offered, *copied, *named])
    if slot.kind == "choice":
        values |= _choices(slot, system, user)
    if slot.topic == "people" and "book" in {*user.cues, *system.cues}:
        values |= {"1": None}
    if slot.kind != "place" and ("any" in user.cues or "no" in user.cues):
        values |= {ANY: None}
    return [
        SlotCandidate(
            slot, value, said.get(value), offered.get(value), copied.get(value, ()), value in named
        )
        for value in values
    ]


def _choices(
    slot: StateSlot, system: TokenizedUtterance, user: TokenizedUtterance
) -> dict[str, None]:
    if slot.topic in user.cues or slot.topic in system.cues:
        return {"yes": None, "no": None}
    return {}


def _copies(
    slot: StateSlot, slots: tuple[StateSlot, ...], memory: StateHistory
) -> dict[str, tuple[str, ...]]:
    """Values of other slots of the family; a name only goes to where a ride begins or ends."""
    alone = slot.domain == "train" and slot.topic not in ("day", "people")
    if family(slot) not in FAMILIES or slot.is_name or alone:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for other in slots:
        if other.key != slot.key and family(other) == family(slot):
            value = memory.state.get(other.key)
            if value is not None and value != ANY:
                found[value] = (*found.get(value, ()), other.key)
    return found


def _named(slot: StateSlot, slots: tuple[StateSlot, ...], memory: StateHistory) -> dict[str, None]:
    if slot.is_name:
        return {memory.named[slot.key]: None} if slot.key in memory.named else {}
    if slot.kind == "place" and slot.domain == "taxi":
        return dict.fromkeys(memory.named.values())
    return {}
