"""Claims: whether what a system says, in acts and in words, stands in the tables.

Nothing of the policy is asked. A value in the acts must be what the tables say about the entity
spoken of: the one named in the turn, else the one ticked for it. Then the words are read by
themselves: what is left of them when the values of the acts are taken out may hold neither a
number nor a value of any table.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from crosstalk.database.queries import Database
from crosstalk.database.tables import Row
from crosstalk.dialogue.acts import INFORM, RECOMMEND, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.schema import SERVICE_MARK, DomainKind
from crosstalk.evaluation.success import Truth
from crosstalk.language.gazetteer import SAID, Gazetteer
from crosstalk.language.normalize import folded

ORDINARY: Final = 0.001
"""A value that both sides' words hold in more turns than this, though no act has it, is a word like
any other: a dish called "others". Those taken so are told."""

_DIGIT: Final = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class FalseClaim:
    """Something said that no table says."""

    dialogue: str
    turn: int
    claim: str
    """The act, or the words."""


@dataclass(frozen=True, slots=True)
class Claims:
    """What was checked in some dialogues."""

    turns: int = 0
    values: int = 0
    """Values told in acts."""
    false: tuple[FalseClaim, ...] = ()
    ordinary: tuple[str, ...] = ()
    """Values of tables that were taken for words, so that everybody can judge."""


@dataclass(slots=True)
class _Found:
    """What is gathered while reading."""

    turns: int = 0
    """Of the system."""
    spoken: int = 0
    """Turns of both sides."""
    values: int = 0
    false: list[FalseClaim] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)
    """Values left in the words of a turn -> how many turns."""
    places: dict[str, list[FalseClaim]] = field(default_factory=dict)


def check_claims(dialogues: Iterable[Dialogue], database: Database) -> Claims:
    """Every system turn of the dialogues; users' words only show which words are usual."""
    checker = _Checker(database)
    found = _Found()
    for dialogue in dialogues:
        for number, turn in enumerate(dialogue.turns):
            left = checker.left_over(turn)
            found.said.update(left)
            found.spoken += 1
            if turn.speaker is Speaker.SYSTEM:
                checker.read(dialogue, number, left, found)
    ordinary = sorted(value for value, n in found.said.items() if n > ORDINARY * found.spoken)
    unmeant = [
        each for value, several in found.places.items() if value not in ordinary for each in several
    ]
    return Claims(found.turns, found.values, (*found.false, *unmeant), tuple(ordinary))


class _Checker:
    def __init__(self, database: Database) -> None:
        self._truth = Truth(database)
        self._gazetteer = Gazetteer.of(database.world.columns(*SAID))

    def left_over(self, turn: Turn) -> set[str]:
        """Values of tables in the words of a turn that its acts do not have."""
        left = _without_values(turn)
        return {folded(left[m.start : m.end]) for m in self._gazetteer.find(left)}

    def read(self, dialogue: Dialogue, number: int, left: set[str], found: _Found) -> None:
        turn = dialogue.turns[number]
        found.turns += 1
        for act in turn.acts:
            if act.intent in (INFORM, RECOMMEND):
                found.values += 1
                if not self._is_true(act, turn, dialogue.turns[:number]):
                    found.false.append(FalseClaim(dialogue.id, number, str(act)))
        if _DIGIT.search(_without_values(turn)):
            found.false.append(FalseClaim(dialogue.id, number, turn.text))
        for value in left:
            where = FalseClaim(dialogue.id, number, f"{value}: {turn.text}")
            found.places.setdefault(value, []).append(where)

    def _is_true(self, act: Act, turn: Turn, before: tuple[Turn, ...]) -> bool:
        domain = self._truth.domain(act.domain)
        if domain.kind is not DomainKind.PLACE:
            ends = turn.last_query.get(act.domain).constraints if turn.last_query else {}
            rows: Iterable[Row] = self._truth.ride(act.domain, ends)
            return any(
                act.slot in row and self._truth.is_right(domain, row, act.slot, act.value)
                for row in rows
            )
        if domain.name_slot and act.slot == domain.name_slot.key:
            return self._truth.entity(act.domain, act.value) is not None
        return any(
            row is not None and self._truth.is_right(domain, row, act.slot, act.value)
            for row in self._spoken_of(act.domain, turn, before)
        )

    def _spoken_of(self, domain: str, turn: Turn, before: tuple[Turn, ...]) -> Iterator[Row | None]:
        """The entities a turn tells about: named in it, else ticked, else named last."""
        names = self._named(domain, turn)
        if not names and turn.last_query:
            names = list(turn.last_query.get(domain).selected)
        for earlier in reversed(before):
            names = names or self._named(domain, earlier)
        return (self._truth.entity(domain, name) for name in names)

    def _named(self, domain: str, turn: Turn) -> list[str]:
        slot = self._truth.domain(domain).name_slot
        return [
            act.value
            for act in turn.acts
            if act.intent in (INFORM, RECOMMEND)
            and slot is not None
            and (act.domain, act.slot) == (domain, slot.key)
        ]


def _without_values(turn: Turn) -> str:
    """The words without the values that the acts tell, longer ones first."""
    left = turn.text
    told = {
        value for act in turn.acts for value in (act.value, act.slot.partition(SERVICE_MARK)[2])
    }
    for value in sorted(filter(None, told), key=len, reverse=True):
        left = left.replace(value, "\n")
    return left
