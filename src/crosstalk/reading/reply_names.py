"""Names in a reply: which places are meant, in what role, and names that no table has."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.names import Place
from crosstalk.language.normalize import plain
from crosstalk.reading.items import Found, Item, Scanned
from crosstalk.reading.prose import Emphasis, Prose
from crosstalk.reading.readings import (
    Named,
)
from crosstalk.reading.reply_state import (
    ATTRIBUTES,
    BEFORE_LANDMARK,
    BEFORE_NAME,
    CAPITALISED,
    HALF,
    HOLE,
    MOST_NAME_WORDS,
    SAME_LETTERS,
    TOLD,
    ReplyState,
    alike_letters,
    alike_stems,
    covers_most,
    plain_position,
    same_beginning,
    stands_in,
    unholed,
)
from crosstalk.system.nlu.rules.utterance import MARKS


@dataclass(slots=True)
class ReplyNames(ReplyState):
    """Names and their roles."""

    def _places(self, scanned: Scanned) -> list[tuple[Item, Place]]:
        found = []
        recent = {*self.context.recent, *(each.place for each in self.names)}
        for item in scanned.of(Found.NAME):
            spoken = [place for place in item.places if place in recent]
            if not spoken and (not item.sure or not item.whole or not self._is_most(item)):
                continue
            if self._is_in_value(scanned, item):
                continue
            if not spoken and (self._is_district(item) or self._is_street(scanned, item)):
                continue
            found.append((item, self._meant(item, spoken)))
        return found

    def _is_in_value(self, scanned: Scanned, item: Item) -> bool:
        """Whether a part of a name is a word of a value: *бесплатные городские звонки*."""
        values = (each for each in scanned.of(Found.VALUE) if each.whole)
        inside = any(each.start <= item.start and item.end <= each.end for each in values)
        return inside and not self._is_exact(item)

    def _is_most(self, item: Item) -> bool:
        """Whether more than half of a name is said; in scripts without spaces half of it."""
        said = plain(self.raw[item.start : item.end])
        if not self.reader.scanner.facts.writing.spaced:
            return any(len(said) >= HALF * len(plain(name)) for _, name in item.places)
        words = said.split()
        for _, name in item.places:
            whole = plain(name).split()
            told = [w for w in whole if any(_is_form(w, each) for each in words)]
            if sum(map(len, told)) > HALF * sum(map(len, whole)):
                return True
        return False

    def _is_district(self, item: Item) -> bool:
        facts = self.reader.scanner.facts
        said = [stem for stem, _, _ in facts.stems(self.raw[item.start : item.end])]
        whole = any(
            plain(name) == plain(self.raw[item.start : item.end]) for _, name in item.places
        )
        return not whole and any(
            alike_stems(said, [stem for stem, _, _ in facts.stems(district)])
            for district in facts.districts
        )

    def _is_street(self, scanned: Scanned, item: Item) -> bool:
        """Whether a part of a name is followed by a word for a street: `Weighhouse Square`."""
        if not self.reader.scanner.facts.writing.spaced or self._is_exact(item):
            return False
        sentence = scanned.sentence
        behind = sentence.text[item.end - sentence.start :]
        word = next(iter(behind.split()), "") if behind[:1] == " " else ""
        return bool(word) and self.reader.words.has("street", plain(word))

    def _meant(self, item: Item, spoken: Sequence[Place]) -> Place:
        """Of several places of like names, the one spoken of, else of the domain looked for."""
        shown = plain(self.raw[item.start : item.end])
        exact = [place for place in item.places if plain(place[1]) == shown]
        choices = exact or list(spoken) or list(item.places)
        wanted = [place for place in choices if place[0] == self.context.wanted]
        return (wanted or choices)[0]

    def _role(self, scanned: Scanned, item: Item, place: Place, near: bool) -> str:
        if self._is_end(scanned, item, near):
            return "end"
        if self._is_landmark(scanned, item):
            return "landmark"
        if self._first_landmark(scanned) < item.start:
            return "listed"
        if place[0] == self.context.wanted and (
            self._is_row(scanned)
            or self._is_put_forward(scanned, item)
            or self._is_first(scanned, item)
            or self._leads_list(scanned, item, place)
            or self._is_before_near(scanned, item)
        ):
            return "offer"
        listing = near or self.near_heading
        if not listing:
            listing = self._lists(scanned, place)
        if listing and place != self.topic and self.topic is not None:
            return "listed"
        return "offer"

    def _is_row(self, scanned: Scanned) -> bool:
        """Whether a name stands alone in its cell of a table, and so begins a row about it."""
        cell = scanned.sentence
        return cell.is_cell and len(scanned.of(Found.NAME)) == 1 and "," not in cell.text

    def _is_first(self, scanned: Scanned, item: Item) -> bool:
        """Whether a place is the first that a reply names, alone in its sentence."""
        sought = any(
            each.role == "offer" and each.place[0] == self.context.wanted for each in self.names
        )
        return not sought and len(scanned.of(Found.NAME)) == 1

    def _leads_list(self, scanned: Scanned, item: Item, place: Place) -> bool:
        """Whether a place opens a sentence that then lists places of other kinds near it."""
        names = [other for other in scanned.of(Found.NAME) if other.whole]
        kinds = {domain for other in names if other is not item for domain, _ in other.places}
        return bool(names) and names[0] is item and bool(kinds) and place[0] not in kinds

    def _is_before_near(self, scanned: Scanned, item: Item) -> bool:
        """Whether a sentence speaks of this place first, and then of what is near it."""
        names = [other for other in scanned.of(Found.NAME) if other.whole]
        clauses = map(unholed, scanned.clause_words)
        near = [n for n, clause in enumerate(clauses) if self.reader.words.has("near", clause)]
        return bool(names) and names[0] is item and bool(near) and item.clause < near[0]

    def _is_put_forward(self, scanned: Scanned, item: Item) -> bool:
        """Whether something is told of a place that is the only one a sentence tells of."""
        others = [
            other
            for other in scanned.of(Found.NAME)
            if other is not item and other.whole and not self._is_landmark(scanned, other)
        ]
        told = any(
            each.found in (Found.AMOUNT, Found.FREE, Found.PHONE, Found.ADDRESS, Found.VALUE)
            for each in scanned.items
        )
        return told and not others

    def _lists(self, scanned: Scanned, place: Place) -> bool:
        """Whether names without *near* answer a question for places nearby."""
        asked = self._asked_targets()
        if place[0] not in asked or self.topic is None:
            return False
        if place[0] == self.context.wanted and len(scanned.of(Found.NAME)) == 1:
            return False
        told = any(
            item.found in (Found.AMOUNT, Found.FREE, Found.PHONE, Found.ADDRESS)
            for item in scanned.items
        )
        return not told or len(scanned.of(Found.NAME)) > 2

    def _asked_targets(self) -> set[str]:
        """Domains of which the user asked what is nearby."""
        return {
            slot.target
            for domain, key in self.context.questions
            if (found := self.reader.world.schema.domain(domain))
            and (slot := found.slot(key))
            and slot.kind is SlotKind.NEARBY
        }

    def _first_landmark(self, scanned: Scanned) -> int:
        """Where the first place of a sentence stands that others are near; its end if none does."""
        begin, end = scanned.sentence.start, scanned.sentence.end
        if begin not in self.first_landmarks:
            marks = (n.start for n in scanned.of(Found.NAME) if self._is_landmark(scanned, n))
            self.first_landmarks[begin] = next(marks, end)
        return self.first_landmarks[begin]

    def _is_landmark(self, scanned: Scanned, item: Item) -> bool:
        words = self.reader.words
        if self.reader.scanner.facts.writing.spaced:
            begin = max(0, item.at - BEFORE_NAME)
            head = re.split(f"[{MARKS}]", scanned.plain[begin : max(0, item.at)])[-1]
            articles = self.reader.scanner.facts.writing.articles
            for _, end in words.spans("near_of", head):
                between = HOLE.sub(" x " * 9, head[end:]).split()
                small = all(word in articles or self._is_domain_word(word) for word in between)
                if len(between) <= BEFORE_LANDMARK and small:
                    return True
            return False
        behind = scanned.plain[item.at + 1 : item.at + 1 + BEFORE_NAME]
        tail = re.split(f"[{MARKS}]", behind)[0].lstrip()
        tail = tail.removeprefix("的")
        return any(start <= 1 for start, _ in words.spans("near_of", tail))

    def _is_domain_word(self, word: str) -> bool:
        return any(found.fullmatch(word) for found in self.reader.scanner.book.domains.values())

    def _is_end(self, scanned: Scanned, item: Item, near: bool) -> bool:
        """Whether a place is where a ride begins or ends, and not one that is told of again."""
        if not self.context.ride:
            return False
        told = any(each.found in (Found.AMOUNT, Found.PHONE, Found.FREE) for each in scanned.items)
        ridden = scanned.of(Found.STATION, Found.CAR, Found.PLATE)
        return bool(ridden) or not (told or near)

    def _is_labelled(self, scanned: Scanned) -> bool:
        """Whether a sentence begins with the kind of places that it lists: `Hotels: A and B`."""
        head = scanned.clause_words[0] if len(scanned.clause_words) > 1 else ""
        domains = self.reader.scanner.book.domains.values()
        return bool(head) and any(found.fullmatch(head) for found in domains)

    def _is_found(self, each: Named) -> bool:
        """Whether a place that others are said to be near is the one the user looked for."""
        return (
            each.role == "landmark"
            and each.place[0] == self.context.wanted
            and each.place not in self.context.named
            and each.place != self.context.topic
        )

    def _with_neighbours(self, centre: Place, others: list[tuple[Item, Named]]) -> Place:
        """The place spoken of of which the tables say what is nearby of the kind listed."""
        targets = {each.place[0] for _, each in others if each.place != centre}
        spoken = [each.place for each in reversed(self.names) if each.role == "offer"]
        for place in (centre, *spoken, *self.context.recent):
            slots = self.reader.check.domain(place[0]).of_kind(SlotKind.NEARBY)
            if not targets or targets & {slot.target for slot in slots}:
                return place
        return centre

    def _stated_domain(self, scanned: Scanned) -> str:
        """The domain a sentence says its places are of: `hotels`."""
        said = [item.key for item in scanned.of(Found.DOMAIN) if item.whole]
        places = {domain.key for domain in self.reader.world.schema.places}
        kinds = [key for key in dict.fromkeys(said) if key in places]
        return kinds[0] if len(kinds) == 1 else ""

    def _find_unknown(self, prose: Prose, scanned: Sequence[Scanned]) -> dict[int, list[Item]]:
        """Names in bold or in quotation marks, a list of them for the sentence they stand in.

        A name that some table has, inflected so that the finders missed it, and one that none has.
        """
        found: dict[int, list[Item]] = {}
        starts = [each.sentence.start for each in scanned]
        for mark in prose.emphasised:
            number = bisect_right(starts, mark.start) - 1
            stands = number >= 0 and stands_in(scanned[number], mark.start)
            if not stands or self._is_explained(mark, scanned[number]):
                continue
            known = self.reader.named_in(mark.text) or self._part_of_recent(mark.text)
            place = known or (self._unknown_domain(mark.text), mark.text.strip(" :.,"))
            at = plain_position(scanned[number], mark.start)
            clause = next(
                (n for n, (a, b) in enumerate(scanned[number].clauses) if a <= mark.start < b), 0
            )
            item = Item(Found.NAME, mark.start, mark.end, clause, places=(place,), at=at)
            found.setdefault(number, []).append(item)
        for number, each in enumerate(scanned):
            again = [item for item in self._said_again(each) if not _meets(item, found, number)]
            if again:
                found[number] = [*found.get(number, []), *again]
        for number, (each, following) in enumerate(zip_longest(scanned, scanned[1:])):
            strange = None if number in found else self._capitalised(each, following)
            if strange is not None:
                found[number] = [strange]
        return found

    def _part_of_recent(self, text: str) -> Place | None:
        """A place spoken of before, called by some words of its name."""
        words = plain(text).split()
        for place in (*(named.place for named in self.names), *self.context.recent):
            names = plain(place[1]).split()
            if words and all(any(same_beginning(w, n) for n in names) for w in words):
                alike = sum(max(alike_letters(w, n) for n in names) for w in words)
                if alike >= SAME_LETTERS * sum(map(len, words)):
                    return place
        return None

    def _said_again(self, scanned: Scanned) -> Iterator[Item]:
        """Names that no table has and that were said before: they need no marks to be known."""
        for place in self.context.recent:
            if self.reader.check.row(*place) is not None:
                continue
            start = self.raw.find(place[1], scanned.sentence.start, scanned.sentence.end)
            if start >= 0:
                at = plain_position(scanned, start)
                yield Item(Found.NAME, start, start + len(place[1]), 0, places=(place,), at=at)

    def _capitalised(self, scanned: Scanned, following: Scanned | None) -> Item | None:
        """A name in capitals that no table has, of which this sentence or the next tells something.

        The next one only where the name is all that this one says.
        """
        if following and not scanned.of(*ATTRIBUTES) and following.of(*ATTRIBUTES):
            return self._alone_in_capitals(scanned)
        if scanned.of(Found.NAME) or not scanned.of(*ATTRIBUTES):
            return None
        strange = set(scanned.unexplained)
        for match in CAPITALISED.finditer(scanned.sentence.text):
            words = match[0].split()
            start = scanned.sentence.start + match.start()
            stop = scanned.sentence.start + match.end()
            if any(
                item.start < stop and start < item.end and item.found in TOLD
                for item in scanned.items
            ):
                continue
            names = [word for word in words if plain(word) in strange]
            kinds = [word for word in words if self._kind_word(word)]
            if names and (len(names) > 1 or kinds) and len(words) > 1:
                return self._strange(match[0], start, 0)
        return None

    def _alone_in_capitals(self, scanned: Scanned) -> Item | None:
        """A name that is a whole sentence of a reply to a search, made of words nobody knows."""
        text = scanned.sentence.text
        whole = CAPITALISED.fullmatch(text) and self.context.wanted and not scanned.districts
        known = any(map(self.reader.scanner.book.knows, plain(text).split()))
        if not whole or known or scanned.sentence.is_asked or self._places(scanned):
            return None
        return self._strange(text, scanned.sentence.start, 0)

    def _strange(self, name: str, start: int, at: int) -> Item:
        place = self._unknown_domain(name), name
        return Item(Found.NAME, start, start + len(name), 0, places=(place,), at=at)

    def _kind_word(self, word: str) -> bool:
        """Whether a word says what a place is: *Café*, *Hotel*."""
        book = self.reader.scanner.book
        said = plain(word)
        kinds = [each for words in book.kinds.values() for each in words.values()]
        return any(each.fullmatch(said) for each in (*book.domains.values(), *kinds)) or any(
            said in plain(name).split() for _, name in self.reader.places
        )

    def _unknown_domain(self, text: str) -> str:
        domains = self.reader.scanner.book.domains
        places = {domain.key for domain in self.reader.world.schema.places}
        said = [key for key, each in domains.items() if key in places and each.search(plain(text))]
        topic = self.context.topic[0] if self.context.topic else ""
        return (
            self.context.wanted
            or (said[0] if said else "")
            or next(iter(sorted(self._asked_targets())), "")
            or topic
            or next(iter(places))
        )

    def _is_explained(self, mark: Emphasis, scanned: Scanned) -> bool:
        """Whether text in bold or quotation marks is something known, or no name at all."""
        behind = self.raw[mark.end : mark.end + 4].lstrip('*_"»”“」』》 ')
        one_word = len(mark.text.split()) == 1 and any(
            item.found is Found.NAME and item.start < mark.start for item in self.items
        )
        label = behind.startswith((":", "：")) and (one_word or self._is_label(mark.text))
        items = [
            item
            for item in scanned.items
            if item.start < mark.end and mark.start < item.end and item.found is not Found.DOMAIN
        ]
        known = any(
            (item.found is Found.NAME and self._is_named_by(item, mark, scanned))
            or item.found not in (Found.NAME, Found.SLOT, Found.VALUE, Found.HOURS)
            or (item.found is Found.VALUE and item.whole and covers_most(item, mark))
            for item in items
        )
        words = mark.text.split()
        said_before = plain(mark.text) in plain(self.context.users_words)
        return (
            label
            or known
            or said_before
            or len(words) > MOST_NAME_WORDS
            or not any(letter.isalpha() for letter in mark.text)
            or self._is_label(mark.text)
            or self._is_ordinary(mark.text)
        )

    def _is_named_by(self, item: Item, mark: Emphasis, scanned: Scanned) -> bool:
        """Whether a mark holds a name; words nobody knows beside a part of one make it another."""
        rest = plain(self.raw[mark.start : item.start]), plain(self.raw[item.end : mark.end])
        strange = any(word in part for word in scanned.unexplained for part in rest)
        return self._is_exact(item) or (covers_most(item, mark) and not strange)

    def _is_exact(self, item: Item) -> bool:
        said = plain(self.raw[item.start : item.end])
        return any(plain(name) == said for _, name in item.places)

    def _is_label(self, text: str) -> bool:
        """Whether a text says what follows: `Address`, `Opening hours:`."""
        said = plain(text)
        book = self.reader.scanner.book
        slots = any(each.search(said) for each in book.slots.values())
        domains = any(each.fullmatch(said) for each in book.domains.values())
        return text.rstrip().endswith((":", "：")) or domains or (slots and len(said.split()) <= 3)

    def _is_ordinary(self, text: str) -> bool:
        """Whether every word of a text means something else than a name."""
        words = plain(text).split()
        if not self.reader.scanner.facts.writing.spaced:
            return False
        capitals = sum(word[:1].isupper() for word in text.split())
        if capitals > 1 and text.split()[-1][:1].isupper():
            return False
        return text.strip()[:1].islower() or all(
            self.reader.scanner.book.knows(word) or word.isdigit() for word in words
        )


def _is_form(one: str, other: str) -> bool:
    """Whether two words are forms of one: *торговцем*, *торговец*, but not *тоже*."""
    return alike_letters(one, other) >= SAME_LETTERS * max(len(one), len(other))


def _meets(item: Item, found: Mapping[int, Sequence[Item]], number: int) -> bool:
    return any(o.start < item.end and item.start < o.end for o in found.get(number, ()))
