"""ConvLab's unified format: a list of dialogues, acts sorted by kind, states on user turns.

It has no sub-goals, no user state and only one query per turn; lost_fields.py keeps those.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from crosstalk.corpora import json_types
from crosstalk.corpora.json_stream import JsonStream
from crosstalk.corpora.json_types import Unexpected, within
from crosstalk.corpora.lost_fields import OURS, restore, unknown_fields, with_lost_fields
from crosstalk.corpora.record_encoding import Record, encode_dialogue
from crosstalk.dialogue.acts import GENERAL, NOTHING, REQUEST, SELECT
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.schema import SERVICE_MARK
from crosstalk.files import writing_packed

EXTRAS = "convlab"
NAMES = ("名称", "name")
SEVERAL = "|"
"""Between several values of one slot."""
DIALOGUE_FIELDS = {"original_id", "domains", "goal", "turns", OURS}
TURN_FIELDS = {
    "speaker", "utterance", "utt_idx", "dialogue_acts", "state", "db_query", "db_results", OURS,
}  # fmt: skip


def read_convlab(path: Path) -> Iterator[Dialogue]:
    for number, raw in enumerate(JsonStream(path).items()):
        with json_types.reading(path, f"number {number}"):
            document = json_types.members(raw)
            id = _id(document)
        with json_types.reading(path, id):
            yield restore(from_unified(document), document, "turns", path)


def write_convlab(dialogues: Iterable[Dialogue], path: Path) -> None:
    before = "[\n"
    with writing_packed(path) as file:
        for number, dialogue in enumerate(dialogues):
            record = encode_dialogue(dialogue)
            document = with_lost_fields(record, to_unified(record, number), "turns", from_unified)
            file.write(before + json.dumps(document, ensure_ascii=False, indent=2))
            before = ",\n"
        file.write("[]\n" if before == "[\n" else "\n]\n")


# Out


def to_unified(record: Record, number: int) -> Record:
    others = unknown_fields(record, EXTRAS, DIALOGUE_FIELDS)
    dataset = record.get("world") or "crosstalk"
    split = others.get("data_split", "train")
    return {
        "dataset": dataset,
        "data_split": split,
        "dialogue_id": f"{dataset}-{split}-{number}",
        "original_id": record["id"],
        "domains": _domains(record),
        "goal": _goal_out(record.get("goal", {})),
        **others,
        "turns": [_turn_out(record["turns"], number) for number in range(len(record["turns"]))],
    }


def _domains(record: Record) -> list[str]:
    goal = [each["domain"] for each in record.get("goal", {}).get("tuples", [])]
    acts = [
        act["domain"]
        for turn in record["turns"]
        for act in turn.get("acts", [])
        if act["intent"] != GENERAL
    ]
    return list(dict.fromkeys([*goal, *acts]))


def _goal_out(goal: Record) -> Record:
    inform: dict[str, Record] = {}
    request: dict[str, Record] = {}
    for each in goal.get("tuples", []):
        value = each["value"]
        if value in ("", []):
            request.setdefault(each["domain"], {})[each["slot"]] = ""
        elif not isinstance(value, dict):
            inform.setdefault(each["domain"], {})[each["slot"]] = _joined(value)
    description = "\n".join(goal.get("description", []))
    return {"description": description, "inform": inform, "request": request}


def _turn_out(turns: list[Record], number: int) -> Record:
    turn = turns[number]
    document: Record = {
        "speaker": turn["speaker"],
        "utterance": turn["text"],
        "utt_idx": number,
        "dialogue_acts": _acts_out(turn),
    }
    following = turns[number + 1] if number + 1 < len(turns) else {}
    if turn["speaker"] == "user":
        if following.get("speaker") == "system" and "first_query" in following:
            document["state"] = _state_out(following["first_query"])
    elif "last_query" in turn:
        document["db_query"] = _state_out(turn["last_query"])
        document["db_results"] = _results_out(turn["last_query"])
    return {**document, **unknown_fields(turn, EXTRAS, TURN_FIELDS)}


def _acts_out(turn: Record) -> Record:
    acts: dict[str, list[Record]] = {"categorical": [], "non-categorical": [], "binary": []}
    for act in turn.get("acts", []):
        kind, document = _act_out(act, turn["text"])
        acts[kind].append(document)
    return acts


def _act_out(act: Record, text: str) -> tuple[str, Record]:
    intent, domain = act["intent"], act["domain"]
    slot, value = act.get("slot", ""), act.get("value", "")
    if intent == GENERAL:
        return "binary", {"intent": domain, "domain": GENERAL, "slot": slot}
    if intent == SELECT:
        return "binary", {"intent": intent, "domain": domain, "slot": f"{slot}-{value}"}
    if not value:
        return "binary", {"intent": intent, "domain": domain, "slot": slot}
    document = {"intent": intent, "domain": domain, "slot": slot, "value": value}
    if SERVICE_MARK in slot:
        return "categorical", document
    start = text.find(value)
    if start >= 0:
        document |= {"start": start, "end": start + len(value)}
    return "non-categorical", document


def _state_out(state: list[Record]) -> Record:
    return {
        tab["domain"]: {slot: _joined(value) for slot, value in tab.get("slots", {}).items()}
        for tab in state
    }


def _results_out(state: list[Record]) -> Record:
    return {
        tab["domain"]: [{_name_slot(tab): name} for name in tab["selected"]]
        for tab in state
        if tab.get("selected")
    }


def _name_slot(tab: Record) -> str:
    return next((name for name in NAMES if name in tab.get("slots", {})), NAMES[1])


def _joined(value: str | list[str]) -> str:
    return value if isinstance(value, str) else SEVERAL.join(value)


# Back


def from_unified(document: Record) -> Record:
    turns = json_types.items(json_types.needed(document, "turns"), "turns")
    record: Record = {"id": _id(document), "turns": []}
    if dataset := json_types.text(document.get("dataset", ""), "dataset"):
        record["world"] = dataset
    if goal := _goal_in(json_types.members(document.get("goal", {}), "goal")):
        record["goal"] = goal
    if unknown := {key: value for key, value in document.items() if key not in DIALOGUE_FIELDS}:
        record["extras"] = {EXTRAS: unknown}
    state: list[Record] | None = None
    for number, turn in enumerate(turns):
        try:
            record["turns"].append(_turn_in(json_types.members(turn), state))
            state = _state_in(turn["state"], "state") if "state" in turn else None
        except Unexpected as error:
            raise Unexpected(error.message, field=error.field, turn=number) from error
    return record


def _id(document: Record) -> str:
    key = "original_id" if "original_id" in document else "dialogue_id"
    return json_types.text(json_types.needed(document, key), key)


def _goal_in(goal: Record) -> Record | None:
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
    if acts := _acts_in(json_types.members(turn.get("dialogue_acts", {}), "dialogue_acts")):
        record["acts"] = acts
    if state is not None and speaker == "system":
        record["first_query"] = state
    if "db_query" in turn:
        record["last_query"] = _with_results(_state_in(turn["db_query"], "db_query"), turn)
    unknown = {key: value for key, value in turn.items() if key not in TURN_FIELDS}
    return {**record, "extras": {EXTRAS: unknown}} if unknown else record


def _acts_in(acts: Record) -> list[Record]:
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
    record = {"intent": intent, "domain": domain, "slot": slot, "value": value}
    return {key: text for key, text in record.items() if text or key in ("intent", "domain")}


def _state_in(state: object, field: str) -> list[Record]:
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
