"""CamRest676: lists of dialogues of user and system in pairs; `slu` is the state so far.

ConvLab's copy adds `dialog_act` to both sides; without it, the acts of a user are what is new in
`slu`, and those of the system the slots it asks for (`DA`).
"""

from collections.abc import Iterator
from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.corpora.dialogue_parts import (
    Utterance,
    act_of,
    form,
    goal_tuples,
    identifier,
    turns_of,
)
from crosstalk.corpora.formats import (
    DOCUMENTS,
    Format,
    Record,
    Signature,
    documents_reader,
)
from crosstalk.corpora.woz import DOMAIN, REQUESTED
from crosstalk.dialogue.acts import INFORM, REQUEST, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import Goal

EXTRAS: Final = "camrest"


def _dialogue(document: Record) -> Dialogue:
    pairs = json_types.items(json_types.needed(document, "dial"), "dial")
    said: list[Utterance] = []
    before: dict[str, str] = {}
    for number, raw in enumerate(pairs):
        with json_types.within(f"dial[{number}]"):
            turn = json_types.members(raw)
            with json_types.within("usr"):
                user, before = _user(json_types.members(json_types.needed(turn, "usr")), before)
            with json_types.within("sys"):
                system = _system(json_types.members(json_types.needed(turn, "sys")))
            said += [user, system]
    others = {key: value for key, value in document.items() if key not in ("dial", "goal")}
    return Dialogue(
        id=identifier(document, "dialogue_id"),
        turns=turns_of(said),
        goal=_goal(document["goal"]) if "goal" in document else None,
        language="en",
        world="camrest",
        extras={EXTRAS: others},
    )


def _user(side: Record, before: dict[str, str]) -> tuple[Utterance, dict[str, str]]:
    """The user's utterance and the constraints after it."""
    pairs = [
        (json_types.text(entry.get("act", ""), "slu.act"), *pair)
        for entry in json_types.each(side.get("slu", []), json_types.members, "slu")
        for pair in json_types.each(entry.get("slots", []), json_types.pair, "slu.slots")
    ]
    slots = {
        slot: value for act, slot, value in pairs if slot not in REQUESTED and act != "request"
    }
    if "dialog_act" in side:
        acts = list(_acts(side["dialog_act"]))
    else:
        new = {slot: value for slot, value in slots.items() if before.get(slot) != value}
        asked = [value for _, slot, value in pairs if slot in REQUESTED]
        acts = [act_of(INFORM, DOMAIN, slot, value) for slot, value in new.items()]
        acts += [act_of(REQUEST, DOMAIN, slot) for slot in asked]
    text = json_types.text(json_types.needed(side, "transcript"), "transcript")
    state = form({DOMAIN: slots}) if slots else None
    return Utterance(Speaker.USER, text, tuple(acts), state), slots


def _system(side: Record) -> Utterance:
    text = json_types.text(json_types.needed(side, "sent"), "sent")
    asked = json_types.items(side.get("DA", []), "DA")
    if "dialog_act" in side:
        acts = tuple(_acts(side["dialog_act"]))
    else:
        acts = tuple(act_of(REQUEST, DOMAIN, slot) for slot in asked)
    return Utterance(Speaker.SYSTEM, text, acts, extras={EXTRAS: {"DA": asked}} if asked else {})


def _acts(raw: Any) -> Iterator[Act]:
    for intent, pairs in json_types.members(raw, "dialog_act").items():
        for slot, value in json_types.each(pairs, json_types.pair, f"dialog_act.{intent}"):
            yield act_of(intent, DOMAIN, slot, value)


def _goal(raw: Any) -> Goal:
    """`info` and `reqt`, or `constraints` and `request-slots` as in the first release."""
    goal = json_types.members(raw, "goal")
    with json_types.within("goal"):
        pairs = json_types.each(goal.get("constraints", []), json_types.pair, "constraints")
        wanted = {**json_types.members(goal.get("info", {}), "info"), **dict(pairs)}
        asked = json_types.texts(goal.get("reqt", goal.get("request-slots", [])), "reqt")
        told = goal.get("text", "")
        words = [told] if isinstance(told, str) else list(json_types.texts(told, "text"))
    return Goal(goal_tuples(DOMAIN, wanted, asked), description=tuple(filter(None, words)))


FORMAT = Format(
    name="camrest",
    title="CamRest676",
    signature=Signature(
        DOCUMENTS,
        needs=("dial.usr", "dial.sys"),
        usual=("dialogue_id", "goal", "dial.usr.transcript", "dial.usr.slu"),
    ),
    read=documents_reader(_dialogue, "dialogue_id"),
)
