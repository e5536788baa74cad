"""What became of a goal, read from the words of both sides.

    story = SpokenGoal(goal, exchanges, reader)
    story.final     the goal as the user ended up with it: entities chosen, answers told
    story.relaxations    wishes given up, with and without need

The rules of verified success (`success.findings`) then judge the final state, as they do for a run
whose turns have acts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from crosstalk.dialogue.acts import DROP, INFORM, PICK, SELECT, Act
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Tuples, Value, subgoals
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, DomainKind, SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.evaluation.outcomes import Refusal, Relaxations
from crosstalk.evaluation.success import Flaw
from crosstalk.evaluation.told_answers import TrueAnswers, mentions
from crosstalk.language.names import Place
from crosstalk.language.number_forms import forms_of, read_bounds
from crosstalk.reading.claims import Claim, Verdict
from crosstalk.reading.conversation import Exchange
from crosstalk.reading.facts import Station
from crosstalk.reading.reader import ProseReader
from crosstalk.reading.readings import RefusalRead, RideRead
from crosstalk.reading.scan import Found
from crosstalk.worlds.display import answer
from crosstalk.worlds.queries import ends_of
from crosstalk.worlds.tables import Row
from crosstalk.worlds.truth import LISTS, Truth, same


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words that decided something: which reply, and the quote."""

    exchange: int
    quote: str


@dataclass(slots=True)
class Chosen:
    """The entity a sub-goal ended with."""

    domain: str
    name: str = ""
    is_known: bool = True
    evidence: Evidence | None = None


@dataclass(slots=True)
class _Notes:
    """What is gathered about a goal's tuples."""

    values: dict[int, Value] = field(default_factory=dict)
    """Position -> what the user ended up with."""
    evidence: dict[int, Evidence] = field(default_factory=dict)
    given_up: set[int] = field(default_factory=set)
    needless: dict[int, Flaw] = field(default_factory=dict)
    false_extra: dict[tuple[int, str], Evidence] = field(default_factory=dict)
    """Sub-goal and slot of something untrue that was told without being asked for."""


class SpokenGoal:
    """A goal followed through a conversation that was read from words."""

    def __init__(self, goal: Goal, exchanges: Sequence[Exchange], reader: ProseReader) -> None:
        self.goal = goal
        self.exchanges = exchanges
        self.reader = reader
        self.truth: Truth = reader.check.truth
        self._groups = dict(subgoals(goal.tuples))
        self._offsets = dict(_offsets(goal.tuples))
        self.notes = _Notes()
        self._answers = TrueAnswers(reader)
        self.chosen: dict[int, Chosen] = {}
        self._moved: set[tuple[int, int]] = set()
        """Claims that were taken for answers about another entity: exchange and position."""
        for number, group in self._groups.items():
            if self._is_place(group):
                self.chosen[number] = self._choose(number, group)
        for number, group in self._groups.items():
            if self._is_place(group):
                self._fill_place(number, group)
            else:
                self._fill_ride(number, group)
        for number, group in self._groups.items():
            if self._is_place(group) and self.chosen[number].name:
                self._false_extras(number, group, self.chosen[number])

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

    # Where each sub-goal begins

    def _is_place(self, group: Tuples) -> bool:
        return self._domain(group).kind is DomainKind.PLACE

    def _domain(self, group: Tuples) -> Domain:
        return self.truth.domain(group[0].domain)

    @cached_property
    def starts(self) -> dict[int, int]:
        """Sub-goal -> the exchange in which the user first speaks of it."""
        found: dict[int, int] = {}
        for at, exchange in enumerate(self.exchanges):
            for number, group in self._groups.items():
                if number in found or self._waits(number, group, found, at):
                    continue
                if self._speaks_of(number, group, exchange, at, found):
                    found[number] = at
        for number, group in self._groups.items():
            if number not in found:
                found[number] = self._late_start(number, group, found)
        return found

    def _waits(self, number: int, group: Tuples, found: dict[int, int], at: int) -> bool:
        """Whether an earlier sub-goal of the same domain has not begun before."""
        earlier = [
            n for n, g in self._groups.items() if n < number and g[0].domain == group[0].domain
        ]
        return any(n not in found or found[n] >= at for n in earlier)

    def _speaks_of(
        self,
        number: int,
        group: Tuples,
        exchange: Exchange,
        at: int,
        found: dict[int, int],
    ) -> bool:
        domain = self._domain(group)
        user = exchange.user
        if domain.kind is not DomainKind.PLACE:
            return user.ride == domain.key
        name = self._fixed_name(group, domain)
        if name:
            return any(
                place == (domain.key, self.truth.spelled(domain.key, name)) for place in user.names
            )
        said = self._said_wishes(group, exchange)
        first = not any(g[0].domain == domain.key and n in found for n, g in self._groups.items())
        if first:
            return bool(said) or user.wanted == domain.key or self._offers(exchange, domain.key)
        wished = [each for each in group if not each.is_open]
        referring = any(isinstance(each.value, Reference) for each in wished)
        if said and (not self._repeats(number, group, said)):
            return True
        selects = any(
            act.domain == domain.key and (act.intent == SELECT or self._is_near_wish(domain, act))
            for act in user.acts
        )
        return referring and (selects or (user.wanted == domain.key and self._near(exchange)))

    def _is_near_wish(self, domain: Domain, act: Act) -> bool:
        slot = domain.slot(act.slot)
        return act.intent == INFORM and slot is not None and slot.kind is SlotKind.NEARBY

    def _repeats(self, number: int, group: Tuples, said: set[int]) -> bool:
        """Whether the wishes said are those of an earlier sub-goal of the domain as well."""
        offset = self._offsets[number]
        values = [
            (self.goal.tuples[offset + at].slot, self.goal.tuples[offset + at].value) for at in said
        ]
        for n, g in self._groups.items():
            if n < number and g[0].domain == group[0].domain:
                theirs = [(each.slot, each.value) for each in g]
                if all(value in theirs for value in values):
                    return True
        return False

    def _near(self, exchange: Exchange) -> bool:
        words = self.reader.words
        return words.has("near", exchange.user.scanned.plain)

    def _offers(self, exchange: Exchange, domain: str) -> bool:
        return any(claim.is_offer and claim.domain == domain for claim in exchange.reading.claims)

    def _late_start(self, number: int, group: Tuples, found: dict[int, int]) -> int:
        """Where nobody heard a sub-goal begin: at the first place offered after the last one."""
        domain = group[0].domain
        after = max((at for n, at in found.items() if n < number), default=0)
        same_domain = [
            at for n, at in found.items() if n < number and self._groups[n][0].domain == domain
        ]
        begin = max(same_domain, default=after - 1) + 1 if same_domain else after
        for at in range(begin, len(self.exchanges)):
            exchange = self.exchanges[at]
            if self._offers(exchange, domain) or exchange.user.mentions(domain):
                return at
        return min(begin, max(0, len(self.exchanges) - 1))

    def _said_wishes(self, group: Tuples, exchange: Exchange) -> set[int]:
        """Positions in a group of the wishes that a user's turn expresses."""
        domain = self._domain(group)
        found = set()
        for at, each in enumerate(group):
            if each.is_open or isinstance(each.value, Reference):
                continue
            for act in exchange.user.acts:
                about = act.domain in (domain.key, "") and act.slot == each.slot
                if act.intent == INFORM and about and self._same_wish(domain, each, act.value):
                    found.add(at)
        return found

    def _same_wish(self, domain: Domain, each: SemanticTuple, said: str) -> bool:
        slot = domain.slot(each.slot)
        if isinstance(each.value, tuple):
            return any(same(said, term) or said in term for term in each.value)
        if same(said, each.value):
            return True
        if slot is None or not slot.kind.is_number or not isinstance(each.value, str):
            return False
        forms = forms_of(self.reader.world.language, domain.key, slot)
        one, other = read_bounds(forms, said), read_bounds(forms, each.value)
        return one is not None and one == other

    def _end(self, number: int) -> int:
        """The exchange before which a sub-goal's place is settled: a later one of its domain."""
        domain = self._groups[number][0].domain
        later = [
            at
            for n, at in self.starts.items()
            if n > number and self._groups[n][0].domain == domain and at > self.starts[number]
        ]
        return min(later, default=len(self.exchanges))

    # The entity of a sub-goal

    def _fixed_name(self, group: Tuples, domain: Domain) -> str:
        slot = domain.name_slot.key if domain.name_slot else ""
        return next(
            (each.value for each in group if each.slot == slot and isinstance(each.value, str)), ""
        )

    def _choose(self, number: int, group: Tuples) -> Chosen:
        domain = self._domain(group)
        if name := self._fixed_name(group, domain):
            return Chosen(domain.key, self.truth.spelled(domain.key, name))
        begin, end = self.starts[number], self._end(number)
        taken = {(each.domain, each.name) for n, each in self.chosen.items() if n != number}
        best: Chosen | None = None
        for at in range(begin, min(end + 1, len(self.exchanges))):
            exchange = self.exchanges[at]
            named = self._named_by_user(exchange, domain.key, at)
            named = named or self._picked(at, domain.key)
            if named and named not in taken and self._may_pick(number, at, domain.key):
                best = Chosen(*named, True, Evidence(at, exchange.user.text))
            if at == end or not self._is_current(number, at, domain.key):
                continue
            offer = self._offer(exchange, domain.key, best, taken)
            if offer:
                best = Chosen(offer.domain, offer.entity, offer.is_known, Evidence(at, offer.quote))
        best = best or self._from_listed(number, group, begin, end) or Chosen(domain.key)
        best = self._told_instead(group, best, begin, end) or best
        return self._answered_instead(group, best, begin, end, taken) or best

    def _answered_instead(
        self, group: Tuples, best: Chosen, begin: int, end: int, taken: set[Place]
    ) -> Chosen | None:
        """Another place offered, where all questions are truly answered of it and not of this."""
        domain = self._domain(group)
        asked = [each.slot for each in group if each.is_open and domain.name_slot and
                 each.slot != domain.name_slot.key]  # fmt: skip
        if not asked or self._answered(domain, best.name, asked, begin) == len(asked):
            return None
        found = [
            Chosen(domain.key, name, True, Evidence(at, name))
            for at in range(min(end, len(self.exchanges)) - 1, begin - 1, -1)
            for name in self._mentioned(at, domain, best)
            if (domain.key, name) not in taken and name != best.name
            if self._answered(domain, name, asked, at) == len(asked)
        ]
        return max(found, key=lambda each: self._wishes_met(group, each), default=None)

    def _wishes_met(self, group: Tuples, chosen: Chosen) -> int:
        row = self.truth.entity(chosen.domain, chosen.name)
        wishes = [e for e in group if not e.is_open and not isinstance(e.value, Reference)]
        if row is None:
            return 0
        return sum(self.truth.meets(chosen.domain, row, e.slot, e.value) for e in wishes)

    def _mentioned(self, at: int, domain: Domain, chosen: Chosen) -> list[str]:
        """The places of a domain that a reply names, and other houses of the chain of `best`."""
        exchange, best = self.exchanges[at], chosen.name
        slot = domain.name_slot
        names = self.reader.world.texts(domain.key, slot.key) if slot else []
        named = exchange.reading.names if chosen.is_known else ()  # an invented place stays
        listed = [each.place[1] for each in named if each.place[0] == domain.key]
        houses = [
            name
            for name in names
            if best and name.startswith(best) and mentions(exchange.reply, name)
        ]
        found = [*self._offered(exchange, domain.key), *houses, *listed]
        return list(dict.fromkeys(name for name in found if name in names))

    def _answered(self, domain: Domain, name: str, asked: Sequence[str], at: int) -> int:
        """How many questions the replies from one on answer truly of a place."""
        row = self.truth.entity(domain.key, name) if name else None
        if row is None:
            return 0
        replies = self.exchanges[at:]
        return sum(self._answers.told(domain, row, slot, replies) is not None for slot in asked)

    def _picked(self, at: int, domain: str) -> Place | None:
        """The place that a user picks by its number among those of the last list."""
        numbers = [
            int(act.value)
            for act in self.exchanges[at].user.acts
            if act.intent == PICK and act.value.isdigit()
        ]
        for exchange in reversed(self.exchanges[:at]):
            offers = [each for each in self._offered(exchange, domain) if each]
            if offers:
                number = numbers[0] if numbers else 0
                return (domain, offers[number - 1]) if 1 <= number <= len(offers) else None
        return None

    def _offered(self, exchange: Exchange, domain: str) -> list[str]:
        claims = exchange.reading.claims
        return list(dict.fromkeys(c.entity for c in claims if c.is_offer and c.domain == domain))

    def _told_instead(self, group: Tuples, best: Chosen, begin: int, end: int) -> Chosen | None:
        """Of several places offered together, the only one that answers are told of later."""
        lists = [self._offered(exchange, best.domain) for exchange in self.exchanges[begin:end]]
        number = next((n for n, each in enumerate(lists) if best.name in each), None)
        if number is None or len(lists[number]) < 2:
            return None
        asked = {each.slot for each in group if each.is_open}
        told = {
            claim.entity
            for exchange in self.exchanges[begin + number + 1 : end]
            for claim in exchange.reading.claims
            if claim.domain == best.domain and claim.slot in asked and not claim.is_offer
        }
        others = [each for each in lists[number] if each in told]
        if len(others) != 1 or others[0] == best.name:
            return None
        return Chosen(best.domain, others[0], True, best.evidence)

    def _is_current(self, number: int, at: int, domain: str) -> bool:
        """Whether an exchange may be about a sub-goal: none after it has begun, or it is sought."""
        later = [
            n for n in self.starts if n != number and self.starts[number] < self.starts[n] <= at
        ]
        return not later or self.exchanges[at].user.wanted == domain

    def _may_pick(self, number: int, at: int, domain: str) -> bool:
        """Whether a place the user names is picked: "that one, and now a hotel near it"."""
        since = [n for n in self.starts if self.starts[number] < self.starts[n] < at]
        return not since or self._is_current(number, at, domain)

    def _named_by_user(self, exchange: Exchange, domain: str, at: int) -> Place | None:
        """A place the user picks by its name, of those that were spoken of."""
        if exchange.user.ride:
            return None
        spoken = {named.place for each in self.exchanges[:at] for named in each.reading.names}
        names = [place for place in exchange.user.names if place[0] == domain]
        return next((place for place in names if place in spoken), None)

    def _offer(
        self, exchange: Exchange, domain: str, best: Chosen | None, taken: set[Place]
    ) -> Claim | None:
        """The place a reply puts forward; the first of several, unless the user has picked one."""
        offers = [
            claim for claim in exchange.reading.claims if claim.is_offer and claim.domain == domain
        ]
        known = [claim for claim in offers if claim.is_known]
        offers = known or offers
        if not offers or exchange.user.ride:
            return None
        if best and any(claim.entity == best.name for claim in offers):
            return None
        fresh = [claim for claim in offers if (claim.domain, claim.entity) not in taken]
        picked = (fresh or offers)[0]
        if best and not self._reopens(exchange, domain, best):
            return None
        return picked

    def _reopens(self, exchange: Exchange, domain: str, best: Chosen) -> bool:
        """Whether an offer replaces the one before: asked for, or nothing is told of that one."""
        if exchange.user.wanted == domain:
            return True
        told = any(
            (claim.domain, claim.entity) == (best.domain, best.name)
            for claim in exchange.reading.claims
        )
        refused = any(domain in each.domains for each in exchange.reading.refusals)
        return refused or (not exchange.user.wanted and not told)

    def _from_listed(self, number: int, group: Tuples, begin: int, end: int) -> Chosen | None:
        """A place that was only listed as near another, and has attributes told of it."""
        domain = self._domain(group)
        for at in range(begin, min(end, len(self.exchanges))):
            claims = self.exchanges[at].reading.claims
            told = [
                claim.entity
                for claim in claims
                if claim.domain == domain.key and not claim.is_offer and claim.is_known
            ]
            taken = {each.name for each in self.chosen.values()}
            fresh = [name for name in told if name not in taken]
            if fresh:
                return Chosen(domain.key, fresh[0], True, Evidence(at, ""))
            listed = [
                named.place
                for named in self.exchanges[at].reading.names
                if named.role == "listed" and named.place[0] == domain.key
            ]
            wanted = self.exchanges[at].user.wanted == domain.key
            if listed and wanted and listed[0][1] not in taken:
                return Chosen(*listed[0], True, Evidence(at, ""))
        return None

    # Filling in what was told

    def _fill_place(self, number: int, group: Tuples) -> None:
        domain = self._domain(group)
        chosen = self.chosen[number]
        offset = self._offsets[number]
        name = domain.name_slot.key if domain.name_slot else ""
        row = self.truth.entity(domain.key, chosen.name) if chosen.name else None
        for at, each in enumerate(group):
            position = offset + at
            if each.slot == name:
                self._fill_name(position, each, chosen)
            elif each.is_open:
                self._fill_answer(position, each, chosen, domain, row)
        if row is not None:
            self._follow_wishes(number, group, chosen, row)

    def _fill_name(self, position: int, each: SemanticTuple, chosen: Chosen) -> None:
        if chosen.name and (each.is_open or isinstance(each.value, Reference)):
            self.notes.values[position] = chosen.name
            if chosen.evidence:
                self.notes.evidence[position] = chosen.evidence

    def _fill_answer(
        self, position: int, each: SemanticTuple, chosen: Chosen, domain: Domain, row: Row | None
    ) -> None:
        told = self._told(chosen, each.slot)
        is_service = not told and SERVICE_MARK in each.slot
        if is_service and row is not None and self._fill_true_answer(position, each, domain, row):
            return
        if not told:
            told = self._yes_or_no(chosen, each.slot, domain)
        if not told and row is not None:
            told = self._misplaced(chosen, each.slot, domain, row)
        if row is not None and (not told or self._is_of_another(told[1], chosen)):
            if self._fill_true_answer(position, each, domain, row):
                return
            told = None if told and self._is_of_another(told[1], chosen) else told
        if not told and row is not None and not row.get(each.slot):
            self._fill_none(position, each, domain)
            return
        if not told:
            return
        at, claims = told
        false = [claim for claim in claims if claim.verdict is Verdict.FALSE and claim.is_firm]
        false = [claim for claim in false if self._is_whole(claim)]
        if false and row is not None and self._tells_truth(domain, row, each.slot, at):
            self._fill_true_answer(position, each, domain, row)
            return
        quote = (false or claims)[0].quote
        self.notes.evidence[position] = Evidence(at, quote)
        slot = domain.slot(each.slot)
        is_list = slot is not None and slot.kind in LISTS
        if is_list:
            self.notes.values[position] = tuple(
                claim.value for claim in claims if claim.is_firm
            ) or (claims[0].value,)
        elif false or row is None:
            self.notes.values[position] = quote
        else:
            self.notes.values[position] = self._right(domain, row, each.slot, claims)

    def _misplaced(
        self, chosen: Chosen, slot: str, domain: Domain, row: Row
    ) -> tuple[int, list[Claim]] | None:
        """A claim that is true of the entity chosen and false of the one it was bound to."""
        check = self.reader.check
        for at in range(len(self.exchanges) - 1, -1, -1):
            asked = {key for _, key in self.exchanges[at].user.questions}
            for claim in self.exchanges[at].reading.claims:
                item = claim.item
                if claim.verdict is Verdict.TRUE or item is None or slot not in asked:
                    continue
                if check.slot_for(domain, item) != slot:
                    continue
                verdict = check.verdict(domain, row, slot, item, claim.is_negated)
                if verdict is Verdict.TRUE:
                    made = replace(
                        claim,
                        domain=domain.key,
                        entity=chosen.name,
                        slot=slot,
                        value=check.said(domain, row, slot),
                        verdict=verdict,
                    )
                    self._moved.add((at, claim.start))
                    return at, [made]
        return None

    def _fill_none(self, position: int, each: SemanticTuple, domain: Domain) -> None:
        """The tables have nothing to tell, and a reply to the question denies or regrets."""
        slot = domain.slot(each.slot)
        target = slot.target if slot else ""
        for at, exchange in enumerate(self.exchanges):
            asked = each.slot in {key for _, key in exchange.user.questions} or (
                target and exchange.user.mentions(target)
            )
            named = any(n.place[0] == target for n in exchange.reading.names) and bool(target)
            if asked and exchange.reading.denies and not named:
                nothing = self.reader.world.language.nothing
                is_list = slot is not None and slot.kind in LISTS
                self.notes.values[position] = (nothing,) if is_list else nothing
                self.notes.evidence[position] = Evidence(at, exchange.reply[:120])
                return

    def _tells_truth(self, domain: Domain, row: Row, slot: str, at: int) -> bool:
        """Whether a reply holds the true answer beside what was read as a false one."""
        return self._answers.told(domain, row, slot, self.exchanges[at : at + 1]) is not None

    def _fill_true_answer(
        self, position: int, each: SemanticTuple, domain: Domain, row: Row
    ) -> bool:
        """Note the true answer where some reply since the sub-goal began holds it."""
        start = self.starts[each.subgoal]
        at = self._answers.told(domain, row, each.slot, self.exchanges[start:])
        if at is None:
            return False
        said = answer(self.reader.world.language, domain, row, each.slot)
        slot = domain.slot(each.slot)
        is_list = slot is not None and slot.kind in LISTS
        self.notes.values[position] = said if is_list else ", ".join(said)
        reply = self.exchanges[start + at].reply
        self.notes.evidence[position] = Evidence(start + at, reply[:120])
        return True

    def _is_of_another(self, claims: Sequence[Claim], chosen: Chosen) -> bool:
        """Whether claims that are false of a place are true of one chosen for another sub-goal."""
        false = [claim for claim in claims if claim.verdict is Verdict.FALSE]
        return bool(false) and all(self._fits_another(claim, chosen) for claim in false)

    def _fits_another(self, claim: Claim, chosen: Chosen) -> bool:
        for other in self.chosen.values():
            if other.name == chosen.name or not other.name:
                continue
            domain = self.truth.domain(other.domain)
            row = self.truth.entity(other.domain, other.name)
            slot = domain.slot(claim.slot)
            if row is None or slot is None:
                continue
            values: Value = (claim.value,) if slot.kind in LISTS else claim.value
            if self.truth.is_right(domain, row, claim.slot, values):
                return True
        return False

    def _right(self, domain: Domain, row: Row, slot: str, claims: Sequence[Claim]) -> str:
        """What the tables answer, for claims that say so; of an affirmed service, yes."""
        said = answer(self.reader.world.language, domain, row, slot)
        found = domain.slot(slot)
        if found is not None and found.key != slot:
            return claims[0].value
        return said[0] if len(said) == 1 else ", ".join(said)

    def _told(self, chosen: Chosen, slot: str) -> tuple[int, list[Claim]] | None:
        """The claims about a slot of the entity chosen in the last reply that has some.

        "There is none nearby" gives way to names told in another reply: it may refuse a search.
        """
        told = list(self._told_in_replies(chosen, slot))
        nothing = self.reader.world.language.nothing
        some = [each for each in told if any(claim.value != nothing for claim in each[1])]
        return next(iter(some or told), None)

    def _told_in_replies(self, chosen: Chosen, slot: str) -> Iterator[tuple[int, list[Claim]]]:
        """Latest first."""
        for at in range(len(self.exchanges) - 1, -1, -1):
            claims = [
                claim
                for claim in self.exchanges[at].reading.claims
                if (claim.domain, claim.entity, claim.slot) == (chosen.domain, chosen.name, slot)
                and claim.verdict is not Verdict.UNDECIDABLE
                and not claim.is_relation
            ]
            firm = [claim for claim in claims if claim.is_firm or claim.verdict is Verdict.TRUE]
            if firm:
                yield at, self._without_none(firm)

    def _without_none(self, claims: list[Claim]) -> list[Claim]:
        """Without "there is none" where something was told beside it."""
        nothing = self.reader.world.language.nothing
        some = [claim for claim in claims if claim.value != nothing]
        return some or claims

    def _yes_or_no(
        self, chosen: Chosen, slot: str, domain: Domain
    ) -> tuple[int, list[Claim]] | None:
        """A bare yes or no to a question for one service."""
        found = domain.slot(slot)
        if found is None or found.kind is not SlotKind.SERVICES or found.key == slot:
            return None
        pack = self.reader.world.language
        row = self.truth.entity(domain.key, chosen.name)
        for at, exchange in enumerate(self.exchanges):
            asked = slot in {key for _, key in exchange.user.questions}
            reading = exchange.reading
            if not asked or reading.says_yes == reading.says_no or row is None:
                continue
            if not self._answers.begins_with_answer(exchange):
                continue
            value = pack.yes if reading.says_yes else pack.no
            true = self.truth.is_right(domain, row, slot, value)
            verdict = Verdict.TRUE if true else Verdict.FALSE
            quote = exchange.reply[:40]
            return at, [Claim(domain.key, chosen.name, slot, value, verdict, quote, 0, len(quote))]
        return None

    # Relaxations

    def _follow_wishes(self, number: int, group: Tuples, chosen: Chosen, row: Row) -> None:
        domain = self._domain(group)
        name = domain.name_slot.key if domain.name_slot else ""
        offset = self._offsets[number]
        for at, each in enumerate(group):
            if each.is_open or (each.slot == name and not isinstance(each.value, Reference)):
                continue
            if isinstance(each.value, Reference):
                met = self._is_near(each.value, chosen)
            else:
                met = self.truth.meets(domain.key, row, each.slot, each.value)
            if not met:
                self._unmet(number, offset + at, each, domain, row)

    def _is_near(self, reference: Reference, chosen: Chosen) -> bool:
        other = self.chosen.get(reference.subgoal)
        if other is None or not other.name:
            return False
        return self.truth.is_near(chosen.domain, chosen.name, other.domain, other.name)

    def _unmet(
        self, number: int, position: int, each: SemanticTuple, domain: Domain, row: Row
    ) -> None:
        """A wish the entity does not meet: given up after a refusal, by the user, or not at all."""
        if self._is_said_near(number, each) or self._asked_otherwise(number, each, domain, row):
            return
        refusal = self._refusal(number, domain.key)
        if refusal is not None:
            at, words = refusal
            self.notes.evidence[position] = Evidence(at, words.quote)
            if self.truth.anything(domain.key, self._constraints(number)):
                self.notes.needless[position] = Flaw.FALSE_NO_OFFER
            else:
                self.notes.given_up.add(position)
        elif (at_turn := self._regretted(number, domain.key)) is not None:
            self.notes.given_up.add(position)
            quote = self.exchanges[at_turn].reply[:120]
            self.notes.evidence[position] = Evidence(at_turn, quote)
        elif self._is_honest_alternative(number, each, domain, row):
            self.notes.given_up.add(position)
        elif (at_turn := self._dropped(number, each, domain)) is not None:
            self.notes.needless[position] = Flaw.GIVEN_UP
            self.notes.evidence[position] = Evidence(at_turn, self.exchanges[at_turn].user.text)
        else:
            return
        if not isinstance(each.value, Reference):
            said = answer(self.reader.world.language, domain, row, each.slot)
            is_list = isinstance(each.value, tuple)
            self.notes.values[position] = said if is_list else said[0]

    def _is_said_near(self, number: int, each: SemanticTuple) -> bool:
        """Whether a reply says, untruly, that the place is near the one chosen elsewhere."""
        if not isinstance(each.value, Reference):
            return False
        names = {self.chosen[n].name for n in (number, each.value.subgoal) if n in self.chosen}
        return any(
            {claim.entity, claim.value} == names and claim.verdict is Verdict.FALSE
            for exchange in self.exchanges[self.starts[number] :]
            for claim in exchange.reading.claims
        )

    def _asked_otherwise(self, number: int, each: SemanticTuple, domain: Domain, row: Row) -> bool:
        """Whether the user first asked for something else than the goal says, which the row is."""
        if isinstance(each.value, Reference):
            return False
        begin, end = self.starts[number], self._end(number)
        offers = (at for at in range(begin, end) if self._offers(self.exchanges[at], domain.key))
        said = [
            act.value
            for exchange in self.exchanges[begin : next(offers, begin) + 1]
            for act in exchange.user.acts
            if act.intent == INFORM and act.domain == domain.key and act.slot == each.slot
        ]
        if not said or self._same_wish(domain, each, said[0]):
            return False
        return self.truth.meets(domain.key, row, each.slot, said[0])

    def _regretted(self, number: int, domain: str) -> int | None:
        """The reply that offers something else with regret; only where nothing fits all wishes.

        Words for a refusal that nobody has listed are refusals all the same where they are true.
        """
        if self.truth.anything(domain, self._constraints(number)):
            return None
        for at in self._span(number):
            reading = self.exchanges[at].reading
            offers = any(claim.is_offer and claim.domain == domain for claim in reading.claims)
            if offers and reading.denies:
                return at
        return None

    def _is_honest_alternative(
        self, number: int, each: SemanticTuple, domain: Domain, row: Row
    ) -> bool:
        """Whether nothing meets all wishes, and a reply tells how the place offered misses one."""
        if isinstance(each.value, Reference) or self.truth.anything(
            domain.key, self._constraints(number)
        ):
            return False
        replies = [self.exchanges[at] for at in self._span(number)]
        return self._answers.told(domain, row, each.slot, replies) is not None

    def _span(self, number: int) -> range:
        """The exchanges about a sub-goal: up to the next of its domain, or its place's offer."""
        chosen = self.chosen.get(number)
        place = (chosen.domain, chosen.name) if chosen else None
        offered = (
            at
            for at, exchange in enumerate(self.exchanges)
            for named in exchange.reading.names
            if named.place == place and named.role == "offer"
        )
        end = max(self._end(number), next(offered, 0) + 1)
        return range(self.starts[number], end)

    def _refusal(self, number: int, domain: str) -> tuple[int, RefusalRead] | None:
        """Words since the sub-goal began that say that nothing matches."""
        for at in self._span(number):
            for each in self.exchanges[at].reading.refusals:
                about = not each.domains or domain in each.domains
                if about and self._is_searching(at, domain, each):
                    return at, each
        return None

    def _is_searching(self, at: int, domain: str, refusal: RefusalRead) -> bool:
        """Whether a refusal answers a search, not a question for places nearby."""
        user = self.exchanges[at].user
        return user.wanted == domain or not user.questions or not user.wanted

    def _constraints(self, number: int) -> dict[str, SlotValue]:
        """The wishes of a sub-goal as a search has them."""
        group = self._groups[number]
        domain = self._domain(group)
        wishes: dict[str, SlotValue] = {}
        for each in group:
            if each.is_open:
                continue
            if isinstance(each.value, Reference):
                source = self.chosen.get(each.value.subgoal)
                slots = [
                    slot
                    for slot in domain.of_kind(SlotKind.NEARBY)
                    if source and slot.target == source.domain
                ]
                if slots and source and source.name:
                    wishes[slots[0].key] = source.name
            else:
                wishes[each.slot] = each.value
        return wishes

    def _dropped(self, number: int, each: SemanticTuple, domain: Domain) -> int | None:
        """The turn in which the user says that a wish no longer matters."""
        begin = self.starts[number]
        for at in range(begin, self._end(number)):
            user = self.exchanges[at].user
            giving_up = self.reader.words.has("giving_up", user.scanned.plain)
            if at == begin and giving_up and self._names_slot(user.scanned.items, each, domain):
                return at
            if at == begin:
                continue
            for act in user.acts:
                if act.intent == DROP and act.slot.partition("-")[0] in (
                    each.slot.partition("-")[0],
                    "none",
                ):
                    return at
            if giving_up and (
                self._names_slot(user.scanned.items, each, domain)
                or not self._names_other(user.scanned.items, each, number, domain)
            ):
                return at
        return None

    def _names_other(
        self, items: Sequence[object], each: SemanticTuple, number: int, domain: Domain
    ) -> bool:
        """Whether a turn names another wish of the sub-goal than this one."""
        others = [o for o in self._groups[number] if not o.is_open and o.slot != each.slot]
        return any(self._names_slot(items, other, domain) for other in others)

    def _names_slot(self, items: Sequence[object], each: SemanticTuple, domain: Domain) -> bool:
        for item in items:
            found = getattr(item, "found", None)
            key = str(getattr(item, "key", "")).rpartition(".")[2]
            if found in (Found.SLOT, Found.VALUE) and key == each.slot.partition("-")[0]:
                return True
            if found is Found.AMOUNT and self.reader.check.slot_for(domain, item) == each.slot:  # type: ignore[arg-type]
                return True
        return False

    def _false_extras(self, number: int, group: Tuples, chosen: Chosen) -> None:
        """Untrue claims about the entity chosen that nobody asked for, and nobody put right."""
        asked = {each.slot for each in group if each.is_open}
        last: dict[str, tuple[int, Claim]] = {}
        for at, exchange in enumerate(self.exchanges):
            for claim in exchange.reading.claims:
                mine = (claim.domain, claim.entity) == (chosen.domain, chosen.name)
                if (at, claim.start) in self._moved:
                    continue
                if mine and claim.slot not in asked and claim.verdict is not Verdict.UNDECIDABLE:
                    last[claim.slot] = at, claim
        domain = self._domain(group)
        for slot, (at, claim) in last.items():
            found = domain.slot(slot)
            told = found is not None and found.kind in (
                SlotKind.TEXT,
                SlotKind.NUMBER,
                SlotKind.RATING,
            )  # spans of time are put in too many ways: "an hour or two" is no lie
            is_false = claim.is_firm and claim.verdict is Verdict.FALSE and self._is_whole(claim)
            row = self.truth.entity(domain.key, chosen.name)
            truth = row is not None and self._tells_truth(domain, row, slot, at)
            if told and is_false and not truth and not self._fits_another(claim, chosen):
                self.notes.false_extra[number, slot] = Evidence(at, claim.quote)

    def _is_whole(self, claim: Claim) -> bool:
        """Whether the quote of an address has more than the number of a house: `4.8` has not."""
        address = self.reader.scanner.facts.slot_of(claim.domain, "address")
        return claim.slot != address or any(letter.isalpha() for letter in claim.quote)

    # Rides

    def _fill_ride(self, number: int, group: Tuples) -> None:
        domain = self._domain(group)
        start, end = ends_of(domain)
        ends = {
            each.slot: self._end_name(each.value) for each in group if each.slot in (start, end)
        }
        if self._fill_true_ride(number, group, domain, ends):
            return
        told = list(self._rides(number, domain))
        said = self._said_ends(told, ends.get(start, ""), ends.get(end, ""))
        rows = self.truth.ride(domain.key, {start: said[0], end: said[1]})
        offset = self._offsets[number]
        for at, each in enumerate(group):
            position = offset + at
            if each.slot == start and said[0] and told:
                self.notes.values[position] = said[0]
            elif each.slot == end and said[1] and told:
                self.notes.values[position] = said[1]
            elif each.is_open:
                self._fill_ride_answer(position, each, domain, told, rows)
            if told:
                self.notes.evidence.setdefault(
                    position, Evidence(told[-1][0], self.exchanges[told[-1][0]].reply[:120])
                )

    def _fill_true_ride(
        self, number: int, group: Tuples, domain: Domain, ends: Mapping[str, str]
    ) -> bool:
        """Note the ride that was meant where some reply since it was asked for tells all of it."""
        rows = self.truth.ride(domain.key, ends) if all(ends.values()) else ()
        asked = [each.slot for each in group if each.is_open]
        begin = self.starts[number]
        at = self._answers.ride_told(rows, asked, self.exchanges[begin:]) if rows else None
        if at is None or self._names_others(begin + at, ends):
            return False
        for position, each in enumerate(group, start=self._offsets[number]):
            row = next((row for row in rows if each.slot in row), None)
            if each.slot in ends:
                self.notes.values[position] = ends[each.slot]
            elif row is not None:
                said = answer(self.reader.world.language, domain, row, each.slot)
                self.notes.values[position] = said[0]
            self.notes.evidence[position] = Evidence(
                begin + at, self.exchanges[begin + at].reply[:120]
            )
        return True

    def _names_others(self, at: int, ends: Mapping[str, str]) -> bool:
        """Whether a reply names places that the ride was not to join."""
        exchange = self.exchanges[at]
        named = {each.place[1] for each in exchange.reading.names} - set(ends.values())
        return any(mentions(exchange.reply, name) for name in named)

    def _end_name(self, value: Value) -> str:
        if isinstance(value, Reference):
            chosen = self.chosen.get(value.subgoal)
            return chosen.name if chosen else ""
        return value if isinstance(value, str) else ""

    def _rides(self, number: int, domain: Domain) -> Iterator[tuple[int, RideRead]]:
        for at in range(self.starts[number], len(self.exchanges)):
            exchange = self.exchanges[at]
            ride = exchange.reading.ride
            if ride is None:
                continue
            taxi = bool(ride.car or ride.plate)
            metro = bool(ride.stations or ride.no_station)
            if taxi if domain.kind is DomainKind.TAXI else metro:
                yield at, ride

    def _said_ends(
        self, told: Sequence[tuple[int, RideRead]], start: str, end: str
    ) -> tuple[str, str]:
        """The ends a reply names; where it names none, those that were meant."""
        if not told:
            return start, end
        _, ride = told[-1]
        names = [name for (_, name), _ in ride.names]
        others = [name for name in names if name not in (start, end)]
        if not others:
            return start, end
        if len(names) == 1:
            at = ride.names[0][1]
            later = sum(position < at for _, position, _ in ride.stations)
            return (start, others[0]) if later > 1 else (others[0], end)
        if end in names and start not in names:
            return others[0], end
        if start in names and end not in names:
            return start, others[-1]
        if start not in names and end not in names and len(others) >= 2:
            return others[0], others[1]
        return start, end

    def _fill_ride_answer(
        self,
        position: int,
        each: SemanticTuple,
        domain: Domain,
        told: Sequence[tuple[int, RideRead]],
        rows: Sequence[Row],
    ) -> None:
        row = next((row for row in rows if each.slot in row), None)
        for _, ride in reversed(told):
            value = self._ride_value(each.slot, domain, ride, row, rows)
            if value:
                self.notes.values[position] = value
                return

    def _ride_value(
        self, slot: str, domain: Domain, ride: RideRead, row: Row | None, rows: Sequence[Row]
    ) -> str:
        facts = self.reader.scanner.facts
        true = str(row.get(slot) or "") if row else ""
        if domain.kind is DomainKind.TAXI:
            if slot == facts.slot_of(domain.key, "plate"):
                said = ride.plate
                same_plate = said and said == "".join(true.split()).replace("-", "")
                return true if same_plate else said
            return self._car(ride.car, true)
        found = domain.slot(slot)
        if found is None or found.kind is not SlotKind.STATION:
            return ""
        return self._station(found.target, domain, ride, true, rows)

    def _car(self, said: str, true: str) -> str:
        facts = self.reader.scanner.facts
        if not said or not true:
            return said
        if not facts.writing.spaced:
            return said
        words, right = set(said.split()), set(facts.car_words(true))
        return true if words <= right else said

    def _station(
        self, end: str, domain: Domain, ride: RideRead, true: str, rows: Sequence[Row]
    ) -> str:
        """The station told for one end of a ride."""
        pack = self.reader.world.language
        first, _ = ends_of(domain)
        slots = {slot.target: slot.key for slot in domain.of_kind(SlotKind.STATION)}
        cells = {
            key: next((row.get(slots[key]) for row in rows if slots[key] in row), None)
            for key in slots
        }
        stations = [station for station, _, _ in ride.stations]
        if not true:
            return pack.nothing if ride.no_station else ""
        if not stations:
            return pack.nothing if ride.no_station else ""
        check = self.reader.check
        right = [each for each in stations if check.same_station(true, each)]
        if right:
            if len(stations) >= 2 and not self._in_order(end == first, stations, true, cells):
                return _shown(stations[0 if end == first else -1])
            return true
        if len(stations) == 1 and ride.no_station == 0 and len(cells) == 2:
            other = next((cell for key, cell in cells.items() if key != end), None)
            if check.same_station(other, stations[0]):
                return ""
        return _shown(stations[0 if end == first else -1])

    def _in_order(
        self,
        is_first: bool,
        stations: Sequence[Station],
        true: str,
        cells: Mapping[str, object],
    ) -> bool:
        """Whether the station stands where that end of the ride is told."""
        check = self.reader.check
        ends = list(cells.values())
        if len(ends) == 2 and ends[0] == ends[1]:
            return True
        at = [n for n, each in enumerate(stations) if check.same_station(true, each)]
        return at[0] == 0 if is_first else at[-1] == len(stations) - 1


def _offsets(tuples: Tuples) -> Iterator[tuple[int, int]]:
    before = 0
    for number, group in subgoals(tuples):
        yield number, before
        before += len(group)


def _shown(station: Station) -> str:
    return " ".join((*station.name, station.exit)).strip() or "?"
