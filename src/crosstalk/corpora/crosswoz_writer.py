"""Writing CrossWOZ files, dialogue by dialogue, in the layout of the released ones.

The layout is JSON with four spaces of indentation. Acts, tuples and tabs repeat from turn to
turn, so their text is made once; writing takes about as long as reading.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from json.encoder import encode_basestring
from pathlib import Path
from typing import Any

from crosstalk.corpora.crosswoz import EXTRAS, OURS
from crosstalk.corpora.crosswoz_words import (
    CHINESE,
    ENGLISH,
    SELECTED,
    WORLD,
    FileSpelling,
    spelling_of,
)
from crosstalk.corpora.packing import writing_packed
from crosstalk.corpora.sharing import SHARED
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, SemanticTuple, Tuples
from crosstalk.dialogue.states import DomainState, SystemState

INDENT = "    "


def write_crosswoz(dialogues: Iterable[Dialogue], path: Path) -> None:
    """Write the dialogues as one JSON object; `.zip` at the end of the name packs it."""
    with writing_packed(path) as file:
        file.writelines(crosswoz_pieces(dialogues))


def crosswoz_pieces(dialogues: Iterable[Dialogue]) -> Iterator[str]:
    """The text of the file, a piece a dialogue."""
    return crosswoz_file(map(crosswoz_piece, dialogues))


def crosswoz_piece(dialogue: Dialogue) -> str:
    """A dialogue under its name, as it stands in a file."""
    return f"{INDENT}{_text(dialogue.id, 0)}: {_dialogue(dialogue)}"


def crosswoz_file(pieces: Iterable[str]) -> Iterator[str]:
    """What stands before, between and behind the pieces of a file."""
    before = "{\n"
    for piece in pieces:
        yield before + piece
        before = ",\n"
    yield "{}" if before == "{\n" else "\n}"


def _text(value: object, depth: int) -> str:
    """Any JSON value as it stands `depth` levels deep."""
    if isinstance(value, str):
        return encode_basestring(value)  # what `dumps` does, ten times as quick
    text = json.dumps(value, ensure_ascii=False, indent=4)
    return text.replace("\n", "\n" + INDENT * depth)


def _object(fields: Iterable[tuple[str, str]], depth: int) -> str:
    """An object of values that are text already."""
    lines = [f"{_text(field, 0)}: {value}" for field, value in fields]
    return _block("{", lines, "}", depth)


def _list(items: list[str], depth: int) -> str:
    return _block("[", items, "]", depth)


def _block(opening: str, items: list[str], closing: str, depth: int) -> str:
    if not items:
        return opening + closing
    line = "\n" + INDENT * (depth + 1)
    inside = ("," + line).join(items)
    return f"{opening}{line}{inside}\n{INDENT * depth}{closing}"


def _dialogue(dialogue: Dialogue) -> str:
    known = spelling_of(_domains(dialogue))
    return _object(_dialogue_fields(dialogue, known, known or CHINESE), 1)


def _domains(dialogue: Dialogue) -> set[str]:
    goal = dialogue.goal.tuples if dialogue.goal else ()
    forms = [turn.last_query for turn in dialogue.turns[:2] if turn.last_query]
    return {each.domain for each in goal} | {tab.domain for form in forms for tab in form}


def _dialogue_fields(
    dialogue: Dialogue, known: FileSpelling | None, spelling: FileSpelling
) -> Iterator[tuple[str, str]]:
    goal = dialogue.goal
    if dialogue.workers:
        yield "sys-usr", _text(dialogue.workers, 2)
    if goal is not None:
        yield "goal", _tuples(goal.tuples, spelling, 2)
    yield "messages", _list([_turn(turn, spelling) for turn in dialogue.turns], 2)
    if dialogue.final_goal is not None:
        yield "final_goal", _tuples(dialogue.final_goal, spelling, 2)
    if goal is not None and goal.description:
        yield "task description", _text(_description(goal, spelling), 2)
    if goal is not None and goal.type is not None:
        yield "type", _text(spelling.type_name(goal.type), 2)
    origin = (known.language, WORLD) if known else ("", "")
    ours: dict[str, Any] = {}
    if (dialogue.language, dialogue.world) != origin:
        ours = {"language": dialogue.language, "world": dialogue.world}
    yield from _extras(dialogue.extras, ours, 2)


def _description(goal: Goal, spelling: FileSpelling) -> str | tuple[str, ...]:
    alone = spelling is ENGLISH and len(goal.description) == 1
    return goal.description[0] if alone else goal.description


def _extras(
    extras: Mapping[str, Any], ours: dict[str, Any], depth: int
) -> Iterator[tuple[str, str]]:
    """Fields that came from a CrossWOZ file we have no word for, then what is only ours."""
    foreign = extras.get(EXTRAS)
    others = dict(extras)
    if isinstance(foreign, dict):
        del others[EXTRAS]
        for field, value in foreign.items():
            yield field, _text(value, depth)
    if others:
        ours = {**ours, "extras": others}
    if ours:
        yield OURS, _text(ours, depth)


def _turn(turn: Turn, spelling: FileSpelling) -> str:
    return _object(_turn_fields(turn, spelling), 3)


def _turn_fields(turn: Turn, spelling: FileSpelling) -> Iterator[tuple[str, str]]:
    yield "content", _text(turn.text, 4)
    yield "role", '"usr"' if turn.speaker is Speaker.USER else '"sys"'
    yield "dialog_act", _list([_act(act) for act in turn.acts], 4)
    if turn.user_state is not None:
        yield "user_state", _tuples(turn.user_state, spelling, 4)
    if turn.last_query is not None:
        yield "sys_state", _state(turn.last_query, spelling)
    if turn.first_query is not None:
        yield "sys_state_init", _state(turn.first_query, spelling)
    yield from _extras(turn.extras, {}, 4)


@lru_cache(SHARED)
def _act(act: Act) -> str:
    return _text([act.intent, act.domain, act.slot, act.value], 5)


def _tuples(tuples: Tuples, spelling: FileSpelling, depth: int) -> str:
    return _list([_tuple(each, spelling, depth + 1) for each in tuples], depth)


@lru_cache(SHARED)
def _tuple(each: SemanticTuple, spelling: FileSpelling, depth: int) -> str:
    value = spelling.render(each.value, each.domain)
    return _text([each.subgoal, each.domain, each.slot, value, each.expressed], depth)


def _state(state: SystemState, spelling: FileSpelling) -> str:
    return _object(((tab.domain, _tab(tab, spelling)) for tab in state), 4)


@lru_cache(SHARED)
def _tab(tab: DomainState, spelling: FileSpelling) -> str:
    fields: dict[str, object] = dict(tab.slots)
    if spelling.selected_first:
        return _text({SELECTED: tab.selected, **fields}, 5)
    return _text({**fields, SELECTED: tab.selected}, 5)
