"""A dialogue as a tracker of states reads it: what the system said, what the user answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class StateTurn:
    """The system's words (none before the first turn), the user's, and the state after them."""

    system: str
    user: str
    state: Mapping[str, str] = field(default_factory=dict)
    """Slot key -> value as the file says it, normalised; slots without a value are left out."""


@dataclass(frozen=True, slots=True)
class StateDialogue:
    """Turns of one dialogue in one language."""

    id: str
    language: str
    turns: tuple[StateTurn, ...]
    system_language: str = ""
    """Where the system speaks another language than the user, as in WOZ 2.0."""
    label_language: str = ""
    """Where the states are in another language than the user's words."""

    @property
    def heard(self) -> str:
        """The language of the system's side."""
        return self.system_language or self.language

    @property
    def labelled(self) -> str:
        """The language of the states."""
        return self.label_language or self.language
