"""Looking up what a form asks for: every question by itself, or as the published code did."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from crosstalk.dialogue.states import SystemState
from crosstalk.worlds.paper_queries import PaperDatabase
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row, World

Question = tuple[SystemState, str]
"""A form, and the domain in which it was looked up."""


class Lookup(Protocol):
    """Finds the rows of a domain that a form asks for."""

    def find(self, form: SystemState, domain: str) -> Sequence[Row]:
        """The rows in the order of the table; none where no domain is spoken of."""
        ...

    def recall(self, questions: Iterable[Question]) -> None:
        """Forget everything but these questions, which were asked before in this dialogue."""
        ...


class LingeringLookup:
    """Bounds of earlier questions linger, from dialogue to dialogue, until they are recalled."""

    def __init__(self, world: World) -> None:
        self._database = PaperDatabase(world)

    def find(self, form: SystemState, domain: str) -> Sequence[Row]:
        return self._database.search(domain, form.get(domain).constraints)

    def recall(self, questions: Iterable[Question]) -> None:
        self._database.forget()
        for form, domain in questions:
            self.find(form, domain)


class FreshLookup:
    """Every question stands by itself."""

    def __init__(self, world: World) -> None:
        self._schema = world.schema
        self._database = Database(world)

    def find(self, form: SystemState, domain: str) -> Sequence[Row]:
        if self._schema.domain(domain) is None:
            return ()
        return self._database.search(domain, form.get(domain).constraints)

    def recall(self, questions: Iterable[Question]) -> None:
        pass  # no question changes the answer to another
