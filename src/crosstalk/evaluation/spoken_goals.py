"""What became of a goal, read from the words of both sides.

    story = SpokenGoal(goal, exchanges, reader)
    story.final     the goal as the user ended up with it: entities chosen, answers told
    story.relaxations    wishes given up, with and without need

The rules of verified success (`success.findings`) then judge the final state, as they do for a run
whose turns have acts.
"""

from collections.abc import Sequence
from copy import copy
from functools import cached_property

from crosstalk.dialogue.goals import Goal, SemanticTuple, Tuples
from crosstalk.evaluation.outcomes import Refusal, Relaxations
from crosstalk.evaluation.spoken_answers import SpokenAnswers
from crosstalk.evaluation.spoken_assignment import Seats
from crosstalk.evaluation.spoken_places import Notes
from crosstalk.evaluation.spoken_rides import SpokenRides
from crosstalk.reading.conversation import Exchange
from crosstalk.reading.reader import ProseReader


class SpokenGoal(SpokenAnswers, SpokenRides):
    """A goal followed through a conversation that was read from words."""

    def __init__(self, goal: Goal, exchanges: Sequence[Exchange], reader: ProseReader) -> None:
        super().__init__(goal, exchanges, reader)
        self._assign()
        self._fill()

    def _fill(self) -> None:
        for number, group in self._groups.items():
            if self._is_place(group):
                self._fill_place(number, group)
            else:
                self._fill_ride(number, group)

    def with_places(self, chosen: Seats) -> "SpokenGoal":
        """The same conversation, read as if the sub-goals had ended with other places."""
        other = copy(self)
        other.__dict__.pop("final", None)
        other.__dict__.pop("relaxations", None)
        other.chosen, other.notes = dict(chosen), Notes()
        other._fill()
        return other

    @cached_property
    def final(self) -> Tuples:
        filled = []
        for position, each in enumerate(self.goal.tuples):
            value = self.notes.values.get(position, each.value)
            filled.append(SemanticTuple(each.subgoal, each.domain, each.slot, value, True))
        return tuple(filled)

    @cached_property
    def relaxations(self) -> Relaxations:
        refusals = tuple(
            Refusal(number, each.domains[0] if each.domains else "", 0, True)
            for number, exchange in enumerate(self.exchanges)
            for each in exchange.reading.refusals
        )
        return Relaxations(
            refusals,
            frozenset(self.notes.given_up),
            tuple(sorted(self.notes.needless.items())),
        )
