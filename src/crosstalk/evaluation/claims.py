"""Whether an answer of the assistant claims anything that the tables do not say.

    false_claims(Database(world), answer, session)

Judged twice, without asking the assistant how it came to say so: its acts against the rows of the
places it speaks of, and every number in its words against the values it may speak of.
"""

import re
from collections.abc import Iterator
from typing import Final

from crosstalk.database.conditions import texts
from crosstalk.database.queries import Database
from crosstalk.database.rides import ends_of
from crosstalk.database.saying import answer as said_of
from crosstalk.database.tables import Row
from crosstalk.dialogue.acts import GENERAL, INFORM, RECOMMEND, Act
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, DomainKind, SlotKind
from crosstalk.simulation.assistant.assistant import Answer
from crosstalk.simulation.assistant.session import Session

_NUMBER: Final = re.compile(r"\d+")


def false_claims(database: Database, answer: Answer, session: Session) -> list[str]:
    """What is said and not so, in words; `session` is the one after the answer."""
    wrong = [
        f"{act} is not so" for act in answer.acts if not _holds(database, act, answer, session)
    ]
    return [*wrong, *_unfounded_numbers(database, answer, session)]


def _holds(database: Database, act: Act, answer: Answer, session: Session) -> bool:
    domain = database.world.schema.domain(act.domain)
    if act.intent not in (INFORM, RECOMMEND) or domain is None:
        return act.intent == GENERAL or domain is not None
    if domain.kind is not DomainKind.PLACE:
        return _holds_of_ride(database, domain, act, answer)
    if domain.name_slot and act.slot == domain.name_slot.key:
        return database.find(domain.key, act.value) is not None
    rows = _spoken_of(database, domain, answer, session)
    return any(_is_said(database, domain, row, act) for row in rows)


def _spoken_of(database: Database, domain: Domain, answer: Answer, session: Session) -> list[Row]:
    """The rows of the places of a domain that the answer names, or that the talk is about."""
    slot = domain.name_slot.key if domain.name_slot else ""
    names = [act.value for act in answer.acts if act.domain == domain.key and act.slot == slot]
    names.append(session.chosen.get(domain.key, ""))
    for tab in answer.form:
        sought = database.world.schema.domain(tab.domain)
        for near in sought.of_kind(SlotKind.NEARBY) if sought else ():
            names += [str(tab.get(near.key))] if near.target == domain.key else []
    found = (database.find(domain.key, name) for name in names)
    return [row for row in found if row is not None]


def _is_said(database: Database, domain: Domain, row: Row, act: Act) -> bool:
    pack, slot = database.world.language, domain.slot(act.slot)
    if slot is None:
        return False
    if slot.kind is not SlotKind.SERVICES:
        return act.value in said_of(pack, domain, row, act.slot)
    service = act.slot.removeprefix(slot.key + SERVICE_MARK).lower()
    there = any(service in each.lower() for each in texts(row.get(slot.key)))
    return there == (act.value == pack.yes)


def _holds_of_ride(database: Database, domain: Domain, act: Act, answer: Answer) -> bool:
    constraints = answer.form.get(domain.key).constraints
    rows = (
        database.search(domain.key, constraints) if len(constraints) == len(ends_of(domain)) else ()
    )
    return any(
        act.slot in row and act.value in said_of(database.world.language, domain, row, act.slot)
        for row in rows
    )


def _unfounded_numbers(database: Database, answer: Answer, session: Session) -> Iterator[str]:
    """Numbers in the words that stand in no act, wish, name or count; examples claim nothing."""
    if not (answer.acts or answer.results):
        return
    founded = [act.value for act in answer.acts]
    founded += [act.slot for act in answer.acts]
    for tab in answer.form:
        for value in tab.constraints.values():
            founded += [value] if isinstance(value, str) else value
    founded += [str(result.count) for result in answer.results]
    founded += [name for result in answer.results for name in result.names]
    founded += [wish for result in answer.results for wish in result.wishes.values()]
    founded += [name for _, name in (*session.recent, *session.listed)]
    known = set(_NUMBER.findall(" ".join(founded)))
    spoken = session.history[-2].text if len(session.history) > 1 else ""
    known |= set(_NUMBER.findall(spoken))
    for number in _NUMBER.findall(answer.text):
        if number not in known:
            yield f"{number} in {answer.text!r} comes from nowhere"
