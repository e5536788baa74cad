"""The tracker interface, the state it keeps, and adapters for trackers in conversations.

The state is a fold over turns: a tracker takes the state before and the history, and returns the
state after the user's turn.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Protocol

from crosstalk.dialogue.acts import INFORM, RECOMMEND, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.system.dst.discourse import Discourse
from crosstalk.system.nlg.generator import Generator


@dataclass(frozen=True, slots=True)
class DialogueState:
    """What the user wants, as far as the system knows."""

    form: SystemState
    """The query form as the user's words fill it in."""
    domain: str = ""
    """The domain the user is talking about now."""
    requests: tuple[tuple[str, str], ...] = ()
    """(domain, slot) asked for and not answered yet, oldest first."""
    discourse: Discourse | None = field(default=None, compare=False, repr=False)
    """Places and questions of the dialogue so far; None if the tracker does not follow them."""


class Tracker(Protocol):
    """Anything that keeps the dialogue state up to date."""

    def update(self, belief: DialogueState, history: tuple[Turn, ...]) -> DialogueState:
        """The state after the last turn of `history`, which is the user's.

        `history` is the whole dialogue so far; a tracker documents which parts of it it reads.
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


@dataclass(frozen=True, slots=True)
class FormAndTopic:
    """The form from one tracker; domain, open requests and discourse from another.

    Trackers that were trained on forms leave the rest of the state as it was.
    """

    forms: Tracker
    topics: Tracker
    from_last_query: bool = False
    """Whether the form to edit is the one the system searched with, as in training."""

    def update(self, belief: DialogueState, history: tuple[Turn, ...]) -> DialogueState:
        before = history[-2].last_query if len(history) > 1 else None
        start = replace(belief, form=before) if before and self.from_last_query else belief
        form = self.forms.update(start, history).form
        return replace(self.topics.update(belief, history), form=form)


@dataclass(frozen=True, slots=True)
class VerbalisedTurns:
    """A tracker that reads texts, in conversations held in acts: generators verbalise the turns."""

    tracker: Tracker
    generators: Callable[[], Mapping[Speaker, Generator]]
    """Builds the generators of both sides; called once, for the first turn without text."""
    _kept: dict[Speaker, Generator] = field(default_factory=dict, repr=False, compare=False)

    def update(self, belief: DialogueState, history: tuple[Turn, ...]) -> DialogueState:
        if not all(turn.text for turn in history):
            if not self._kept:
                self._kept.update(self.generators())
            history = tuple(self._spoken(turn, at) for at, turn in enumerate(history))
        return self.tracker.update(belief, history)

    def _spoken(self, turn: Turn, at: int) -> Turn:
        if turn.text:
            return turn
        return replace(turn, text=self._kept[turn.speaker].say(turn.acts, Random(f"words {at}")))


def form_tracker(tracker: Tracker) -> Tracker:
    """The tracker that fills in the form, without its adapters."""
    match tracker:
        case VerbalisedTurns():
            return form_tracker(tracker.tracker)
        case FormAndTopic():
            return form_tracker(tracker.forms)
        case _:
            return tracker
