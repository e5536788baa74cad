"""Questions of a segment for the values of slots."""

from collections.abc import Iterator, Sequence

from crosstalk.dialogue.acts import (
    DROP,
    MULTIPLY,
    REQUEST,
    Act,
)
from crosstalk.dialogue.schema import Domain, SlotKind
from crosstalk.system.nlu.rules.part_subject import SubjectReader
from crosstalk.system.nlu.rules.polarity import Polarity
from crosstalk.system.nlu.rules.segments import DAYS, DURATION, NUMBER, RATING
from crosstalk.system.nlu.rules.utterance import (
    AMOUNT,
    ASKED,
    CUE,
    KIND,
    NAME,
    SLOT,
    TOPIC,
    VALUE,
    Hit,
)

DESCRIBING = (NUMBER, RATING, DURATION, SlotKind.CATEGORY, SlotKind.LIST)
"""Kinds of slots that say most about a place."""


def described(domain: Domain) -> Iterator[Act]:
    """Questions for what describes a place, where nothing in particular is asked for."""
    for kind in DESCRIBING:
        for slot in domain.of_kind(kind)[:1]:
            yield Act(REQUEST, domain.key, slot.key, "")


class RequestReader(SubjectReader):
    """Reads which slots are asked for."""

    def _requests(self, wishes: Sequence[Act], compares: bool) -> Iterator[Act]:
        if compares:
            return
        yield from self._priced(wishes)
        told = {act.slot for act in wishes if act.intent != DROP}
        seen: set[tuple[int, int]] = set()
        for hit in self._of(SLOT):
            if (hit.start, hit.end) in seen or self._polarity.of(hit) is Polarity.DROPPED:
                continue
            if self._is_which(hit) and self._asks_which():
                continue  # where is there lamb?
            if self._is_approved(hit) or self._is_thanked(hit) or self._says_where(hit):
                continue
            seen.add((hit.start, hit.end))
            act = self._request(hit)
            if act and act.slot not in told and not self._is_label(hit, act):
                yield act
                yield from self._multiplied(act)

    def _is_approved(self, hit: Hit) -> bool:
        """`The price is fine; what is the address?`: a remark, where more is said behind it."""
        _, end = self._said.clause(hit.start)
        goes_on = any(other.start >= end for other in self._said.hits if other.kind != CUE)
        asked = self._said.text[end : end + 1] == ASKED
        return goes_on and not asked and self._said.has_in(hit.end, end, "approved")

    def _is_thanked(self, hit: Hit) -> bool:
        """`Thanks for the address`, which asks for nothing."""
        start, _ = self._said.clause(hit.start)
        return self._said.has_in(start, hit.start, "thank") and not self._said.has_in(
            start, hit.start, "opener", "asking", "search", "and"
        )

    def _says_where(self, hit: Hit) -> bool:
        """`Located near the zoo`: the word goes with a place to be near of."""
        nears = [near for near in self._segment.near if near.source]
        return any(0 <= near.cue.start - hit.end <= 1 for near in nears)

    def _priced(self, wishes: Sequence[Act]) -> Iterator[Act]:
        """`Three nights, then?`: how much it is for so many, where nothing else is said."""
        kinds = (SLOT, VALUE, KIND, NAME, TOPIC)
        price = next(iter(self.domain.of_kind(NUMBER)), None) if self.domain else None
        known = self._context.last.get(self.key) and self._context.place_domain == self.key
        said = wishes or any(self._of(kind) for kind in kinds)
        if said or not (price and known) or self._has("search", "anyone", "another"):
            return
        act = Act(REQUEST, self.key, price.key, "")
        if times := list(self._multiplied(act)):
            yield from (act, *times)

    def _request(self, hit: Hit) -> Act | None:
        """The slot asked for, of the domain spoken of, or of the one that has it."""
        owners = self._owners(hit)
        key = self.key if self.key in owners else self._owner(owners)
        meant = self._rules.schema.domain(key)
        ways: dict[str, str] = {}
        for same in self._of(SLOT):
            owner, _, slot_key = same.key.rpartition(".")
            if (same.start, same.end) != (hit.start, hit.end):
                continue
            if owner not in ways or (meant and meant.slot(slot_key)):
                ways[owner] = slot_key  # what's there? dishes of a restaurant, services of a hotel
        slot_key = ways.get(key) or ways.get("") or next(iter(ways.values()))
        domain = self._rules.schema.domain(key)
        if domain and not domain.slot(slot_key) and key not in ways and "" not in ways:
            kinds = [self._slot(hit, key)]
            own = [s for found in kinds if found for s in domain.of_kind(found[1].kind)]
            slot_key = own[0].key if own else slot_key
        return Act(REQUEST, key, slot_key, "")

    def _owner(self, owners: set[str]) -> str:
        rides = owners & {domain.key for domain in self._rules.schema.rides}
        if rides == owners and len(rides) == 1:
            return next(iter(rides))
        if self._segment.anchor or self._names or self._picked():
            return self.key
        lately = [self._context.domain, *(key for key, _ in self._context.recent)]
        known = [key for key in lately if key in owners]
        if known or self._context.last.get(self.key):
            return known[0] if known else self.key
        return next(iter(owners)) if len(owners) == 1 else self.key

    def _is_label(self, hit: Hit, act: Act) -> bool:
        """Whether a slot only says what a number or a ranking is about."""
        found = self._slot(hit, act.domain)
        kind = found[1].kind if found else None
        start, end = self._said.clause(hit.start)
        if kind in (SlotKind.LIST, SlotKind.SERVICES) and any(
            start <= value.start < end and not self._is_besides(value) for value in self._of(VALUE)
        ):
            return True
        if any(m.kind is kind and start <= m.hit.start < end for m in self._measures):
            return True
        if self._is_good(hit):
            return True
        if kind is SlotKind.TEXT and act.slot == self._hours_slot():
            return any(self._is_clock(h) for h in self._of(AMOUNT)) or self._has(*DAYS, "late")
        numbers = [h.amount for h in self._of(AMOUNT) if h.amount and start <= h.start < end]
        rated = kind is RATING
        return any(self._rules.amounts.kind_of(each, rated) is kind for each in numbers)

    def _multiplied(self, act: Act) -> Iterator[Act]:
        domain = self._rules.schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        if slot is None or slot.kind is not NUMBER:
            return
        both = "1" if self._has("total") and self._has("both") else ""
        if times := self._reading.times() or both:
            yield Act(MULTIPLY, act.domain, act.slot, times)
