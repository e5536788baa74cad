"""Records of the native format as dialogues in ConvLab's unified format.

A field that came from a ConvLab file is written as it was there, if the record still says the same:
spans, kinds of acts, results, integer ids. All else is derived from the record.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from crosstalk.corpora.convlab_parse import (
    DIALOGUE_FIELDS,
    KINDS,
    NAMES,
    TURN_FIELDS,
    acts_in,
    goal_in,
)
from crosstalk.corpora.dialogue_parts import FINAL_STATE
from crosstalk.corpora.json_types import Unexpected
from crosstalk.corpora.record_encoding import Record
from crosstalk.corpora.split_names import SPLIT
from crosstalk.dialogue.acts import GENERAL, SELECT
from crosstalk.dialogue.schema import SERVICE_MARK

EXTRAS: Final = "convlab"
SEVERAL: Final = "|"
"""Between several values of one slot."""
DEFAULT_SPLIT: Final = "train"
IsCategorical = Callable[[str, str], bool]
"""Whether a slot of a domain is categorical."""


def is_service(domain: str, slot: str) -> bool:
    """What is categorical where no ontology is known."""
    return SERVICE_MARK in slot


def render(record: Record, is_categorical: IsCategorical = is_service) -> Record:
    """The document of a dialogue, without its `dialogue_id`."""
    given = given_fields(record)
    turns = record["turns"]
    goal = goal_out(record.get("goal", {}))
    return {
        "dataset": _name(record.get("world") or "crosstalk"),
        "data_split": split_of(record),
        "dialogue_id": given.get("dialogue_id", ""),
        "original_id": _if_same(given, "original_id", record["id"], str),
        "domains": _domains(record, given.get("domains")),
        "goal": _if_same(given, "goal", goal, lambda raw: goal_in(raw) == record.get("goal"), True),
        **{key: value for key, value in given.items() if key not in OWN_FIELDS},
        "turns": [_turn(turns, number, is_categorical) for number in range(len(turns))],
    }


OWN_FIELDS: Final = DIALOGUE_FIELDS | {"dataset", "data_split", "dialogue_id"}


def given_fields(record: Record) -> Record:
    """The fields of a dialogue or turn as the ConvLab file had them."""
    found = record.get("extras", {}).get(EXTRAS)
    return found if isinstance(found, dict) else {}


def split_of(record: Record) -> str:
    """The split of a dialogue, as ids of ConvLab have it."""
    return _name(named_split(record.get("extras", {}))) or DEFAULT_SPLIT


def named_split(extras: Mapping[str, Any]) -> str:
    """The split that a ConvLab file, or the folder of the corpus, names; empty if none is named."""
    given = extras.get(EXTRAS)
    held = given.get("data_split") if isinstance(given, dict) else None
    named = held or extras.get(SPLIT)
    return named if isinstance(named, str) else ""


def _name(text: str) -> str:
    """A name without hyphens, which separate the parts of ids."""
    return text.replace("-", "_")


def _if_same(
    given: Record, key: str, derived: Any, same: Callable[[Any], Any], is_test: bool = False
) -> Any:
    """The field as it was given, if the record still says the same; else as derived from it."""
    if key not in given:
        return derived
    try:
        fits = same(given[key]) if is_test else same(given[key]) == derived
    except (Unexpected, TypeError, AttributeError):
        fits = False
    return given[key] if fits else derived


def _domains(record: Record, given: Any) -> list[str]:
    """The domains as given, then those that the goal and the acts have besides."""
    goal = [each["domain"] for each in record.get("goal", {}).get("tuples", [])]
    acts = [
        act["domain"]
        for turn in record["turns"]
        for act in turn.get("acts", [])
        if act["intent"] != GENERAL
    ]
    listed = given if isinstance(given, list) else []
    known = [each for each in listed if isinstance(each, str)]
    return [*known, *(each for each in dict.fromkeys([*goal, *acts]) if each not in known)]


def goal_out(goal: Record) -> Record:
    inform: dict[str, Record] = {}
    request: dict[str, Record] = {}
    for each in goal.get("tuples", []):
        value = each["value"]
        if value in ("", []):
            request.setdefault(each["domain"], {})[each["slot"]] = ""
        elif not isinstance(value, dict) and (text := joined(value)):
            inform.setdefault(each["domain"], {})[each["slot"]] = text
    description = "\n".join(goal.get("description", []))
    return {"description": description, "inform": inform, "request": request}


def _turn(turns: list[Record], number: int, is_categorical: IsCategorical) -> Record:
    turn = turns[number]
    given = given_fields(turn)
    acts = _acts(turn, is_categorical)
    document: Record = {
        "speaker": turn["speaker"],
        "utterance": turn["text"],
        "utt_idx": number,
        "dialogue_acts": _if_same(
            given, "dialogue_acts", acts, lambda raw: _fits(raw, turn, is_categorical), True
        ),
    }
    following = turns[number + 1] if number + 1 < len(turns) else {}
    if turn["speaker"] == "user":
        if following.get("speaker") == "system" and "first_query" in following:
            document["state"] = state_out(following["first_query"])
        elif "state" in given:
            document["state"] = given["state"]
        elif final := turn.get("extras", {}).get(FINAL_STATE):
            document["state"] = state_out(final)
    else:
        if "last_query" in turn:
            document["db_query"] = state_out(turn["last_query"])
            document["db_results"] = _results(turn["last_query"])
        if "db_results" in given:
            document["db_results"] = given["db_results"]
    return {**document, **{key: each for key, each in given.items() if key not in TURN_FIELDS}}


def _fits(raw: Any, turn: Record, is_categorical: IsCategorical) -> bool:
    """Whether given acts are those of the turn, of the kinds that the ontology has."""
    return acts_in(raw) == sorted_acts(turn.get("acts", [])) and all(
        is_categorical is is_service or is_categorical(act["domain"], act["slot"]) == wanted
        for kind, wanted in (("categorical", True), ("non-categorical", False))
        for act in raw.get(kind, [])
    )


def sorted_acts(acts: list[Record]) -> list[Record]:
    keys = ("intent", "domain", "slot", "value")
    return sorted(acts, key=lambda act: [act.get(key, "none") for key in keys])


def _acts(turn: Record, is_categorical: IsCategorical) -> Record:
    acts: dict[str, list[Record]] = {kind: [] for kind in KINDS}
    for act in turn.get("acts", []):
        kind, document = _act(act, turn["text"], is_categorical)
        acts[kind].append(document)
    return acts


def _act(act: Record, text: str, is_categorical: IsCategorical) -> tuple[str, Record]:
    intent, domain = act["intent"], act["domain"]
    slot, value = act.get("slot", ""), act.get("value", "")
    if intent == GENERAL:
        return "binary", {"intent": domain, "domain": GENERAL, "slot": slot}
    if intent == SELECT:
        return "binary", {"intent": intent, "domain": domain, "slot": f"{slot}-{value}"}
    if not value:
        return "binary", {"intent": intent, "domain": domain, "slot": slot}
    document = {"intent": intent, "domain": domain, "slot": slot, "value": value}
    if is_categorical(domain, slot):
        return "categorical", document
    start = text.find(value)
    if start >= 0:
        document |= {"start": start, "end": start + len(value)}
    return "non-categorical", document


def state_out(state: list[Record]) -> Record:
    return {
        tab["domain"]: {slot: joined(value) for slot, value in tab.get("slots", {}).items()}
        for tab in state
    }


def _results(state: list[Record]) -> Record:
    return {
        tab["domain"]: [{_name_slot(tab): name} for name in tab["selected"]]
        for tab in state
        if tab.get("selected")
    }


def _name_slot(tab: Record) -> str:
    return next((name for name in NAMES if name in tab.get("slots", {})), NAMES[1])


def joined(value: str | list[str]) -> str:
    return value if isinstance(value, str) else SEVERAL.join(value)
