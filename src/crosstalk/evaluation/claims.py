"""Claims: whether what a system says, in acts and in words, stands in the tables.

    ClaimChecker(database).false_claims(history)   the last turn of a dialogue
    check_claims(dialogues, database)              every system turn of some dialogues

The policy is not asked. A value in the acts must be what the tables say about a place that the turn
speaks of. The words are read by themselves: numbers, and values of the tables, must come from the
acts or from what was said before.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from crosstalk.dialogue.acts import (
    AMONG,
    COMPARE,
    COUNT,
    FACT,
    INFORM,
    MULTIPLY,
    PRODUCT,
    RECOMMEND,
    WINNER,
    Act,
)
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, DomainKind, SlotKind
from crosstalk.dialogue.states import SystemState
from crosstalk.evaluation.success import Truth
from crosstalk.language.gazetteer import SAID, Gazetteer
from crosstalk.language.normalize import folded
from crosstalk.language.number_forms import forms_of, say_number
from crosstalk.worlds.display import answer as said_of
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row

CLAIMS: Final = (INFORM, RECOMMEND, FACT, COUNT, PRODUCT, WINNER)
"""Intents that state something about the world."""
ORDINARY: Final = 0.001
"""A value that both sides' words hold in more turns than this, though no act has it, is an ordinary
word: a dish called "others". `Claims.ordinary` lists them."""

_NUMBER: Final = re.compile(r"\d+")
_LISTED: Final = re.compile(rf"[{AMONG}、，,؛،;]\s*| \+ ")
"""Between a name and its values, and between values of a list."""


@dataclass(frozen=True, slots=True)
class FalseClaim:
    """A statement that no table bears out."""

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
    """Values of tables that were taken for ordinary words."""


class ClaimChecker:
    """Decides by the tables whether an act of a system is true."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._schema = database.world.schema
        self._truth = Truth(database)

    def false_claims(self, history: tuple[Turn, ...]) -> list[str]:
        """What the last turn, a system's, says and is not so, in words."""
        text = history[-1].text
        acts = [f"{act} is not so" for act in self.false_acts(history)]
        numbers = self.unfounded_numbers(history)
        return [*acts, *(f"{number} in {text!r} comes from nowhere" for number in numbers)]

    def false_acts(self, history: tuple[Turn, ...]) -> list[Act]:
        """The acts of the last turn that are not so."""
        return [act for act in history[-1].acts if not self.is_true(act, history)]

    def is_true(self, act: Act, history: tuple[Turn, ...]) -> bool:
        """Whether an act of the last turn is so; an act that states nothing is true."""
        domain = self._schema.domain(act.domain)
        if domain is None or act.intent not in CLAIMS:
            return True
        if domain.kind is not DomainKind.PLACE:
            return self._is_true_of_ride(domain, act, history[-1])
        if act.intent == COUNT:
            constraints = _form(history[-1].first_query).get(domain.key).constraints
            return int(act.value) <= len(self._database.search(domain.key, constraints))
        if act.intent == WINNER or (domain.name_slot and act.slot == domain.name_slot.key):
            return self._truth.entity(domain.key, act.value) is not None
        if act.intent == FACT:
            return self._is_true_of_named(domain, act)
        rows = self._spoken_of(domain, history)
        if act.intent == PRODUCT:
            both = self._named_together(domain, history)
            return any(
                self._is_product(domain, some, act, history[-2]) for some in ([row] for row in rows)
            ) or self._is_product(domain, both, act, history[-2])
        return any(self._truth.is_right(domain, row, act.slot, act.value) for row in rows)

    def _is_true_of_ride(self, domain: Domain, act: Act, turn: Turn) -> bool:
        constraints = _form(turn.last_query or turn.first_query).get(domain.key).constraints
        if act.slot in constraints:
            return act.value == constraints[act.slot]
        rows = self._truth.ride(domain.key, constraints) if constraints else ()
        return any(
            act.slot in row and self._truth.is_right(domain, row, act.slot, act.value)
            for row in rows
        )

    def _is_true_of_named(self, domain: Domain, act: Act) -> bool:
        """A fact of one of several places: its name and the value."""
        name, _, value = act.value.partition(AMONG)
        row = self._truth.entity(domain.key, name)
        if row is None or self._truth.is_right(domain, row, act.slot, value):
            return row is not None
        said = said_of(self._database.world.language, domain, row, act.slot)
        return any(each in value for each in said)

    def _is_product(self, domain: Domain, rows: list[Row], act: Act, asked: Turn) -> bool:
        """Whether a value is the number of a place, or of several together, so many times."""
        slot = domain.slot(act.slot)
        cells = [row.get(slot.key) for row in rows] if slot else []
        numbers = [cell for cell in cells if isinstance(cell, int | float)]
        if slot is None or not numbers or len(numbers) < len(cells):
            return False
        times = [float(each.value) for each in asked.acts if each.intent == MULTIPLY]
        forms = forms_of(self._database.world.language, domain.key, slot)
        return any(say_number(forms, sum(numbers) * each) == act.value for each in times)

    def _named_together(self, domain: Domain, history: tuple[Turn, ...]) -> list[Row]:
        """The two places of a domain that were named last."""
        name = domain.name_slot.key if domain.name_slot else ""
        named: dict[str, Row] = {}
        acts = (act for turn in reversed(history) for act in turn.acts if act.domain == domain.key)
        for act in acts:
            values = act.value.split(AMONG) if act.intent in (FACT, COMPARE) else []
            values += [act.value] if act.slot == name else []
            found = ((each, self._truth.entity(domain.key, each)) for each in values)
            named |= {each: row for each, row in found if row is not None}
        return list(named.values())[:2]

    def _spoken_of(self, domain: Domain, history: tuple[Turn, ...]) -> list[Row]:
        """The places a turn tells about: named in it, else selected, else named last; and the one
        that another place is sought near.
        """
        *before, turn = history
        names = self._named(domain, turn) or list(_form(turn.last_query).get(domain.key).selected)
        for earlier in reversed(before):
            names = names or self._named(domain, earlier)
        for tab in _form(turn.first_query):
            sought = self._schema.domain(tab.domain)
            for near in sought.of_kind(SlotKind.NEARBY) if sought else ():
                names += [str(tab.get(near.key))] if near.target == domain.key else []
        found = (self._truth.entity(domain.key, name) for name in names)
        return [row for row in found if row is not None]

    def _named(self, domain: Domain, turn: Turn) -> list[str]:
        return [
            act.value
            for act in turn.acts
            if act.intent in (INFORM, RECOMMEND)
            and domain.name_slot
            and (act.domain, act.slot) == (domain.key, domain.name_slot.key)
        ]

    def unfounded_numbers(self, history: tuple[Turn, ...]) -> list[str]:
        """Numbers in the words that stand in no act, constraint, question or name said before."""
        *before, turn = history
        if not any(self._schema.domain(act.domain) for act in turn.acts):
            return []  # a greeting or help states nothing
        founded = [part for act in turn.acts for part in (act.value, act.slot)]
        for tab in _form(turn.first_query):
            for value in tab.constraints.values():
                founded += [value] if isinstance(value, str) else value
        founded += [act.value for earlier in before for act in earlier.acts]
        founded += [earlier.text for earlier in before[-1:]]
        known = set(_NUMBER.findall(" ".join(founded)))
        return [number for number in _NUMBER.findall(turn.text) if number not in known]


def _form(state: SystemState | None) -> SystemState:
    return state or SystemState()


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
    """Every system turn of the dialogues; users' words only show which words are ordinary."""
    checker = ClaimChecker(database)
    gazetteer = Gazetteer.of(database.world.columns(*SAID))
    found = _Found()
    for dialogue in dialogues:
        for number, turn in enumerate(dialogue.turns):
            left = _values_in(_without_values(turn), gazetteer)
            found.said.update(left)
            found.spoken += 1
            if turn.speaker is Speaker.SYSTEM:
                _read(dialogue, number, left, checker, found)
    ordinary = sorted(value for value, n in found.said.items() if n > ORDINARY * found.spoken)
    unmeant = [
        each for value, several in found.places.items() if value not in ordinary for each in several
    ]
    return Claims(found.turns, found.values, (*found.false, *unmeant), tuple(ordinary))


def _read(
    dialogue: Dialogue, number: int, left: set[str], checker: ClaimChecker, found: _Found
) -> None:
    turn, history = dialogue.turns[number], dialogue.turns[: number + 1]
    found.turns += 1
    found.values += sum(act.intent in CLAIMS for act in turn.acts)
    claims = [str(act) for act in checker.false_acts(history)]
    if _NUMBER.search(_without_values(turn)):
        claims.append(turn.text)
    found.false += [FalseClaim(dialogue.id, number, claim) for claim in claims]
    for value in left:
        where = FalseClaim(dialogue.id, number, f"{value}: {turn.text}")
        found.places.setdefault(value, []).append(where)


def _values_in(text: str, gazetteer: Gazetteer) -> set[str]:
    return {folded(text[m.start : m.end]) for m in gazetteer.find(text)}


def _without_values(turn: Turn) -> str:
    """The words without the values that the acts tell, longer ones first."""
    left = turn.text
    told = {
        value
        for act in turn.acts
        for value in (act.value, act.slot.partition(SERVICE_MARK)[2], *_parts(act))
    }
    for value in sorted(filter(None, told), key=len, reverse=True):
        left = left.replace(value, "\n")
    return left


def _parts(act: Act) -> list[str]:
    """The name and the values in an act about one of several places."""
    return _LISTED.split(act.value) if act.intent == FACT else []
