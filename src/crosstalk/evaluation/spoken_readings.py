"""Readings of one conversation, scored side by side: beginnings and places of its sub-goals.

    story, flaws = best_reading(SpokenGoal(goal, exchanges, reader), find_flaws)

Sub-goals are first followed one by one, in the order of the conversation. That misreads *the second
one*, two attractions asked for in one breath, a search that begins inside a question for places
nearby, a place taken up again later. Where it leaves flaws, other beginnings and other places are
read as well. A reading is scored by its flaws and by what the words say for it: a place that the
user names or of which the user's questions are answered, a turn that says the wishes of the
sub-goal it begins. Another reading must be clearly better, for one with fewer flaws is easily found
and would explain a fault away.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crosstalk.dialogue.schema import Domain
from crosstalk.evaluation.offline_verdicts import FlawFound
from crosstalk.evaluation.spoken_goals import SpokenGoal
from crosstalk.evaluation.spoken_places import Chosen, Evidence
from crosstalk.evaluation.told_answers import mentions

GAIN: Final = 2
"""How much better another reading must be; one flaw alone may be the fault itself."""
MOST_CHANGES: Final = 4
"""Changes of one reading, one after the other."""

Seats = Mapping[int, Chosen]
Flaws = tuple[FlawFound, ...]


@dataclass(frozen=True, slots=True)
class ScoredReading:
    """A conversation as read in one way."""

    story: SpokenGoal
    flaws: Flaws
    spoken_for: int
    """How much the words say for the beginnings and the places of this reading."""

    @property
    def score(self) -> int:
        return self.spoken_for - len(self.flaws)


def best_reading(
    first: SpokenGoal, find_flaws: Callable[[SpokenGoal], Flaws]
) -> tuple[SpokenGoal, Flaws]:
    """The conversation as first read; in another way where that is clearly better."""

    def scored(story: SpokenGoal) -> ScoredReading:
        return ScoredReading(story, find_flaws(story), _Words(story).total())

    best = scored(first)
    for _ in range(MOST_CHANGES):
        if not best.flaws:
            break
        others = [scored(story) for story in _others(best.story)]
        better = [each for each in others if len(each.flaws) < len(best.flaws)]
        other = max(better, key=lambda each: each.score, default=best)
        if other.score - best.score < GAIN:
            break
        best = other
    return best.story, best.flaws


def _others(story: SpokenGoal) -> Iterator[SpokenGoal]:
    """The readings that differ from one in a single decision."""
    for seats in _Seats(story).changes():
        yield story.with_places(seats)
    for starts in _Words(story).other_starts():
        yield story.with_starts(starts)


class _Words:
    """What the words of a conversation say for the beginnings and places of a reading."""

    def __init__(self, story: SpokenGoal) -> None:
        self._story = story

    def total(self) -> int:
        story = self._story
        places = sum(
            story.times_named(chosen) + self._told(number, chosen)
            for number, chosen in story.chosen.items()
        )
        return places + sum(self._said_at(number, at) for number, at in story.starts.items())

    def _told(self, number: int, chosen: Chosen) -> int:
        """How many questions of a sub-goal are answered of a place.

        Truly, or by a reply that names it: what is false of a place that a reply does not name was
        told of another.
        """
        told = {
            claim.slot
            for exchange in self._story.exchanges[self._story.starts[number] :]
            for claim in exchange.reading.claims
            if (claim.domain, claim.entity) == (chosen.domain, chosen.name)
            if (claim.domain, claim.entity) in (each.place for each in exchange.reading.names)
        }
        asked = self._story.questions(number)
        return sum(key in told or self._story.is_answered(number, chosen, key) for key in asked)

    def _said_at(self, number: int, at: int) -> int:
        """How many wishes of a sub-goal the turn says with which it begins."""
        if at >= len(self._story.exchanges):
            return 0
        user = self._story.exchanges[at].user
        return sum(self._story.says_wish(user, each) for each in self._story.wishes(number))

    def other_starts(self) -> Iterator[dict[int, int]]:
        """Beginnings of one sub-goal in other turns that say one of its wishes."""
        starts = self._story.starts
        for number in self._story.chosen:
            for at in range(len(self._story.exchanges)):
                if at != starts[number] and self._said_at(number, at):
                    yield {**starts, number: at}


class _Seats:
    """The places that the sub-goals of a reading might have ended with instead."""

    def __init__(self, story: SpokenGoal) -> None:
        self._story = story

    def changes(self) -> Iterator[Seats]:
        """Every way to give one sub-goal another place, or two sub-goals each other's."""
        chosen = self._story.chosen
        free = [number for number, each in chosen.items() if self._may_change(number, each)]
        for number in free:
            for place in self._spoken_of(number):
                seats = dict(chosen)
                other = next((n for n, each in seats.items() if _is_same(each, place)), None)
                if other is not None and other not in free:
                    continue
                if other is not None:
                    seats[other] = chosen[number]
                seats[number] = place
                yield seats
                if other is not None:
                    for further in self._spoken_of(other):
                        if not any(_is_same(each, further) for each in seats.values()):
                            yield {**seats, other: further}

    def _may_change(self, number: int, chosen: Chosen) -> bool:
        """A place that the goal names stays, and one that no table has but several replies name."""
        if self._story.is_named_by_goal(number):
            return False
        return chosen.is_known or not self._is_named_again(chosen)

    def _is_named_again(self, chosen: Chosen) -> bool:
        place = chosen.domain, chosen.name
        replies = [each.reading.names for each in self._story.exchanges]
        return sum(place in (named.place for named in names) for names in replies) > 1

    def _spoken_of(self, number: int) -> list[Chosen]:
        """The places of a sub-goal's domain in the replies since it began."""
        domain = self._story.domain_of(number)
        found: dict[str, Chosen] = {}
        for at in range(self._story.starts[number], len(self._story.exchanges)):
            for name in self._mentioned(at, domain, self._story.chosen[number]):
                if name != self._story.chosen[number].name:
                    found.setdefault(name, Chosen(domain.key, name, True, Evidence(at, name)))
        return list(found.values())

    def _mentioned(self, at: int, domain: Domain, chosen: Chosen) -> Sequence[str]:
        """The places of a domain that a reply names, and other houses of the chain of one.

        A place that is only said to be near one that no table has does not take its seat.
        """
        exchange = self._story.exchanges[at]
        slot = domain.name_slot
        names = self._story.reader.world.texts(domain.key, slot.key) if slot else []
        named = exchange.reading.names if chosen.is_known else ()
        listed = [each.place[1] for each in named if each.place[0] == domain.key]
        houses = [
            name
            for name in names
            if chosen.name and name.startswith(chosen.name) and mentions(exchange.reply, name)
        ]
        offered = [claim.entity for claim in exchange.reading.claims
                   if claim.is_offer and claim.domain == domain.key]  # fmt: skip
        return [name for name in dict.fromkeys([*offered, *houses, *listed]) if name in names]


def _is_same(one: Chosen, other: Chosen) -> bool:
    return (one.domain, one.name) == (other.domain, other.name)
