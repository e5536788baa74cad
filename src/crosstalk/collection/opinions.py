"""A second opinion: a dialogue annotated again, by somebody who saw only words and goal.

    dialogue = as_dialogue(context, 12, room, opinion)

An opinion says of each turn what a room's two sides would have said of it: ticks and values of the
user's table, or the wizard's form, first and last, with what was selected.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crosstalk.collection.cells import written_cell
from crosstalk.collection.export import dialogue_of
from crosstalk.collection.forms import clean_all, written_tab
from crosstalk.collection.rooms import Room
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Tuples
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.errors import Rejection

Form = Mapping[str, Mapping[str, Any]]
"""Domain -> slot -> value, as a page sends it."""


@dataclass(frozen=True, slots=True)
class TurnOpinion:
    """What an expert says of one turn; of the two halves, the one of its speaker counts."""

    ticks: tuple[int, ...] = ()
    values: Mapping[int, Any] = field(default_factory=dict)
    first: Form = field(default_factory=dict)
    last: Form | None = None
    """None: the first search was the last."""
    selected: Mapping[str, Sequence[str]] = field(default_factory=dict)


def as_dialogue(
    context: WorldContext, number: int, room: Room, opinion: Sequence[TurnOpinion]
) -> Dialogue:
    """The dialogue of a room with an expert's states instead of its own."""
    dialogue = dialogue_of(number, room)
    if len(opinion) > len(dialogue.turns):
        raise Rejection("bad_value", f"there are {len(dialogue.turns)} turns")
    turns, cells = list[Turn](), room.goal.tuples
    for place, spoken in enumerate(dialogue.turns):
        turn = Turn(spoken.speaker, spoken.text)
        said = opinion[place] if place < len(opinion) else TurnOpinion()
        if turn.speaker is Speaker.USER:
            cells = _cells(context, room, cells, said)
            turns.append(replace(turn, user_state=cells))
        else:
            turns.append(_with_forms(context, turn, said))
    return Dialogue(
        id=dialogue.id,
        turns=tuple(turns),
        goal=room.goal,
        final_goal=cells,
        language=room.language,
        world=room.world,
    )


def _cells(context: WorldContext, room: Room, before: Tuples, said: TurnOpinion) -> Tuples:
    cells = list(before)
    for number, value in said.values.items():
        written = written_cell(context, room, number, value)
        cells[number] = cells[number].filled(written or room.goal.tuples[number].value)
    for number in said.ticks:
        if not 0 <= number < len(cells):
            raise Rejection("unknown_cell", f"there is no cell {number}")
        cells[number] = cells[number].said()
    return tuple(cells)


def _with_forms(context: WorldContext, turn: Turn, said: TurnOpinion) -> Turn:
    last = said.first if said.last is None else said.last
    first_selected = said.selected if said.last is None else {}
    return replace(
        turn,
        first_query=_form(context, said.first, first_selected),
        last_query=_form(context, last, said.selected),
    )


def _form(context: WorldContext, form: Form, selected: Mapping[str, Sequence[str]]) -> SystemState:
    for key in (*form, *selected):
        if context.domain(key) is None:
            raise Rejection("unknown_domain", f"there is no domain {key!r}")
    return SystemState(
        tuple(
            DomainState(
                domain.key,
                written_tab(context, domain.key, form.get(domain.key, {})),
                clean_all(list(selected.get(domain.key, ()))),
            )
            for domain in context.world.schema
        )
    )
