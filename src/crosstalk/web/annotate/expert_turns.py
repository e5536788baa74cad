"""One turn as an expert sees it while annotating, and what may be wrong with the work."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import Any, Final

from crosstalk.collection.events import Hint
from crosstalk.collection.export import TurnAnnotation, annotated_dialogue
from crosstalk.collection.rooms import Room, empty_cells
from crosstalk.collection.turn_checks import turn_hints, user_hints
from crosstalk.collection.user_table import doubts, plain_value, shown_cells
from crosstalk.collection.wizard_form import bounds_of, results
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.conversation import Conversation
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import Tuples
from crosstalk.dialogue.states import DomainState, SystemState

Plain = dict[str, Any]
MOST_EMPTY: Final = {Speaker.USER: 0.3, Speaker.SYSTEM: 0.75}
"""Share of turns without anything above which the work is doubted; CrossWOZ has 13 % and 54 %."""
MOST_NAMES: Final = 12
"""Results of a search that are offered to be selected."""
LEAST_SECONDS: Final = 2.0
"""A median turn below this is doubted."""


def turn_view(
    context: WorldContext, room: Room, number: int, opinion: Sequence[TurnAnnotation]
) -> Plain:
    """Everything that the page needs about turn `number`, from 0, annotated as `opinion` has it."""
    dialogue = annotated_dialogue(context, 0, room, opinion[: number + 1])
    turn = dialogue.turns[number]
    said = opinion[number] if number < len(opinion) else TurnAnnotation()
    if turn.speaker is Speaker.SYSTEM:
        spoken = replace(dialogue, turns=dialogue.turns[: number + 1])
        begun = said != TurnAnnotation()
        return {
            "searches": [_form(context, form) for form in (turn.first_query, turn.last_query)],
            "hints": [_hint(each) for each in turn_hints(context, spoken)] if begun else [],
        }
    before = _before(dialogue, room, number)
    now = replace(
        room,
        conversation=Conversation(room.conversation.turns[:number]),
        cells=tuple(
            replace(each, expressed=old.expressed)
            for each, old in zip(turn.user_state or before, before, strict=True)
        ),
    )
    values = {cell: plain_value(now.cells[cell].value) for cell in said.values}
    doubted = [
        hint
        for cell, value in values.items()
        if isinstance(value, str)
        for hint in doubts(context, now, cell, value)
    ]
    hints = user_hints(context, now, turn.text, said.ticks, False) if said.ticks else ()
    return {
        "cells": shown_cells(context, now),
        "missing": list(empty_cells(now)),
        "doubts": [_hint(each) for each in doubted],
        "hints": [_hint(each) for each in hints],
    }


def _before(dialogue: Dialogue, room: Room, number: int) -> Tuples:
    """The user's table before a turn."""
    states = [turn.user_state for turn in dialogue.turns[:number] if turn.user_state is not None]
    return states[-1] if states else room.goal.tuples


def _hint(hint: Hint) -> Plain:
    return {"code": hint.code, "value": hint.value, "cell": hint.cell}


def _form(context: WorldContext, form: SystemState | None) -> Plain:
    form = form or SystemState()
    filled = {
        tab.domain: {
            slot: value if isinstance(value, str) else list(value)
            for slot, value in tab.slots
            if value
        }
        for tab in form
    }
    return {
        "form": filled,
        "bounds": bounds_of(context, form),
        "found": {tab.domain: _found(context, tab) for tab in form if tab.constraints},
        "selected": {tab.domain: list(tab.selected) for tab in form if tab.selected},
    }


def _found(context: WorldContext, tab: DomainState) -> Plain:
    """What the search of a domain finds: how many, and the first names."""
    found = results(context, tab.domain, tab.slots)
    return {"count": found["count"], "names": [row["name"] for row in found["rows"]][:MOST_NAMES]}


def work_doubts(room: Room, body: Plain) -> list[str]:
    """What is unusual about an annotation; told to its annotator before it is finished."""
    return list(_work_doubts(room, body["turns"]))


def _work_doubts(room: Room, turns: Sequence[Plain]) -> Iterator[str]:
    spoken = list(zip(room.conversation.turns, turns, strict=False))
    for side, most in MOST_EMPTY.items():
        states = [said.get("state") for turn, said in spoken if turn.speaker is side]
        if states and states.count("nothing") > most * len(states):
            yield f"many_empty_{'user' if side is Speaker.USER else 'wizard'}"
    seconds = [said.get("seconds", 0) for said in turns]
    if any(seconds) and median(seconds) < LEAST_SECONDS:
        yield "very_fast"
