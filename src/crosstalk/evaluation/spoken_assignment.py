"""Places of one domain given to its sub-goals together, where one by one leaves too much unmet.

Two attractions asked for in one breath, a search that begins inside a question for places nearby, a
place taken up again later: the first offer after a sub-goal's beginning is then the wrong one. What
the places of a domain leave unmet (wishes not met, questions not truly answered of them) is
counted, and a place that was spoken of takes another's seat where that settles the matter.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from crosstalk.dialogue.goals import Reference, Tuples
from crosstalk.evaluation.spoken_places import Chosen, Evidence, SpokenPlaces

GAIN: Final = 2
"""How much fewer must be left unmet; one alone may be the fault itself."""

Seats = Mapping[int, Chosen]


class SpokenAssignment(SpokenPlaces):
    """The places of a goal's sub-goals, seen together."""

    def _assign(self) -> None:
        """Change seats as long as it leaves clearly less unmet."""
        for _ in self.chosen:
            best = min(self._changes(), key=self._total, default=self.chosen)
            if self._total(self.chosen) - self._total(best) < GAIN:
                return
            self.chosen = dict(best)

    def _changes(self) -> Iterator[Seats]:
        """Every way to give one sub-goal another place, or two sub-goals each other's."""
        free = [n for n, each in self.chosen.items() if self._may_change(n, each)]
        for number in free:
            for place in self._spoken_of(number):
                seats = dict(self.chosen)
                other = next((n for n, each in seats.items() if self._is_same(each, place)), None)
                if other is not None and other not in free:
                    continue
                if other is not None:
                    seats[other] = self.chosen[number]
                seats[number] = place
                yield seats
                if other is not None:
                    for further in self._spoken_of(other):
                        if not any(self._is_same(each, further) for each in seats.values()):
                            yield {**seats, other: further}

    def spoken_for(self) -> Iterator[Seats]:
        """Changes of places for which the user's words speak more than for those chosen."""
        for seats in self._changes():
            gained = sum(
                self._times_named(number, seats[number]) - self._times_named(number, chosen)
                for number, chosen in self.chosen.items()
                if not self._is_same(chosen, seats[number])
            )
            if gained > 0:
                yield seats

    def _times_named(self, number: int, chosen: Chosen) -> int:
        """In how many turns the user says a word of a place's name that a reply had named."""
        key = chosen.domain, chosen.name, self.starts[number]
        if key not in self._named_times:
            turns = range(self.starts[number] + 1, len(self.exchanges))
            self._named_times[key] = sum(
                self._name_by_word(at, self._heard(at, chosen.domain)) == chosen.name
                for at in turns
            )
        return self._named_times[key]

    def _heard(self, at: int, domain: str) -> list[str]:
        """The places of a domain that were named in replies before a turn."""
        named = (each.place for exchange in self.exchanges[:at] for each in exchange.reading.names)
        return list(dict.fromkeys(name for each, name in named if each == domain))

    def _may_change(self, number: int, chosen: Chosen) -> bool:
        """A named place stays, and one that does not exist."""
        group = self._groups[number]
        return chosen.is_known and not self._fixed_name(group, self._domain(group))

    def _is_same(self, one: Chosen, other: Chosen) -> bool:
        return (one.domain, one.name) == (other.domain, other.name)

    def _spoken_of(self, number: int) -> list[Chosen]:
        """The places of a sub-goal's domain in the replies since it began."""
        domain = self._domain(self._groups[number])
        found: dict[str, Chosen] = {}
        for at in range(self.starts[number], len(self.exchanges)):
            for name in self._mentioned(at, domain, self.chosen[number]):
                if name != self.chosen[number].name:
                    found.setdefault(name, Chosen(domain.key, name, True, Evidence(at, name)))
        return list(found.values())

    def _total(self, seats: Seats) -> int:
        return sum(self._unmet_of(number, seats) for number in seats)

    def _unmet_of(self, number: int, seats: Seats) -> int:
        """Wishes that the place of a sub-goal does not meet, and questions unanswered."""
        group, chosen = self._groups[number], seats[number]
        wishes = [each for each in group if not each.is_open]
        references = [each.value for each in wishes if isinstance(each.value, Reference)]
        asked = self._questions(group)
        if not chosen.name:
            return len(wishes) + len(asked) + 1
        unmet = len(wishes) - len(references) - self._wishes_met(group, chosen)
        far = sum(not self._is_beside(chosen, seats.get(each.subgoal)) for each in references)
        begin = self.starts[number]
        answered = self._answered(self._domain(group), chosen.name, asked, begin)
        return unmet + far + len(asked) - answered

    def _is_beside(self, chosen: Chosen, other: Chosen | None) -> bool:
        if other is None or not other.name:
            return False
        return self.truth.is_near(chosen.domain, chosen.name, other.domain, other.name)

    def _questions(self, group: Tuples) -> list[str]:
        name = self._domain(group).name_slot
        return [each.slot for each in group if each.is_open and (not name or each.slot != name.key)]
