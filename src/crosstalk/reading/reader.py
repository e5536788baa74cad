"""The reader of prose: what an agent wrote, as claims, offers, refusals and unread stretches.

    reader = ProseReader.of("harbour", "de")
    reading = reader.read(reply, ReadingContext(...))

It reads the words alone, with the language layer and the tables; it never sees an agent's acts and
shares nothing with what a simulated user hears.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Final

from crosstalk.dialogue.schema import Domain, SlotKind
from crosstalk.language.names import SURE, NameFinder, Place
from crosstalk.language.normalize import plain
from crosstalk.language.patterns import FIRST_HOLE, LAST_HOLE
from crosstalk.language.writing import guess_language
from crosstalk.reading.claims import Claim, TableCheck, Verdict
from crosstalk.reading.facts import Station
from crosstalk.reading.prose import Emphasis, Prose, Sentence
from crosstalk.reading.scan import Found, Item, Scanned, Scanner
from crosstalk.system.nlu.rules.utterance import MARKS
from crosstalk.worlds.world import find_world, languages_of, load_world

Question = tuple[str, str]
"""Domain and slot that a user asked for."""

ATTRIBUTES: Final = (
    Found.AMOUNT,
    Found.VALUE,
    Found.FREE,
    Found.PHONE,
    Found.ADDRESS,
    Found.STATION,
    Found.HOURS,
)
TOLD: Final = (
    *(each for each in ATTRIBUTES if each is not Found.HOURS),
    Found.CAR,
    Found.PLATE,
    Found.NAME,
)
"""What an unknown name cannot be part of."""
BEFORE_LANDMARK: Final = 3
"""Small words that may stand between *near* and the name it belongs to."""
HALF: Final = 0.5
"""Share of a name's letters that is said at least, of a place not spoken of before."""
BEHIND_LACK: Final = 5
"""Words between *no* and what there is none of."""
_HOLE: Final = re.compile(f"[{FIRST_HOLE}-{LAST_HOLE}]")
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_CAPITALISED: Final = re.compile(
    r"[A-ZÄÖÜА-ЯЁ][\w'’-]+(?: (?:(?:of|the|at|and|in|on|zum|zur|am|der|im|und|у|на|и) )?"
    r"[A-ZÄÖÜА-ЯЁ][\w'’-]+)+"
)


@dataclass(frozen=True, slots=True)
class RefusalRead:
    """Words that say that nothing matches."""

    domains: tuple[str, ...]
    """Domains the words name; empty: they name none."""
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Named:
    """A place named in a reply, and in what role."""

    place: Place
    start: int
    end: int
    role: str
    """offer, listed (as being near another), landmark, or end (of a ride)."""
    alternatives: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Unread:
    """A stretch nobody could make anything of, though it may matter."""

    quote: str
    start: int
    end: int
    why: str
    """number, name or language."""


@dataclass(frozen=True, slots=True)
class RideRead:
    """What a reply says about a ride."""

    names: tuple[tuple[Place, int], ...] = ()
    """Places named as its ends, in order, and where."""
    stations: tuple[tuple[Station, int, int], ...] = ()
    car: str = ""
    plate: str = ""
    no_station: int = 0
    """How often it says that there is no station."""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply says."""

    claims: tuple[Claim, ...] = ()
    refusals: tuple[RefusalRead, ...] = ()
    names: tuple[Named, ...] = ()
    unread: tuple[Unread, ...] = ()
    ride: RideRead | None = None
    unknown: tuple[Claim, ...] = ()
    """Names that no table has, also among the claims."""
    topic: Place | None = None
    """The place spoken of at the end."""
    language: str = ""
    denies: bool = False
    """Some clause negates or regrets something."""
    says_yes: bool = False
    says_no: bool = False


@dataclass(frozen=True, slots=True)
class ReadingContext:
    """What was said before a reply, as far as it helps to read it."""

    questions: tuple[Question, ...] = ()
    """What the user asked for and has not been told."""
    topic: Place | None = None
    """The place spoken of last."""
    recent: tuple[Place, ...] = ()
    """Places spoken of, latest first."""
    wanted: str = ""
    """The domain in which the user looks for a place."""
    ride: str = ""
    """The ride's domain that the user asks for."""
    is_cut: bool = False
    """The reply ended by length."""
    users_words: str = ""
    named: tuple[Place, ...] = ()
    """Places that the user named just before."""


class ProseReader:
    """Reads replies about one world in one of its languages; knows the names of all of them."""

    def __init__(self, scanner: Scanner, folder: Path) -> None:
        self.scanner = scanner
        self.check = TableCheck(scanner)
        self.world = scanner.world
        self.words = scanner.words
        self._folder = folder
        small = scanner.book.cues.get("small")
        self.places = tuple(self._all_places())
        self._finder = NameFinder(self.places, self.world.language.code, small)

    @classmethod
    def of(cls, world: str, language: str, data: Path | None = None) -> "ProseReader":
        return _reader(world, language, data)

    def _all_places(self) -> Iterator[Place]:
        for domain in self.world.schema.places:
            if domain.name_slot:
                for row in self.world.tables[domain.key]:
                    yield domain.key, str(row[domain.name_slot.key])

    def read(self, reply: str, context: ReadingContext | None = None) -> Reading:
        return _Reply(self, reply, context or ReadingContext()).read()

    def is_foreign(self, text: str) -> str:
        """The code of the language a text is in where it is not this one; empty: it is this one."""
        code = self.world.language.code
        guessed = guess_language(text)
        if guessed in (code, ""):
            letters = sum(each.isalpha() for each in text)
            strange = not guessed and letters >= LONG_TEXT and not self._knows_words(text)
            return UNKNOWN if strange else ""
        return guessed

    def _knows_words(self, text: str) -> bool:
        words = plain(text).split()
        known = sum(self.scanner.book.knows(word) for word in words)
        return known >= KNOWN_SHARE * len(words)

    def named_in(self, text: str) -> Place | None:
        """The place whose name, perhaps inflected, a short text is."""
        found = self._finder.find(plain(text))
        whole = [each for each in found if each.share >= SURE]
        if len(whole) == 1 and whole[0].end - whole[0].start >= 0.6 * len(plain(text)):
            return whole[0].places[0]
        return self._inflected(plain(text).split()) if self._inflects else None

    @property
    def _inflects(self) -> bool:
        return self.scanner.facts.writing.inflects

    def _inflected(self, words: list[str]) -> Place | None:
        """The one place whose name has the same words with other endings."""
        found = []
        for place in self.places:
            names = plain(place[1]).split()
            if len(names) == len(words) and all(map(_same_beginning, words, names)):
                alike = sum(map(_alike_letters, words, names))
                if alike >= SAME_LETTERS * sum(map(len, words)):
                    found.append((alike, place))
        return max(found)[1] if found else None


SAME_LETTERS: Final = 0.6
"""Share of letters that two forms of a name have in common."""


def _alike_letters(one: str, other: str) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def _same_beginning(one: str, other: str) -> bool:
    return _alike_letters(one, other) >= min(2, len(one), len(other))


UNKNOWN: Final = "?"
LONG_TEXT: Final = 40
"""Letters of a text whose language should be known by its words."""
KNOWN_SHARE: Final = 0.2
"""Share of words that mean something, below which a text is in another language."""


@lru_cache(maxsize=8)
def _reader(world: str, language: str, data: Path | None) -> ProseReader:
    folder = find_world(world)
    ours = load_world(world, language=language, data=data)
    others = [
        load_world(world, language=code, data=data)
        for code in languages_of(folder)
        if code != ours.language.code
    ]
    return ProseReader(Scanner(ours, folder, others), folder)


@dataclass(slots=True)
class _Pending:
    """An attribute said before the name it belongs to."""

    item: Item
    scanned: Scanned
    negated: bool


@dataclass(slots=True)
class _Reply:
    """One reply while it is read."""

    reader: ProseReader
    raw: str
    context: ReadingContext
    claims: list[Claim] = field(default_factory=list)
    refusals: list[RefusalRead] = field(default_factory=list)
    names: list[Named] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    unknown: list[Claim] = field(default_factory=list)
    pending: list[_Pending] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    topic: Place | None = None
    near_heading: bool = False
    heading_domain: str = ""
    lists_on: bool = False
    """The sentence before listed places nearby."""

    def read(self) -> Reading:
        foreign = self.reader.is_foreign(self.raw)
        prose = Prose.of(self.raw, cut=self.context.is_cut)
        self.topic = self.context.topic
        scanned = [self._scan(sentence) for sentence in prose.sentences]
        self.items = [item for each in scanned for item in each.items]
        extra = self._find_unknown(prose, scanned)
        scanned = [_with(each, extra.get(number, [])) for number, each in enumerate(scanned)]
        for number, each in enumerate(scanned):
            self._sentence(each, scanned[number + 1 :])
        self._bind_pending(None)
        self.refusals = [self._about_search(each) for each in self.refusals]
        words = [each.plain for each in scanned]
        opening = " ".join(words[:1])
        if foreign == UNKNOWN and not self.names:
            self.unread.append(Unread(self.raw[:80], 0, len(self.raw), "language"))
        return Reading(
            tuple(_once(self.claims)),
            tuple(self.refusals),
            tuple(self.names),
            tuple(self.unread),
            self._ride(scanned),
            tuple(self.unknown),
            self.topic,
            foreign or self.reader.world.language.code,
            self._denies(" ".join(map(_unholed, words))),
            *self._yes_or_no(opening),
        )

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

    def _scan(self, sentence: Sentence) -> Scanned:
        asks_hours = any(
            slot == self.reader.scanner.facts.slot_of(domain, "hours")
            for domain, slot in self.context.questions
            if slot
        )
        return self.reader.scanner.scan(sentence, self.context.recent, asks_hours=asks_hours)

    # Names and their roles

    def _places(self, scanned: Scanned) -> list[tuple[Item, Place]]:
        found = []
        recent = {*self.context.recent, *(each.place for each in self.names)}
        for item in scanned.of(Found.NAME):
            spoken = [place for place in item.places if place in recent]
            if not spoken and (not item.sure or not item.whole or not self._is_most(item)):
                continue
            if not spoken and self._is_district(item):
                continue
            found.append((item, self._meant(item, spoken)))
        return found

    def _is_most(self, item: Item) -> bool:
        """Whether at least half of a name is said."""
        said = len(plain(self.raw[item.start : item.end]))
        return any(said >= HALF * len(plain(name)) for _, name in item.places)

    def _is_district(self, item: Item) -> bool:
        facts = self.reader.scanner.facts
        said = [stem for stem, _, _ in facts.stems(self.raw[item.start : item.end])]
        whole = any(
            plain(name) == plain(self.raw[item.start : item.end]) for _, name in item.places
        )
        return not whole and any(
            _alike(said, [stem for stem, _, _ in facts.stems(district)])
            for district in facts.districts
        )

    def _meant(self, item: Item, spoken: Sequence[Place]) -> Place:
        """Of several places of like names, the one spoken of, else of the domain looked for."""
        shown = plain(self.raw[item.start : item.end])
        exact = [place for place in item.places if plain(place[1]) == shown]
        choices = exact or list(spoken) or list(item.places)
        wanted = [place for place in choices if place[0] == self.context.wanted]
        return (wanted or choices)[0]

    def _role(self, scanned: Scanned, item: Item, place: Place, near: bool) -> str:
        if self._is_landmark(scanned, item):
            return "landmark"
        if any(
            other.start < item.start and self._is_landmark(scanned, other)
            for other in scanned.of(Found.NAME)
        ):
            return "listed"
        if self._is_end(scanned, item):
            return "end"
        if place[0] == self.context.wanted and (
            self._is_put_forward(scanned, item)
            or self._is_first(scanned, item)
            or self._leads_list(scanned, item, place)
        ):
            return "offer"
        listing = near or self.near_heading
        if not listing:
            listing = self._lists(scanned, place)
        if listing and place != self.topic and self.topic is not None:
            return "listed"
        return "offer"

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

    def _is_landmark(self, scanned: Scanned, item: Item) -> bool:
        words = self.reader.words
        if self.reader.scanner.facts.writing.spaced:
            head = re.split(f"[{MARKS}]", scanned.plain[: item.at])[-1]
            articles = self.reader.scanner.facts.writing.articles
            for _, end in words.spans("near_of", head):
                between = _HOLE.sub(" x " * 9, head[end:]).split()
                small = all(word in articles or self._is_domain_word(word) for word in between)
                if len(between) <= BEFORE_LANDMARK and small:
                    return True
            return False
        tail = re.split(f"[{MARKS}]", scanned.plain[item.at + 1 :])[0].lstrip()
        tail = tail.removeprefix("的")
        return any(start <= 1 for start, _ in words.spans("near_of", tail))

    def _is_domain_word(self, word: str) -> bool:
        return any(found.fullmatch(word) for found in self.reader.scanner.book.domains.values())

    def _is_end(self, scanned: Scanned, item: Item) -> bool:
        """Whether a place is where a ride begins or ends."""
        return bool(self.context.ride)

    # Sentences

    def _sentence(self, scanned: Scanned, following: Sequence[Scanned]) -> None:
        words = self.reader.words
        text = _HOLE.sub("x", scanned.plain)
        near = any(words.has("near", clause) for clause in map(_unholed, scanned.clause_words))
        near = near or (self.lists_on and self._is_labelled(scanned))
        places = self._places(scanned)
        refusal = self._refusal(scanned)
        named: list[tuple[Item, Named]] = []
        nearby = any(
            words.has("near", clause)
            for clause in map(_unholed, scanned.clause_words[(refusal or 0) + 1 :])
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
        self._leftover(scanned, text)

    def _is_labelled(self, scanned: Scanned) -> bool:
        """Whether a sentence begins with the kind of places that it lists: `Hotels: A and B`."""
        head = scanned.clause_words[0] if len(scanned.clause_words) > 1 else ""
        domains = self.reader.scanner.book.domains.values()
        return bool(head) and any(found.fullmatch(head) for found in domains)

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

    def _is_found(self, each: Named) -> bool:
        """Whether a place that others are said to be near is the one the user looked for."""
        return (
            each.role == "landmark"
            and each.place[0] == self.context.wanted
            and each.place not in self.context.named
            and each.place != self.context.topic
        )

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

    # Refusals and *none*

    def _refusal(self, scanned: Scanned) -> int | None:
        """The clause of a sentence that says that nothing matches; of a question, not its last."""
        words = self.reader.words
        harmless = self.reader.scanner.book.cues.get("not_negator")
        clauses = list(map(_unholed, scanned.clause_words))
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
        domains = [item for item in items if self._is_place_word(item)]
        facts = [
            item
            for item in items
            if item.found is Found.SLOT
            and self._role_slot(item.key) in ("phone", "station", "address", "rating")
        ]
        amounts = [item for item in items if item.found is Found.AMOUNT]
        station = self.reader.words.has("station", _unholed(scanned.clause_words[clause]))
        of_place = bool(services) and not self.context.wanted
        denied = bool(services or facts or station) and not domains
        return (denied or of_place) and not amounts

    def _is_place_word(self, item: Item) -> bool:
        places = {domain.key for domain in self.reader.world.schema.places}
        return item.found is Found.DOMAIN and item.key in places

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
            item for item in scanned.items if self._is_place_word(item) and item.clause == number
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
        for number, clause in enumerate(map(_unholed, scanned.clause_words)):
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

    # Attributes

    def _attributes(
        self,
        scanned: Scanned,
        named: list[tuple[Item, Named]],
        refusal: int | None,
        following: Sequence[Scanned],
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
            negated = self._negated(scanned, item)
            place = self._bound(item, named, subjects, scanned)
            leads = not subjects and (
                self._leads_to_new(item, following) or self._leads_in(scanned, following)
            )
            if place is None or leads:
                self.pending.append(_Pending(item, scanned, negated))
            else:
                self._claim(place, item, scanned, negated)

    def _leads_in(self, scanned: Scanned, following: Sequence[Scanned]) -> bool:
        """Whether a sentence with a colon announces another place than the one spoken of."""
        names = following[0].of(Found.NAME) if following else []
        return (
            scanned.sentence.leads_in
            and bool(names)
            and bool(self.context.wanted)
            and self.topic not in names[0].places
        )

    def _leads_to_new(self, item: Item, following: Sequence[Scanned]) -> bool:
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
        return any(each.of(Found.NAME) for each in following) and item.found in (
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
        if self._may_be_of_topic(item):
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
        if item.found not in (Found.VALUE, Found.FREE):
            return False
        book = self.reader.scanner.book
        negator, harmless = book.cues.get("negator"), book.cues.get("not_negator")
        clause = _unholed(scanned.clause_words[item.clause])
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

    def _claim(self, place: Place, item: Item, scanned: Scanned, negated: bool) -> None:
        check = self.reader.check
        domain = check.domain(place[0])
        slot = check.slot_for(domain, item)
        row = check.row(*place)
        if not slot:
            return
        verdict = check.verdict(domain, row, slot, item, negated) if row else Verdict.UNDECIDABLE
        if verdict is Verdict.FALSE and (other := self._true_of(place, item, scanned, negated)):
            self._claim(other, item, scanned, negated)
            return
        quote = self.raw[item.start : item.end]
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
        """Another place named in the same sentence of which an attribute is true."""
        check = self.reader.check
        for each in self.names:
            if each.place == place or not _holds(scanned, each.start):
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
        if item.found is Found.VALUE:
            return item.value
        row = self.reader.check.row(*place)
        if verdict is Verdict.TRUE and row is not None:
            return self.reader.check.said(domain, row, slot)
        return self.raw[item.start : item.end]

    def _is_plain_statement(self, scanned: Scanned) -> bool:
        """Whether a sentence states something; a question that names a place offers it."""
        named = any(_holds(scanned, each.start) for each in self.names)
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

    # What is left

    def _leftover(self, scanned: Scanned, text: str) -> None:
        for match in _NUMBER.finditer(scanned.sentence.text):
            at = scanned.sentence.start + match.start()
            if not scanned.covers(at) and not self._is_of_user(match[0]):
                self.unread.append(Unread(match[0], at, at + len(match[0]), "number"))

    def _is_of_user(self, number: str) -> bool:
        return number in self.context.users_words

    def _find_unknown(self, prose: Prose, scanned: Sequence[Scanned]) -> dict[int, list[Item]]:
        """Names in bold or in quotation marks, a list of them for the sentence they stand in.

        A name that some table has, inflected so that the finders missed it, and one that none has.
        """
        found: dict[int, list[Item]] = {}
        for mark in prose.emphasised:
            number = next((n for n, each in enumerate(scanned) if _holds(each, mark.start)), None)
            if number is None or self._is_explained(mark, scanned[number]):
                continue
            known = self.reader.named_in(mark.text) or self._part_of_recent(mark.text)
            place = known or (self._unknown_domain(mark.text), mark.text.strip(" :.,"))
            at = _plain_position(scanned[number], mark.start)
            clause = next(
                (n for n, (a, b) in enumerate(scanned[number].clauses) if a <= mark.start < b), 0
            )
            item = Item(Found.NAME, mark.start, mark.end, clause, places=(place,), at=at)
            found.setdefault(number, []).append(item)
        for number, each in enumerate(scanned):
            strange = None if number in found else self._capitalised(each)
            if strange is not None:
                found[number] = [strange]
        return found

    def _part_of_recent(self, text: str) -> Place | None:
        """A place spoken of before, called by some words of its name."""
        words = plain(text).split()
        for place in (*(named.place for named in self.names), *self.context.recent):
            names = plain(place[1]).split()
            if words and all(any(_same_beginning(w, n) for n in names) for w in words):
                alike = sum(max(_alike_letters(w, n) for n in names) for w in words)
                if alike >= SAME_LETTERS * sum(map(len, words)):
                    return place
        return None

    def _capitalised(self, scanned: Scanned) -> Item | None:
        """A name in capitals that no table has, of which a sentence tells something."""
        if scanned.of(Found.NAME) or not any(i.found in ATTRIBUTES for i in scanned.items):
            return None
        strange = set(scanned.unexplained)
        for match in _CAPITALISED.finditer(scanned.sentence.text):
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
                domain = self._unknown_domain(match[0])
                return Item(Found.NAME, start, stop, 0, places=((domain, match[0]),), at=0)
        return None

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
            (item.found is Found.NAME and (_covers(item, mark) or self._is_exact(item)))
            or item.found not in (Found.NAME, Found.SLOT, Found.VALUE, Found.HOURS)
            or (item.found is Found.VALUE and item.whole and _covers(item, mark))
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

    # Rides

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
            for clause in map(_unholed, each.clause_words)
        )
        if not (stations or cars or plates or self.context.ride):
            return None
        ends: dict[Place, int] = {}
        for each in self.names:
            ends.setdefault(each.place, each.start)
        spots = [*stations, *cars, *plates]
        return RideRead(
            tuple(ends.items()),
            tuple((item.station, item.start, item.end) for item in stations if item.station),
            cars[0].value if cars else "",
            plates[0].value if plates else "",
            none,
            min((item.start for item in spots), default=0),
            max((item.end for item in spots), default=len(self.raw)),
        )


MOST_NAME_WORDS: Final = 6
"""Words of a name in bold or quotation marks; more are a sentence."""


def _holds(scanned: Scanned, at: int) -> bool:
    return scanned.sentence.start <= at < scanned.sentence.end


def _covers(item: Item, mark: Emphasis) -> bool:
    return item.end - item.start >= 0.6 * (mark.end - mark.start)


def _plain_position(scanned: Scanned, at: int) -> int:
    """Where a position of the reply is in the words as the finders saw them, roughly."""
    before = [item for item in scanned.items if item.at >= 0 and item.start <= at]
    after = [item for item in scanned.items if item.at >= 0 and item.start > at]
    if before:
        return before[-1].at + 1
    return after[0].at if after else len(scanned.plain)


def _with(scanned: Scanned, names: list[Item]) -> Scanned:
    if not names:
        return scanned
    kept = [
        item
        for item in scanned.items
        if not any(item.start < n.end and n.start < item.end for n in names)
    ]
    items = sorted([*kept, *names], key=lambda item: (item.start, item.end))
    return replace(scanned, items=tuple(items))


def _once(claims: Sequence[Claim]) -> Iterator[Claim]:
    """Claims without those that say the same of the same place again."""
    seen = set()
    for claim in claims:
        key = claim.domain, claim.entity, claim.slot, claim.value, claim.verdict, claim.is_firm
        if key not in seen:
            seen.add(key)
            yield claim


def _unholed(words: str) -> str:
    return _HOLE.sub("x", words)


def _alike(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two lists of stems are forms of the same words."""
    return len(one) == len(other) and all(
        a == b or (len(a) >= 3 and len(b) >= 3 and (a.startswith(b) or b.startswith(a)))
        for a, b in zip(one, other, strict=True)
    )
