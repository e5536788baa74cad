"""Talking to a system in text: one utterance in, one answer with everything behind it out.

    system = build_system("harbour", language="en")
    answer, session = reply(system, "a cheap restaurant, please", system.begin())

The session is a value: keep it to go on later, or go back to an earlier one to undo a turn.
"""

from dataclasses import dataclass
from typing import Any

from crosstalk.dialogue.acts import GENERAL, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import Domain, DomainKind
from crosstalk.dialogue.states import DomainState, SlotValue, SystemState
from crosstalk.language.normalize import tidy
from crosstalk.system.pipeline import System, SystemSession
from crosstalk.worlds.action_events import ActionEvent
from crosstalk.worlds.policy_rules import actions_of
from crosstalk.worlds.queries import Database

SHOWN = 10
"""Names of results kept with an answer."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a search."""

    domain: str
    constraints: dict[str, str]
    count: int
    """How many meet all constraints."""
    names: tuple[str, ...]
    """The first of them; where none meets all, what was offered instead."""
    not_met: tuple[str, ...] = ()
    """Constraints that the place offered does not meet."""

    def __str__(self) -> str:
        missed = f"; not met: {', '.join(self.not_met)}" if self.not_met else ""
        return f"{self.domain}: {self.count} ({', '.join(self.names)}){missed}"


@dataclass(frozen=True, slots=True)
class Answer:
    """One turn of the system, with everything behind it."""

    understood: tuple[Act, ...]
    form: SystemState
    """The search form after the turn."""
    results: tuple[Result, ...]
    acts: tuple[Act, ...]
    text: str
    over: bool = False
    """The user has said goodbye."""
    actions: tuple[ActionEvent, ...] = ()
    """What was done, refused calls included."""

    def as_json(self) -> dict[str, Any]:
        done = {"actions": [event.record() for event in self.actions]} if self.actions else {}
        return {
            "understood": [_fields(act) for act in self.understood],
            "state": {tab.domain: tab.constraints for tab in self.form if tab.constraints},
            "results": [_record(result) for result in self.results],
            "acts": [_fields(act) for act in self.acts],
            "text": self.text,
            **done,
        }

    def explained(self) -> dict[str, list[str]]:
        """What is behind the answer, in lines for people: understood, state, results, acts."""
        shown = self.as_json()
        state = [
            f"{domain}: " + ", ".join(f"{slot} = {_text(each)}" for slot, each in slots.items())
            for domain, slots in shown["state"].items()
        ]
        return {
            "understood": _act_lines(shown["understood"]),
            "state": state,
            "results": [str(result) for result in self.results],
            "acts": _act_lines(shown["acts"]),
            **({"actions": [_event_line(event) for event in self.actions]} if self.actions else {}),
        }


def _act_lines(acts: list[list[str]]) -> list[str]:
    return [f"{intent}({domain}, {slot}, {said})" for intent, domain, slot, said in acts]


def _event_line(event: ActionEvent) -> str:
    arguments = ", ".join(f"{name} = {value}" for name, value in event.arguments.items())
    gives = ", ".join(f"{name} = {value}" for name, value in event.gives.items())
    result = f"refused ({event.refusal.reason})" if event.refusal else f"done ({gives})"
    return f"{event.action}({arguments}): {result}"


def welcome(system: System) -> str:
    """The greeting before the first utterance."""
    return system.say((Act(GENERAL, "greet"), Act(GENERAL, "help")), ())


def reply(system: System, text: str, session: SystemSession) -> tuple[Answer, SystemSession]:
    """The system's answer to an utterance, and the session after it."""
    heard = Turn(Speaker.USER, tidy(text))
    turn, after = system.answer(heard, session)
    understood = after.history[-2].acts
    answer = Answer(
        understood,
        turn.first_query or SystemState(),
        tuple(_results(system.database, turn)) if system.database else (),
        turn.acts,
        turn.text,
        over=Act(GENERAL, "bye") in understood,
        actions=tuple(actions_of(turn)),
    )
    return answer, after


def _results(database: Database, turn: Turn) -> list[Result]:
    """One per domain of places in the answer."""
    spoken = dict.fromkeys(act.domain for act in turn.acts)
    found = (database.world.schema.domain(key) for key in spoken)
    places = [domain for domain in found if domain and domain.kind is DomainKind.PLACE]
    return [_result(database, domain, turn) for domain in places]


def _result(database: Database, domain: Domain, turn: Turn) -> Result:
    tab = turn.first_query.get(domain.key) if turn.first_query else DomainState(domain.key, ())
    selected = turn.last_query.get(domain.key).selected if turn.last_query else ()
    rows = database.search(domain.key, tab.constraints)
    slot = domain.name_slot
    names = tuple(str(row[slot.key]) for row in rows[:SHOWN]) if slot else ()
    offered = database.find(domain.key, selected[0]) if len(selected) == 1 else None
    missed = database.unmet(domain.key, offered, tab.constraints) if offered and not rows else ()
    wishes = {key: _text(value) for key, value in tab.constraints.items()}
    return Result(domain.key, wishes, len(rows), names or selected, missed)


def _text(value: SlotValue) -> str:
    return value if isinstance(value, str) else " + ".join(value)


def _fields(act: Act) -> list[str]:
    return [act.intent, act.domain, act.slot, act.value]


def _record(result: Result) -> dict[str, Any]:
    return {
        "domain": result.domain,
        "wishes": dict(result.constraints),
        "count": result.count,
        "names": list(result.names),
        "not_met": list(result.not_met),
    }
