"""Time and cost: what editors did, how long it took, and what it costs at a rate an hour.

The paper's figures: 1,083 person-hours at 16 $ an hour for four languages, 17,328 $.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from crosstalk.translation.journal import Event


@dataclass(frozen=True, slots=True)
class Effort:
    """One person's work; sums of two are the work of both."""

    saves: int = 0
    utterances: int = 0
    """Each once, however often it was saved."""
    seconds: float = 0.0

    def __add__(self, other: "Effort") -> "Effort":
        return Effort(
            self.saves + other.saves,
            self.utterances + other.utterances,
            self.seconds + other.seconds,
        )

    @property
    def hours(self) -> float:
        return self.seconds / 3600

    def cost(self, rate: float) -> float:
        return self.hours * rate

    def record(self, rate: float) -> dict[str, float]:
        """As JSON."""
        return {
            "utterances": self.utterances,
            "saves": self.saves,
            "hours": round(self.hours, 4),
            "cost": round(self.cost(rate), 2),
        }


def efforts(events: Iterable[Event]) -> dict[str, Effort]:
    """By person, in the order in which they began."""
    found: dict[str, Effort] = {}
    seen: set[tuple[str, str, int]] = set()
    for event in events:
        if event["event"] not in ("edit", "judge"):
            continue
        who = str(event["editor"])
        place = (who, str(event["dialogue"]), int(event["turn"]))
        seconds = float(event.get("seconds", 0.0))
        found[who] = found.get(who, Effort()) + Effort(1, int(place not in seen), seconds)
        seen.add(place)
    return found
