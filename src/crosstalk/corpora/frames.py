"""Frames (Maluuba): a list of dialogues about trips; a state is a set of frames.

Only the active frame fits a form; all frames, the labels and what the wizard searched for stay in
the extras. Negated values become exclusions (`!dst_city`).
"""

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
from crosstalk.corpora.formats import (
    DOCUMENTS,
    Format,
    Record,
    Signature,
    documents_reader,
)
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.schema import NOT_MARK
from crosstalk.dialogue.states import SystemState

EXTRAS: Final = "frames"
DOMAIN: Final = "trip"
SPEAKERS: Final = {"user": Speaker.USER, "wizard": Speaker.SYSTEM}


def _dialogue(document: Record) -> Dialogue:
    said = []
    turns = json_types.items(json_types.needed(document, "turns"), "turns")
    for number, raw in enumerate(turns):
        with json_types.within(f"turns[{number}]"):
            said.append(_utterance(json_types.members(raw)))
    workers = (document.get(key) for key in ("wizard_id", "user_id"))
    return Dialogue(
        id=identifier(document, "id"),
        turns=turns_of(merged(said)),
        workers=tuple(each for each in workers if isinstance(each, str)),
        language="en",
        world="frames",
        extras={EXTRAS: {key: value for key, value in document.items() if key != "turns"}},
    )


def _utterance(raw: Record) -> Utterance:
    author = json_types.needed(raw, "author")
    speaker = json_types.one_of(author, SPEAKERS, "user or wizard", "author")
    labels = json_types.members(raw.get("labels") or {}, "labels")
    with json_types.within("labels"):
        acts = [
            act
            for entry in json_types.each(labels.get("acts") or [], json_types.members, "acts")
            for act in _acts(entry)
        ]
        state = _state(labels)
    others = {key: value for key, value in raw.items() if key not in ("text", "author")}
    return Utterance(
        speaker,
        json_types.text(json_types.needed(raw, "text"), "text"),
        tuple(acts),
        state,
        tuple(_calls(raw.get("db") or {})),
        {EXTRAS: [others]} if others else {},
    )


def _acts(entry: Record) -> list[Act]:
    """One act an argument; references to frames have no value in words."""
    name = json_types.text(json_types.needed(entry, "name"), "acts.name")
    args = json_types.each(entry.get("args") or [], json_types.members, "acts.args")
    made = [
        act_of(name, DOMAIN, text_of(each.get("key", "")), each.get("val"))
        for each in args
        if not isinstance(each.get("val"), list | dict)
    ]
    return made or [act_of(name, DOMAIN)]


def _state(labels: Record) -> SystemState | None:
    """The constraints of the active frame."""
    active = labels.get("active_frame")
    frames = json_types.each(labels.get("frames") or [], json_types.members, "frames")
    frame = next((each for each in frames if each.get("frame_id") == active), None)
    if frame is None:
        return None
    slots: dict[str, Any] = {}
    for slot, raw in json_types.members(frame.get("info") or {}, "frames.info").items():
        values = json_types.each(raw, json_types.members, f"frames.info.{slot}")
        wanted = [text_of(each.get("val")) for each in values if not each.get("negated")]
        excluded = [text_of(each.get("val")) for each in values if each.get("negated")]
        if wanted:
            slots[slot] = wanted[0] if len(wanted) == 1 else wanted
        if excluded:
            slots[NOT_MARK + slot] = excluded
    return form({DOMAIN: slots}) if slots else None


def _calls(db: Any) -> list[dict[str, str]]:
    """The wizard's searches with their results."""
    if not isinstance(db, dict):
        return []
    searches, results = db.get("search") or [], db.get("result") or []
    if not isinstance(searches, list) or not isinstance(results, list):
        return []
    pairs = zip(searches, [*results, *[[]] * len(searches)], strict=False)
    return [tool_call("search_trip", search, result) for search, result in pairs]


FORMAT = Format(
    name="frames",
    title="Frames",
    signature=Signature(
        DOCUMENTS,
        needs=("turns.author", "turns.text", "turns.labels"),
        usual=("wizard_id", "user_id", "turns.author=wizard", "labels"),
    ),
    read=documents_reader(_dialogue, "id"),
)
