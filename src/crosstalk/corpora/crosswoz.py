"""CrossWOZ files: one JSON object, dialogue id -> dialogue; read and written byte for byte.

write_crosswoz(read_crosswoz(Path("val.json.zip")), Path("copy.json"))
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from crosstalk.corpora import expect
from crosstalk.corpora.crosswoz_words import (
    CHINESE,
    SELECTED,
    TYPES,
    WORLD,
    FileSpelling,
    spelling_of,
)
from crosstalk.corpora.expect import Unexpected, within
from crosstalk.corpora.json_stream import JsonStream
from crosstalk.corpora.sharing import SHARED, shared_act
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, SemanticTuple, Tuples, Value
from crosstalk.dialogue.states import DomainState, SlotValue, SystemState

EXTRAS = "crosswoz"
"""Fields of a CrossWOZ file that we have no word for are kept in the extras under this name."""
OURS = "crosstalk"
"""A field of our own, for what a dialogue of another world or language needs besides."""
DIALOGUE_FIELDS = frozenset(
    {"sys-usr", "goal", "messages", "final_goal", "task description", "type", OURS}
)
TURN_FIELDS = frozenset(
    {"content", "role", "dialog_act", "user_state", "sys_state", "sys_state_init", OURS}
)
ROLES = {"usr": Speaker.USER, "sys": Speaker.SYSTEM}


def read_crosswoz(path: Path) -> Iterator[Dialogue]:
    for id, raw in JsonStream(path).members():
        with expect.reading(path, id):
            dialogue = _dialogue(id, expect.members(raw))
        yield dialogue


def _dialogue(id: str, raw: dict[str, Any]) -> Dialogue:
    known = spelling_of(_domains(raw))
    spelling = known or CHINESE
    ours = expect.members(raw.get(OURS, {}), OURS)
    with within(OURS):
        language = expect.text(ours.get("language", known.language if known else ""), "language")
        world = expect.text(ours.get("world", WORLD if known else ""), "world")
    return Dialogue(
        id=id,
        turns=_turns(expect.needed(raw, "messages"), spelling),
        goal=_goal(raw, spelling),
        final_goal=_tuples(raw, "final_goal", spelling),
        workers=expect.each(raw.get("sys-usr", []), _worker, "sys-usr"),
        language=language,
        world=world,
        extras=_extras(raw, DIALOGUE_FIELDS),
    )


def _domains(raw: dict[str, Any]) -> set[str]:
    """The domains of the goal and of the first form, from whatever of them is readable."""
    found: set[str] = set()
    if isinstance(goal := raw.get("goal"), list):
        found |= {each[1] for each in goal if isinstance(each, list) and _has_text(each, 1)}
    if isinstance(turns := raw.get("messages"), list):
        forms = (each.get("sys_state") for each in turns[:2] if isinstance(each, dict))
        found |= {domain for form in forms if isinstance(form, dict) for domain in form}
    return found


def _has_text(items: list[Any], at: int) -> bool:
    return len(items) > at and isinstance(items[at], str)


def _goal(raw: dict[str, Any], spelling: FileSpelling) -> Goal | None:
    tuples = _tuples(raw, "goal", spelling)
    if tuples is None:
        if "type" in raw or "task description" in raw:
            raise Unexpected("the field 'goal' is missing")
        return None
    label = raw.get("type")
    if label is not None and (not isinstance(label, str) or label not in TYPES):
        raise expect.wrong(f"one of {', '.join(TYPES)}", label, field="type")
    return Goal(tuples, None if label is None else TYPES[label], _description(raw))


def _description(raw: dict[str, Any]) -> tuple[str, ...]:
    """One paragraph a sub-goal; CrossWOZ-EN keeps only the last one, outside any list."""
    value = raw.get("task description", [])
    return (value,) if isinstance(value, str) else expect.texts(value, "task description")


def _worker(raw: object) -> int | str:
    if type(raw) is int or type(raw) is str:
        return raw
    raise expect.wrong("a worker's number or name", raw)


def _extras(raw: dict[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """Fields we have no word for, and what our own field holds."""
    if len(raw) <= len(known) and raw.keys() <= known and OURS not in raw:
        return {}
    ours = expect.members(raw.get(OURS, {}), OURS)
    extras = dict(expect.members(ours.get("extras", {}), f"{OURS}.extras"))
    unknown = {field: value for field, value in raw.items() if field not in known}
    return {**extras, EXTRAS: unknown} if unknown else extras


def _turns(raw: object, spelling: FileSpelling) -> tuple[Turn, ...]:
    turns = []
    for number, each in enumerate(expect.items(raw, "messages")):
        try:
            turns.append(_turn(expect.members(each), spelling))
        except Unexpected as error:
            raise Unexpected(error.message, field=error.field, turn=number) from error
    return tuple(turns)


def _turn(raw: dict[str, Any], spelling: FileSpelling) -> Turn:
    role = expect.needed(raw, "role")
    if not isinstance(role, str) or role not in ROLES:
        raise expect.wrong("usr or sys", role, field="role")
    return Turn(
        speaker=ROLES[role],
        text=expect.text(expect.needed(raw, "content"), "content"),
        acts=expect.each(raw.get("dialog_act", []), _act, "dialog_act"),
        user_state=_tuples(raw, "user_state", spelling),
        first_query=_state(raw, "sys_state_init"),
        last_query=_state(raw, "sys_state"),
        extras=_extras(raw, TURN_FIELDS),
    )


def _act(raw: object) -> Act:
    if type(raw) is not list or len(raw) != 4:
        raise expect.wrong("[intent, domain, slot, value]", raw)
    return shared_act(*map(expect.text, raw))


def _tuples(raw: dict[str, Any], field: str, spelling: FileSpelling) -> Tuples | None:
    if (value := raw.get(field)) is None:
        if field in raw:
            raise expect.wrong("a list", value, field=field)
        return None
    return expect.each(value, lambda each: _tuple(each, spelling), field)


def _tuple(raw: object, spelling: FileSpelling) -> SemanticTuple:
    if type(raw) is not list or len(raw) != 5:
        raise expect.wrong("[sub-goal, domain, slot, value, expressed]", raw)
    subgoal, domain, slot, value, expressed = raw
    return _shared_tuple(
        spelling,
        expect.whole(subgoal, "sub-goal"),
        expect.text(domain, "domain"),
        expect.text(slot, "slot"),
        expect.text_or_texts(value, "value"),
        expect.flag(expressed, "expressed"),
    )


@lru_cache(SHARED)
def _shared_tuple(
    spelling: FileSpelling, subgoal: int, domain: str, slot: str, value: SlotValue, expressed: bool
) -> SemanticTuple:
    parsed: Value = spelling.parse(value, domain) if isinstance(value, str) else value
    return SemanticTuple(subgoal, domain, slot, parsed, expressed)


def _state(raw: dict[str, Any], field: str) -> SystemState | None:
    if field not in raw:
        return None
    tabs = []
    for domain, tab in expect.members(raw[field], field).items():
        fields = expect.members(tab, f"{field}.{domain}")
        try:
            values = tuple([expect.text_or_texts(value, name) for name, value in fields.items()])
            tabs.append(_shared_tab(domain, tuple(fields), values))
        except Unexpected as error:
            raise error.inside(f"{field}.{domain}") from error
    return SystemState(tuple(tabs))


@lru_cache(SHARED)
def _shared_tab(domain: str, names: tuple[str, ...], values: tuple[SlotValue, ...]) -> DomainState:
    slots = dict(zip(names, values, strict=True))
    selected = slots.pop(SELECTED, ())
    if isinstance(selected, str):
        raise expect.wrong("a list", selected, field=SELECTED)
    return DomainState(domain, tuple(slots.items()), selected)
