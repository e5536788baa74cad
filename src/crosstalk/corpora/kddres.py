"""KddRES: one object, id -> dialogue, near CrossWOZ; the system speaks first.

A form is one flat tab; `none` is empty, and fields with parts (`桌位`) become `桌位-小桌`. A field
has parts if the first, empty form of its dialogue has them; other values that are objects (dish ->
price) become JSON text, as those of acts do.
"""

from collections.abc import Sequence
from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.corpora.dialogue_parts import EMPTY, act_of, form, text_of
from crosstalk.corpora.formats import Format, Record, Shape, Signature, members_reader
from crosstalk.dialogue.acts import GENERAL, Act, in_order
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, SemanticTuple, Tuples
from crosstalk.dialogue.schema import SERVICE_MARK
from crosstalk.dialogue.states import SystemState

EXTRAS: Final = "kddres"
SPEAKERS: Final = {"user": Speaker.USER, "usr": Speaker.USER, "sys": Speaker.SYSTEM}
DOMAIN: Final = "餐馆"
USED: Final = ("goal", "final_goal", "messages", "task")


def _dialogue(id: str, document: Record) -> Dialogue:
    messages = json_types.items(json_types.needed(document, "messages"), "messages")
    domain = document.get("domain") if isinstance(document.get("domain"), str) else DOMAIN
    turns = []
    parted = _parted_fields(messages)
    for number, raw in enumerate(messages):
        with json_types.at_turn(number):
            turns.append(_turn(json_types.members(raw), str(domain), parted))
    goal = _tuples(document, "goal")
    told = document.get("task", [])
    words = (told,) if isinstance(told, str) else json_types.texts(told, "task")
    return Dialogue(
        id=id,
        turns=tuple(turns),
        goal=None if goal is None else Goal(goal, description=words),
        final_goal=_tuples(document, "final_goal"),
        language="zh",
        world="kddres",
        extras={EXTRAS: {key: value for key, value in document.items() if key not in USED}},
    )


def _parted_fields(messages: Sequence[Any]) -> frozenset[str]:
    """The fields that have parts in the first form, whatever is looked for."""
    forms = (raw.get("sys_state") for raw in messages if isinstance(raw, dict))
    first = next((form for form in forms if isinstance(form, dict)), {})
    return frozenset(slot for slot, value in first.items() if isinstance(value, dict))


def _turn(raw: Record, domain: str, parted: frozenset[str]) -> Turn:
    role = json_types.needed(raw, "role")
    speaker = json_types.one_of(role, SPEAKERS, "user or sys", "role")
    state = _state(raw, domain, parted)
    return Turn(
        speaker,
        json_types.text(json_types.needed(raw, "content"), "content"),
        in_order(json_types.each(raw.get("dialog_act", []), _act, "dialog_act")),
        user_state=_tuples(raw, "user_state"),
        first_query=state,
        last_query=state,
    )


def _act(raw: Any) -> Act:
    parts = json_types.items(raw)
    if len(parts) != 4:
        raise json_types.wrong("[intent, domain, slot, value]", raw)
    intent, domain = json_types.text(parts[0], "intent"), json_types.text(parts[1], "domain")
    if intent == GENERAL:
        return act_of(json_types.text(parts[2], "slot"), domain)
    return act_of(intent, domain, parts[2], parts[3])


def _tuples(raw: Record, field: str) -> Tuples | None:
    return json_types.each(raw[field], _tuple, field) if field in raw else None


def _tuple(raw: Any) -> SemanticTuple:
    parts = json_types.items(raw)
    if len(parts) != 4:
        raise json_types.wrong("[domain, slot, value, expressed]", raw)
    domain, slot = json_types.text(parts[0], "domain"), json_types.text(parts[1], "slot")
    value = "" if _is_empty(parts[2]) else text_of(parts[2])
    return SemanticTuple(1, domain, slot, value, json_types.flag(parts[3], "expressed"))


def _is_empty(value: Any) -> bool:
    """Whether a value is none; of several parts (`{"all": "none"}`), each."""
    return all(map(_is_empty, value.values())) if isinstance(value, dict) else value in EMPTY


def _state(raw: Record, domain: str, parted: frozenset[str]) -> SystemState | None:
    if "sys_state" not in raw:
        return None
    slots: dict[str, Any] = {}
    for slot, value in json_types.members(raw["sys_state"], "sys_state").items():
        if slot in parted and isinstance(value, dict):
            slots |= {f"{slot}{SERVICE_MARK}{part}": each for part, each in value.items()}
        else:
            slots[slot] = "" if _is_empty(value) else value
    return form({domain: slots})


FORMAT = Format(
    name="kddres",
    title="KddRES, Cantonese and Mandarin",
    signature=Signature(
        (Shape.BY_ID,),
        needs=("messages", "messages.role=user", "messages.content"),
        usual=("task", "final_goal", "messages.role=sys", "messages.sys_state"),
    ),
    read=members_reader(_dialogue),
)
