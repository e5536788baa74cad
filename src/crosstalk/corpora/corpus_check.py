"""Checks a corpus against the regularities of task-oriented corpora; returns every violation.

    for violation in check(read_corpus(path, strict=False), source=str(path)): ...

Checks of turns and goals apply to every corpus. Checks of acts, slots and forms need the schema of
the world; without one (MultiWOZ, for example) they are skipped.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from crosstalk.corpora.act_checks import (
    check_acts,
    check_first_turn,
    check_form_fields,
    check_form_values,
    check_missing,
)
from crosstalk.corpora.crosswoz_schema import crosswoz_schema
from crosstalk.corpora.formats import BUILT_IN
from crosstalk.corpora.slot_checks import (
    Finding,
    Findings,
    Violation,
    check_references,
    check_words,
)
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import (
    Reference,
    SemanticTuple,
    Tuples,
    count_subgoals,
    goal_type,
)
from crosstalk.dialogue.schema import Schema, SlotKind
from crosstalk.errors import FormatError, Place


def check_goal(dialogue: Dialogue) -> Findings:
    """Check the structure of the goal, in any world."""
    goal = dialogue.goal
    if goal is None:
        return
    yield from _numbers(goal.tuples)
    if is_foreign(dialogue):
        return
    yield from _order(goal.tuples)
    for number, each in enumerate(goal.tuples):
        if each.expressed:
            message = f"{_told(each)} is expressed before anything is said"
            yield Finding("goal expressed", message, f"goal[{number}]")


def check_goal_in_world(dialogue: Dialogue, schema: Schema) -> Findings:
    """Check the type of the goal, its description, and the kinds of its values."""
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


def _order(tuples: Tuples) -> Findings:
    """Requests that constraints follow; goals of other corpora have them in any order."""
    for number, (before, after) in enumerate(pairwise(tuples), start=1):
        if before.subgoal == after.subgoal and before.is_open and not after.is_open:
            message = f"the constraint {_told(after)} follows the request {_told(before)}"
            yield Finding("goal order", message, f"goal[{number}]")


def check_user_states(dialogue: Dialogue) -> Findings:
    """Check that user states differ from the goal only in values and flags."""
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
    """Check that the final goal is the last user state, and complete."""
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


OURS = ("crosswoz", "native", "parquet", "multiwoz")
"""Formats whose dialogues begin with the user and end with the system."""
SchemaOf = Callable[[Dialogue], Schema | None]
"""The schema of a dialogue's world, if it is known."""


def check(
    dialogues: Iterable[Dialogue], source: str = "", *, schema_of: SchemaOf = crosswoz_schema
) -> Iterator[Violation]:
    """Every violation, in the order of the corpus."""
    seen: set[str] = set()
    for dialogue in dialogues:
        findings = list(_findings(dialogue, schema_of(dialogue)))
        if dialogue.id in seen:
            findings.insert(0, Finding("duplicate id", "this id has appeared before", "id"))
        seen.add(dialogue.id)
        for found in findings:
            yield Violation(dialogue.id, found.turn, found.field, found.message, found.rule, source)


def refuse_broken(dialogue: Dialogue, source: str) -> None:
    """Raise if a dialogue has dangling references or unknown domains or slots."""
    schema = crosswoz_schema(dialogue)
    words = check_words(dialogue, schema) if schema else iter(())
    for findings in (check_references(dialogue), words):
        for found in findings:
            place = Place(source, dialogue=dialogue.id, turn=found.turn, field=found.field)
            remedy = "`crosstalk data check` lists every such place; correct them and try again."
            raise FormatError(found.message, place=place, remedy=remedy)


def is_foreign(dialogue: Dialogue) -> bool:
    """Whether a dialogue came from a corpus whose rules of turns are not those of CrossWOZ."""
    foreign = BUILT_IN.keys() - set(OURS)
    return dialogue.world in foreign or not foreign.isdisjoint(dialogue.extras)


def _findings(dialogue: Dialogue, schema: Schema | None) -> Findings:
    yield from check_turns(dialogue, is_free=is_foreign(dialogue))
    yield from check_goal(dialogue)
    yield from check_references(dialogue)
    if not is_foreign(dialogue):
        yield from check_user_states(dialogue)
        yield from check_end(dialogue)
    if schema:
        yield from check_words(dialogue, schema)
        yield from check_goal_in_world(dialogue, schema)
        yield from check_acts(dialogue, schema)
        yield from check_first_turn(dialogue)
        yield from check_form_fields(dialogue)
        yield from check_form_values(dialogue)
        yield from check_missing(dialogue)


OTHER = {Speaker.USER: Speaker.SYSTEM, Speaker.SYSTEM: Speaker.USER}


def check_turns(dialogue: Dialogue, *, is_free: bool = False) -> Findings:
    """Check the order of speakers, the workers, and that every turn has a text.

    `is_free`: either side may begin and end, as in corpora of others (KddRES, WOZ, Taskmaster).
    """
    workers = dialogue.workers
    if len(set(workers)) < len(workers):
        yield Finding("workers", f"worker {workers[0]} spoke for both sides", "workers")
    if not dialogue.turns:
        yield Finding("turns", "there are no turns", "turns")
        return
    first = dialogue.turns[0].speaker if is_free else Speaker.USER
    for number, turn in enumerate(dialogue.turns):
        expected = first if number % 2 == 0 else OTHER[first]
        if turn.speaker is not expected:
            message = f"the {turn.speaker} speaks, where it is the {expected}'s turn"
            yield Finding("turns", message, "speaker", number)
        if not turn.text.strip():
            yield Finding("no text", "nothing is said", "text", number)
    if dialogue.turns[-1].speaker is Speaker.USER and not is_free:
        last = len(dialogue.turns) - 1
        yield Finding("turns", "the user speaks last", "speaker", last)
    yield from _unknown_fields(dialogue)


def _unknown_fields(dialogue: Dialogue) -> Findings:
    """Fields of a CrossWOZ file that the format does not have: mostly misspelled ones."""
    for field in dialogue.extras.get("crosswoz", {}):
        yield Finding("unknown field", "CrossWOZ has no such field", field)
    for number, turn in enumerate(dialogue.turns):
        for field in turn.extras.get("crosswoz", {}):
            yield Finding("unknown field", "CrossWOZ has no such field", field, number)
