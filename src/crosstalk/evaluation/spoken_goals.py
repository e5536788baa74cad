"""What became of a goal, read from the words of both sides.

    story = SpokenGoal(goal, exchanges, reader)
    story.final     the goal as the user ended up with it: entities chosen, answers told
    story.relaxations    wishes given up, with and without need

The rules of verified success (`success.findings`) then judge the final state, as they do for a run
whose turns have acts.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property

from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Tuples
from crosstalk.dialogue.schema import Domain
from crosstalk.evaluation.outcomes import Refusal, Relaxations
from crosstalk.evaluation.spoken_answers import SpokenAnswers
from crosstalk.evaluation.spoken_places import Chosen, Notes
from crosstalk.evaluation.spoken_rides import SpokenRides
from crosstalk.reading.conversation import Exchange
from crosstalk.reading.reader import ProseReader


class SpokenGoal(SpokenAnswers, SpokenRides):
    """A goal followed through a conversation that was read from words."""

    def __init__(self, goal: Goal, exchanges: Sequence[Exchange], reader: ProseReader) -> None:
        super().__init__(goal, exchanges, reader)
        self._named_at: dict[tuple[str, str, int], bool] = {}
        self._known_answers: dict[tuple[str, str, str, int], bool] = {}
        self._fill()

    def _fill(self) -> None:
        for number, group in self._groups.items():
            if self._is_place(group):
                self._fill_place(number, group)
            else:
                self._fill_ride(number, group)

    def with_places(self, chosen: Mapping[int, Chosen]) -> "SpokenGoal":
        """The same conversation, read as if the sub-goals had ended with other places."""
        other = self._again()
        other.chosen = dict(chosen)
        other._fill()
        return other

    def with_starts(self, starts: Mapping[int, int]) -> "SpokenGoal":
        """The same conversation, read as if the sub-goals had begun in other turns."""
        other = self._again()
        other.starts = dict(starts)
        other._choose_all()
        other._fill()
        return other

    def _again(self) -> "SpokenGoal":
        other = copy(self)
        other.__dict__.pop("final", None)
        other.__dict__.pop("relaxations", None)
        other.notes = Notes()
        return other

    def wishes(self, number: int) -> Tuples:
        """What a sub-goal asks of its place, other than to be near another."""
        group = self._groups[number]
        return tuple(e for e in group if not e.is_open and not isinstance(e.value, Reference))

    def questions(self, number: int) -> list[str]:
        """The slots a sub-goal asks for, other than the name."""
        name = self.domain_of(number).name_slot
        group = self._groups[number]
        return [each.slot for each in group if each.is_open and (not name or each.slot != name.key)]

    def is_named_by_goal(self, number: int) -> bool:
        return bool(self._fixed_name(self._groups[number], self.domain_of(number)))

    def domain_of(self, number: int) -> Domain:
        return self._domain(self._groups[number])

    def is_answered(self, number: int, chosen: Chosen, slot: str) -> bool:
        """Whether a reply since a place was first named holds the true answer to a question."""
        heard = self._first_named(chosen)
        key = chosen.domain, chosen.name, slot, max(heard, self.starts[number])
        if key not in self._known_answers:
            domain, row = self.domain_of(number), self.truth.entity(chosen.domain, chosen.name)
            since = self.exchanges[key[-1] :]
            told = self._answers.told(domain, row, slot, since) if row is not None else None
            self._known_answers[key] = told is not None
        return self._known_answers[key]

    def _first_named(self, chosen: Chosen) -> int:
        """The first exchange whose reply names a place; 0 where none does."""
        place = chosen.domain, chosen.name
        replies = (
            at
            for at, exchange in enumerate(self.exchanges)
            if any(named.place == place for named in exchange.reading.names)
        )
        return next(replies, 0)

    def times_named(self, chosen: Chosen) -> int:
        """In how many turns the user means a place: names it, or by a word or a property of it."""
        turns = range(len(self.exchanges))
        return sum(self._is_named_at(at, chosen) for at in turns) if chosen.name else 0

    def _is_named_at(self, at: int, chosen: Chosen) -> bool:
        key = chosen.domain, chosen.name, at
        if key not in self._named_at:
            heard = self._heard(at, chosen.domain)
            user, place = self.exchanges[at].user, (chosen.domain, chosen.name)
            first = place in user.names and chosen.name not in heard
            meant = place == user.picked or first
            self._named_at[key] = meant or self._name_by_word(at, heard) == chosen.name
        return self._named_at[key]

    def _heard(self, at: int, domain: str) -> list[str]:
        """The places of a domain that were named in replies before a turn."""
        named = (each.place for exchange in self.exchanges[:at] for each in exchange.reading.names)
        return list(dict.fromkeys(name for each, name in named if each == domain))

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
