"""Inform and Success of one dialogue, as the standard MultiWOZ evaluation decides them.

Inform: what was offered last meets the goal, in every domain of the goal. Success: Inform, and
every question of the goal was answered. Both look at placeholders: NAME offers all rows that the
turn's state finds, whatever the system had in mind; REFERENCE counts where people had booked.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from crosstalk.corpora.multiwoz import BOOK
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.evaluation.multiwoz.responses import Response
from crosstalk.evaluation.multiwoz.spellings import DOMAINS, state_slot
from crosstalk.evaluation.multiwoz.venue_tables import VenueTables

OFFER: Final = {
    "restaurant": "NAME",
    "hotel": "NAME",
    "attraction": "NAME",
    "train": "TRAINID",
}
"""The placeholder by which a domain's rows are offered; other domains offer nothing."""
REFERENCE: Final = "REFERENCE"
ANSWERS: Final = {"phone": "PHONE", "address": "ADDRESS", "postcode": "POST"}
"""Questions that are checked; car type, fee, area, price and times never are."""
TRAIN_ANSWERS: Final = {"trainid": "TRAINID"}
GIVEN: Final = (*ANSWERS.values(), *TRAIN_ANSWERS.values(), REFERENCE)


@dataclass(frozen=True, slots=True)
class DomainGoal:
    """What the goal wants of one domain."""

    constraints: Mapping[str, str]
    """Slots as in the tables."""
    answers: frozenset[str]
    """Placeholders that must be given."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Whether each domain of a goal was informed and, if all were, answered."""

    inform: Mapping[str, bool]
    answered: Mapping[str, bool]

    @property
    def informed(self) -> bool:
        return all(self.inform.values())

    @property
    def success(self) -> bool:
        return self.informed and all(self.answered.values())


def domain_goals(dialogue: Dialogue) -> dict[str, DomainGoal]:
    """The goal of a dialogue by domains."""
    constraints: dict[str, dict[str, str]] = {}
    answers: dict[str, set[str]] = {}
    for each in dialogue.goal.tuples if dialogue.goal else ():
        if each.domain not in DOMAINS:
            continue
        wanted = constraints.setdefault(each.domain, {})
        asked = answers.setdefault(each.domain, set())
        if each.is_open:
            known = TRAIN_ANSWERS if each.domain == "train" else ANSWERS
            asked |= {known[slot] for slot in [state_slot(each.slot)] if slot in known}
        elif each.slot.startswith(BOOK):
            asked.add(REFERENCE)
        else:
            wanted[state_slot(each.slot)] = str(each.value)
    return {
        domain: DomainGoal(wanted, frozenset(answers[domain]))
        for domain, wanted in constraints.items()
    }


def judge(
    goals: Mapping[str, DomainGoal],
    responses: Sequence[Response],
    booked: Sequence[Set[str]],
    tables: VenueTables,
) -> Judged:
    """Judge responses with states and domains; `booked`: by people, up to each turn."""
    offered = {domain: frozenset[str]() for domain in goals}
    given = {domain: set[str]() for domain in goals}
    for response, already in zip(responses, booked, strict=True):
        text, state = response.normal, response.constraints
        for domain in [each for each in goals if each in (response.domains or ())]:
            if domain in OFFER and OFFER[domain] in text:
                rows = tables.find(domain, state[domain]) if domain in state else frozenset()
                if not offered[domain] or not offered[domain] <= rows:
                    offered[domain] = rows
            given[domain] |= set(_given(text, domain in already))
    inform = {
        domain: _informs(domain, goal, offered[domain], tables) for domain, goal in goals.items()
    }
    return Judged(inform, {domain: goal.answers <= given[domain] for domain, goal in goals.items()})


def _given(text: str, booked: bool) -> Iterator[str]:
    return (each for each in GIVEN if each in text and (booked or each != REFERENCE))


def _informs(domain: str, goal: DomainGoal, offered: Set[str], tables: VenueTables) -> bool:
    """A goal that names its entity is informed, and so is a train nobody asked the number of."""
    if "name" in goal.constraints or domain not in OFFER:
        return True
    if not offered:
        return domain == "train" and "TRAINID" not in goal.answers
    return offered <= tables.find(domain, goal.constraints)
