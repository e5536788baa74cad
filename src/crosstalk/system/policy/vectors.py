"""What the supervised policy sees of a dialogue, as zeros and ones.

In order: the user's acts, the system's last acts, which fields of the form are filled in, how many
results the current domain has, whether the user has finished. 142 + 155 + 26 + 4 + 1 = 328 in
CrossWOZ; other worlds have other numbers. Acts that the vocabulary lacks go unseen.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState
from crosstalk.system.policy.delexicalise import ActVocabulary, delexicalise

BUCKETS = 4
"""No result, one, two to four, five or more."""


@dataclass(frozen=True, slots=True)
class PolicyInput:
    """What is known when the system has to answer."""

    form: SystemState
    user_acts: tuple[Act, ...]
    system_acts: tuple[Act, ...]
    """What the system said last; nothing before its first turn."""
    results: int
    """Rows that the form finds in the current domain."""
    ended: bool
    """The user has finished, and only a farewell is due."""


class StateVectors:
    """Positions of a vector, given names."""

    def __init__(self, schema: Schema, vocabulary: ActVocabulary) -> None:
        self._user = {act: number for number, act in enumerate(vocabulary.user)}
        start = len(self._user)
        self._system = {act: start + number for number, act in enumerate(vocabulary.system)}
        start += len(self._system)
        fields = [(domain.key, slot.key) for domain in schema for slot in domain.form]
        self._fields = {field: start + number for number, field in enumerate(fields)}
        self._buckets = start + len(fields)
        self.size = self._buckets + BUCKETS + 1

    def lit(self, seen: PolicyInput) -> list[int]:
        """The positions that hold a one; all others hold a zero."""
        lit = _known(self._user, delexicalise(seen.user_acts))
        lit += _known(self._system, delexicalise(seen.system_acts))
        for tab in seen.form:
            for slot in tab.constraints:
                if (tab.domain, slot) in self._fields:
                    lit.append(self._fields[tab.domain, slot])
        lit.append(self._buckets + bucket(seen.results))
        return [*lit, self.size - 1] if seen.ended else lit


def bucket(results: int) -> int:
    if results < 2:
        return results
    return 2 if results < 5 else 3


def _known(positions: dict[Act, int], acts: Iterable[Act]) -> list[int]:
    return [positions[act] for act in acts if act in positions]
