"""Trackers: the state is a fold over turns."""

import warnings
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Protocol

from crosstalk.dialogue.acts import INFORM, RECOMMEND, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.system.dst.discourse import Discourse


@dataclass(frozen=True, slots=True)
class DialogueState:
    """What the user wants as far as the system knows, and what the dialogue has been about."""

    form: SystemState
    """The query form as the user's words fill it in."""
    domain: str = ""
    """What the user is talking about now."""
    requests: tuple[tuple[str, str], ...] = ()
    """(domain, slot) asked for and not answered yet, oldest first."""
    discourse: Discourse | None = field(default=None, compare=False, repr=False)
    """What the dialogue has been about, where the tracker has looked into that."""


class Tracker(Protocol):
    """Anything that keeps the dialogue state up to date."""

    def update(self, belief: DialogueState, history: tuple[Turn, ...]) -> DialogueState:
        """The state after the last turn of `history`, which is the user's.

        `history` is the whole dialogue so far; a tracker says in its docstring what it reads of it.
        """
        ...


def empty_form(schema: Schema) -> SystemState:
    """A form with every field empty."""
    return SystemState(
        tuple(
            DomainState(domain.key, tuple((slot.key, "") for slot in domain.form))
            for domain in schema
        )
    )


def current_domain(user_acts: tuple[Act, ...], system_acts: tuple[Act, ...]) -> str:
    """The commonest domain of the strongest kind of act; ties go to the one seen first."""
    for acts, intents in (
        (user_acts, {SELECT}),
        (user_acts, {REQUEST}),
        (user_acts, {INFORM}),
        (system_acts, {INFORM, RECOMMEND}),
    ):
        counts = Counter(act.domain for act in acts if act.intent in intents)
        if counts:
            return counts.most_common(1)[0][0]
    return ""


def __getattr__(name: str) -> Any:
    """`DialogueState` under the name it had, for parts written for 0.1."""
    if name != "Belief":
        raise AttributeError(name)
    warnings.warn("Belief is called DialogueState", DeprecationWarning, stacklevel=2)
    return DialogueState
