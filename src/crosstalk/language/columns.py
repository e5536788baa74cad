"""Columns: the texts of one slot of a world's tables, as plain values that finders look for."""

from dataclasses import dataclass

from crosstalk.dialogue.schema import SlotKind


@dataclass(frozen=True, slots=True)
class Column:
    """One slot of one domain, and every text its cells hold."""

    domain: str
    slot: str
    kind: SlotKind
    texts: tuple[str, ...]
    """Each text once, in the order of the table."""
    tags: frozenset[str] = frozenset()
    """Texts that say what sort of thing another one is."""

    @property
    def key(self) -> tuple[str, str]:
        return self.domain, self.slot
