"""The input of the supervised policy: database lookups and the vector of zeros and ones.

The vector holds, in order: the user's acts, the system's last acts, which fields of the form are
filled, how many results the current domain has, whether the user has finished. In CrossWOZ these
are 142 + 155 + 26 + 4 + 1 = 328. Acts outside the vocabulary are ignored.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState
from crosstalk.system.policy.delexicalised_acts import ActVocabulary, delexicalise
from crosstalk.worlds.paper_queries import PaperDatabase
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row, World

Question = tuple[SystemState, str]
"""A form, and the domain in which it was searched."""


class Lookup(Protocol):
    """Finds the rows of a domain that a form asks for."""

    def find(self, form: SystemState, domain: str) -> Sequence[Row]:
        """The rows in the order of the table; none where no domain is spoken of."""
        ...

    def recall(self, questions: Iterable[Question]) -> None:
        """Forget all queries except these, the earlier ones of this dialogue."""
        ...


class StatefulLookup:
    """As published: bounds of earlier queries stay in force, across dialogues, until `recall`."""

    def __init__(self, world: World) -> None:
        self._database = PaperDatabase(world)

    def find(self, form: SystemState, domain: str) -> Sequence[Row]:
        return self._database.search(domain, form.get(domain).constraints)

    def recall(self, questions: Iterable[Question]) -> None:
        self._database.forget()
        for form, domain in questions:
            self.find(form, domain)


class StatelessLookup:
    """Every query is independent of earlier ones."""

    def __init__(self, world: World) -> None:
        self._schema = world.schema
        self._database = Database(world)

    def find(self, form: SystemState, domain: str) -> Sequence[Row]:
        if self._schema.domain(domain) is None:
            return ()
        return self._database.search(domain, form.get(domain).constraints)

    def recall(self, questions: Iterable[Question]) -> None:
        pass  # queries do not depend on each other


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
    """Assigns a position of the vector to every act, field and count."""

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
        """The positions of the ones."""
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
