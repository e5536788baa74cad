"""Schema-Guided Dialogue and MultiWOZ 2.2, which has its layout: lists of dialogues with frames.

A service is a domain (`Restaurants_2`). Values are those that were spoken; spans, canonical values,
intents and results stay in the extras, as the file has them. Acts of MultiWOZ 2.2 are read from
`dialog_acts.json` if it lies beside the files or in the folder above.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.corpora.corpus_files import beside
from crosstalk.corpora.dialogue_parts import (
    CANONICAL,
    Utterance,
    act_of,
    form,
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
from crosstalk.corpora.multiwoz import BOOK, acts_of
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.files import Source, read_json

EXTRAS: Final = "sgd"
SPEAKERS: Final = {"USER": Speaker.USER, "SYSTEM": Speaker.SYSTEM}
ACTS_FILE: Final = "dialog_acts.json"
MULTIWOZ: Final = frozenset(
    {"attraction", "bus", "hospital", "hotel", "police", "restaurant", "taxi", "train"}
)
"""The services of MultiWOZ 2.2."""
CAPITALS: Final = {"arriveby": "arriveBy", "leaveat": "leaveAt", "trainid": "trainID"}
"""Slots of 2.2 that the other versions spell with capitals."""


def read_sgd(source: Source) -> Iterator[Dialogue]:
    acts = _acts_beside(beside(source, ACTS_FILE))
    return documents_reader(lambda document: _dialogue(document, acts), "dialogue_id")(source)


@lru_cache(1)
def _acts_beside(source: Source | None) -> Record:
    return read_json(source) if isinstance(source, Source) else {}


def _dialogue(document: Record, acts: Record) -> Dialogue:
    id = json_types.text(json_types.needed(document, "dialogue_id"), "dialogue_id")
    turns = json_types.items(json_types.needed(document, "turns"), "turns")
    state: dict[str, dict[str, Any]] = {}
    found = []
    for number, raw in enumerate(turns):
        with json_types.at_turn(number):
            turn = json_types.members(raw)
            own = acts.get(id, {}).get(str(turn.get("turn_id", number)), {})
            found.append(_utterance(turn, state, own.get("dialog_act", {})))
    others = {key: value for key, value in document.items() if key not in ("dialogue_id", "turns")}
    return Dialogue(
        id=id,
        turns=turns_of(found),
        language="en",
        world="multiwoz" if _is_multiwoz(document, turns) else "sgd",
        extras={EXTRAS: others} if others else {},
    )


def _is_multiwoz(document: Record, turns: Iterable[Record]) -> bool:
    """By the services; where the dialogue names none, as some of 2.2, by those of its frames."""
    services = json_types.texts(document.get("services", []), "services") or {
        frame["service"] for turn in turns for frame in turn.get("frames", [])
    }
    return bool(services) and MULTIWOZ.issuperset(services)


def _utterance(turn: Record, state: dict[str, dict[str, Any]], acts: Record) -> Utterance:
    """One turn; `state` is updated with what its frames say."""
    named = json_types.needed(turn, "speaker")
    speaker = json_types.one_of(named, SPEAKERS, "USER or SYSTEM", "speaker")
    frames = json_types.each(turn.get("frames", []), json_types.members, "frames")
    made: list[Act] = list(acts_of(acts))
    calls = []
    for number, frame in enumerate(frames):
        with json_types.within(f"frames[{number}]"):
            service = json_types.text(json_types.needed(frame, "service"), "service")
            for actions in json_types.each(frame.get("actions", []), json_types.members, "actions"):
                made += _acts(actions, service)
            _update(state, service, json_types.members(frame.get("state", {}), "state"))
            if call := json_types.members(frame.get("service_call", {}), "service_call"):
                results = frame.get("service_results", [])
                calls.append(
                    tool_call(text_of(call.get("method")), call.get("parameters"), results)
                )
    told = [frame for frame in frames if _has_content(frame)]
    written = _canonical(frames)
    return Utterance(
        speaker,
        json_types.text(json_types.needed(turn, "utterance"), "utterance"),
        tuple(made),
        form(state) if state else None,
        tuple(calls),
        ({EXTRAS: {"frames": told}} if told else {}) | ({CANONICAL: written} if written else {}),
    )


def _canonical(frames: Iterable[Record]) -> dict[str, str]:
    """What was said -> how the services write it, where that differs: `4:30 pm`, `16:30`."""
    actions = [each for frame in frames for each in frame.get("actions", [])]
    pairs = (
        pair
        for each in actions
        for pair in zip(each.get("values", []), each.get("canonical_values", []), strict=False)
    )
    return {said: written for said, written in pairs if said != written}


def _acts(action: Record, service: str) -> Iterator[Act]:
    """One act a value, or one without a value."""
    intent = json_types.text(json_types.needed(action, "act"), "act")
    slot = slot_of(service, json_types.text(action.get("slot", ""), "slot"))
    values = json_types.items(action.get("values", []), "values")
    for value in values or [""]:
        yield act_of(intent, service, slot, value)


def _update(state: dict[str, dict[str, Any]], service: str, told: Record) -> None:
    """A frame has the whole state of its service; values are spellings of one value."""
    values = json_types.members(told.get("slot_values", {}), "state.slot_values")
    if "slot_values" in told and (values or service in state):
        state[service] = {slot_of(service, slot): _first(each) for slot, each in values.items()}


def _first(spellings: Any) -> str:
    """The first of several spellings; MultiWOZ 2.2 may have a text instead of a list."""
    return text_of(spellings[0] if isinstance(spellings, list) and spellings else spellings)


def slot_of(service: str, slot: str) -> str:
    """The name of a slot: `hotel-bookday` of MultiWOZ 2.2 is `book day`, as in the others."""
    plain = slot.removeprefix(f"{service}-")
    if plain == slot:
        return slot
    if plain.startswith("book"):
        return BOOK + plain.removeprefix("book")
    return CAPITALS.get(plain, plain)


def _has_content(frame: Record) -> bool:
    """Whether a frame says anything; those of MultiWOZ 2.2 mostly do not."""
    state = frame.get("state", {})
    told = [value for key, value in frame.items() if key not in ("service", "state")]
    return any(told) or any(value not in ("NONE", [], {}) for value in state.values())


FORMAT = Format(
    name="sgd",
    title="Schema-Guided Dialogue; MultiWOZ 2.2",
    signature=Signature(
        DOCUMENTS,
        needs=("dialogue_id", "turns.speaker", "turns.utterance", "turns.frames"),
        usual=("services", "turns.speaker=USER", "turns.frames.service"),
    ),
    read=read_sgd,
)
