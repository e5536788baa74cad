"""Counts that every metric is made of: they add up over turns, dialogues, types and languages."""

from collections.abc import Collection, Hashable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """So many right of so many."""

    right: int = 0
    total: int = 0

    def __add__(self, other: "Share") -> "Share":
        return Share(self.right + other.right, self.total + other.total)

    @property
    def percent(self) -> float | None:
        """None where there was nothing to get right."""
        return 100 * self.right / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class Hits:
    """Things guessed right, guessed wrongly and missed, each by itself."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @classmethod
    def of(cls, guessed: Collection[Hashable], true: Collection[Hashable]) -> "Hits":
        """Two sets compared; what stands in one of them twice counts once."""
        ours, theirs = set(guessed), set(true)
        return cls(len(ours & theirs), len(ours - theirs), len(theirs - ours))

    def __add__(self, other: "Hits") -> "Hits":
        return Hits(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed)

    @property
    def precision(self) -> float | None:
        """Percent of what was guessed; None where nothing was."""
        total = self.right + self.wrong
        return 100 * self.right / total if total else None

    @property
    def recall(self) -> float | None:
        """Percent of what is true; None where nothing is."""
        total = self.right + self.missed
        return 100 * self.right / total if total else None

    @property
    def f1(self) -> float | None:
        """Micro F1 in percent; None where there was nothing to guess and nothing was guessed."""
        total = 2 * self.right + self.wrong + self.missed
        return 200 * self.right / total if total else None
