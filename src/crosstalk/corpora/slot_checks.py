"""Checks of domains, slots and references: those that the world does not have, and dangling ones.

Reading a corpus refuses dialogues with such problems; `crosstalk data check` lists them all.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from crosstalk.dialogue.acts import (
    ASK,
    GENERAL,
    IGNORED,
    NO_OFFER,
    NOTHING,
    PUBLISHED,
    SELECT,
    UNSUPPORTED,
    Act,
)
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import Reference, Tuples
from crosstalk.dialogue.schema import Schema
from crosstalk.errors import Place


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule and its place."""

    dialogue: str
    turn: int | None
    field: str
    message: str
    rule: str
    """Short name of the rule."""
    file: str = ""

    def __str__(self) -> str:
        place = Place(self.file, dialogue=self.dialogue, turn=self.turn, field=self.field)
        return f"{place}: {self.message}"

    def record(self) -> dict[str, str | int | None]:
        """As JSON, without the file."""
        return {
            "dialogue": self.dialogue,
            "turn": self.turn,
            "field": self.field,
            "message": self.message,
            "rule": self.rule,
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation as a rule sees it, inside one dialogue."""

    rule: str
    message: str
    field: str = ""
    turn: int | None = None


Findings = Iterator[Finding]


Word = tuple[str, str | None]
"""A domain with a slot, or without one."""
Use = tuple[Word, int | None, str]
"""A domain and slot, its turn and its field."""
WITHOUT_SLOT = (NO_OFFER, SELECT, UNSUPPORTED, IGNORED, ASK)
"""Intents whose second field is not a slot of the world."""


def check_words(dialogue: Dialogue, schema: Schema) -> Findings:
    """Every use of a domain or slot that the schema does not have."""
    unknown = {word: why for word in words_of(dialogue) if (why := why_unknown(word, schema))}
    if unknown:
        for word, turn, field in uses_of(dialogue):
            if word in unknown:
                yield Finding("unknown word", unknown[word], field, turn)


def check_references(dialogue: Dialogue) -> Findings:
    """References to sub-goals that do not exist, and of a sub-goal to itself."""
    if dialogue.goal is None:
        return
    known = {each.subgoal for each in dialogue.goal.tuples}
    for tuples, turn, field in _goals(dialogue):
        for number, each in enumerate(tuples):
            if not isinstance(each.value, Reference):
                continue
            place = f"{field}[{number}]"
            if each.value.subgoal not in known:
                message = f"refers to sub-goal {each.value.subgoal}, which does not exist"
                yield Finding("dangling reference", message, place, turn)
            elif each.value.subgoal == each.subgoal:
                yield Finding("dangling reference", "refers to its own sub-goal", place, turn)


def _goals(dialogue: Dialogue) -> Iterator[tuple[Tuples, int | None, str]]:
    """The goal, user states and final goal, with turn and field."""
    if dialogue.goal is not None:
        yield dialogue.goal.tuples, None, "goal"
    for number, turn in enumerate(dialogue.turns):
        if turn.user_state is not None:
            yield turn.user_state, number, "user_state"
    if dialogue.final_goal is not None:
        yield dialogue.final_goal, None, "final_goal"


def why_unknown(word: Word, schema: Schema) -> str:
    domain, slot = word
    known = schema.domain(domain)
    if known is None:
        names = ", ".join(each.key for each in schema)
        return f"unknown domain {domain!r}; the world has {names}"
    if slot is None or known.slot(slot) or known.slot(_plain(slot)):
        return ""
    names = ", ".join(each.key for each in known.slots)
    return f"unknown slot {slot!r} of {domain}; the world has {names}"


def _plain(slot: str) -> str:
    """CrossWOZ-EN writes services as `Hotel facilities - Breakfast`, in either case."""
    services, mark, service = slot.partition(" - ")
    return f"{services.title()}-{service}" if mark else slot


def words_of(dialogue: Dialogue) -> set[Word]:
    """The distinct domains and slots of a dialogue; much faster than `uses_of`."""
    found: set[Word] = set()
    for tuples, _, _ in _goals(dialogue):
        found.update((each.domain, each.slot) for each in tuples)
    tabs = {
        tab
        for turn in dialogue.turns
        for form in (turn.first_query, turn.last_query)
        if form is not None
        for tab in form
    }
    found.update((tab.domain, slot) for tab in tabs for slot, _ in tab.slots)
    found.update((tab.domain, None) for tab in tabs)
    found.update(word for word, _, _ in _act_uses(dialogue))
    return found


def uses_of(dialogue: Dialogue) -> Iterator[Use]:
    for tuples, turn, field in _goals(dialogue):
        for number, each in enumerate(tuples):
            yield (each.domain, each.slot), turn, f"{field}[{number}]"
    yield from _act_uses(dialogue)
    for number, said in enumerate(dialogue.turns):
        for name, form in (("first_query", said.first_query), ("last_query", said.last_query)):
            for tab in form or ():
                yield (tab.domain, None), number, f"{name}.{tab.domain}"
                for slot, _ in tab.slots:
                    yield (tab.domain, slot), number, f"{name}.{tab.domain}.{slot}"


def _act_uses(dialogue: Dialogue) -> Iterator[Use]:
    for turn, each in enumerate(dialogue.turns):
        for number, act in enumerate(each.acts):
            if act.intent == GENERAL or _is_about_nothing(act):
                continue
            yield (act.domain, _slot_of(act)), turn, f"acts[{number}]"
            if act.intent == SELECT:
                yield (act.value, None), turn, f"acts[{number}]"


def _is_about_nothing(act: Act) -> bool:
    """Whether an act beyond the published ones leaves its domain open."""
    return act.intent not in PUBLISHED and act.domain in ("", NOTHING)


def _slot_of(act: Act) -> str | None:
    if act.intent in WITHOUT_SLOT or (act.intent not in PUBLISHED and act.slot in ("", NOTHING)):
        return None
    return act.slot
