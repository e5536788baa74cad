"""Dialogues as plain JSON records (the native format) and back; nothing is lost.

    decode_dialogue(encode_dialogue(dialogue)) == dialogue

Acts, tuples and tabs repeat from turn to turn; decoding gives equal values as one object, which
needs about a tenth of the memory and makes comparing states fast. What is empty or default is left
out of a record. `native.py` checks records that come from files.
"""

from functools import lru_cache
from typing import Any, TypedDict

from crosstalk.dialogue.acts import NOTHING, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import (
    Goal,
    GoalType,
    Reference,
    Scenario,
    SemanticTuple,
    Tuples,
    Value,
    WantedAction,
)
from crosstalk.dialogue.states import DomainState, SlotValue, SystemState
from crosstalk.errors import OutputError

CACHED_VALUES = 1 << 16
"""Number of cached values of each kind."""


@lru_cache(CACHED_VALUES)
def shared_act(intent: str, domain: str, slot: str, value: str) -> Act:
    return Act(intent, domain, slot, value)


@lru_cache(CACHED_VALUES)
def shared_reference(subgoal: int, nearby: bool) -> Reference:
    return Reference(subgoal, nearby)


@lru_cache(CACHED_VALUES)
def shared_tuple(
    subgoal: int, domain: str, slot: str, value: Value, expressed: bool
) -> SemanticTuple:
    return SemanticTuple(subgoal, domain, slot, value, expressed)


@lru_cache(CACHED_VALUES)
def shared_tab(
    domain: str,
    slots: tuple[tuple[str, SlotValue], ...],
    selected: tuple[str, ...],
    order: tuple[str, str] | None = None,
) -> DomainState:
    return DomainState(domain, slots, selected, order)


Record = dict[str, Any]


def encode_dialogue(dialogue: Dialogue) -> Record:
    record: Record = {"id": dialogue.id}
    if dialogue.world:
        record["world"] = dialogue.world
    if dialogue.language:
        record["language"] = dialogue.language
    if dialogue.workers:
        record["workers"] = list(dialogue.workers)
    if dialogue.goal is not None:
        record["goal"] = encode_goal(dialogue.goal)
    if dialogue.final_goal is not None:
        record["final_goal"] = encode_tuples(dialogue.final_goal)
    record["turns"] = [encode_turn(turn) for turn in dialogue.turns]
    if dialogue.extras:
        record["extras"] = dict(dialogue.extras)
    return record


def encode_turn(turn: Turn) -> Record:
    record: Record = {"speaker": turn.speaker.value, "text": turn.text}
    if turn.acts:
        record["acts"] = [encode_act(act) for act in turn.acts]
    if turn.user_state is not None:
        record["user_state"] = encode_tuples(turn.user_state)
    if turn.first_query is not None:
        record["first_query"] = encode_state(turn.first_query)
    if turn.last_query is not None:
        record["last_query"] = encode_state(turn.last_query)
    if turn.ticks is not None:
        record["ticks"] = list(turn.ticks)
    if turn.acts_from:
        record["acts_from"] = turn.acts_from
    if turn.extras:
        record["extras"] = dict(turn.extras)
    return record


def encode_goal(goal: Goal) -> Record:
    record: Record = {}
    if goal.type is not None:
        record["type"] = goal.type.value
    if goal.description:
        record["description"] = list(goal.description)
    record["tuples"] = encode_tuples(goal.tuples)
    return record | encode_beyond_tuples(goal)


def encode_beyond_tuples(goal: Goal) -> Record:
    """What a goal has beyond constraints and questions, which most formats have no field for."""
    record: Record = {}
    if goal.actions:
        record["actions"] = [encode_action(each) for each in goal.actions]
    if goal.first_wishes:
        record["first_wishes"] = encode_tuples(goal.first_wishes)
    if goal.scenario:
        record["scenario"] = encode_scenario(goal.scenario)
    return record


def encode_action(wanted: WantedAction) -> Record:
    wishes = [
        {k: {"at": v.subgoal} if isinstance(v, Reference) else v for k, v in wish.items()}
        for wish in wanted.wishes
    ]
    record: Record = {"action": wanted.action, "wishes": wishes}
    return record | ({"forbidden": True} if wanted.forbidden else {})


def encode_scenario(scenario: Scenario) -> Record:
    return {table: [dict(row) for row in rows] for table, rows in scenario.items()}


def encode_tuples(tuples: Tuples) -> list[Record]:
    return [encode_tuple(each) for each in tuples]


def encode_tuple(each: SemanticTuple) -> Record:
    record: Record = {
        "subgoal": each.subgoal,
        "domain": each.domain,
        "slot": each.slot,
        "value": encode_value(each.value),
    }
    if each.expressed:
        record["expressed"] = True
    return record


def encode_value(value: Value) -> str | list[str] | dict[str, int]:
    if isinstance(value, Reference):
        return {"near" if value.nearby else "at": value.subgoal}
    return value if isinstance(value, str) else list(value)


def encode_act(act: Act) -> Record:
    record: Record = {"intent": act.intent, "domain": act.domain}
    if act.slot != NOTHING:
        record["slot"] = act.slot
    if act.value != NOTHING:
        record["value"] = act.value
    return record


def encode_state(state: SystemState) -> list[Record]:
    return [encode_tab(tab) for tab in state]


def encode_tab(tab: DomainState) -> Record:
    record: Record = {"domain": tab.domain}
    if tab.slots:
        record["slots"] = encode_slots(tab)
    if tab.selected:
        record["selected"] = list(tab.selected)
    if tab.order:
        record["order"] = list(tab.order)
    return record


def encode_slots(tab: DomainState) -> Record:
    slots = {slot: value if isinstance(value, str) else list(value) for slot, value in tab.slots}
    if len(slots) < len(tab.slots):
        names = ", ".join(name for name, _ in tab.slots)
        raise OutputError(
            f"a form names a slot of {tab.domain!r} twice: {names}",
            remedy="Give each field of the form a name of its own.",
        )
    return slots


def decode_dialogue(record: Record) -> Dialogue:
    goal = record.get("goal")
    final = record.get("final_goal")
    return Dialogue(
        id=record["id"],
        turns=tuple([decode_turn(turn) for turn in record["turns"]]),
        goal=None if goal is None else decode_goal(goal),
        final_goal=None if final is None else decode_tuples(final),
        workers=tuple(record.get("workers", ())),
        language=record.get("language", ""),
        world=record.get("world", ""),
        extras=record.get("extras", {}),
    )


def decode_turn(record: Record) -> Turn:
    state = record.get("user_state")
    first = record.get("first_query")
    last = record.get("last_query")
    return Turn(
        speaker=Speaker(record["speaker"]),
        text=record["text"],
        acts=tuple([decode_act(act) for act in record.get("acts", ())]),
        user_state=None if state is None else decode_tuples(state),
        first_query=None if first is None else decode_state(first),
        last_query=None if last is None else decode_state(last),
        extras=record.get("extras", {}),
        ticks=tuple(record["ticks"]) if "ticks" in record else None,
        acts_from=record.get("acts_from", ""),
    )


def decode_goal(record: Record) -> Goal:
    kind = record.get("type")
    return Goal(
        tuples=decode_tuples(record["tuples"]),
        type=None if kind is None else GoalType(kind),
        description=tuple(record.get("description", ())),
        **decode_beyond_tuples(record),
    )


class BeyondTuples(TypedDict):
    """Fields of a goal beyond type, description and tuples."""

    actions: tuple[WantedAction, ...]
    first_wishes: Tuples
    scenario: Scenario


def decode_beyond_tuples(record: Record) -> BeyondTuples:
    return BeyondTuples(
        actions=tuple([decode_action(each) for each in record.get("actions", ())]),
        first_wishes=decode_tuples(record.get("first_wishes", [])),
        scenario=decode_scenario(record.get("scenario", {})),
    )


def decode_action(record: Record) -> WantedAction:
    wishes = tuple(
        {k: shared_reference(v["at"], False) if isinstance(v, dict) else v for k, v in wish.items()}
        for wish in record["wishes"]
    )
    return WantedAction(record["action"], wishes, record.get("forbidden", False))


def decode_scenario(record: Record) -> Scenario:
    return {table: tuple(dict(row) for row in rows) for table, rows in record.items()}


def decode_tuples(records: list[Record]) -> Tuples:
    return tuple([decode_tuple(record) for record in records])


def decode_tuple(record: Record) -> SemanticTuple:
    value = decode_value(record["value"])
    expressed = record.get("expressed", False)
    return shared_tuple(record["subgoal"], record["domain"], record["slot"], value, expressed)


def decode_value(value: str | list[str] | dict[str, int]) -> Value:
    if isinstance(value, dict):
        return shared_reference(value["near"] if "near" in value else value["at"], "near" in value)
    return _frozen(value)


def decode_act(record: Record) -> Act:
    slot, value = record.get("slot", NOTHING), record.get("value", NOTHING)
    return shared_act(record["intent"], record["domain"], slot, value)


def decode_state(records: list[Record]) -> SystemState:
    return SystemState(tuple([decode_tab(record) for record in records]))


def decode_tab(record: Record) -> DomainState:
    slots = tuple([(slot, _frozen(value)) for slot, value in record.get("slots", {}).items()])
    order = tuple(record["order"]) if "order" in record else None
    return shared_tab(record["domain"], slots, tuple(record.get("selected", ())), order)


def _frozen(value: str | list[str]) -> SlotValue:
    return value if isinstance(value, str) else tuple(value)
