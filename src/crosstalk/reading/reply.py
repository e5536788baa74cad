"""Reading one reply, sentence by sentence: offers, relations, attributes, rides, what is left."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from crosstalk.dialogue.schema import Domain, SlotKind
from crosstalk.language.names import Place
from crosstalk.language.normalize import plain
from crosstalk.reading.assertions import assertion_remarks
from crosstalk.reading.claims import Claim, Verdict
from crosstalk.reading.comparisons import comparison_remarks
from crosstalk.reading.items import Found, Item, Scanned
from crosstalk.reading.prose import Prose, Sentence
from crosstalk.reading.readings import (
    Named,
    Reading,
    RideRead,
    Unread,
)
from crosstalk.reading.remarks import district_remarks, slotless
from crosstalk.reading.reply_refusals import ReplyRefusals
from crosstalk.reading.reply_state import (
    ATTRIBUTES,
    HOLE,
    NUMBER,
    UNKNOWN,
    PendingItem,
    each_once,
    meet,
    stands_in,
    unholed,
    with_names,
)

MOST_BEFORE_NO: Final = 2
"""Words among which the answer to a field stands: *also no*."""
MOST_WORDS_OF_NO: Final = 4
"""Words of a clause that says no more than *there is none*."""
FIELD: Final = re.compile(r"[*_ ]*[:：][*_ ]*([^\n]+)")
"""What follows the name of a field."""


@dataclass(slots=True)
class ReplyReader(ReplyRefusals):
    """One reply while it is read."""

    def read(self) -> Reading:
        foreign = self.reader.is_foreign(self.raw)
        prose = Prose.of(self.raw, cut=self.context.is_cut)
        self.topic = self.context.topic
        scanned = [self._scan(sentence) for sentence in prose.sentences]
        self.items = [item for each in scanned for item in each.items]
        extra = self._find_unknown(prose, scanned)
        scanned = [with_names(each, extra.get(number, [])) for number, each in enumerate(scanned)]
        names = (item.start for each in scanned for item in each.of(Found.NAME))
        self.last_name = max(names, default=-1)
        for each, following in zip_longest(scanned, scanned[1:]):
            self._sentence(each, following)
        self._bind_pending(None)
        self.refusals = [self._about_search(each) for each in self.refusals]
        words = [each.plain for each in scanned]
        opening = " ".join(words[:1])
        self._bare_answer(opening)
        if foreign == UNKNOWN and not self.names:
            self.unread.append(Unread(self.raw[:80], 0, len(self.raw), "language"))
        return Reading(
            tuple(each_once(self.claims)),
            tuple(each_once(self.remarks)),
            tuple(self.refusals),
            tuple(self.names),
            tuple(self.unread),
            self._ride(scanned),
            tuple(self.unknown),
            self.topic,
            foreign or self.reader.world.language.code,
            self._denies(" ".join(map(unholed, words))),
            *self._yes_or_no(opening),
        )

    def _bare_answer(self, opening: str) -> None:
        """A yes or no to the one question that asks for either: *Yes, they do*."""
        check = self.reader.check
        spoken = (self.topic, *self.context.recent)
        place = next((each for each in spoken if each and check.row(*each)), None)
        row = check.row(*place) if place else None
        if place is None or row is None:
            return
        domain = check.domain(place[0])
        flags = {slot.key for slot in domain.of_kind(SlotKind.FLAG)}
        asked = [key for each, key in self.context.questions if each == place[0] and key in flags]
        says_yes, says_no = self._yes_or_no(opening)
        told = any(claim.slot in flags for claim in self.claims)
        if len(asked) != 1 or told or says_yes == says_no:
            return
        pack = self.reader.world.language
        value = pack.yes if says_yes else pack.no
        verdict = Verdict.TRUE if row.get(asked[0]) == value else Verdict.FALSE
        quote = self.raw[: len(opening)]
        self.claims.append(Claim(*place, asked[0], value, verdict, quote, 0, len(quote)))

    def _scan(self, sentence: Sentence) -> Scanned:
        asked = self.context.questions
        return self.reader.scanner.scan(sentence, self.context.recent, asked=asked)

    def _sentence(self, scanned: Scanned, following: Scanned | None) -> None:
        words = self.reader.words
        text = HOLE.sub("x", scanned.plain)
        near = any(words.has("near", clause) for clause in map(unholed, scanned.clause_words))
        near = near or (self.lists_on and self._is_labelled(scanned))
        places = self._places(scanned)
        refusal = self._refusal(scanned)
        named: list[tuple[Item, Named]] = []
        nearby = any(
            words.has("near", clause)
            for clause in map(unholed, scanned.clause_words[(refusal or 0) + 1 :])
        )
        if scanned.sentence.is_item is False and places == [] and scanned.sentence.leads_in:
            self.near_heading = near or (self.near_heading and bool(scanned.of(Found.DOMAIN)))
        elif not scanned.sentence.is_item and places:
            self.near_heading = False
        for item, place in places:
            role = self._role(scanned, item, place, near)
            leads = any(each.role == "offer" for _, each in named)
            if role == "offer" and near and leads and refusal is None:
                role = "listed"  # X, and near it A and B
            sought = place[0] == self.context.wanted and refusal is not None
            if role == "listed" and sought and item.clause > (refusal or 0) and not nearby:
                role = "offer"
            each = Named(place, item.start, item.end, role, item.places)
            self.names.append(each)
            named.append((item, each))
        landmarks = [each for _, each in named if each.role == "landmark"]
        if scanned.sentence.leads_in and landmarks:
            self.near_heading = True
            self.topic = landmarks[0].place
        self.lists_on = near and any(each.role == "listed" for _, each in named)
        self._offers(named, scanned)
        self._relations(named, landmarks, scanned)
        none_near = self._nothing(scanned, named, near, refusal)
        if refusal is not None and not none_near:
            self._note_refusal(scanned, refusal)
        self._attributes(scanned, named, refusal, following)
        self._invented_fields(scanned)
        if refusal is None and not self.context.ride:
            self._remark(scanned, named)
        self._leftover(scanned, text)

    def _remark(self, scanned: Scanned, named: Sequence[tuple[Item, Named]]) -> None:
        """What a sentence says of a place that no slot holds."""
        offers = [each.place for _, each in named if each.role == "offer"]
        subject = offers[-1] if offers else self.topic
        if subject is None:
            return
        check = self.reader.check
        self.remarks += district_remarks(check, scanned, subject)
        spoken = [*(each.place for each in self.names), *self.context.named]
        compared = list(comparison_remarks(check, scanned, spoken))
        self.remarks += compared
        is_meant = any(item.key == subject[0] for item in scanned.of(Found.DOMAIN))
        if self.names and self.names[-1].role == "listed" and not is_meant:
            return  # nobody knows which of the places nearby is praised
        told = assertion_remarks(check, scanned, subject, self.raw)
        self.remarks += [each for each in told if not any(meet(each, o) for o in compared)]

    def _offers(self, named: list[tuple[Item, Named]], scanned: Scanned) -> None:
        for item, each in named:
            if each.role != "offer" and not self._is_found(each):
                continue
            is_new = each.place != self.topic
            self.topic = each.place
            known = self.reader.check.row(*each.place) is not None
            told = any(claim.is_offer and claim.entity == each.place[1] for claim in self.claims)
            if (is_new or self._asks_name()) and not told:
                domain = self.reader.check.domain(each.place[0])
                slot = domain.name_slot.key if domain.name_slot else ""
                quote = self.raw[item.start : item.end]
                claim = Claim(
                    *each.place,
                    slot,
                    each.place[1],
                    Verdict.TRUE if known else Verdict.FALSE,
                    quote,
                    item.start,
                    item.end,
                    is_offer=True,
                    is_known=known,
                )
                self.claims.append(claim)
                self.unknown += [] if known else [claim]
            self._bind_pending(each.place)

    def _asks_name(self) -> bool:
        return bool(self.context.wanted)

    def _relations(
        self, named: list[tuple[Item, Named]], landmarks: list[Named], scanned: Scanned
    ) -> None:
        """Claims that places are near each other."""
        others = [(item, each) for item, each in named if each.role in ("listed", "offer")]
        if landmarks:
            centre: Place | None = landmarks[0].place
        else:
            others = [(item, each) for item, each in others if each.role == "listed"]
            centre = self.topic
        if centre is None:
            return
        centre = self._with_neighbours(centre, others)
        stated = self._stated_domain(scanned)
        for item, each in others:
            if each.place != centre:
                self._near_claim(centre, each.place, stated, item, each.role == "offer")
        if landmarks and not any(each.role == "offer" for _, each in named):
            self.topic = centre

    def _near_claim(
        self, centre: Place, place: Place, stated: str, item: Item, is_relation: bool
    ) -> None:
        check = self.reader.check
        domain = check.domain(centre[0])
        target = stated if stated and stated != centre[0] else place[0]
        target = stated if stated and stated != place[0] and stated != centre[0] else target
        slots = [slot for slot in domain.of_kind(SlotKind.NEARBY) if slot.target == target]
        if not slots:
            slots = [slot for slot in domain.of_kind(SlotKind.NEARBY) if slot.target == place[0]]
        if not slots:
            return
        near = check.truth.is_near(place[0], place[1], centre[0], centre[1])
        true = near and slots[0].target == place[0]
        self.claims.append(
            Claim(
                centre[0],
                centre[1],
                slots[0].key,
                place[1],
                Verdict.TRUE if true else Verdict.FALSE,
                self.raw[item.start : item.end],
                item.start,
                item.end,
                is_relation=is_relation,
            )
        )

    def _attributes(
        self,
        scanned: Scanned,
        named: list[tuple[Item, Named]],
        refusal: int | None,
        following: Scanned | None,
    ) -> None:
        subjects = [(item, each) for item, each in named if each.role in ("offer", "landmark")]
        first = min((item.start for item, each in named if each.role == "offer"), default=None)
        done_hours = False
        for item in scanned.items:
            if item.found not in ATTRIBUTES:
                continue
            if refusal is not None and (first is None or item.start < first):
                continue
            if item.found is Found.HOURS:
                if done_hours:
                    continue
                done_hours = True
            if item.found is Found.STATION and self.context.ride:
                continue
            negated = self._negated(scanned, item) or self._denied_next(scanned, following)
            if both := self._both(scanned, item, named):
                for each in both:
                    self._claim(each, item, scanned, negated)
                continue
            place = self._bound(item, named, subjects, scanned)
            leads = not subjects and (
                self._leads_to_new(item, scanned) or self._leads_in(scanned, following)
            )
            if place is None or leads:
                self.pending.append(PendingItem(item, scanned, negated))
            else:
                self._claim(place, item, scanned, negated)

    def _invented_fields(self, scanned: Scanned) -> None:
        """What a field says of a place that no table has: `Address: right by the sea`."""
        if self.topic is None or self.reader.check.row(*self.topic) is not None:
            return
        domain = self.reader.check.domain(self.topic[0])
        for number, (start, end) in enumerate(scanned.clauses[1:], start=1):
            heads = [item for item in scanned.of(Found.SLOT) if item.clause == number - 1]
            told = [item for item in scanned.of(*ATTRIBUTES) if item.clause == number]
            slot = domain.slot(heads[-1].key.rpartition(".")[2]) if heads else None
            field = FIELD.match(self.raw, heads[-1].end) if heads else None
            field = field or (FIELD.match(self.raw, start) if heads else None)
            text = self.raw[start:end].strip(" :：")
            if slot is not None and field and text and not told:
                place = self.topic
                undecided = Verdict.UNDECIDABLE
                self.claims.append(
                    Claim(*place, slot.key, text, undecided, text, start, end, is_known=False)
                )

    def _both(
        self, scanned: Scanned, item: Item, named: Sequence[tuple[Item, Named]]
    ) -> list[Place]:
        """The two places of which a clause without a name tells: `A and B, both rated 5`."""
        cue = self.reader.scanner.book.cues.get("both")
        words = scanned.clause_words[item.clause]
        if not (cue and cue.match(words)) or scanned.sentence.is_asked or HOLE.search(words):
            return []
        before = [each.place for name, each in named if name.start < item.start]
        offers = [each.place for each in self.names if each.role == "offer"]
        check = self.reader.check
        places = [
            place
            for place in dict.fromkeys(before if len(before) > 1 else offers)
            if check.slot_for(check.domain(place[0]), item)
        ]
        return places[-2:] if len(places) > 1 else []

    def _leads_in(self, scanned: Scanned, following: Scanned | None) -> bool:
        """Whether a sentence with a colon announces another place than the one spoken of."""
        names = following.of(Found.NAME) if following else []
        return (
            scanned.sentence.leads_in
            and bool(names)
            and bool(self.context.wanted)
            and self.topic not in names[0].places
        )

    def _leads_to_new(self, item: Item, scanned: Scanned) -> bool:
        """Whether an attribute says how the place named next is, which the user looked for."""
        if not self.context.wanted or any(each.role == "offer" for each in self.names):
            return False
        topic = self.context.topic
        check = self.reader.check
        if topic and (topic[0], check.slot_for(check.domain(topic[0]), item)) in (
            self.context.questions
        ):
            return False
        if self.context.topic is not None and self.context.topic[0] == self.context.wanted:
            return False
        return self.last_name >= scanned.sentence.end and item.found in (
            Found.AMOUNT,
            Found.VALUE,
            Found.FREE,
        )

    def _bound(
        self,
        item: Item,
        named: list[tuple[Item, Named]],
        subjects: list[tuple[Item, Named]],
        scanned: Scanned,
    ) -> Place | None:
        """The place an attribute is about."""
        check = self.reader.check
        fits = [
            (name, each)
            for name, each in named
            if each.role != "end" and check.slot_for(check.domain(each.place[0]), item)
        ]
        enclosed = [
            each for name, each in fits if each.role == "listed" and self._in_brackets(name, item)
        ]
        if enclosed:
            return enclosed[-1].place
        main = [(name, each) for name, each in fits if each.role == "offer"]
        before = [each for name, each in main if name.start <= item.start]
        if before:
            return before[-1].place
        if main:
            return main[0][1].place
        if self._may_be_of_topic(item) and not self._is_of_others(scanned, item):
            return self.topic
        marks = [each for name, each in fits if each.role == "landmark"]
        if marks:
            return marks[0].place
        compatible = [
            place
            for place in (*[n.place for n in reversed(self.names)], *self.context.recent)
            if check.slot_for(check.domain(place[0]), item)
        ]
        return compatible[0] if compatible and not self.context.wanted else None

    def _is_of_others(self, scanned: Scanned, item: Item) -> bool:
        """Whether a clause without a name speaks of places of another kind than the topic."""
        stated = self._stated_domain(scanned)
        said = any(each.clause == item.clause for each in scanned.of(Found.DOMAIN))
        return bool(self.topic and said and stated and stated != self.topic[0])

    def _may_be_of_topic(self, item: Item) -> bool:
        """Whether an attribute without a name may be about the place spoken of.

        Not about one of another domain than the user is looking for, unless that was asked.
        """
        check = self.reader.check
        if self.topic is None:
            return False
        slot = check.slot_for(check.domain(self.topic[0]), item)
        if not slot:
            return False
        old = self.topic == self.context.topic and not any(
            each.place == self.topic and each.role in ("offer", "landmark") for each in self.names
        )
        elsewhere = self.context.wanted and self.context.wanted != self.topic[0]
        return not (old and elsewhere) or (self.topic[0], slot) in self.context.questions

    def _in_brackets(self, name: Item, item: Item) -> bool:
        between = self.raw[name.end : item.start]
        opened = re.search(r"^[*_»”“\"\s]*[(（:：–—-]", between)
        return bool(opened) and item.start - name.end < 60 and not re.search(r"[)）]", between)

    def _negated(self, scanned: Scanned, item: Item) -> bool:
        if item.found not in (Found.VALUE, Found.FREE, Found.AMOUNT, Found.CELL):
            return False
        if self._denied_behind(item) or self._denied_at_end(scanned, item):
            return True
        book = self.reader.scanner.book
        negator, harmless = book.cues.get("negator"), book.cues.get("not_negator")
        clause = unholed(scanned.clause_words[item.clause])
        if item.found is Found.FREE and self.reader.words.has("free", clause):
            return False
        head = self.raw[scanned.sentence.start : item.start]
        announced = re.split("[:：]", head)
        if item.clause and len(announced) > 1:
            before = re.split(r"[,;،；，]|\s[-–—]\s", announced[0])[-1]
            clause = f"{plain(before)} {clause}"
        said = harmless.sub(lambda found: " " * len(found[0]), clause) if harmless else clause
        value = plain(self.raw[item.start : item.end])
        said = said.replace(value, " " * len(value)) if value else said
        return bool(negator and negator.search(said)) or self.reader.words.has("denying", said)

    def _denied_behind(self, item: Item) -> bool:
        """Whether a field of a list is answered with no: `**Board games:** no`."""
        answer = FIELD.match(self.raw, item.end)
        if answer is None:
            return False
        clause = re.split(r"[,;.，；。،؛(（]+", answer[1].strip())[0]
        spaced = self.reader.scanner.facts.writing.spaced
        said = plain(" ".join(clause.split()[:MOST_BEFORE_NO]) if spaced else clause[:3])
        return any(self.reader.words.has(cue, said) for cue in ("no", "denying"))

    def _denied_next(self, scanned: Scanned, following: Scanned | None) -> bool:
        """Whether a reply asks and answers itself with no: *Breakfast? Sorry, no*."""
        if not scanned.sentence.is_asked or following is None or following.items:
            return False
        return self._yes_or_no(following.plain)[1]

    def _denied_at_end(self, scanned: Scanned, item: Item) -> bool:
        """Whether a bare *no* follows, with nothing but regret between: `бассейна, увы, нет`."""
        spaced = self.reader.scanner.facts.writing.spaced
        has = self.reader.words.has
        if self._is_bare_no(plain(self.raw[item.end : scanned.clauses[item.clause][1]])):
            return True  # sauna yes, breakfast no
        for number in range(item.clause + 1, len(scanned.clause_words)):
            words = unholed(scanned.clause_words[number])
            if any(other.clause == number for other in scanned.items):
                return False
            regrets = has("regret", words)
            ends = [end for cue in ("denying", "lacking", "no")
                    for _, end in self.reader.words.spans(cue, words)]  # fmt: skip
            length = len(words.split() if spaced else words)
            denies = len(words) in ends or (length <= MOST_BEFORE_NO and has("denying", words))
            if not regrets and denies:
                return length <= MOST_WORDS_OF_NO
            if words and not regrets:
                return False
        return False

    def _is_bare_no(self, words: str) -> bool:
        spans = self.reader.words.spans("no", words)
        return len(words.split()) <= MOST_BEFORE_NO and (0, len(words)) in spans

    def _claim(self, place: Place, item: Item, scanned: Scanned, negated: bool) -> None:
        check = self.reader.check
        domain = check.domain(place[0])
        slot = check.slot_for(domain, item)
        row = check.row(*place)
        if not slot:
            if item.found is Found.HOURS:
                self.remarks.append(slotless(place, item, self.raw[item.start : item.end]))
            return
        verdict = check.verdict(domain, row, slot, item, negated) if row else Verdict.UNDECIDABLE
        if verdict is Verdict.FALSE and negated and _is_amount(item):
            return  # "neither charges 50 to 100 crowns" says so
        if verdict is Verdict.FALSE and (other := self._true_of(place, item, scanned, negated)):
            self._claim(other, item, scanned, negated)
            return
        quote = self.raw[item.start : item.end]
        asked = (domain.key, slot) in self.context.questions or self._is_of_user(quote)
        if (
            item.found is Found.VALUE
            and not item.whole
            and not asked
            and verdict is not Verdict.TRUE
        ):
            self.remarks.append(slotless(place, item, quote))  # a pool is no thermal bath
            return
        value = self._value(domain, slot, item, negated, verdict, place)
        self.claims.append(
            Claim(
                place[0],
                place[1],
                slot,
                value,
                verdict,
                quote,
                item.start,
                item.end,
                is_known=row is not None,
                item=item,
                is_negated=negated,
                is_firm=item.whole and self._is_plain_statement(scanned),
            )
        )

    def _true_of(self, place: Place, item: Item, scanned: Scanned, negated: bool) -> Place | None:
        """Another place named in the same sentence of which an attribute is true.

        Not where the attribute stands right behind the name of this one.
        """
        check = self.reader.check
        heads = [name for name in scanned.of(Found.NAME) if name.start < item.start]
        if heads and heads[-1].clause == item.clause and place in heads[-1].places:
            return None
        for each in self.names:
            if each.place == place or not stands_in(scanned, each.start):
                continue
            domain, row = check.domain(each.place[0]), check.row(*each.place)
            slot = check.slot_for(domain, item)
            if row and slot and check.verdict(domain, row, slot, item, negated) is Verdict.TRUE:
                return each.place
        return None

    def _value(
        self,
        domain: Domain,
        slot: str,
        item: Item,
        negated: bool,
        verdict: Verdict,
        place: Place,
    ) -> str:
        pack = self.reader.world.language
        if domain.slot(slot) is not None and domain.slot(slot).key != slot:  # type: ignore[union-attr]
            return pack.no if negated else pack.yes
        if (found := domain.slot(slot)) and found.kind is SlotKind.FLAG:
            return pack.no if negated else pack.yes
        if item.found is Found.VALUE:
            return item.value
        row = self.reader.check.row(*place)
        if verdict is Verdict.TRUE and row is not None:
            return self.reader.check.said(domain, row, slot)
        return self.raw[item.start : item.end]

    def _is_plain_statement(self, scanned: Scanned) -> bool:
        """Whether a sentence states something; a question that names a place offers it."""
        named = any(stands_in(scanned, each.start) for each in self.names)
        return named or not scanned.sentence.is_asked

    def _bind_pending(self, place: Place | None) -> None:
        waiting, self.pending = self.pending, []
        for each in waiting:
            if place is not None:
                self._claim(place, each.item, each.scanned, each.negated)
            else:
                item = each.item
                quote = self.raw[item.start : item.end]
                if any(letter.isdigit() for letter in quote):
                    self.unread.append(Unread(quote, item.start, item.end, "number"))

    def _leftover(self, scanned: Scanned, text: str) -> None:
        for match in NUMBER.finditer(scanned.sentence.text):
            at = scanned.sentence.start + match.start()
            if not scanned.covers(at) and not self._is_of_user(match[0]):
                self.unread.append(Unread(match[0], at, at + len(match[0]), "number"))

    def _is_of_user(self, number: str) -> bool:
        return number in self.context.users_words

    def _ride(self, scanned: Sequence[Scanned]) -> RideRead | None:
        items = [item for each in scanned for item in each.items]
        stations = [item for item in items if item.found is Found.STATION]
        cars = [item for item in items if item.found is Found.CAR]
        plates = [item for item in items if item.found is Found.PLATE]
        words = self.reader.words
        negator = self.reader.scanner.book.cues.get("negator")
        none = sum(
            (words.has("none_known", clause) or bool(negator and negator.search(clause)))
            and words.has("station", clause)
            for each in scanned
            for clause in map(unholed, each.clause_words)
        )
        if not (stations or cars or plates or self.context.ride):
            return None
        ends: dict[Place, int] = {}
        spots = [*stations, *cars, *plates]
        told = [each for each in scanned if any(stands_in(each, item.start) for item in spots)]
        ridden = [n for n in self.names if any(stands_in(each, n.start) for each in told)]
        for name in ridden or [each for each in self.names if each.role == "end"]:
            ends.setdefault(name.place, name.start)
        return RideRead(
            tuple(ends.items()),
            tuple((item.station, item.start, item.end) for item in stations if item.station),
            cars[0].value if cars else "",
            plates[0].value if plates else "",
            none,
            min((item.start for item in spots), default=0),
            max((item.end for item in spots), default=len(self.raw)),
        )


def _is_amount(item: Item) -> bool:
    return item.found is Found.AMOUNT or (item.found is Found.CELL and item.value[:1].isdigit())
