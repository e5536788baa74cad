"""One segment of an utterance as dialogue acts."""

from collections.abc import Iterator, Sequence

from crosstalk.dialogue.acts import (
    ANOTHER,
    COMPARE,
    CONFIRM,
    COUNT,
    DROP,
    EXCLUDE,
    INFORM,
    LIST,
    NOTHING,
    PICK,
    REFINE,
    REQUEST,
    SELECT,
    SORT,
    STEP,
    UNSUPPORTED,
    WHICH,
    Act,
)
from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.names import Place
from crosstalk.language.quantities import Quantity
from crosstalk.system.nlu.rules.polarity import Polarity
from crosstalk.system.nlu.rules.segment_constraints import ConstraintReader
from crosstalk.system.nlu.rules.segment_questions import RankingReader, RequestReader, described
from crosstalk.system.nlu.rules.segments import DAYS, LONGEST_LIST, ORDINALS
from crosstalk.system.nlu.rules.utterance import AMOUNT, GROUP, KIND, NAME, SLOT, TOPIC, VALUE, Hit


class SegmentReader(ConstraintReader, RankingReader, RequestReader):
    """Reads one segment."""

    def acts(self) -> list[Act]:
        if foreign := self._foreign():
            return foreign
        self._than = self._than_place()
        if self._than:
            self._names = []
        compares = [] if self._than else list(self._compares())
        picked = [] if compares else list(self._picks())
        acts = [*picked]
        subject = self._subject(bool(compares))
        acts += compares
        wishes = list(self._wishes(subject, bool(compares)))
        chosen = bool(compares) and self._is_the_one() and not self._has("which", "which_of")
        if chosen:
            wishes = list(self._value_acts((compares[0].domain, "")))
        if not compares:
            wishes += self._rankings()
        acts += wishes
        self._adopt(wishes)
        requests = list(self._requests(wishes, bool(compares) and not chosen))
        acts += requests
        if any(map(self._is_around, wishes)):
            return acts  # a cheap hotel, and what restaurants are near it?
        acts += self._details(acts)
        asks = any(act.intent in (CONFIRM, REQUEST) for act in (*wishes, *requests))
        acts += self._moves(asks, bool(compares))
        named = list(self._named(compares)) or list(self._spoken_of(acts))
        acts += named
        acts += self._search(acts, subject, requests)
        acts += self._refines([*wishes, *(act for act in named if act.intent == EXCLUDE)])
        ranked = any(act.intent == SORT for act in wishes)
        among = self._asks_among() and not ranked
        if among and any(act.intent in (INFORM, EXCLUDE) for act in wishes):
            asked = [act for act in acts if act.intent != LIST and act not in picked]
            acts = [Act(WHICH, self.key), *asked]
        return acts

    def _is_around(self, act: Act) -> bool:
        """Whether an act asks what is near a place."""
        domain = self._rules.schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        return act.intent == REQUEST and slot is not None and slot.kind is SlotKind.NEARBY

    def _foreign(self) -> list[Act]:
        """`Does it have parking?`, asked of a place of which the tables say no such thing."""
        focus = self._context.place_domain
        values = self._of(VALUE)
        known = {hit.domain for hit in values if self._context.last.get(hit.domain)}
        asked = self._is_question() and self._context.last.get(focus) and not known
        others = self._segment.anchor or self._segment.near or self._names or self._of(AMOUNT)
        if not (values and asked) or others or self._has("anyone", "another"):
            return []
        if self._asks_of_sought():
            return []
        if any(not (self._is_services(hit) or self._has("they")) for hit in values):
            return []
        words = [self._said.text[hit.start : hit.end] for hit in values]
        return [Act(UNSUPPORTED, focus, NOTHING, word) for word in dict.fromkeys(words)]

    def _details(self, acts: Sequence[Act]) -> Iterator[Act]:
        """`Tell me about the first one`, with nothing in particular requested."""
        place = self._reading.references.named(self._names[-1]) if self._names else self._picked()
        domain = self._rules.schema.domain(place[0]) if place else None
        asked = self._has("details") and not self._reading.takes_leave("details")
        if domain and asked and all(act.intent == PICK for act in acts):
            yield from described(domain)

    def _adopt(self, wishes: Sequence[Act]) -> None:
        """The domain that constraints belong to, if none was named: `what is there for free`."""
        keys = {act.domain for act in wishes}
        if not self.key and len(keys) == 1:
            self.key = keys.pop()
            self.domain = self._rules.schema.domain(self.key)

    def _picks(self) -> Iterator[Act]:
        several = self._all_picked() or self._all_asked()
        other = self._picked() if self._has("other_one") else None
        if len(several) > 1 or other:
            several = [other] if other else several
            for domain_key, name in several:
                domain = self._rules.schema.domain(domain_key)
                if domain and domain.name_slot:
                    yield Act(INFORM, domain_key, domain.name_slot.key, name)
            return
        for key, number in ORDINALS.items():
            ranked = any(measure.superlative for measure in self._measures)
            if self._has(key) and (self._context.listed or ranked):
                picked = None if ranked else self._picked()
                yield Act(PICK, picked[0] if picked else self.key, NOTHING, str(number))

    def _all_asked(self) -> list[Place]:
        """`What do they cost`: the places named together, where a slot of them is requested."""
        asked = self._of(SLOT) or (self._has("total") and self._has("both"))
        if not asked or self._measures or self._names or self._has(*DAYS):
            return []
        if self._has("both"):
            return self._last_two() or []
        all_meant = self._has("among") or (self._says_they_all() and self._context.several)
        return self._listed() if all_meant else []

    def _says_they_all(self) -> bool:
        """Whether a word stands for several places; *die* may be an article, *Sie* be *you*."""
        anchor = self._segment.anchor
        others = [hit.start for hit in self._said.cues("idle")]
        for cue in self._said.cues("plural"):
            said = self._said.text[cue.start : cue.end]
            article = self._rules.spotter.cues.is_all("definite", said)
            article = article and any(0 <= hit.start - cue.end <= 1 for hit in self._of(SLOT))
            apart = anchor is not None and not 0 <= anchor.start - cue.end <= 1
            if self._segment.holds(cue) and not (article or apart or cue.start in others):
                return True
        return False

    def _named(self, compares: Sequence[Act]) -> Iterator[Act]:
        if compares:
            return
        for hit in self._names:
            place = self._reading.references.named(hit)
            domain = self._rules.schema.domain(place[0])
            if domain is None or domain.name_slot is None:
                continue
            polarity = self._polarity.of(hit)
            if polarity is Polarity.DROPPED:
                near = self._near_wished(place)
                yield from [near] if near else []
                continue
            intent = EXCLUDE if polarity is Polarity.EXCLUDED else INFORM
            near_slot = self._nearby(place[0]) if self._segment.anchor else None
            if intent == EXCLUDE and near_slot and place[0] != self.key:
                yield Act(EXCLUDE, self.key, near_slot.key, place[1])
                continue
            value = hit.value if hit.value and intent == EXCLUDE else place[1]
            yield Act(intent, place[0], domain.name_slot.key, value)

    def _spoken_of(self, acts: Sequence[Act]) -> Iterator[Act]:
        """`What does the hotel cost`, of one that was only named as the end of a ride."""
        name = self.domain.name_slot if self.domain else None
        asked = any(a.intent in (CONFIRM, REQUEST) and a.domain == self.key for a in acts)
        if name and asked and not self._context.last.get(self.key) and self._is_the_known():
            yield Act(INFORM, self.key, name.key, self._context.recent_of(self.key)[0][1])

    def _moves(self, requests: bool, compares: bool) -> Iterator[Act]:
        if requests and (self._segment.anchor is None or self._has("here")):
            return
        steps = any(not measure.superlative for measure in self._measures)  # another, cheaper one
        if self._has("count") and not self._reading.times():
            yield Act(COUNT, self.key)
        elif self._lists() and not (self._names or steps or compares):
            yield Act(LIST, self.key, NOTHING, self._list_length())
        offered = self._context.last.get(self.key) or self.key in self._context.missed
        if self._closes_with_another():
            return
        if self._has("another") and offered and not self._is_other() and not steps:
            yield Act(ANOTHER, self.key)
        elif self._has("other_one") and offered and not self._picked():
            yield Act(ANOTHER, self.key)
            yield from (act for act in self._context.acts if act.intent == REQUEST and act.slot)

    def _closes_with_another(self) -> bool:
        """`Nothing else`, which asks for another one only as a question."""
        another = [cue for cue in self._said.cues("another") if self._segment.holds(cue)]
        byes = {(cue.start, cue.end) for cue in self._said.cues("bye")}
        closing = [cue for cue in another if (cue.start, cue.end) in byes]
        return bool(closing) and not any(self._said.is_asked(cue.start) for cue in closing)

    def _is_other(self) -> bool:
        """Whether *another* is said of something else than the place offered."""
        apart = self._segment.near or self._other_kinds() or self._names or self._picked()
        return bool(apart) or self._has("count")

    def _other_kinds(self) -> list[Hit]:
        """Kinds of places that are not the one searched for already: `any other museums`."""
        form = self._context.form
        sought = form.get(self.key) if form else None
        return [hit for hit in self._of(KIND) if not sought or sought.get(hit.key) != hit.value]

    def _number_listed(self) -> str:
        """`Show me three`: the number after the word, if no domain is named."""
        text = self._uncounted()
        for cue in self._said.cues("listing", "search", "another"):
            if not self._segment.holds(cue):
                continue
            number = self._rules.spotter.cues.number_after(text[cue.start :])
            if 1 < number <= LONGEST_LIST:
                return str(number)
        for cue in self._said.cues("another"):  # two alternatives
            number = self._rules.spotter.cues.last_number(" ".join(text[: cue.start].split()[-1:]))
            if self._segment.holds(cue) and 1 < number <= LONGEST_LIST:
                return str(number)
        return self._number_of_places(text)

    def _number_of_places(self, text: str) -> str:
        """`三家就行`: a number with a word that counts places, where a search is under way."""
        number = self._rules.spotter.cues.number_counted(
            text[self._segment.start : self._segment.end]
        )
        picks = self._has(*ORDINALS, "both", "count", "other_one") or self._asks_among()
        goes_on = self._context.is_searched(self.key) and not (self._names or picks)
        return str(number) if goes_on and 1 < number <= LONGEST_LIST else ""

    def _uncounted(self) -> str:
        """The text without numbers that count something else than places."""
        text = list(self._said.text)
        for hit in self._hits:
            counted = not (hit.amount and _is_small_number(hit.amount))
            counted = counted and not (hit.kind == GROUP and self._reading.is_shown(hit))
            if hit.kind in (VALUE, AMOUNT, GROUP) and counted:
                text[hit.start : hit.end] = " " * (hit.end - hit.start)
        return "".join(text)

    def _lists(self) -> bool:
        if self._has("listing") or self._number_ranked() > 1:
            return True
        asked = [hit for hit in self._of(SLOT) if self._polarity.of(hit) is not Polarity.DROPPED]
        return bool(self._list_length()) and not asked

    def _list_length(self) -> str:
        """`Three hotels`: the number that stands before the word, if there is one."""
        anchor = self._segment.anchor
        number = self._number_ranked()
        if anchor and not number:
            number = self._rules.spotter.cues.number_before(self._uncounted()[: anchor.start])
        if anchor is None and not number:
            return self._number_listed()
        return str(number) if 1 < number <= LONGEST_LIST else ""

    def _number_ranked(self) -> int:
        """`The three cheapest`, `the cheapest three`: the number beside a superlative; 0: none."""
        text = self._said.text
        for measure in self._measures:
            if not measure.superlative or self._has(*ORDINALS):  # the second cheapest
                continue
            start, end = self._said.clause(measure.hit.start)
            cues, at = self._rules.spotter.cues, measure.hit
            number = cues.number_beside(text[start : at.start], text[at.end : end])
            if 1 < number <= LONGEST_LIST:
                return number
        return 0

    def _search(
        self, acts: Sequence[Act], subject: Place | None, requests: Sequence[Act]
    ) -> Iterator[Act]:
        anchor = self._segment.anchor
        name = self.domain.name_slot if self.domain else None
        meant = [h for h in self._names if self._polarity.of(h) is not Polarity.EXCLUDED]
        if anchor is None or name is None or meant or self._has("count"):
            return
        if not acts and self._goes_on(anchor):
            yield Act(INFORM, self.key, name.key, self._context.last[self.key])
            return
        if subject or any(act.intent in (COMPARE, COUNT, LIST, PICK) for act in acts):
            return
        if any(act.intent == DROP for act in acts) and self._context.is_searched(self.key):
            return
        looked_for = any(act.intent in (INFORM, EXCLUDE, SORT, SELECT, STEP) for act in acts)
        wanted = self._polarity.of(anchor) is Polarity.WANTED or anchor.kind != KIND
        if wanted and (looked_for or not (requests or self._of(TOPIC))):
            yield Act(REQUEST, self.key, name.key, "")

    def _goes_on(self, anchor: Hit) -> bool:
        """Whether a word for a domain alone means the known place (and the hotel?)."""
        references = self._reading.references
        if not self._context.last.get(self.key) or references.is_indefinite(anchor):
            return False
        if self._has("anyone") and not self._has("they"):
            return False  # a place to stay
        return references.is_definite(anchor) or self._has("too")

    def _refines(self, wishes: Sequence[Act]) -> Iterator[Act]:
        """Constraints that narrow the search under way, instead of opening another one."""
        anchor = self._segment.anchor
        fresh = anchor is not None and not self._reading.references.is_definite(anchor)
        fresh = fresh and not self._has("same", "replace")
        looked_for = [act for act in wishes if act.intent in (INFORM, EXCLUDE, SORT, STEP)]
        fresh = fresh or (self._has("anew") and len(looked_for) > 1)
        same = [act for act in looked_for if act.domain == self.key]
        here = (self.key, self._context.last.get(self.key))
        pointed = [
            near for near in self._segment.near if not near.source or near.source.kind != NAME
        ]
        around = any(near.place == here for near in pointed)
        if same and not (fresh or around) and self._context.is_searched(self.key):
            yield Act(REFINE, self.key)


def _is_small_number(amount: Quantity) -> bool:
    """Whether a number is said alone and may count places."""
    return amount.bare and not amount.unit and (amount.bounds.low or 0) <= LONGEST_LIST
