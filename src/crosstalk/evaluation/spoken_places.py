"""Which place each sub-goal of a spoken goal ended with, and in which exchanges it is spoken of.

`SpokenGoal` (in `spoken_goals.py`) builds on it: what was told of the places, which wishes were
given up, which rides were told.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from crosstalk.dialogue.acts import CONFIRM, INFORM, PICK, REQUEST, SELECT, Act
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Tuples, Value, subgoals
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, DomainKind, SlotKind
from crosstalk.evaluation.spoken_picks import picked_by_word
from crosstalk.evaluation.success import Flaw
from crosstalk.evaluation.told_answers import TrueAnswers
from crosstalk.language.names import Place
from crosstalk.language.number_forms import forms_of, read_bounds
from crosstalk.reading.claims import Claim
from crosstalk.reading.conversation import Exchange
from crosstalk.reading.items import Found, Scanned
from crosstalk.reading.prose import Prose
from crosstalk.reading.reader import ProseReader
from crosstalk.reading.reply_state import ATTRIBUTES
from crosstalk.worlds.truth import Truth, same


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
class Notes:
    """What is gathered about a goal's tuples."""

    values: dict[int, Value] = field(default_factory=dict)
    """Position -> what the user ended up with."""
    evidence: dict[int, Evidence] = field(default_factory=dict)
    given_up: set[int] = field(default_factory=set)
    needless: dict[int, Flaw] = field(default_factory=dict)


class SpokenPlaces:
    """A goal, the exchanges about it, and the place each sub-goal ended with."""

    def __init__(self, goal: Goal, exchanges: Sequence[Exchange], reader: ProseReader) -> None:
        self.goal = goal
        self.exchanges = exchanges
        self.reader = reader
        self.truth: Truth = reader.check.truth
        self._groups = dict(subgoals(goal.tuples))
        self._offsets = dict(_offsets(goal.tuples))
        self.notes = Notes()
        self._answers = TrueAnswers(reader)
        self.starts = self._begin()
        """Sub-goal -> the exchange in which the user first speaks of it."""
        self.chosen: dict[int, Chosen] = {}
        self._choose_all()

    def _choose_all(self) -> None:
        self.chosen = {}
        for number, group in self._groups.items():
            if self._is_place(group):
                self.chosen[number] = self._choose(number, group)

    # Where each sub-goal begins

    def _is_place(self, group: Tuples) -> bool:
        return self._domain(group).kind is DomainKind.PLACE

    def _domain(self, group: Tuples) -> Domain:
        return self.truth.domain(group[0].domain)

    def _begin(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for at, exchange in enumerate(self.exchanges):
            for number, group in self._groups.items():
                if number in found or self._waits(number, group, found, at):
                    continue
                if self._speaks_of(number, group, exchange, found):
                    found[number] = at
        for number, group in self._groups.items():
            if number not in found:
                found[number] = self._late_start(number, group, found)
        return found

    def _waits(self, number: int, group: Tuples, found: dict[int, int], at: int) -> bool:
        """Whether an earlier sub-goal of the same domain has not begun before."""
        earlier = [
            n
            for n, g in self._groups.items()
            if n < number and g[0].domain == group[0].domain
            if not self._fixed_name(g, self._domain(g))  # a named place may come at any time
        ]
        return any(n not in found or found[n] >= at for n in earlier)

    def _speaks_of(
        self,
        number: int,
        group: Tuples,
        exchange: Exchange,
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
                is_asked = act.intent == REQUEST and SERVICE_MARK in act.slot  # "has it a sauna?"
                stated = act.intent in (INFORM, CONFIRM)
                stated = stated and self._same_wish(domain, each, act.value)
                if about and (stated or is_asked):
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
            named = named or self._picked(at, domain.key) or self._picked_by_word(at, domain.key)
            named = named or self._picked_by_property(at, domain.key)
            if named and named not in taken and self._may_pick(number, at, domain.key):
                is_known = self.truth.entity(*named) is not None
                best = Chosen(*named, is_known, Evidence(at, exchange.user.text))
            if at == end or not self._is_current(number, at, domain.key):
                continue
            offer = self._offer(exchange, domain.key, best, taken)
            if offer:
                best = Chosen(offer.domain, offer.entity, offer.is_known, Evidence(at, offer.quote))
        return (
            best
            or self._from_listed(group, begin, end)
            or self._under_strange_name(domain.key, begin, end)
            or Chosen(domain.key)
        )

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

    def _picked_by_word(self, at: int, domain: str) -> Place | None:
        """The place of which the user says a word, where the reply before offers several."""
        offers = self._offered(self.exchanges[at - 1], domain) if at else []
        if len(offers) < 2:
            return None
        name = self._name_by_word(at, offers)
        return (domain, name) if name else None

    def _picked_by_property(self, at: int, domain: str) -> Place | None:
        """The place that the user means by a property, of those that the reply before offers."""
        picked = self.exchanges[at].user.picked
        return picked if picked and picked[0] == domain else None

    def _name_by_word(self, at: int, names: Sequence[str]) -> str:
        """The one of several names of which the user says a word."""
        facts, book = self.reader.scanner.facts, self.reader.scanner.book
        return picked_by_word(
            names,
            self.exchanges[at].user.text,
            spaced=facts.writing.spaced,
            is_common=lambda word: any(each.fullmatch(word) for each in book.domains.values()),
        )

    def _offered(self, exchange: Exchange, domain: str) -> list[str]:
        claims = exchange.reading.claims
        return list(dict.fromkeys(c.entity for c in claims if c.is_offer and c.domain == domain))

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
        if exchange.user.ride and not self._is_choosing(at, domain):
            return None
        spoken = {named.place for each in self.exchanges[:at] for named in each.reading.names}
        names = [place for place in exchange.user.names if place[0] == domain]
        spoken_names = [place for place in names if place in spoken]
        return max(spoken_names, key=spoken_names.count, default=None)  # "A or B... B!"

    def _is_choosing(self, at: int, domain: str) -> bool:
        """Whether the reply before offers several: "the mosque, how do we get there"."""
        return at > 0 and len(self._offered(self.exchanges[at - 1], domain)) > 1

    def _offer(
        self, exchange: Exchange, domain: str, best: Chosen | None, taken: set[Place]
    ) -> Claim | None:
        """The place a reply puts forward; the first of several, unless the user has picked one."""
        offers = [
            claim for claim in exchange.reading.claims if claim.is_offer and claim.domain == domain
        ]
        if not offers or exchange.user.ride:
            return None
        if best and any(claim.entity == best.name for claim in offers):
            return None
        offers = [claim for claim in offers if claim.is_known] or offers
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

    def _from_listed(self, group: Tuples, begin: int, end: int) -> Chosen | None:
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

    def _under_strange_name(self, domain: str, begin: int, end: int) -> Chosen | None:
        """A place that answers a search under a name that no table has and no mark sets apart."""
        for at in range(begin, min(end, len(self.exchanges))):
            exchange = self.exchanges[at]
            is_sought = exchange.user.wanted == domain
            if exchange.user.wanted not in (domain, "") or exchange.reading.refusals:
                continue
            if any(each.place[0] == domain for each in exchange.reading.names):
                return None
            for sentence in Prose.of(exchange.reply).sentences:
                scanned = self.reader.scanner.scan(sentence)
                is_meant = is_sought or any(i.key == domain for i in scanned.of(Found.DOMAIN))
                name = self._strange_name(scanned, domain) if is_meant else ""
                if name and not sentence.is_asked:
                    return Chosen(domain, name, False, Evidence(at, sentence.text))
        return None

    def _strange_name(self, scanned: Scanned, domain: str) -> str:
        """Words nobody knows in a sentence that tells several things of a place."""
        check = self.reader.check
        told = (check.slot_for(check.domain(domain), item) for item in scanned.of(*ATTRIBUTES))
        several = len({slot for slot in told if slot}) > 1
        return " ".join(scanned.unexplained) if several else ""


def _offsets(tuples: Tuples) -> Iterator[tuple[int, int]]:
    before = 0
    for number, group in subgoals(tuples):
        yield number, before
        before += len(group)
