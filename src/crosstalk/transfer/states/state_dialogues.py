"""Dialogues with states: the project's `Dialogue`, and the view that state trackers have of it.

The state after a user's turn is the `first_query` of the system turn that follows, one tab per
domain. Formats that do not keep the last system turn (TRADE, WOZ 2.0) get one without text.

`state_turns` gives the same dialogue turn by turn, with states by slot key (`hotel-book day`): the
ontology, the published picklists and the published scores all name slots that way.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import SystemState

SYSTEM_LANGUAGE: Final = "system_language"
"""In a dialogue's extras: the system's language, if it is not the user's (WOZ 2.0)."""
LABEL_LANGUAGE: Final = "label_language"
"""In a dialogue's extras: the language of the states, if it is not the user's."""


@dataclass(frozen=True, slots=True)
class StateTurn:
    """One user turn: what the system said before, what the user says, the state after it."""

    system: str
    """Empty before the first turn."""
    user: str
    state: Mapping[str, str] = field(default_factory=dict)
    """Slot key -> normalised label; slots without a value are left out."""


def state_turns(dialogue: Dialogue) -> tuple[StateTurn, ...]:
    """The user turns of a dialogue that a system turn follows."""
    found = []
    before, user = "", None
    for turn in dialogue.turns:
        if turn.speaker is Speaker.USER:
            user = turn
            continue
        if user is not None:
            found.append(StateTurn(before, user.text, by_slot_key(turn.first_query)))
        before, user = turn.text, None
    return tuple(found)


def state_dialogue(
    id: str,
    language: str,
    turns: Iterable[StateTurn],
    *,
    system_language: str = "",
    label_language: str = "",
) -> Dialogue:
    """The dialogue of these turns; `state_turns` gives them back."""
    said: list[Turn] = []
    form: SystemState | None = None
    for turn in turns:
        if said or turn.system:
            said.append(Turn(Speaker.SYSTEM, turn.system, first_query=form))
        said.append(Turn(Speaker.USER, turn.user))
        form = by_domain(turn.state)
    if said:
        said.append(Turn(Speaker.SYSTEM, "", first_query=form))
    languages = {SYSTEM_LANGUAGE: system_language, LABEL_LANGUAGE: label_language}
    extras = {name: code for name, code in languages.items() if code}
    return Dialogue(id, tuple(said), language=language, extras=extras)


def with_states(dialogue: Dialogue, states: Iterable[Mapping[str, str]]) -> Dialogue:
    """The same dialogue with other states, one per turn of `state_turns`."""
    rest = iter(states)
    turns = []
    speaker = Speaker.SYSTEM
    for turn in dialogue.turns:
        if turn.speaker is Speaker.SYSTEM and speaker is Speaker.USER:
            turns.append(replace(turn, first_query=by_domain(next(rest))))
        else:
            turns.append(turn)
        speaker = turn.speaker
    return replace(dialogue, turns=tuple(turns))


def system_language(dialogue: Dialogue) -> str:
    return str(dialogue.extras.get(SYSTEM_LANGUAGE) or dialogue.language)


def label_language(dialogue: Dialogue) -> str:
    """The language of the states."""
    return str(dialogue.extras.get(LABEL_LANGUAGE) or dialogue.language)


def slot_key(domain: str, slot: str) -> str:
    """`hotel-area`; slots of WOZ 2.0 have no domain and are keys themselves."""
    return f"{domain}-{slot}" if domain else slot


def by_slot_key(form: SystemState | None) -> dict[str, str]:
    """The filled slots of a form by their keys."""
    return {
        slot_key(tab.domain, slot): str(value)
        for tab in form or ()
        for slot, value in tab.constraints.items()
    }


def by_domain(state: Mapping[str, str]) -> SystemState:
    """The form of a state by slot keys."""
    form = SystemState()
    for key, value in state.items():
        domain, dash, slot = key.partition("-")
        domain, slot = (domain, slot) if dash else ("", key)
        form = form.with_domain(form.get(domain).with_slot(slot, value))
    return form
