"""Dialogues in ConvLab's unified format as records of the native format.

Acts of all kinds become one sorted list; the state of a user's turn becomes the first query of the
system turn that follows. `kept_fields` of convlab.py keeps what a record has no place for.
"""

from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.corpora.dialogue_parts import OUR_INTENTS
from crosstalk.corpora.json_types import within
from crosstalk.corpora.lost_fields import OURS
from crosstalk.corpora.record_encoding import Record
from crosstalk.corpora.split_names import SPLITS
from crosstalk.dialogue.acts import GENERAL, NOTHING, REQUEST, SELECT

NAMES: Final = ("名称", "name")
KINDS: Final = ("categorical", "non-categorical", "binary")
FORMER_ACTS: Final = "dialogue_act"
"""Where ConvLab-2 has the acts; there, binary ones have an empty value, not none."""
DIALOGUE_FIELDS: Final = frozenset({"original_id", "domains", "goal", "turns", OURS})
TURN_FIELDS: Final = frozenset(
    {
        "speaker", "utterance", "utt_idx", "dialogue_acts", "state", "db_query", "db_results", OURS,
    }
)  # fmt: skip


def as_of_today(document: Record) -> Record:
    """A dialogue of ConvLab-2 as ConvLab-3 would have it; others as they are."""
    turns = document.get("turns")
    if not isinstance(turns, list) or not any(_is_former(turn) for turn in turns):
        return document
    split = document.get("data_split")
    named = {"data_split": SPLITS.get(split, split)} if isinstance(split, str) else {}
    return {**document, **named, "turns": [_turn_of_today(turn) for turn in turns]}


def _is_former(turn: Any) -> bool:
    return isinstance(turn, dict) and FORMER_ACTS in turn and "dialogue_acts" not in turn


def _turn_of_today(turn: Any) -> Any:
    if not _is_former(turn):
        return turn
    acts = json_types.members(turn[FORMER_ACTS], FORMER_ACTS)
    plain = [_without_empty_value(act) for act in json_types.items(acts.get("binary", []))]
    others = {key: value for key, value in turn.items() if key != FORMER_ACTS}
    return {**others, "dialogue_acts": {**acts, "binary": plain}}


def _without_empty_value(act: Any) -> Any:
    if not isinstance(act, dict) or act.get("value") != "":
        return act
    return {key: value for key, value in act.items() if key != "value"}


def parse(document: Record) -> Record:
    turns = json_types.items(json_types.needed(document, "turns"), "turns")
    record: Record = {"id": id_of(document), "turns": []}
    if dataset := json_types.text(document.get("dataset", ""), "dataset"):
        record["world"] = dataset
    if goal := goal_in(json_types.members(document.get("goal", {}), "goal")):
        record["goal"] = goal
    state: list[Record] | None = None
    for number, turn in enumerate(turns):
        with json_types.at_turn(number):
            record["turns"].append(_turn_in(json_types.members(turn), state))
            state = state_in(turn["state"], "state") if "state" in turn else None
    return record


def id_of(document: Record) -> str:
    key = "original_id" if "original_id" in document else "dialogue_id"
    value = json_types.needed(document, key)
    return str(value) if type(value) is int else json_types.text(value, key)


def goal_in(goal: Record) -> Record | None:
    described = json_types.text(goal.get("description", ""), "goal.description")
    tuples = []
    with within("goal"):
        inform, request = (_slots_by_domain(goal, key) for key in ("inform", "request"))
    for number, domain in enumerate(dict.fromkeys([*inform, *request]), start=1):
        for slot, value in [*inform.get(domain, {}).items(), *request.get(domain, {}).items()]:
            tuples.append({"subgoal": number, "domain": domain, "slot": slot, "value": value})
    if not tuples and not described:
        return None
    record: Record = {"tuples": tuples}
    return {"description": described.split("\n"), **record} if described else record


def _slots_by_domain(goal: Record, key: str) -> dict[str, dict[str, Any]]:
    with within(key):
        return {
            domain: _slots_in(slots, domain)
            for domain, slots in json_types.members(goal.get(key, {})).items()
        }


def _slots_in(slots: object, domain: str) -> dict[str, Any]:
    with within(domain):
        return {
            slot: value if isinstance(value, str) else list(json_types.text_or_texts(value, slot))
            for slot, value in json_types.members(slots).items()
        }


def _turn_in(turn: Record, state: list[Record] | None) -> Record:
    """A turn; `state` is the state of the user turn before it."""
    speaker = json_types.needed(turn, "speaker")
    if speaker not in ("user", "system"):
        raise json_types.wrong("user or system", speaker, field="speaker")
    record: Record = {
        "speaker": speaker,
        "text": json_types.text(json_types.needed(turn, "utterance"), "utterance"),
    }
    if acts := acts_in(json_types.members(turn.get("dialogue_acts", {}), "dialogue_acts")):
        record["acts"] = acts
    if state is not None and speaker == "system":
        record["first_query"] = state
    if "db_query" in turn:
        record["last_query"] = _with_results(state_in(turn["db_query"], "db_query"), turn)
    return record


def acts_in(acts: Record) -> list[Record]:
    """The acts of all kinds in one sorted list, as in CrossWOZ."""
    found: list[Record] = []
    for kind in ("categorical", "non-categorical", "binary"):
        with within("dialogue_acts"):
            found += json_types.each(acts.get(kind, []), _act_in, kind)
    return sorted(
        found,
        key=lambda act: [act.get(key, NOTHING) for key in ("intent", "domain", "slot", "value")],
    )


def _act_in(raw: object) -> Record:
    act = json_types.members(raw)
    intent, domain, slot = (
        json_types.text(json_types.needed(act, key), key) for key in ("intent", "domain", "slot")
    )
    if domain in (GENERAL, "general", "") and "value" not in act:
        return _act(GENERAL, intent, slot, "")
    if "value" in act:
        return _act(intent, domain, slot, json_types.text(act["value"], "value"))
    if intent == SELECT and "-" in slot:
        return _act(intent, domain, *slot.split("-", 1))
    record = _act(intent, domain, slot, "")
    return {**record, "value": ""} if intent.capitalize() == REQUEST else record


def _act(intent: str, domain: str, slot: str, value: str) -> Record:
    """A record; intents that mean the same as ours are spelled as ours."""
    intent = OUR_INTENTS.get(intent.lower(), intent)
    record = {"intent": intent, "domain": domain, "slot": slot, "value": value}
    return {key: text for key, text in record.items() if text or key in ("intent", "domain")}


def state_in(state: object, field: str) -> list[Record]:
    with within(field):
        tabs = [
            (domain, _slots_in(tab, domain)) for domain, tab in json_types.members(state).items()
        ]
    return [
        {"domain": domain, "slots": slots} if slots else {"domain": domain}
        for domain, slots in tabs
    ]


def _with_results(state: list[Record], turn: Record) -> list[Record]:
    """The query with the names of what it found."""
    results = json_types.members(turn.get("db_results", {}), "db_results")
    names = {
        domain: json_types.each(rows, _name, f"db_results.{domain}")
        for domain, rows in results.items()
    }
    return [
        {**tab, "selected": list(names[tab["domain"]])} if names.get(tab["domain"]) else tab
        for tab in state
    ]


def _name(row: object) -> str:
    entity = json_types.members(row)
    name = next((entity[key] for key in NAMES if key in entity), "")
    return json_types.text(name, "name")
