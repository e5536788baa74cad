"""Refusals in a reply, and claims that a place has none of something."""

from dataclasses import dataclass, replace

from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.names import Place
from crosstalk.language.normalize import plain
from crosstalk.reading.claims import Claim, Verdict
from crosstalk.reading.items import Found, Item, Scanned
from crosstalk.reading.readings import Named, RefusalRead
from crosstalk.reading.reply_names import ReplyNames
from crosstalk.reading.reply_state import ATTRIBUTES, BEHIND_LACK, unholed


@dataclass(slots=True)
class ReplyRefusals(ReplyNames):
    """What a reply refuses and denies."""

    def _yes_or_no(self, opening: str) -> tuple[bool, bool]:
        """Whether a reply begins with a yes, or with a no; of both, what comes first."""
        words = self.reader.words
        starts = {
            cue: min((start for start, _ in words.spans(cue, opening[:40])), default=99)
            for cue in ("yes", "no")
        }
        return starts["yes"] < min(starts["no"], 99), starts["no"] <= min(starts["yes"], 98)

    def _denies(self, words: str) -> bool:
        negator = self.reader.scanner.book.cues.get("negator")
        judged = self.reader.words
        return bool(negator and negator.search(words)) or any(
            judged.has(cue, words) for cue in ("regret", "lacking", "denying")
        )

    def _refusal(self, scanned: Scanned) -> int | None:
        """The clause of a sentence that says that nothing matches; of a question, not its last."""
        words = self.reader.words
        harmless = self.reader.scanner.book.cues.get("not_negator")
        clauses = list(map(unholed, scanned.clause_words))
        if scanned.sentence.is_asked:
            clauses = clauses[:-1]
        for number, clause in enumerate(clauses):
            said = harmless.sub(" ", clause) if harmless else clause
            if self._speaks_of_slot(scanned, number):
                continue
            if words.has("refusing", said) or self._lacks(scanned, number, said):
                return number
        return self._refused_at_end(scanned, clauses)

    def _refused_at_end(self, scanned: Scanned, clauses: list[str]) -> int | None:
        """The clause of what there is none of, where *no* ends the sentence: `отелей, увы, нет`."""
        last = clauses[-1] if len(clauses) > 1 else ""
        ended = bool(last) and any(
            end == len(last) for _, end in self.reader.words.spans("lacking_behind", last)
        )
        spoken = [item.clause for item in scanned.items if self._is_place_word(item)]
        return spoken[0] if ended and spoken and not scanned.of(Found.NAME) else None

    def _refused_domains(self, scanned: Scanned, clause: int) -> tuple[str, ...]:
        """The domains there is nothing of: those of the clause, else of the sentence."""
        said = [item for item in scanned.of(Found.DOMAIN) if not self._is_centre(scanned, item)]
        here = [item.key for item in said if item.clause == clause]
        return tuple(dict.fromkeys(here or [item.key for item in said]))

    def _is_centre(self, scanned: Scanned, item: Item) -> bool:
        """Whether a domain word names the place that others are near: `near the hotel`."""
        return self._is_landmark(scanned, item)

    def _about_search(self, refusal: RefusalRead) -> RefusalRead:
        """A refusal that names no domain is about what was sought, or offered instead."""
        if refusal.domains:
            return refusal
        offered = [
            each.place[0]
            for each in self.names
            if each.role == "offer" and each.start >= refusal.start
        ]
        topic = [self.topic[0]] if self.topic else []
        guesses = [*([self.context.wanted] if self.context.wanted else []), *offered, *topic]
        return replace(refusal, domains=tuple(guesses[:1]))

    def _note_refusal(self, scanned: Scanned, clause: int) -> None:
        places = {domain.key for domain in self.reader.world.schema.places}
        domains = [key for key in self._refused_domains(scanned, clause) if key in places]
        if self.context.wanted and len(domains) > 1 and self.context.wanted in domains:
            domains = [self.context.wanted]
        found = tuple(domains)
        start, end = scanned.sentence.start, scanned.sentence.end
        self.refusals.append(RefusalRead(found, self.raw[start:end], start, end))

    def _speaks_of_slot(self, scanned: Scanned, clause: int) -> bool:
        """Whether a clause denies a service or a fact, not a place."""
        items = [item for item in scanned.items if item.clause == clause]
        services = [
            item
            for item in scanned.items
            if item.found is Found.VALUE and item.whole and self._is_service(item)
        ]
        domains = [item for item in items if self._names_kind(item)]
        facts = [
            item
            for item in items
            if item.found is Found.SLOT
            and self._role_slot(item.key) in ("phone", "station", "address", "rating")
        ]
        amounts = [item for item in items if item.found is Found.AMOUNT]
        station = self.reader.words.has("station", unholed(scanned.clause_words[clause]))
        free = any(item.found is Found.FREE for item in items)
        of_place = (bool(services) or free) and not self.context.wanted
        denied = bool(services or facts or station) and not domains
        return (denied or of_place) and not amounts

    def _is_place_word(self, item: Item) -> bool:
        places = {domain.key for domain in self.reader.world.schema.places}
        return item.found is Found.DOMAIN and item.key in places

    def _names_kind(self, item: Item) -> bool:
        """Whether an item is a word for a kind of place, or a value with one: *budget hotel*."""
        if self._is_place_word(item):
            return True
        said = plain(self.raw[item.start : item.end])
        kinds = self.reader.scanner.book.domains
        places = [kinds[domain.key] for domain in self.reader.world.schema.places]
        return item.found is Found.VALUE and any(each.search(said) for each in places)

    def _is_service(self, item: Item) -> bool:
        domain = self.reader.world.schema.domain(item.domain)
        slot = domain.slot(item.key) if domain else None
        return slot is not None and slot.kind is SlotKind.SERVICES

    def _role_slot(self, key: str) -> str:
        slot = key.rpartition(".")[2]
        for domain in self.reader.world.schema.places:
            for role in ("phone", "address", "hours"):
                if self.reader.scanner.facts.slot_of(domain.key, role) == slot:
                    return role
            found = domain.slot(slot)
            if found and found.kind is SlotKind.STATION:
                return "station"
            if found and found.kind is SlotKind.RATING:
                return "rating"
        return ""

    def _lacks(self, scanned: Scanned, number: int, clause: str) -> bool:
        words = self.reader.words
        domains = [
            item for item in scanned.items if self._names_kind(item) and item.clause == number
        ]
        spans = words.spans("lacking", clause)
        if not spans or not domains:
            return False
        if not self.reader.scanner.facts.writing.spaced:
            return True
        offset = scanned.plain.find(scanned.clause_words[number])
        for _, end in spans:
            for item in domains:
                gap = scanned.plain[offset + end : item.at].split()
                if item.at >= offset + end and len(gap) <= BEHIND_LACK:
                    return True
        return words.has("lacking_behind", clause)

    def _nothing(
        self,
        scanned: Scanned,
        named: list[tuple[Item, Named]],
        near: bool,
        refusal: int | None,
    ) -> bool:
        """Claims that a place has none of something: no hotels nearby, no rating yet.

        Returns whether a sentence that says *no* tells what there is near a place, and refuses no
        search.
        """
        centre = next((e.place for _, e in named if e.role in ("landmark", "offer")), self.topic)
        if centre is None:
            return False
        none_near = False
        listed = any(each.role == "listed" for _, each in named)
        wishes = any(item.found in (Found.AMOUNT, Found.VALUE) for item in scanned.items)
        if refusal is not None and (not listed or near) and not wishes:
            none_near = self._none_near(scanned, centre, near, refusal)
        for number, clause in enumerate(map(unholed, scanned.clause_words)):
            items = [item for item in scanned.items if item.clause == number]
            told = any(item.found in ATTRIBUTES for item in items)
            known = self.reader.words.has("none_known", clause)
            if told:
                continue
            for item in items:
                role = self._role_slot(item.key) if item.found is Found.SLOT else ""
                if not known:
                    continue
                if role in ("phone", "address", "rating") or (
                    role == "station" and not self.context.ride
                ):
                    self._none_claim(centre, item.key.rpartition(".")[2], scanned)
        return none_near

    def _none_near(self, scanned: Scanned, centre: Place, near: bool, clause: int) -> bool:
        domain = self.reader.check.domain(centre[0])
        said = self._refused_domains(scanned, clause)
        is_search = True
        for slot in domain.of_kind(SlotKind.NEARBY):
            asked = (centre[0], slot.key) in self.context.questions
            about = near or (asked and not self.context.wanted)
            if about and (slot.target in said or (asked and not said)):
                self._none_claim(centre, slot.key, scanned)
                is_search = self.context.wanted == slot.target
        return not is_search

    def _none_claim(self, place: Place, slot: str, scanned: Scanned) -> None:
        check = self.reader.check
        row = check.row(*place)
        if row is None or check.domain(place[0]).slot(slot) is None:
            return
        true = not row.get(slot)
        start, end = scanned.sentence.start, scanned.sentence.end
        nothing = self.reader.world.language.nothing
        verdict = Verdict.TRUE if true else Verdict.FALSE
        quote = self.raw[start:end]
        self.claims.append(Claim(*place, slot, nothing, verdict, quote, start, end))
