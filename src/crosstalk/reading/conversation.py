"""A whole conversation read from its words: what the user asked, what each reply claimed.

The user's turns are understood by the rules of the system (`RulesNLU`); the agent's by the reader
of prose. The two share the finders of names, numbers and values, and nothing else.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from crosstalk.dialogue.acts import (
    INFORM,
    LIST,
    NO_OFFER,
    RECOMMEND,
    REQUEST,
    SELECT,
    Act,
    in_order,
)
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import Domain, DomainKind, SlotKind
from crosstalk.language.names import Place
from crosstalk.language.normalize import plain
from crosstalk.reading.claims import Claim, Verdict
from crosstalk.reading.items import Found, Scanned
from crosstalk.reading.picks import picked_by_property
from crosstalk.reading.prose import Prose, Sentence
from crosstalk.reading.reader import ProseReader
from crosstalk.reading.readings import Question, Reading, ReadingContext
from crosstalk.system.nlu.rules.nlu import RulesNLU
from crosstalk.worlds.world import find_world


@dataclass(frozen=True, slots=True)
class UserWords:
    """A user's turn, understood."""

    text: str
    acts: tuple[Act, ...]
    scanned: Scanned
    names: tuple[Place, ...]
    """Places named, whole or by a part that was spoken of."""
    questions: tuple[Question, ...]
    """What is asked for here."""
    wanted: str
    """The domain in which a place is looked for."""
    ride: str
    picked: Place | None = None
    """The one of the places offered last that is meant by a property: *the cheaper one*."""

    def mentions(self, domain: str) -> bool:
        return any(act.domain == domain for act in self.acts) or any(
            item.key == domain for item in self.scanned.of(Found.DOMAIN)
        )


@dataclass(frozen=True, slots=True)
class Exchange:
    """A user's turn and the reply to it."""

    user: UserWords
    reply: str
    reading: Reading


@dataclass(frozen=True, slots=True)
class SaidExchange:
    """The texts of an exchange as they came."""

    user: str
    reply: str
    is_cut: bool = False
    acts: tuple[Act, ...] | None = None
    """What the user meant, where it is known."""


@dataclass(frozen=True, slots=True)
class ReadSoFar:
    """A conversation as far as it was read: what its next exchange is read with."""

    exchanges: tuple[Exchange, ...] = ()
    history: tuple[Turn, ...] = ()
    """The same as turns, with the acts that were read."""
    open_questions: tuple[Question, ...] = ()
    """What the user asked and no reply has told."""


class ConversationReader:
    """Reads conversations in one language of a world."""

    def __init__(self, reader: ProseReader, nlu: RulesNLU) -> None:
        self.reader = reader
        self._nlu = nlu
        self._schema = reader.world.schema

    @classmethod
    def of(cls, world: str, language: str, data: Path | None = None) -> "ConversationReader":
        return _conversation_reader(world, language, data)

    def read(self, said: Iterable[SaidExchange]) -> list[Exchange]:
        so_far = ReadSoFar()
        for each in said:
            so_far = self.follow(so_far, each)
        return list(so_far.exchanges)

    def follow(self, before: ReadSoFar, said: SaidExchange) -> ReadSoFar:
        """A conversation and the exchange that comes next; only that one is read."""
        user = self._user(said, before.history, before.exchanges)
        context = self._context(user, said, before)
        reading = self.reader.read(said.reply, context)
        told = {(claim.domain, claim.slot) for claim in reading.claims}
        turns = (
            Turn(Speaker.USER, said.user, user.acts),
            Turn(Speaker.SYSTEM, said.reply, acts_of(reading)),
        )
        return ReadSoFar(
            (*before.exchanges, Exchange(user, said.reply, reading)),
            before.history + turns,
            tuple(question for question in context.questions if question not in told),
        )

    def _context(self, user: UserWords, said: SaidExchange, before: ReadSoFar) -> ReadingContext:
        topic = self._topic(user, before.exchanges)
        questions = tuple(dict.fromkeys((*user.questions, *before.open_questions)))
        return ReadingContext(
            questions=self._about(questions, topic, user),
            topic=topic,
            recent=_recent(before.exchanges, user),
            wanted=user.wanted,
            ride=user.ride,
            named=user.names,
            is_cut=said.is_cut,
            users_words=" ".join([*(each.user.text for each in before.exchanges), said.user]),
        )

    def _user(
        self, said: SaidExchange, history: Sequence[Turn], before: Sequence[Exchange]
    ) -> UserWords:
        turn = Turn(Speaker.USER, said.user)
        acts = said.acts if said.acts is not None else self.understand(turn, history)
        recent = _recent(before, None)
        text = " ".join(said.user.split())
        scanned = self.reader.scanner.scan(Sentence(text, 0, 0), recent)
        names = tuple(self._names(scanned, recent, acts))
        ride = self._ride(acts, scanned)
        wanted = "" if ride else self._wanted(acts)
        questions = tuple(self._questions(acts, said.user, recent, before))
        picked = None
        if before and not (names or wanted or ride):
            offers = _offers(before[-1])
            picked = picked_by_property(said.user, acts, questions, offers, self.reader)
        return UserWords(said.user, acts, scanned, names, questions, wanted, ride, picked)

    def understand(self, turn: Turn, history: Sequence[Turn]) -> tuple[Act, ...]:
        """The acts of a user's turn, by the rules alone."""
        if not turn.text.strip():
            return ()
        return self._nlu.understand(turn, history)

    def _names(
        self, scanned: Scanned, recent: Sequence[Place], acts: Iterable[Act]
    ) -> Iterator[Place]:
        for item in scanned.of(Found.NAME):
            spoken = [place for place in item.places if place in recent]
            if spoken or (item.sure and item.whole):
                yield (spoken or item.places)[0]
        said = {stem for stem, _, _ in self.reader.scanner.facts.stems(scanned.sentence.text)}
        for act in acts:
            domain = self._schema.domain(act.domain)
            if not self._is_said(act.value, said):
                continue
            is_name = domain and domain.name_slot and act.slot == domain.name_slot.key
            if is_name and self.reader.check.row(act.domain, act.value) is not None:
                yield act.domain, act.value

    def _is_said(self, name: str, said: set[str]) -> bool:
        """Whether a word of a name stands in a text; the rules may have taken it from before."""
        stems = [stem for stem, _, _ in self.reader.scanner.facts.stems(name)]
        spaced = self.reader.scanner.facts.writing.spaced
        return not spaced or any(stem in said for stem in stems if len(stem) > 2)

    def _ride(self, acts: Iterable[Act], scanned: Scanned) -> str:
        rides = {domain.key for domain in self._schema.rides}
        said = [act.domain for act in acts if act.domain in rides]
        said += [item.key for item in scanned.of(Found.DOMAIN) if item.key in rides]
        return said[0] if said else ""

    def _wanted(self, acts: Iterable[Act]) -> str:
        """The domain of a search: wishes without a name, or a name asked for."""
        said = list(acts)
        listed = {act.domain for act in said if act.intent == LIST}
        for is_surest in (True, False):
            for act in said:
                domain = self._schema.domain(act.domain)
                if domain is None or domain.kind is not DomainKind.PLACE:
                    continue
                if self._searches(act, domain, listed, is_surest):
                    return domain.key
        return ""

    def _searches(self, act: Act, domain: Domain, listed: set[str], is_surest: bool) -> bool:
        """Whether an act looks for a place: by a wish, or asking for its name.

        "What is near it" reads as a wish to be near, with the wish for a list: that is a question.
        """
        slot = domain.slot(act.slot)
        kind = slot.kind if slot else None
        if is_surest:
            return act.intent == INFORM and kind not in (SlotKind.NAME, SlotKind.NEARBY, None)
        if domain.key in listed:
            return False
        near = act.intent == SELECT or (act.intent == INFORM and kind is SlotKind.NEARBY)
        return near or (act.intent == REQUEST and kind is SlotKind.NAME)

    def _questions(
        self,
        acts: Iterable[Act],
        text: str,
        recent: Sequence[Place],
        before: Sequence[Exchange],
    ) -> Iterator[Question]:
        topic = before[-1].reading.topic if before else None
        spoken = topic[0] if topic else ""
        for act in acts:
            if act.intent == REQUEST:
                yield self._asked(act, spoken, text)
        for sentence in Prose.of(text).sentences:
            yield from self._asked_nearby(sentence, spoken, recent)

    def _asked(self, act: Act, spoken: str, text: str) -> Question:
        """What a question is for: of the place spoken of where the words name no other domain."""
        asked, here = self._schema.domain(act.domain), self._schema.domain(spoken)
        slot = asked.slot(act.slot) if asked else None
        if asked is None or here is None or slot is None or asked.key == spoken:
            return act.domain or spoken, act.slot
        same = here.slot(act.slot) or next(iter(here.of_kind(slot.kind)), None)
        named = self.reader.scanner.book.domains.get(act.domain)
        is_named = bool(named and named.search(plain(text)))
        if same is None or is_named or slot.kind in (SlotKind.NAME, SlotKind.TEXT):
            return act.domain, act.slot
        return spoken, same.key

    def _asked_nearby(
        self, sentence: Sentence, spoken: str, recent: Sequence[Place]
    ) -> Iterator[Question]:
        """What a question asks about places nearby; one with wishes is a search.

        "What is near X" without a kind of place asks for all kinds.
        """
        scanned = self.reader.scanner.scan(sentence, recent)
        near = any(map(partial(self.reader.words.has, "near"), map(_shown, scanned.clause_words)))
        wishes = any(item.found in (Found.AMOUNT, Found.VALUE) for item in scanned.items)
        asked = sentence.is_asked or self.reader.scanner.book.has("asking", scanned.plain)
        if not near or not asked or wishes:
            return
        targets = {item.key for item in scanned.of(Found.DOMAIN)}
        named = [p for item in scanned.of(Found.NAME) for p in item.places if p in recent]
        here = named[0][0] if named and not targets else spoken
        domain = self._schema.domain(here)
        for slot in domain.of_kind(SlotKind.NEARBY) if domain else ():
            if slot.target in targets or (named and not targets):
                yield here, slot.key

    def _topic(self, user: UserWords, before: Sequence[Exchange]) -> Place | None:
        """The place an answer without a name is about."""
        if user.names:
            return user.names[0]
        if user.picked:
            return user.picked
        topic = before[-1].reading.topic if before else None
        if topic and user.questions:
            domains = {domain for domain, _ in user.questions if domain}
            if domains and topic[0] not in domains and not user.wanted:
                spoken = [
                    claim.entity
                    for each in reversed(before)
                    for claim in each.reading.claims
                    if claim.is_offer and claim.domain in domains
                ]
                if spoken:
                    return next(iter(domains)), spoken[0]
        return topic

    def _about(
        self, questions: Iterable[Question], topic: Place | None, user: UserWords
    ) -> tuple[Question, ...]:
        """Questions with the domain of the topic where they name none."""
        spoken = topic[0] if topic else user.wanted
        return tuple(dict.fromkeys((domain or spoken, slot) for domain, slot in questions))


def _offers(exchange: Exchange) -> list[Place]:
    """The places that a reply offers, each once."""
    offered = (claim for claim in exchange.reading.claims if claim.is_offer)
    return list(dict.fromkeys((claim.domain, claim.entity) for claim in offered))


def _shown(words: str) -> str:
    return "".join("x" if "\ue000" <= letter <= "\ue0ff" else letter for letter in words)


def _recent(exchanges: Sequence[Exchange], user: UserWords | None) -> tuple[Place, ...]:
    found: dict[Place, None] = {}
    if user is not None:
        found |= dict.fromkeys(user.names)
    for each in reversed(exchanges):
        found |= dict.fromkeys(named.place for named in reversed(each.reading.names))
        found |= dict.fromkeys(each.user.names)
    return tuple(found)


def acts_of(reading: Reading) -> tuple[Act, ...]:
    """What a reply did, as acts of the published kind; false claims keep what was said."""
    acts = [_act(claim) for claim in reading.claims if claim.is_firm]
    for refusal in reading.refusals:
        acts += [Act(NO_OFFER, domain) for domain in refusal.domains]
    return in_order(acts)


def _act(claim: Claim) -> Act:
    intent = RECOMMEND if claim.is_offer and claim.verdict is Verdict.TRUE else INFORM
    return Act(intent, claim.domain, claim.slot, claim.value)


@lru_cache(maxsize=8)
def _conversation_reader(world: str, language: str, data: Path | None) -> ConversationReader:
    reader = ProseReader.of(world, language, data)
    return ConversationReader(reader, RulesNLU(reader.world, find_world(world), templates=False))
