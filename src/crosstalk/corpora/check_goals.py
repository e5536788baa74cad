"""Rules about goals: how they are numbered, how they develop, and how they end."""

from itertools import pairwise

from crosstalk.corpora.violations import Finding, Findings
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import (
    Reference,
    SemanticTuple,
    Tuples,
    count_subgoals,
    goal_type,
)
from crosstalk.dialogue.schema import Schema, SlotKind


def check_goal(dialogue: Dialogue) -> Findings:
    """How a goal is put together, in any world."""
    goal = dialogue.goal
    if goal is None:
        return
    yield from _numbers(goal.tuples)
    for number, each in enumerate(goal.tuples):
        if each.expressed:
            message = f"{_told(each)} is expressed before anything is said"
            yield Finding("goal expressed", message, f"goal[{number}]")


def check_goal_in_world(dialogue: Dialogue, schema: Schema) -> Findings:
    """The type of the goal, its description, and values of the right kind."""
    goal = dialogue.goal
    if goal is None:
        return
    actual = goal_type(goal.tuples, {domain.key for domain in schema.rides})
    if goal.type not in (None, actual):
        message = f"the type is given as {goal.type}, but the tuples make it {actual}"
        yield Finding("goal type", message, "type")
    told, wanted = len(goal.description), count_subgoals(goal.tuples)
    if told not in (0, wanted):
        message = f"{told} paragraphs tell {wanted} sub-goals"
        yield Finding("goal description", message, "description")
    for number, each in enumerate(goal.tuples):
        if isinstance(each.value, str) != _holds_text(each, schema) and not _is_reference(each):
            wanted_kind = "text" if _holds_text(each, schema) else "a list"
            message = f"{_told(each)} should be {wanted_kind}"
            yield Finding("goal value", message, f"goal[{number}]")


def _holds_text(each: SemanticTuple, schema: Schema) -> bool:
    """Whether a slot has one value: all but exclusions and lists of dishes and nearby places."""
    if each.is_exclusion:
        return False
    domain = schema.domain(each.domain)
    slot = domain.slot(each.slot) if domain else None
    return slot is None or slot.kind not in (SlotKind.LIST, SlotKind.NEARBY)


def _is_reference(each: SemanticTuple) -> bool:
    return isinstance(each.value, Reference)


def _numbers(tuples: Tuples) -> Findings:
    last = 0
    for number, each in enumerate(tuples):
        if each.subgoal not in (last, last + 1) or each.subgoal < 1:
            message = f"sub-goal {each.subgoal} follows sub-goal {last}"
            yield Finding("sub-goal numbers", message, f"goal[{number}]")
        last = each.subgoal
    for number, (before, after) in enumerate(pairwise(tuples), start=1):
        if before.subgoal == after.subgoal and before.is_open and not after.is_open:
            message = f"the constraint {_told(after)} follows the request {_told(before)}"
            yield Finding("goal order", message, f"goal[{number}]")


def check_user_states(dialogue: Dialogue) -> Findings:
    """A user state is the goal with values filled in and flags raised, nothing else."""
    if dialogue.goal is None:
        return
    before = dialogue.goal.tuples
    for number, turn in enumerate(dialogue.turns):
        if turn.user_state is None:
            continue
        yield from _development(before, turn.user_state, number)
        if len(turn.user_state) == len(before):
            before = turn.user_state


def _development(before: Tuples, after: Tuples, turn: int) -> Findings:
    if len(before) != len(after):
        message = f"{len(after)} tuples, where the goal has {len(before)}"
        yield Finding("user state shape", message, "user_state", turn)
        return
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        field = f"user_state[{number}]"
        if (old.subgoal, old.domain, old.slot) != (new.subgoal, new.domain, new.slot):
            message = f"{_told(new)} stands where the goal has {_told(old)}"
            yield Finding("user state shape", message, field, turn)
        elif old.expressed and not new.expressed:
            message = f"{_told(new)} was expressed before and is not any more"
            yield Finding("expressed taken back", message, field, turn)


def check_end(dialogue: Dialogue) -> Findings:
    """The final goal is the last user state, with everything said and answered."""
    final = dialogue.final_goal
    if final is None:
        return
    states = [turn.user_state for turn in dialogue.turns if turn.user_state is not None]
    if states and states[-1] != final:
        yield Finding("final goal", "differs from the last user state", "final_goal")
    for number, each in enumerate(final):
        if (message := _unfinished(each)) is not None:
            yield Finding("incomplete end", message, f"final_goal[{number}]")


def _unfinished(each: SemanticTuple) -> str | None:
    if not each.expressed:
        return f"{_told(each)} was never expressed"
    if isinstance(each.value, Reference):
        return f"{_told(each)} still refers to sub-goal {each.value.subgoal}"
    return f"{_told(each)} has no value" if each.is_open else None


def _told(each: SemanticTuple) -> str:
    return f"{each.domain}-{each.slot} of sub-goal {each.subgoal}"
