"""How far the users of two runs are from each other, simulated ones from people above all.

    distance = user_distance(first.dialogues(), second.dialogues())
    distance.record()["distances"]["intents"]

Distances are those of Jensen and Shannon between distributions, to the base 2: 0 for users who say
the same things equally often, 1 for users who have nothing in common.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.language.tokenize import words


@dataclass(slots=True)
class UserProfile:
    """What the users of a run say, counted."""

    dialogues: int = 0
    turns: int = 0
    words: Counter[int] = field(default_factory=Counter)
    """Words of a turn -> number of turns."""
    acts: Counter[int] = field(default_factory=Counter)
    """Acts of a turn -> number of turns."""
    intents: Counter[str] = field(default_factory=Counter)
    slots: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """(intent, domain, slot) -> number of acts."""

    def add(self, dialogue: Dialogue) -> None:
        self.dialogues += 1
        for turn in dialogue.user_turns:
            self.turns += 1
            self.words[len(words(turn.text, dialogue.language))] += 1
            self.acts[len(turn.acts)] += 1
            self.intents.update(act.intent for act in turn.acts)
            self.slots.update((act.intent, act.domain, act.slot) for act in turn.acts)

    def record(self) -> dict[str, float | None]:
        return {
            "dialogues": self.dialogues,
            "turns_per_dialogue": _mean({self.turns: 1}, self.dialogues),
            "words_per_turn": _mean(self.words, self.turns),
            "acts_per_turn": _mean(self.acts, self.turns),
        }


@dataclass(frozen=True, slots=True)
class UserDistance:
    """The users of two runs."""

    first: UserProfile
    second: UserProfile

    def record(self) -> dict[str, Any]:
        """Means of both, and distances between their distributions."""
        names = ("words", "acts", "intents", "slots")
        return {
            "a": self.first.record(),
            "b": self.second.record(),
            "distances": {
                name: jensen_shannon(getattr(self.first, name), getattr(self.second, name))
                for name in names
            },
        }


def user_distance(first: Iterable[Dialogue], second: Iterable[Dialogue]) -> UserDistance:
    """Read both runs once, a dialogue at a time."""
    return UserDistance(_profile(first), _profile(second))


def _profile(dialogues: Iterable[Dialogue]) -> UserProfile:
    profile = UserProfile()
    for dialogue in dialogues:
        profile.add(dialogue)
    return profile


def _mean(counts: Mapping[int, int], total: int) -> float | None:
    return round(sum(key * count for key, count in counts.items()) / total, 3) if total else None


def jensen_shannon(first: Mapping[Hashable, int], second: Mapping[Hashable, int]) -> float | None:
    """The distance between two distributions, 0 to 1; None where one of them is empty."""
    totals = sum(first.values()), sum(second.values())
    if not all(totals):
        return None
    divergence = 0.0
    for key in {*first, *second}:
        p, q = first.get(key, 0) / totals[0], second.get(key, 0) / totals[1]
        mean = (p + q) / 2
        divergence += sum(each * math.log2(each / mean) / 2 for each in (p, q) if each)
    return round(math.sqrt(max(0.0, divergence)), 4)
