"""The one interface of machine translation, and the simplest machine behind it.

for rendering in translator.translate([Passage("Two nights, please.")]): ...
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to translate: an utterance, or the value of a slot."""

    text: str
    slot: str = ""
    """Empty: an utterance."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """What a machine made of a passage."""

    text: str
    how: str
    """Where it comes from: a model, the memory, the glossary, copied."""
    untranslated: tuple[str, ...] = ()
    """Words that were left as they are."""


class Translator(Protocol):
    """Any machine that translates from one language to another."""

    @property
    def name(self) -> str:
        """Everything that decides what comes out: kind, model, digest of its tables."""
        ...

    @property
    def batch(self) -> int:
        """How many passages it likes at once."""
        ...

    def translate(self, passages: Sequence[Passage]) -> list[Rendering]:
        """One rendering for each passage, in their order."""
        ...
