"""X-RiSAWOZ as it is prepared for training, and BiTOD: dialogues as lists of events.

An event is what a user says, what a wizard says or looks up (`"Actions": "query"`), or what the
knowledge base answers. Look-ups are kept as calls of services. Values that are excluded (`not`)
become exclusions (`!cuisine`); other relations than equality stay in the extras, as the file has
them. Acts of BiTOD name no domain: it is the intent that the user had last.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.corpora.dialogue_parts import (
    Utterance,
    act_of,
    form,
    identifier,
    merged,
    text_of,
    tool_call,
    turns_of,
)
from crosstalk.corpora.formats import DOCUMENTS, Record, Signature, documents_reader
from crosstalk.dialogue.acts import EXCLUDE, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import Goal
from crosstalk.dialogue.schema import NOT_MARK
from crosstalk.dialogue.states import SystemState

EXTRAS: Final = "events"
WORLDS: Final = ("risawoz", "bitod")
"""Acts of the first name their domain; those of the second do not."""
USER, WIZARD, TABLES = "User", "Wizard", "KnowledgeBase"
QUERY: Final = "query"
EXCLUDES: Final = "not"
NO_INTENT: Final = "general"
EVENTS: Final = Signature(
    DOCUMENTS,
    needs=("Dialogue_id", "Events", "Events.Agent"),
    usual=("Scenario", "Events.Agent=User", "Events.Actions", "Events.Text"),
)


def _dialogue(document: Record) -> Dialogue:
    events = json_types.each(json_types.needed(document, "Events"), json_types.members, "Events")
    scenario = json_types.members(document.get("Scenario") or {}, "Scenario")
    told = scenario.get("UserTask")
    others = {key: value for key, value in document.items() if key != "Events"}
    return Dialogue(
        id=identifier(document, "Dialogue_id"),
        turns=turns_of(merged(list(_utterances(events)))),
        goal=Goal((), description=(told,)) if isinstance(told, str) and told else None,
        world=WORLDS[0] if _name_domains(events) else WORLDS[1],
        extras={EXTRAS: others},
    )


def _name_domains(events: tuple[Record, ...]) -> bool:
    acts = (act for event in events for act in _actions(event))
    return any("domain" in act for act in acts)


def _utterances(events: tuple[Record, ...]) -> Iterator[Utterance]:
    """What is said; a look-up belongs to the user's utterance before it."""
    intent = NO_INTENT
    heard: Record | None = None
    asked: list[Record] = []
    answers: list[Record] = []
    for number, event in enumerate(events):
        with json_types.within(f"Events[{number}]"):
            agent = json_types.text(json_types.needed(event, "Agent"), "Agent")
            if agent == TABLES:
                answers.append(event)
            elif agent == WIZARD and event.get("Actions") == QUERY:
                asked.append(event)
            elif agent == USER:
                if heard is not None:
                    yield _user(heard, intent, asked, answers)
                heard, asked, answers = event, [], []
                intent = _first(event.get("active_intent")) or intent
            elif agent == WIZARD:
                if heard is not None:
                    yield _user(heard, intent, asked, answers)
                heard, asked, answers = None, [], []
                yield _said(Speaker.SYSTEM, event, intent)
            else:
                raise json_types.wrong(f"{USER}, {WIZARD} or {TABLES}", agent, field="Agent")
    if heard is not None:
        yield _user(heard, intent, asked, answers)


def _user(event: Record, intent: str, asked: list[Record], answers: list[Record]) -> Utterance:
    said = _said(Speaker.USER, event, intent)
    results = [{key: each.get(key) for key in ("TotalItems", "Item")} for each in answers]
    pairs = zip(asked, [*results, *[None] * len(asked)], strict=False)
    calls = (
        tool_call(_first(each.get("API")) or QUERY, each.get("Constraints") or {}, found)
        for each, found in pairs
    )
    return Utterance(said.speaker, said.text, said.acts, _state(event), tuple(calls), said.extras)


def _said(speaker: Speaker, event: Record, intent: str) -> Utterance:
    used = ("Agent", "Text", "sanity_check")
    others = {key: value for key, value in event.items() if key not in used and value}
    return Utterance(
        speaker,
        json_types.text(json_types.needed(event, "Text"), "Text"),
        tuple(act for each in _actions(event) for act in _acts(each, intent)),
        extras={EXTRAS: [others]} if others else {},
    )


def _actions(event: Mapping[str, Any]) -> tuple[Record, ...]:
    raw = event.get("Actions")
    return json_types.each(raw, json_types.members, "Actions") if isinstance(raw, list) else ()


def _acts(action: Record, intent: str) -> Iterator[Act]:
    """One act a value, or one without a value."""
    name = json_types.text(json_types.needed(action, "act"), "act")
    if action.get("relation") == EXCLUDES:
        name = EXCLUDE
    values = action.get("value") or [""]
    for value in values if isinstance(values, list) else [values]:
        yield act_of(name, text_of(action.get("domain", intent)), action.get("slot", ""), value)


def _state(event: Record) -> SystemState | None:
    tabs: dict[str, dict[str, Any]] = {}
    for domain, slots in json_types.members(event.get("state") or {}, "state").items():
        for slot, raw in json_types.members(slots, f"state.{domain}").items():
            held = json_types.members(raw, f"state.{domain}.{slot}")
            mark = NOT_MARK if held.get("relation") == EXCLUDES else ""
            values = held.get("value")
            if isinstance(values, list) and len(values) == 1 and not mark:
                values = values[0]
            tabs.setdefault(domain, {})[f"{mark}{slot}"] = values
    return form(tabs) if tabs else None


def _first(value: Any) -> str:
    """The first of several names; there may be one, as text, or none."""
    found = value[0] if isinstance(value, list) and value else value
    return found if isinstance(found, str) else ""


read_events: Final = documents_reader(_dialogue, "Dialogue_id")
