"""Slot error rate (Wen et al., 2015): values that an utterance forgets or says too often."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from crosstalk.system.nlg.keys import Spoken


@dataclass(frozen=True, slots=True)
class SlotErrors:
    """Counts of values; they add over utterances."""

    values: int = 0
    """Values that were to be said."""
    missing: int = 0
    repeated: int = 0
    """Said once more than the acts have them."""

    def __add__(self, other: "SlotErrors") -> "SlotErrors":
        return SlotErrors(
            self.values + other.values,
            self.missing + other.missing,
            self.repeated + other.repeated,
        )

    @property
    def rate(self) -> float:
        """Errors a value; 0 where there was nothing to say."""
        return (self.missing + self.repeated) / self.values if self.values else 0.0


def slot_errors(text: str, spoken: Sequence[Spoken]) -> SlotErrors:
    """Which values of the acts a text says, letter for letter.

    Longer values first: a value inside another that is said as well does not count again.
    """
    wanted = Counter(each.value for each in spoken if each.has_hole)
    errors = SlotErrors()
    for value, count in sorted(wanted.items(), key=lambda pair: -len(pair[0])):
        said = text.count(value)
        text = text.replace(value, "\0")
        errors += SlotErrors(count, max(0, count - said), max(0, said - count))
    return errors
