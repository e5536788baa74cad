"""Whether an answer of a system claims anything that the tables do not say.

    false_claims(database, history)

Judged twice, without asking the system how it came to say so: its acts against the rows of the
places it speaks of, and every number in its words against the values it may speak of.
"""

import re
from collections.abc import Iterator
from typing import Final

from crosstalk.database.queries import Database
from crosstalk.database.rides import ends_of
from crosstalk.database.saying import answer as said_of
from crosstalk.database.tables import Row
from crosstalk.dialogue.acts import (
    AMONG,
    COUNT,
    FACT,
    INFORM,
    MULTIPLY,
    PRODUCT,
    RECOMMEND,
    WINNER,
    Act,
)
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.schema import Domain, DomainKind, SlotKind
from crosstalk.dialogue.states import SystemState
from crosstalk.language.number_forms import forms_of, say_number
from crosstalk.system.dst.memory import Memory

_NUMBER: Final = re.compile(r"\d+")


def false_claims(database: Database, history: tuple[Turn, ...]) -> list[str]:
    """What the last turn, a system's, says and is not so, in words."""
    return [*_Claims(database, history).false()]


class _Claims:
    """The claims of the last turn of a dialogue."""

    def __init__(self, database: Database, history: tuple[Turn, ...]) -> None:
        self._database = database
        self._schema = database.world.schema
        self._turn, self._asked = history[-1], history[-2]
        self._memory = Memory.of(self._schema, database.world.language.yes, history)
        self._form = self._turn.first_query or SystemState()

    def false(self) -> Iterator[str]:
        for act in self._turn.acts:
            if not self._holds(act):
                yield f"{act} is not so"
        yield from self._unfounded_numbers()

    def _holds(self, act: Act) -> bool:
        domain = self._schema.domain(act.domain)
        if domain is None or act.intent not in (INFORM, RECOMMEND, FACT, COUNT, PRODUCT, WINNER):
            return True
        if domain.kind is not DomainKind.PLACE:
            return self._holds_of_ride(domain, act)
        name_slot = domain.name_slot
        if act.intent == COUNT:
            found = self._database.search(domain.key, self._form.get(domain.key).constraints)
            return int(act.value) == len(found) or int(act.value) < len(found)
        if act.intent == WINNER or (name_slot and act.slot == name_slot.key):
            return self._database.find(domain.key, act.value) is not None
        if act.intent == FACT:
            return self._holds_of_named(domain, act)
        if act.intent == PRODUCT:
            return any(self._is_product(domain, row, act) for row in self._spoken_of(domain))
        return any(self._is_said(domain, row, act) for row in self._spoken_of(domain))

    def _holds_of_named(self, domain: Domain, act: Act) -> bool:
        """A fact of one of several places: its name and the value."""
        name, _, value = act.value.partition(AMONG)
        row = self._database.find(domain.key, name)
        pack = self._database.world.language
        return row is not None and any(
            each in value for each in said_of(pack, domain, row, act.slot)
        )

    def _is_product(self, domain: Domain, row: Row, act: Act) -> bool:
        slot = domain.slot(act.slot)
        cell = row.get(slot.key) if slot else None
        times = [float(each.value) for each in self._asked.acts if each.intent == MULTIPLY]
        if slot is None or not isinstance(cell, int | float):
            return False
        forms = forms_of(self._database.world.language, domain.key, slot)
        return any(say_number(forms, cell * each) == act.value for each in times)

    def _spoken_of(self, domain: Domain) -> list[Row]:
        """The rows of the places of a domain that the answer names, or that the talk is about."""
        slot = domain.name_slot.key if domain.name_slot else ""
        names = [act.value for act in self._turn.acts if act.domain == domain.key]
        names = [name for name in names if slot]
        names.append(self._memory.last.get(domain.key, ""))
        for tab in self._form:
            sought = self._schema.domain(tab.domain)
            for near in sought.of_kind(SlotKind.NEARBY) if sought else ():
                names += [str(tab.get(near.key))] if near.target == domain.key else []
        found = (self._database.find(domain.key, name) for name in names)
        return [row for row in found if row is not None]

    def _is_said(self, domain: Domain, row: Row, act: Act) -> bool:
        pack, slot = self._database.world.language, domain.slot(act.slot)
        if slot is None:
            return False
        if slot.kind is not SlotKind.SERVICES:
            return act.value in said_of(pack, domain, row, act.slot)
        return self._database.offers(domain.key, row, act.slot) == (act.value == pack.yes)

    def _holds_of_ride(self, domain: Domain, act: Act) -> bool:
        constraints = self._form.get(domain.key).constraints
        complete = len(constraints) == len(ends_of(domain))
        rows = self._database.search(domain.key, constraints) if complete else ()
        pack = self._database.world.language
        if act.slot in constraints:
            return act.value == constraints[act.slot]
        return any(
            act.slot in row and act.value in said_of(pack, domain, row, act.slot) for row in rows
        )

    def _unfounded_numbers(self) -> Iterator[str]:
        """Numbers in the words that stand in no act, constraint or name; help claims nothing."""
        if not any(self._schema.domain(act.domain) for act in self._turn.acts):
            return
        founded = [part for act in self._turn.acts for part in (act.value, act.slot)]
        for tab in self._form:
            for value in tab.constraints.values():
                founded += [value] if isinstance(value, str) else value
        founded += [name for _, name in (*self._memory.recent, *self._memory.listed)]
        founded.append(self._asked.text)
        known = set(_NUMBER.findall(" ".join(founded)))
        for number in _NUMBER.findall(self._turn.text):
            if number not in known:
                yield f"{number} in {self._turn.text!r} comes from nowhere"
