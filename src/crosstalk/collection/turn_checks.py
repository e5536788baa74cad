"""Hints about a turn before it is sent, from the label checker: what was probably forgotten.

The rules are those of `crosstalk data check --labels` that need no acts, which are derived later.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from crosstalk.collection.events import Filled, Hint
from crosstalk.collection.export import dialogue_of
from crosstalk.collection.rooms import Room, dropped_cells, empty_cells, filled
from crosstalk.collection.user_table import slot_label
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.schema import SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.labels import system_rules, user_rules
from crosstalk.labels.findings import Finding
from crosstalk.labels.spoken_facts import told_against_rows
from crosstalk.labels.turn_views import TurnView, last_view
from crosstalk.labels.word_traces import WordTraces

log = logging.getLogger(__name__)
Rule = Callable[[TurnView, WordTraces], Iterator[Finding]]
Rules = tuple[Rule, ...]
USER_RULES: Final[Rules] = (
    user_rules.ticked_not_said,
    user_rules.said_not_ticked,
    user_rules.asked_not_in_words,
    user_rules.asked_not_ticked,
)
SEARCHED: Final = system_rules.missing_from_search
WIZARD_RULES: Final[Rules] = (
    system_rules.wished_by_nobody,
    SEARCHED,
    system_rules.named_not_selected,
    system_rules.selected_not_named,
    told_against_rows,
)
FILL_RULES: Final[Rules] = (user_rules.never_told, user_rules.denied_by_row)
CODES: Final = {
    "U2": "ticked_not_said",
    "U3": "said_not_ticked",
    "U5": "asked_not_said",
    "U8": "never_told",
    "U9": "denied_by_row",
    "U11": "asked_not_ticked",
    "S2": "searched_not_said",
    "S3": "wish_not_searched",
    "S6": "named_not_selected",
    "S7": "selected_not_named",
    "S9": "told_against_row",
}
"""Rule -> code of its hint."""


def user_hints(
    context: WorldContext, room: Room, text: str, ticks: tuple[int, ...], done: bool
) -> tuple[Hint, ...]:
    """Hints about the user's turn and its ticks."""
    cells = tuple(
        cell.said() if number in ticks else cell for number, cell in enumerate(room.cells)
    )
    turn = Turn(Speaker.USER, text, user_state=cells, ticks=ticks)
    found = [
        _hint(context, each)
        for each in _findings(context, room, turn, USER_RULES)
        if not _is_name(context, each) and each.cell not in dropped_cells(room)
    ]
    if not ticks and not done:
        found.append(Hint("nothing_ticked", "nothing is ticked for this utterance"))
    if done:
        found += [
            Hint("never_said", f"{each.slot} was never ticked", cell=number)
            for number, each in enumerate(room.cells)
            if not each.expressed and number not in {*ticks, *dropped_cells(room)}
        ]
    return tuple(found)


def _is_name(context: WorldContext, finding: Finding) -> bool:
    """Which place is meant can be asked in so many words that nothing is said of it."""
    slot = context.slot(finding.domain, finding.slot)
    return finding.rule == "U5" and slot is not None and slot.kind is SlotKind.NAME


def _findings(context: WorldContext, room: Room, turn: Turn, rules: Rules) -> Iterator[Finding]:
    dialogue = dialogue_of(0, room)
    view = last_view(replace(dialogue, turns=(*dialogue.turns, turn)))
    for rule in rules:
        yield from _found(rule, view, context.checker.words)


def _found(rule: Rule, view: TurnView, words: WordTraces) -> tuple[Finding, ...]:
    """What a rule finds; nothing if it fails, for nobody can be kept from speaking by that."""
    try:
        return tuple(rule(view, words))
    except Exception:  # catches everything: people type what no rule was made for
        log.exception("the rule %s failed on a turn", rule.__name__)
        return ()


def _hint(context: WorldContext, finding: Finding) -> Hint:
    slot = slot_label(context, finding.domain, finding.slot) if finding.slot else ""
    cell = finding.cell if finding.is_of_user else None
    message = f"{slot or finding.domain} {finding.value!r}: {finding.why}"
    value = finding.value or slot or context.pack.domain_name(finding.domain)
    return Hint(CODES[finding.rule], message, value, cell, domain=finding.domain, slot=finding.slot)


def turn_hints(context: WorldContext, dialogue: Dialogue) -> tuple[Hint, ...]:
    """Hints about the last turn of a dialogue, one of the system, as somebody has labelled it."""
    view = last_view(dialogue)
    found = (each for rule in WIZARD_RULES for each in _found(rule, view, context.checker.words))
    return tuple(_hint(context, each) for each in found)


def fill_hints(context: WorldContext, room: Room, cell: int, value: SlotValue) -> tuple[Hint, ...]:
    """Hints about what the user writes down: nobody has told it, or that place's row denies it."""
    if not value:
        return ()
    cells = filled(room.goal.tuples, room.cells, Filled(cell, value))
    turn = Turn(Speaker.USER, "", user_state=cells)
    found = [each for each in _findings(context, room, turn, FILL_RULES) if each.cell == cell]
    return tuple(_hint(context, each) for each in found)


def missing(room: Room) -> tuple[Hint, ...]:
    """The empty cells, which must be filled in before the user can finish."""
    return tuple(
        Hint("cells_empty", f"{room.cells[number].slot} is not filled in", cell=number)
        for number in empty_cells(room)
    )


def wizard_hints(context: WorldContext, room: Room, text: str) -> tuple[Hint, ...]:
    """Hints about the wizard's turn, its searches and the selected results."""
    first, last = room.first_query, room.last_query
    turn = Turn(Speaker.SYSTEM, text, first_query=first, last_query=last)
    again = replace(turn, first_query=last)
    missing_still = {each.value for each in _findings(context, room, again, (SEARCHED,))}
    return tuple(
        _hint(context, each)
        for each in _findings(context, room, turn, WIZARD_RULES)
        if each.rule != "S3" or each.value in missing_still  # a later search has it: too late
    )
