"""Claims: whether what a system says, in acts and in words, is true in the tables.

    ClaimChecker(database).false_claims(history)   the last turn of a dialogue
    check_claims(dialogues, database)              every system turn of some dialogues
    score_run_speech(folder, turns)                claims and slot errors of a run
    check_answers("harbour", "en", dialogues=20, seed=1)   of new simulated dialogues

The check does not depend on the policy. A value in the acts must be what the tables say about an
entity that the turn is about. The words are read independently of the acts: numbers and table
values in them must come from the acts or from earlier turns.
"""

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

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
from crosstalk.dialogue.conversation import Ending
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.participants import Reply
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, DomainKind, SlotKind
from crosstalk.dialogue.states import SystemState
from crosstalk.errors import InputError
from crosstalk.evaluation.nlg_scores import SlotErrors, slot_errors
from crosstalk.evaluation.said_actions import SaidActions
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.language.gazetteer import SAID, Gazetteer
from crosstalk.language.normalize import folded
from crosstalk.language.number_forms import forms_of, say_number
from crosstalk.simulation.build import GIVEN, Setup, build
from crosstalk.simulation.dialogue_loop import talk
from crosstalk.simulation.run_folders import open_run
from crosstalk.simulation.runner import world_of
from crosstalk.system.build import WORDS
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.pipeline import System, SystemSession
from crosstalk.worlds.display import answer as said_of
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row
from crosstalk.worlds.truth import Truth

CLAIMS: Final = (INFORM, RECOMMEND, FACT, COUNT, PRODUCT, WINNER)
"""Intents that state something about the world."""
ORDINARY: Final = 0.001
"""A table value found in more than this share of turns without being in their acts is an ordinary
word, such as a dish called "others". `Claims.ordinary` lists them."""

_NUMBER: Final = re.compile(r"\d+")
_LISTED: Final = re.compile(rf"[{AMONG}、，,؛،;]\s*| \+ ")
"""Between a name and its values, and between values of a list."""


@dataclass(frozen=True, slots=True)
class FalseClaim:
    """A statement that is not true in the tables."""

    dialogue: str
    turn: int
    claim: str
    """The act, or the words."""


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of some dialogues."""

    turns: int = 0
    values: int = 0
    """Values in the acts."""
    false: tuple[FalseClaim, ...] = ()
    ordinary: tuple[str, ...] = ()
    """Table values that were taken for ordinary words."""


class ClaimChecker:
    """Decides by the tables whether an act of a system is true."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._schema = database.world.schema
        self._truth = Truth(database)

    def false_claims(self, history: tuple[Turn, ...]) -> list[str]:
        """Descriptions of the false claims in the last turn, which is the system's."""
        text = history[-1].text
        acts = [f"{act} is not so" for act in self.false_acts(history)]
        numbers = self.unfounded_numbers(history)
        return [*acts, *(f"{number} in {text!r} comes from nowhere" for number in numbers)]

    def false_acts(self, history: tuple[Turn, ...]) -> list[Act]:
        """The false acts of the last turn."""
        return [act for act in history[-1].acts if not self.is_true(act, history)]

    def is_true(self, act: Act, history: tuple[Turn, ...]) -> bool:
        """Whether an act of the last turn is true; an act that claims nothing is."""
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
        """Whether a fact about one of several entities (name and value) is true."""
        name, _, value = act.value.partition(AMONG)
        row = self._truth.entity(domain.key, name)
        if row is None or self._truth.is_right(domain, row, act.slot, value):
            return row is not None
        said = said_of(self._database.world.language, domain, row, act.slot)
        return any(each in value for each in said)

    def _is_product(self, domain: Domain, rows: list[Row], act: Act, asked: Turn) -> bool:
        """Whether a value is a number of one entity, or a sum of several, times what was asked."""
        slot = domain.slot(act.slot)
        cells = [row.get(slot.key) for row in rows] if slot else []
        numbers = [cell for cell in cells if isinstance(cell, int | float)]
        if slot is None or not numbers or len(numbers) < len(cells):
            return False
        times = [float(each.value) for each in asked.acts if each.intent == MULTIPLY]
        forms = forms_of(self._database.world.language, domain.key, slot)
        return any(say_number(forms, sum(numbers) * each) == act.value for each in times)

    def _named_together(self, domain: Domain, history: tuple[Turn, ...]) -> list[Row]:
        """The two entities of a domain that were named last."""
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
        """The entities a turn is about: those named in it, else selected, else named last; and the
        one near which another is sought.
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
        """Numbers in the text that are in no act, constraint, question or earlier name."""
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
    """Counts while reading dialogues."""

    turns: int = 0
    """System turns."""
    spoken: int = 0
    """All turns."""
    values: int = 0
    false: list[FalseClaim] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)
    """Table value found in a text but not in its acts -> number of turns."""
    places: dict[str, list[FalseClaim]] = field(default_factory=dict)


def check_claims(dialogues: Iterable[Dialogue], database: Database) -> Claims:
    """Check every system turn; texts of users only show which words are ordinary."""
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
    """The text without the values of its acts, longer ones first."""
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
    """The name and the values in an act about one of several entities."""
    return _LISTED.split(act.value) if act.intent == FACT else []


@dataclass(slots=True)
class AnswerTally:
    """Counts of the dialogues of `check_answers`."""

    dialogues: int = 0
    finished: int = 0
    """Dialogues in which every question was answered."""
    false: list[str] = field(default_factory=list)
    """Descriptions of false claims."""
    seconds: list[float] = field(default_factory=list)
    """CPU time of each system turn."""

    @property
    def turns(self) -> int:
        return len(self.seconds)


@dataclass(frozen=True, slots=True)
class ObservedSystem:
    """A system as a participant whose answers are checked."""

    system: System
    checker: ClaimChecker
    tally: AnswerTally

    def begin(self) -> SystemSession:
        return self.system.begin()

    def reply(self, heard: Turn | None, state: SystemSession) -> tuple[Reply, SystemSession]:
        began = time.process_time()
        reply, after = self.system.reply(heard, state)
        self.tally.seconds.append(time.process_time() - began)
        self.tally.false += self.checker.false_claims(after.history)
        return reply, after


def check_answers(
    world: str, language: str | None, *, dialogues: int, seed: int, data: Path | None = None
) -> AnswerTally:
    """Simulate dialogues and check every system turn; the seed decides goals and words."""
    setup = Setup(world, language, data, level=WORDS, user_nlu=GIVEN, user_nlg="template")
    simulation = build(setup)
    observed = ObservedSystem(simulation.pipeline, ClaimChecker(simulation.database), AnswerTally())
    sampler = replace(goal_sampler(simulation.world), describer=None)  # descriptions are not needed
    for number in range(dialogues):
        goal = sampler.sample(goal_rng(seed, number))
        user, _ = simulation.cast(goal, f"answers {seed}:{number}")
        held = talk(user, observed, schema=simulation.world.schema, goal=goal, patience=0)
        observed.tally.dialogues += 1
        observed.tally.finished += held.ending is Ending.FINISHED
    return observed.tally


@dataclass(frozen=True, slots=True)
class SpeechScore:
    """Slot errors and claims of some dialogues."""

    turns: dict[Speaker, int]
    errors: dict[Speaker, SlotErrors]
    claims: Claims

    @property
    def all_errors(self) -> SlotErrors:
        return sum(self.errors.values(), SlotErrors())

    def figures(self, examples: int = 5) -> dict[str, Any]:
        """As JSON, with the first false claims."""
        errors, claims = self.all_errors, self.claims
        return {
            "turns": sum(self.turns.values()),
            "slot_error_rate": round(errors.rate, 6),
            "values": errors.values,
            "missing": errors.missing,
            "repeated": errors.repeated,
            "by_side": {str(side): round(each.rate, 6) for side, each in self.errors.items()},
            "claims": claims.values,
            "false_claims": len(claims.false),
            "examples": [f"{each.dialogue}: {each.claim}" for each in claims.false[:examples]],
            "taken_for_words": list(claims.ordinary),
        }


def score_speech(dialogues: list[Dialogue], database: Database) -> SpeechScore:
    """Score every turn that has a text."""
    world, said = database.world, SaidActions(database.world)
    dialogues = [replace(each, turns=tuple(map(said.of, each.turns))) for each in dialogues]
    keys = {side: ActKeys.of(world.schema, world.language, side) for side in Speaker}
    errors = dict.fromkeys(Speaker, SlotErrors())
    turns = dict.fromkeys(Speaker, 0)
    for turn in (turn for dialogue in dialogues for turn in dialogue.turns if turn.text):
        turns[turn.speaker] += 1
        errors[turn.speaker] += slot_errors(turn.text, keys[turn.speaker].in_order(turn.acts))
    return SpeechScore(turns, errors, check_claims(dialogues, database))


def up_to(dialogues: Iterable[Dialogue], turns: int) -> Iterator[Dialogue]:
    """The first dialogues, until they have that many turns."""
    held = 0
    for dialogue in dialogues:
        if held >= turns:
            return
        yield dialogue
        held += len(dialogue.turns)


def score_run_speech(folder: Path, turns: int, *, data: Path | None = None) -> SpeechScore:
    """Score the first turns of a run; raises if none of them has a text."""
    run = open_run(folder)
    dialogues = list(up_to(run.dialogues(), turns))
    score = score_speech(dialogues, Database(world_of(run, data)))
    if not sum(score.turns.values()):
        raise InputError(
            f"{folder}: no turn has words", remedy="Simulate with --level words, or with --words."
        )
    return score
