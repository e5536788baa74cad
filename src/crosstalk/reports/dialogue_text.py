"""One dialogue as lines of text, for terminals.

for line in dialogue_lines(dialogue): ...
"""

from collections.abc import Iterator

from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples, subgoals
from crosstalk.dialogue.states import DomainState, SystemState

MARGIN = " " * 11


def dialogue_lines(dialogue: Dialogue, *, only_turns: bool = False) -> Iterator[str]:
    """Its goal, who said what, the acts, and what changed in the states."""
    yield _title(dialogue)
    if only_turns:
        for turn in dialogue.turns:
            yield f"{turn.speaker:<8} {turn.text}"
        return
    if dialogue.goal:
        yield from _goal_lines(dialogue.goal.tuples, dialogue.goal.description)
    yield from _turn_lines(dialogue)
    if dialogue.final_goal is not None:
        unsettled = [_tuple(each) for each in dialogue.final_goal if not each.is_settled]
        yield f"The goal {'ends open: ' + ', '.join(unsettled) if unsettled else 'is settled.'}"


def _title(dialogue: Dialogue) -> str:
    facts = [dialogue.world, dialogue.language, f"{len(dialogue.turns)} turns"]
    if dialogue.goal and dialogue.goal.type:
        facts.insert(2, f"goal type {dialogue.goal.type}")
    return f"Dialogue {dialogue.id} ({', '.join(fact for fact in facts if fact)})"


def _goal_lines(tuples: Tuples, description: tuple[str, ...]) -> Iterator[str]:
    yield "Goal"
    for number, group in subgoals(tuples):
        told = ", ".join(_slot(each) for each in group)
        yield f"  {number} {group[0].domain}: {told}"
    for paragraph in description:
        yield f"  {paragraph}"


def _turn_lines(dialogue: Dialogue) -> Iterator[str]:
    goal = dialogue.goal.tuples if dialogue.goal else ()
    form = SystemState()
    for number, turn in enumerate(dialogue.turns):
        yield f"{number:>2} {turn.speaker:<7} {turn.text}"
        if turn.acts:
            yield f"{MARGIN}acts: {', '.join(map(str, turn.acts))}"
        yield from _user_changes(turn, goal)
        yield from _form_changes(turn, form)
        goal = turn.user_state or goal
        form = turn.last_query or turn.first_query or form


def _user_changes(turn: Turn, before: Tuples) -> Iterator[str]:
    """What the user ticked and filled in."""
    if turn.user_state is None or len(turn.user_state) != len(before):
        return
    pairs = list(zip(before, turn.user_state, strict=True))
    ticked = [_tuple(new) for old, new in pairs if new.expressed and not old.expressed]
    filled = [_tuple(new) for old, new in pairs if new.value != old.value]
    if ticked:
        yield f"{MARGIN}says: {', '.join(ticked)}"
    if filled:
        yield f"{MARGIN}notes: {', '.join(filled)}"


def _form_changes(turn: Turn, before: SystemState) -> Iterator[str]:
    """What the wizard asked the database, and what came of it."""
    asked = before
    for name, form in (("asks", turn.first_query), ("then", turn.last_query)):
        for tab in form or ():
            if tab.constraints != asked.get(tab.domain).constraints:
                yield f"{MARGIN}{name}: {_tab(tab)}"
        asked = form or asked
    for tab in turn.last_query or ():
        if tab.selected and tab.selected != before.get(tab.domain).selected:
            yield f"{MARGIN}finds: {tab.domain}: {', '.join(tab.selected)}"


def _tab(tab: DomainState) -> str:
    told = ", ".join(f"{slot} = {_value(value)}" for slot, value in tab.constraints.items())
    return f"{tab.domain}: {told or 'nothing'}"


def _tuple(each: SemanticTuple) -> str:
    return f"{each.domain}-{_slot(each)}"


def _slot(each: SemanticTuple) -> str:
    if isinstance(each.value, Reference):
        return f"{each.slot} {'near' if each.value.nearby else 'of'} ({each.value.subgoal})"
    return f"{each.slot} ?" if each.is_open else f"{each.slot} = {_value(each.value)}"


def _value(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ", ".join(value)
