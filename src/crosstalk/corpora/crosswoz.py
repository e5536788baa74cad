"""CrossWOZ files: one JSON object, dialogue id -> dialogue; read and written byte for byte.

    write_crosswoz(read_crosswoz(Path("val.json.zip")), Path("copy.json"))

The layout is that of the released files: JSON with four spaces of indentation. Acts, tuples and
tabs repeat from turn to turn, so their text is cached; writing takes about as long as reading.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any

from crosstalk.corpora import json_types
from crosstalk.corpora.crosswoz_schema import (
    CHINESE,
    ENGLISH,
    SELECTED,
    TYPES,
    WORLD,
    FileSpelling,
    spelling_of,
)
from crosstalk.corpora.formats import Format, Shape, Signature
from crosstalk.corpora.json_stream import JsonStream
from crosstalk.corpora.json_types import Unexpected, within
from crosstalk.corpora.record_encoding import (
    CACHED_VALUES,
    BeyondTuples,
    decode_beyond_tuples,
    encode_beyond_tuples,
    shared_act,
)
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, SemanticTuple, Tuples, Value
from crosstalk.dialogue.states import DomainState, SlotValue, SystemState
from crosstalk.files import Source, writing_packed

EXTRAS = "crosswoz"
"""Key of the extras that hold fields of a CrossWOZ file that a `Dialogue` does not have."""
OURS = "crosstalk"
"""A field of our own, for what dialogues of other worlds or languages need."""
DIALOGUE_FIELDS = frozenset(
    {"sys-usr", "goal", "messages", "final_goal", "task description", "type", OURS}
)
TURN_FIELDS = frozenset(
    {"content", "role", "dialog_act", "user_state", "sys_state", "sys_state_init", OURS}
)
ROLES = {"usr": Speaker.USER, "sys": Speaker.SYSTEM}


def read_crosswoz(path: Source) -> Iterator[Dialogue]:
    for id, raw in JsonStream(path).members():
        with json_types.reading(path, id):
            dialogue = _dialogue(id, json_types.members(raw))
        yield dialogue


def _dialogue(id: str, raw: dict[str, Any]) -> Dialogue:
    known = spelling_of(_domains(raw))
    spelling = known or CHINESE
    ours = json_types.members(raw.get(OURS, {}), OURS)
    with within(OURS):
        language = json_types.text(
            ours.get("language", known.language if known else ""), "language"
        )
        world = json_types.text(ours.get("world", WORLD if known else ""), "world")
    return Dialogue(
        id=id,
        turns=_with_beyond_layout(_turns(json_types.needed(raw, "messages"), spelling), ours),
        goal=_goal(raw, spelling),
        final_goal=_tuples(raw, "final_goal", spelling),
        workers=json_types.each(raw.get("sys-usr", []), _worker, "sys-usr"),
        language=language,
        world=world,
        extras=_extras(raw, DIALOGUE_FIELDS),
    )


def _domains(raw: dict[str, Any]) -> set[str]:
    """The domains of the goal and of the first form, as far as they can be read."""
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
        raise json_types.wrong(f"one of {', '.join(TYPES)}", label, field="type")
    kind = None if label is None else TYPES[label]
    return Goal(tuples, kind, _description(raw), **_beyond_tuples(raw.get(OURS)))


def _beyond_tuples(ours: Any) -> BeyondTuples:
    """Actions, first wishes and scenario of a goal, which CrossWOZ has no fields for."""
    kept = ours if isinstance(ours, dict) else {}
    try:
        return decode_beyond_tuples(kept)
    except (KeyError, TypeError, AttributeError):
        raise json_types.wrong("actions, first wishes and a scenario", kept, field=OURS) from None


def _description(raw: dict[str, Any]) -> tuple[str, ...]:
    """One paragraph per sub-goal; CrossWOZ-EN keeps only the last one, as a plain text."""
    value = raw.get("task description", [])
    return (value,) if isinstance(value, str) else json_types.texts(value, "task description")


def _worker(raw: object) -> int | str:
    if type(raw) is int or type(raw) is str:
        return raw
    raise json_types.wrong("a worker's number or name", raw)


def _extras(raw: dict[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """Unknown fields, and the content of our own field."""
    if len(raw) <= len(known) and raw.keys() <= known and OURS not in raw:
        return {}
    ours = json_types.members(raw.get(OURS, {}), OURS)
    extras = dict(json_types.members(ours.get("extras", {}), f"{OURS}.extras"))
    unknown = {field: value for field, value in raw.items() if field not in known}
    return {**extras, EXTRAS: unknown} if unknown else extras


def _turns(raw: object, spelling: FileSpelling) -> tuple[Turn, ...]:
    turns = []
    for number, each in enumerate(json_types.items(raw, "messages")):
        try:
            turns.append(_turn(json_types.members(each), spelling))
        except Unexpected as error:
            raise Unexpected(error.message, field=error.field, turn=number) from error
    return tuple(turns)


def _turn(raw: dict[str, Any], spelling: FileSpelling) -> Turn:
    role = json_types.needed(raw, "role")
    if not isinstance(role, str) or role not in ROLES:
        raise json_types.wrong("usr or sys", role, field="role")
    return Turn(
        speaker=ROLES[role],
        text=json_types.text(json_types.needed(raw, "content"), "content"),
        acts=json_types.each(raw.get("dialog_act", []), _act, "dialog_act"),
        user_state=_tuples(raw, "user_state", spelling),
        first_query=_state(raw, "sys_state_init"),
        last_query=_state(raw, "sys_state"),
        extras=_extras(raw, TURN_FIELDS),
    )


def _with_beyond_layout(turns: tuple[Turn, ...], ours: dict[str, Any]) -> tuple[Turn, ...]:
    """The turns with their ticks and where their acts come from, if our own field has them."""
    kept = json_types.each(ours.get("turns", []), json_types.members, f"{OURS}.turns")
    if not kept:
        return turns
    if len(kept) != len(turns):
        raise json_types.wrong(f"one object for each of {len(turns)} turns", kept, field=OURS)
    return tuple(map(_with_ticks, turns, kept))


def _with_ticks(turn: Turn, kept: dict[str, Any]) -> Turn:
    ticks = json_types.each(kept["ticks"], _position, "ticks") if "ticks" in kept else None
    acts_from = json_types.text(kept.get("acts_from", ""), "acts_from")
    return replace(turn, ticks=ticks, acts_from=acts_from)


def _position(raw: object) -> int:
    if type(raw) is not int or raw < 0:
        raise json_types.wrong("the position of a cell, from 0", raw)
    return raw


def _act(raw: object) -> Act:
    if type(raw) is not list or len(raw) != 4:
        raise json_types.wrong("[intent, domain, slot, value]", raw)
    return shared_act(*map(json_types.text, raw))


def _tuples(raw: dict[str, Any], field: str, spelling: FileSpelling) -> Tuples | None:
    if (value := raw.get(field)) is None:
        if field in raw:
            raise json_types.wrong("a list", value, field=field)
        return None
    return json_types.each(value, lambda each: _tuple(each, spelling), field)


def _tuple(raw: object, spelling: FileSpelling) -> SemanticTuple:
    if type(raw) is not list or len(raw) != 5:
        raise json_types.wrong("[sub-goal, domain, slot, value, expressed]", raw)
    subgoal, domain, slot, value, expressed = raw
    return _shared_tuple(
        spelling,
        json_types.whole(subgoal, "sub-goal"),
        json_types.text(domain, "domain"),
        json_types.text(slot, "slot"),
        json_types.text_or_texts(value, "value"),
        json_types.flag(expressed, "expressed"),
    )


@lru_cache(CACHED_VALUES)
def _shared_tuple(
    spelling: FileSpelling, subgoal: int, domain: str, slot: str, value: SlotValue, expressed: bool
) -> SemanticTuple:
    parsed: Value = spelling.parse(value, domain) if isinstance(value, str) else value
    return SemanticTuple(subgoal, domain, slot, parsed, expressed)


def _state(raw: dict[str, Any], field: str) -> SystemState | None:
    if field not in raw:
        return None
    tabs = []
    for domain, tab in json_types.members(raw[field], field).items():
        fields = json_types.members(tab, f"{field}.{domain}")
        try:
            values = tuple(
                [json_types.text_or_texts(value, name) for name, value in fields.items()]
            )
            tabs.append(_shared_tab(domain, tuple(fields), values))
        except Unexpected as error:
            raise error.inside(f"{field}.{domain}") from error
    return SystemState(tuple(tabs))


@lru_cache(CACHED_VALUES)
def _shared_tab(domain: str, names: tuple[str, ...], values: tuple[SlotValue, ...]) -> DomainState:
    slots = dict(zip(names, values, strict=True))
    selected = slots.pop(SELECTED, ())
    if isinstance(selected, str):
        raise json_types.wrong("a list", selected, field=SELECTED)
    return DomainState(domain, tuple(slots.items()), selected)


INDENT = "    "


def write_crosswoz(dialogues: Iterable[Dialogue], path: Path) -> None:
    """Write the dialogues as one JSON object; `.zip` at the end of the name packs it."""
    with writing_packed(path) as file:
        file.writelines(crosswoz_pieces(dialogues))


def crosswoz_pieces(dialogues: Iterable[Dialogue]) -> Iterator[str]:
    """The text of the file, one piece per dialogue."""
    return crosswoz_file(map(crosswoz_piece, dialogues))


def crosswoz_piece(dialogue: Dialogue) -> str:
    """A dialogue with its id, as it is written in a file."""
    return f"{INDENT}{_json(dialogue.id, 0)}: {_dialogue_text(dialogue)}"


def crosswoz_file(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces joined to a JSON object."""
    before = "{\n"
    for piece in pieces:
        yield before + piece
        before = ",\n"
    yield "{}" if before == "{\n" else "\n}"


def _json(value: object, depth: int) -> str:
    """A JSON value, indented for `depth` levels."""
    if isinstance(value, str):
        return encode_basestring(value)  # as `dumps`, but ten times as fast
    text = json.dumps(value, ensure_ascii=False, indent=4)
    return text.replace("\n", "\n" + INDENT * depth)


def _json_object(fields: Iterable[tuple[str, str]], depth: int) -> str:
    """An object whose values are JSON text already."""
    lines = [f"{_json(field, 0)}: {value}" for field, value in fields]
    return _json_block("{", lines, "}", depth)


def _json_list(items: list[str], depth: int) -> str:
    return _json_block("[", items, "]", depth)


def _json_block(opening: str, items: list[str], closing: str, depth: int) -> str:
    if not items:
        return opening + closing
    line = "\n" + INDENT * (depth + 1)
    inside = ("," + line).join(items)
    return f"{opening}{line}{inside}\n{INDENT * depth}{closing}"


def _dialogue_text(dialogue: Dialogue) -> str:
    known = spelling_of(_domains_of(dialogue))
    return _json_object(_dialogue_fields(dialogue, known, known or CHINESE), 1)


def _domains_of(dialogue: Dialogue) -> set[str]:
    goal = dialogue.goal.tuples if dialogue.goal else ()
    forms = [turn.last_query for turn in dialogue.turns[:2] if turn.last_query]
    return {each.domain for each in goal} | {tab.domain for form in forms for tab in form}


def _dialogue_fields(
    dialogue: Dialogue, known: FileSpelling | None, spelling: FileSpelling
) -> Iterator[tuple[str, str]]:
    goal = dialogue.goal
    if dialogue.workers:
        yield "sys-usr", _json(dialogue.workers, 2)
    if goal is not None:
        yield "goal", _tuples_text(goal.tuples, spelling, 2)
    yield "messages", _json_list([_turn_text(turn, spelling) for turn in dialogue.turns], 2)
    if dialogue.final_goal is not None:
        yield "final_goal", _tuples_text(dialogue.final_goal, spelling, 2)
    if goal is not None and goal.description:
        yield "task description", _json(_description_value(goal, spelling), 2)
    if goal is not None and goal.type is not None:
        yield "type", _json(spelling.type_name(goal.type), 2)
    origin = (known.language, WORLD) if known else ("", "")
    ours: dict[str, Any] = {}
    if (dialogue.language, dialogue.world) != origin:
        ours = {"language": dialogue.language, "world": dialogue.world}
    if goal is not None:
        ours |= encode_beyond_tuples(goal)
    if any(turn.ticks is not None or turn.acts_from for turn in dialogue.turns):
        ours["turns"] = [_beyond_layout(turn) for turn in dialogue.turns]
    yield from _extra_fields(dialogue.extras, ours, 2)


def _beyond_layout(turn: Turn) -> dict[str, Any]:
    """Ticks and where the acts come from: turns of the published layout have no place for them."""
    ticks = {} if turn.ticks is None else {"ticks": list(turn.ticks)}
    return {**ticks, **({"acts_from": turn.acts_from} if turn.acts_from else {})}


def _description_value(goal: Goal, spelling: FileSpelling) -> str | tuple[str, ...]:
    alone = spelling is ENGLISH and len(goal.description) == 1
    return goal.description[0] if alone else goal.description


def _extra_fields(
    extras: Mapping[str, Any], ours: dict[str, Any], depth: int
) -> Iterator[tuple[str, str]]:
    """Unknown fields that came from a CrossWOZ file, then our own field."""
    foreign = extras.get(EXTRAS)
    others = dict(extras)
    if isinstance(foreign, dict):
        del others[EXTRAS]
        for field, value in foreign.items():
            yield field, _json(value, depth)
    if others:
        ours = {**ours, "extras": others}
    if ours:
        yield OURS, _json(ours, depth)


def _turn_text(turn: Turn, spelling: FileSpelling) -> str:
    return _json_object(_turn_fields(turn, spelling), 3)


def _turn_fields(turn: Turn, spelling: FileSpelling) -> Iterator[tuple[str, str]]:
    yield "content", _json(turn.text, 4)
    yield "role", '"usr"' if turn.speaker is Speaker.USER else '"sys"'
    yield "dialog_act", _json_list([_act_text(act) for act in turn.acts], 4)
    if turn.user_state is not None:
        yield "user_state", _tuples_text(turn.user_state, spelling, 4)
    if turn.last_query is not None:
        yield "sys_state", _state_text(turn.last_query, spelling)
    if turn.first_query is not None:
        yield "sys_state_init", _state_text(turn.first_query, spelling)
    yield from _extra_fields(turn.extras, {}, 4)


@lru_cache(CACHED_VALUES)
def _act_text(act: Act) -> str:
    return _json([act.intent, act.domain, act.slot, act.value], 5)


def _tuples_text(tuples: Tuples, spelling: FileSpelling, depth: int) -> str:
    return _json_list([_tuple_text(each, spelling, depth + 1) for each in tuples], depth)


@lru_cache(CACHED_VALUES)
def _tuple_text(each: SemanticTuple, spelling: FileSpelling, depth: int) -> str:
    value = spelling.render(each.value, each.domain)
    return _json([each.subgoal, each.domain, each.slot, value, each.expressed], depth)


def _state_text(state: SystemState, spelling: FileSpelling) -> str:
    return _json_object(((tab.domain, _tab_text(tab, spelling)) for tab in state), 4)


@lru_cache(CACHED_VALUES)
def _tab_text(tab: DomainState, spelling: FileSpelling) -> str:
    fields: dict[str, object] = dict(tab.slots)
    if spelling.selected_first:
        return _json({SELECTED: tab.selected, **fields}, 5)
    return _json({**fields, SELECTED: tab.selected}, 5)


FORMAT = Format(
    name="crosswoz",
    title="CrossWOZ, Chinese and English",
    signature=Signature(
        (Shape.BY_ID,), needs=("messages",), usual=("sys-usr", "messages.role=usr", "final_goal")
    ),
    read=read_crosswoz,
    write=write_crosswoz,
)
