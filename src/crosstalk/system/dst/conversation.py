"""Adapters that let trackers trained on a corpus hold a conversation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from random import Random

from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.system.dst.tracker import DialogueState, Tracker
from crosstalk.system.nlg.generator import Generator


@dataclass(frozen=True, slots=True)
class WithTopic:
    """The form from one tracker; domain, open requests and discourse from another.

    Trackers that were trained to fill in forms leave everything else of the belief as it was.
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
class SpokenTurns:
    """A tracker that reads words, in conversations held in acts: turns are put into words first."""

    tracker: Tracker
    voices: Callable[[], Mapping[Speaker, Generator]]
    """The generators of both sides; asked for once, with the first turn that has no text."""
    _kept: dict[Speaker, Generator] = field(default_factory=dict, repr=False, compare=False)

    def update(self, belief: DialogueState, history: tuple[Turn, ...]) -> DialogueState:
        if not all(turn.text for turn in history):
            if not self._kept:
                self._kept.update(self.voices())
            history = tuple(self._spoken(turn, at) for at, turn in enumerate(history))
        return self.tracker.update(belief, history)

    def _spoken(self, turn: Turn, at: int) -> Turn:
        if turn.text:
            return turn
        return replace(turn, text=self._kept[turn.speaker].say(turn.acts, Random(f"words {at}")))


def form_tracker(tracker: Tracker) -> Tracker:
    """The tracker that fills in the form, without what adapts it to conversations."""
    match tracker:
        case SpokenTurns():
            return form_tracker(tracker.tracker)
        case WithTopic():
            return form_tracker(tracker.forms)
        case _:
            return tracker
