"""Dialogues that exist already, brought into a store for experts to annotate.

    report = import_dialogues(site, read_corpus(path))

Each becomes a finished room without workers, of the events that would have led to its states. Its
annotation is what experts are compared with. Nobody is paid for it, and its goal is never drawn.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from crosstalk.annotation.operations import table_before
from crosstalk.collection.commands import events_of
from crosstalk.collection.export import IMPORTED
from crosstalk.collection.rooms import Status
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import Goal
from crosstalk.dialogue.participants import Reply
from crosstalk.errors import CrosstalkError, InputError
from crosstalk.goals.goal_files import StoredGoal
from crosstalk.web.annotate.expert_annotations import read_panel, write_panel
from crosstalk.web.collect.site import Site, Transaction
from crosstalk.web.store.room_store import add_goals

LONGEST: Final = 100
"""Turns; pages and their checks take no more."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was brought in."""

    rooms: tuple[int, ...]
    left_out: tuple[str, ...]
    """Dialogues that do not fit, each with the reason."""
    known: int
    """Dialogues that the store had already."""


def import_dialogues(site: Site, dialogues: Iterable[Dialogue]) -> ImportReport:
    """Bring dialogues in, and into the sample; those that do not fit are named."""
    rooms: list[int] = []
    left_out: list[str] = []
    known = 0
    for dialogue in dialogues:
        why = _misfit(site.context, dialogue)
        if why:
            left_out.append(f"dialogue {dialogue.id}: {why}")
            continue
        room = site.submit(partial(_import, dialogue=dialogue)).result()
        known += room is None
        rooms += [] if room is None else [room]
    site.submit(partial(_into_sample, rooms=tuple(rooms))).result()
    return ImportReport(tuple(rooms), tuple(left_out), known)


def _misfit(context: WorldContext, dialogue: Dialogue) -> str:
    """Why a dialogue cannot be brought in; empty if it can."""
    sides = [turn.speaker for turn in dialogue.turns]
    if not sides or len(sides) > LONGEST:
        return f"it has {len(sides)} turns, not 1 to {LONGEST}"
    if any(side is not (Speaker.SYSTEM if n % 2 else Speaker.USER) for n, side in enumerate(sides)):
        return "the user does not begin, or the two do not take turns"
    if sides[-1] is Speaker.USER:
        return "it ends with a turn of the user"
    if not all(turn.text.strip() for turn in dialogue.turns):
        return "a turn has no words"
    if strange := sorted(_domains(dialogue) - {each.key for each in context.world.schema}):
        return f"the world {context.world.name} has no domain {', '.join(strange)}"
    rows = len(table_before(dialogue))
    if any(len(turn.user_state) != rows for turn in dialogue.turns if turn.user_state is not None):
        return "its user's tables do not have the rows of its goal"
    return ""


def _domains(dialogue: Dialogue) -> set[str]:
    found = {row.domain for row in table_before(dialogue)}
    forms = (form for turn in dialogue.turns for form in (turn.first_query, turn.last_query))
    return found | {tab.domain for form in forms for tab in form or () if tab.constraints}


def _import(transaction: Transaction, dialogue: Dialogue) -> int | None:
    """The room of one dialogue; None if it was brought in before."""
    context = transaction.site.context
    name = f"{IMPORTED}{dialogue.id}"
    goal = dialogue.goal or Goal(table_before(dialogue))
    stored = StoredGoal(name, context.world.name, context.pack.code, goal)
    if not add_goals(transaction.connection, [stored], context.world.name):
        return None
    log = transaction.open(name, None, None)
    for number, turn in enumerate(dialogue.turns):
        bare = replace(turn, acts=(), extras={})  # acts are derived anew, as those of experts are
        reply = Reply(bare, done=number == len(dialogue.turns) - 2)
        try:
            log = transaction.append(log, events_of(context, log.room, reply))
        except CrosstalkError as error:
            raise InputError(f"dialogue {dialogue.id}, turn {number + 1}: {error}") from error
    assert log.room.status is Status.FINISHED
    return log.id


def _into_sample(transaction: Transaction, rooms: tuple[int, ...]) -> None:
    panel = read_panel(transaction.connection)
    write_panel(transaction.connection, replace(panel, rooms=(*panel.rooms, *rooms)))
