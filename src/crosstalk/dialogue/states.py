"""System states: the database form as the wizard (or a tracker) has filled it in."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from crosstalk.dialogue.schema import NOT_MARK

SlotValue = str | tuple[str, ...]
"""Text as typed into the form, or several terms where the form keeps them apart."""


@dataclass(frozen=True, slots=True)
class DomainState:
    """One tab of the form: a domain's fields in form order, and the results ticked."""

    domain: str
    slots: tuple[tuple[str, SlotValue], ...]
    """Every field of the tab, empty ones included. `!<slot>` holds exclusions."""
    selected: tuple[str, ...] = ()
    """Names ticked in the result list of the last query in this domain."""
    order: tuple[str, str] | None = None
    """The slot by which results are ranked, and whether the least (`min`) or most (`max`) of it
    comes first; None: as the table has them."""

    def get(self, slot: str) -> SlotValue:
        return next((value for name, value in self.slots if name == slot), "")

    @property
    def constraints(self) -> dict[str, SlotValue]:
        """The fields that were filled in."""
        return {slot: value for slot, value in self.slots if value}

    def with_slot(self, slot: str, value: SlotValue) -> "DomainState":
        """The same tab with one field set; a field the tab lacks is added at its end."""
        if all(name != slot for name, _ in self.slots):
            return replace(self, slots=(*self.slots, (slot, value)))
        changed = tuple((name, value if name == slot else old) for name, old in self.slots)
        return replace(self, slots=changed)

    def cleared(self) -> "DomainState":
        return DomainState(self.domain, tuple((name, "") for name in self.fields))

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the form, without those of exclusions."""
        return tuple(name for name, _ in self.slots if not name.startswith(NOT_MARK))

    def excluded(self, slot: str) -> tuple[str, ...]:
        """The excluded terms of a slot."""
        value = self.get(NOT_MARK + slot)
        return (value,) if isinstance(value, str) and value else tuple(value)


@dataclass(frozen=True, slots=True)
class SystemState:
    """The whole form: one tab per domain, kept from turn to turn."""

    domains: tuple[DomainState, ...] = ()

    def __iter__(self) -> Iterator[DomainState]:
        return iter(self.domains)

    def get(self, domain: str) -> DomainState:
        return next((tab for tab in self.domains if tab.domain == domain), DomainState(domain, ()))

    def with_domain(self, state: DomainState) -> "SystemState":
        """The same form with one tab replaced, or added at the end."""
        if all(tab.domain != state.domain for tab in self.domains):
            return SystemState((*self.domains, state))
        return SystemState(
            tuple(state if tab.domain == state.domain else tab for tab in self.domains)
        )

    def same_constraints(self, other: "SystemState") -> bool:
        """Equal in every field, whatever was selected (the criterion of multi-query turns)."""
        return [(tab.domain, tab.slots) for tab in self] == [
            (tab.domain, tab.slots) for tab in other
        ]
