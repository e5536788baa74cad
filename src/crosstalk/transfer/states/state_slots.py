"""The slots of a state: the 30 of MultiWOZ, read off its world, the 3 of WOZ 2.0, any form's."""

from dataclasses import dataclass
from functools import cache
from typing import Final

from crosstalk.dialogue.schema import Domain, Schema, Slot, SlotKind
from crosstalk.transfer.states.state_dialogues import slot_key
from crosstalk.worlds.world import load_outline

WORLD: Final = "multiwoz"
DOMAINS: Final = ("hotel", "train", "restaurant", "attraction", "taxi")
"""The domains that are scored, in TRADE's order; hospital and police are left out, as published."""
BOOK: Final = "book "
"""Before slots that are arguments of a booking alone."""
ENTITY: Final = "entity"
"""The argument that names what is booked."""
KINDS: Final = {
    SlotKind.NAME: "place",
    SlotKind.ENDPOINT: "place",
    SlotKind.NEARBY: "place",
    SlotKind.COUNT: "number",
    SlotKind.TIME: "time",
    SlotKind.FLAG: "choice",
}
"""Kinds of the world's slots -> kinds of values in texts; others are words."""
TOPICS: Final = {
    "pricerange": "price",
    "type": "kind",
    "stay": "nights",
    "time": "clock",
    "arriveby": "arrive",
    "leaveat": "leave",
    "departure": "from",
    "destination": "to",
}
"""Slots whose cue in `states.toml` has another name; the cue of a name is its domain's."""
ENDS: Final = ("from", "to")
SHORT: Final = {"arrive": "arriveby", "leave": "leaveat"}
"""Names of slots in files of predictions."""


@dataclass(frozen=True, slots=True)
class StateSlot:
    """One slot, by its English name, and what kind of value it holds."""

    domain: str
    name: str
    kind: str
    """word, place, number, time or choice (yes and no)"""
    topic: str
    """The cue whose words name the slot in a text: `leave`, `people`, `area`."""

    @property
    def key(self) -> str:
        return slot_key(self.domain, self.name)

    @property
    def is_name(self) -> bool:
        """Whether it names the place searched for, not an end of a ride."""
        return self.kind == "place" and self.name == "name"


@cache
def multiwoz_slots() -> tuple[StateSlot, ...]:
    """What users can want of each domain: the fields of its form, and what its booking needs."""
    schema = load_outline(WORLD).schema
    domains = (schema.domain(key) for key in DOMAINS)
    return tuple(
        slot for domain in domains if domain for slot in sorted(_of(domain, schema), key=_name)
    )


def _of(domain: Domain, schema: Schema) -> list[StateSlot]:
    wanted = {slot.key: slot for slot in domain.form}
    booked: dict[str, Slot] = {}
    for action in schema.actions:
        if action.domain != domain.key:
            continue
        columns = {slot.key: slot for key in action.tables for slot in _columns(schema, key)}
        for argument in action.arguments:
            if own := domain.slot(argument):
                wanted[argument] = own
            elif argument != ENTITY:
                booked[argument] = columns[argument]
    return [
        *(form_slot(domain.key, slot) for slot in wanted.values()),
        *(form_slot(domain.key, slot, BOOK) for slot in booked.values()),
    ]


def _columns(schema: Schema, table: str) -> tuple[Slot, ...]:
    found = schema.changing_table(table)
    return found.columns if found else ()


def form_slot(domain: str, slot: Slot, prefix: str = "") -> StateSlot:
    """The slot of a state that holds what a field of the form holds."""
    name = slot.key.lower()
    topic = domain if slot.kind is SlotKind.NAME else TOPICS.get(name, name)
    kind = "place" if topic in ENDS else KINDS.get(slot.kind, "word")
    return StateSlot(domain, prefix + name, kind, topic)


def _name(slot: StateSlot) -> str:
    return slot.name


def multiwoz_key(domain: str, slot: str) -> str:
    """The key of a slot as any MultiWOZ file names it: `hotel-book day` of `bookday` and `day`."""
    known = _known_names(domain)
    plain = slot.lower().replace(" ", "")
    booked = BOOK + plain.removeprefix("book")
    if booked in known and plain not in known:
        return f"{domain}-{booked}"
    plain = SHORT.get(plain, plain)
    return f"{domain}-{plain if plain in known else slot.lower()}"


@cache
def _known_names(domain: str) -> frozenset[str]:
    return frozenset(slot.name for slot in multiwoz_slots() if slot.domain == domain)


WOZ2: Final = (
    StateSlot("", "food", "word", "food"),
    StateSlot("", "area", "word", "area"),
    StateSlot("", "price range", "word", "price"),
)
