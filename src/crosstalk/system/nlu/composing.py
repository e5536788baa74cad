"""Composing: acts put into words from a phrase book, in ever new ways.

    pieces = Composer(facts, book).compose(acts, rng)

The sentences need not be beautiful; what matters is that every way of saying a thing turns up in
every company.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from crosstalk.dialogue.acts import GENERAL, INFORM, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import SERVICE_MARK, DomainKind
from crosstalk.language.training_phrases import Asked, DomainPhrases, TrainingPhrases, of_slot
from crosstalk.system.nlg.keys import ActKeys
from crosstalk.system.nlu.filling import FilledUtterance, Span
from crosstalk.system.nlu.meanings import LooseFacts
from crosstalk.system.nlu.saying import ValueSayer

NAMELESS: Final = 0.5
"""How often a wish stands without the sentence that looks for a place."""
ADJECTIVE: Final = 0.7
TOGETHER: Final = 0.6
"""How often several things are asked for in one sentence."""
_HOLE: Final = re.compile(r"\{(\w*)\}")


@dataclass(frozen=True, slots=True)
class UtterancePiece:
    """A stretch of an utterance; one with a key gives an act of that key its value."""

    text: str
    key: str = ""


Pieces = list[UtterancePiece]


def fill(pattern: str, holes: Mapping[str, Pieces]) -> Pieces:
    """A pattern with its holes filled; an empty filling leaves no double space."""
    pieces: Pieces = []
    for number, part in enumerate(_HOLE.split(pattern)):
        if number % 2:
            pieces += holes.get(part, [])
        elif part:
            pieces.append(UtterancePiece(part))
    return pieces


def sample_of_pieces(pieces: Iterable[UtterancePiece], keys: frozenset[str]) -> FilledUtterance:
    """The utterance, single-spaced, with the places of its values."""
    text, spans = "", []
    for piece in pieces:
        part = re.sub(r"\s+", " ", piece.text)
        if part.startswith(" ") and (not text or text.endswith(" ")):
            part = part[1:]
        if piece.key and part.strip():
            spans.append(Span(len(text), len(text) + len(part), piece.key))
        text += part
    return FilledUtterance(Speaker.USER, text, tuple(spans), keys)


class Composer:
    """Says what users say, in the words of one book."""

    def __init__(self, facts: LooseFacts, book: TrainingPhrases) -> None:
        self._world = facts.world
        self._book = book
        self._sayer = ValueSayer(facts, book)
        self.keys = ActKeys.of(self._world.schema, self._world.language, Speaker.USER)

    def can_say(self, acts: Sequence[Act]) -> bool:
        """Whether the book has words for all of them."""
        return all(act.intent == GENERAL or act.domain in self._book.domains for act in acts)

    def compose(self, acts: Sequence[Act], rng: Random, *, known: str = "") -> Pieces:
        """One utterance: courtesies around, wishes before questions, domain by domain.

        `known` is the domain being talked about, which need not be said again.
        """
        sentences: list[Pieces] = []
        near = {act.value for act in acts if act.intent == SELECT}
        told = [a for a in acts if a.intent != GENERAL]
        names = {a.domain: a for a in told if a.domain in near and self._is_name(a)}
        domains = dict.fromkeys(act.domain for act in told if act not in names.values())
        for domain in domains:
            its = [a for a in told if a.domain == domain and a not in names.values()]
            sentences += self._domain(domain, its, names, domain == known, rng)
        said = self._joined(sentences, rng)
        return self._polite([act for act in acts if act.intent == GENERAL], said, rng)

    def courtesy(self, kind: str, rng: Random) -> Pieces:
        said = getattr(self._book.say, kind, ())
        return [UtterancePiece(rng.choice(said))] if said else []

    # One domain

    def _domain(
        self, domain: str, acts: Sequence[Act], names: Mapping[str, Act], known: bool, rng: Random
    ) -> list[Pieces]:
        found = self._world.schema.domain(domain)
        if found is None:
            return []
        requests = [act for act in acts if act.intent == REQUEST]
        informs = [act for act in acts if act.intent == INFORM]
        if found.kind is not DomainKind.PLACE:
            return [*self._ride(domain, informs, rng), *self._ask(domain, requests, None, rng)]
        name = next((act for act in informs if self._is_name(act)), None)
        wishes = [act for act in informs if act is not name]
        near = next((act for act in acts if act.intent == SELECT), None)
        wanted = [act for act in requests if act.slot == self._name_slot(domain)]
        asked = [act for act in requests if act not in wanted]
        sentences: list[Pieces] = []
        if wishes or near or wanted:
            clear = known or any(self._is_own(domain, act.slot) for act in wishes)
            sentence = self._find(domain, wishes, near, names, wanted, clear, rng)
            sentences.append(sentence)
        if name and not asked:
            sentences.append(self._go(domain, name, rng))
        return [*sentences, *self._ask(domain, asked, name, rng)]

    def _find(
        self,
        domain: str,
        wishes: Sequence[Act],
        near: Act | None,
        names: Mapping[str, Act],
        wanted: Sequence[Act],
        clear: bool,
        rng: Random,
    ) -> Pieces:
        phrases = self._phrases(domain)
        pattern = rng.choice((*phrases.find, *phrases.words[:1]) or ("{adj}",))
        if clear and (wishes or near) and not wanted and rng.random() < NAMELESS:
            pattern = ""
        left = list(wishes)
        adjectives: Pieces = []
        if "{adj}" in pattern and left and rng.random() < ADJECTIVE:
            first = rng.choice(left)
            if said := self._sayer.adjective(first, rng):
                left.remove(first)
                adjectives = [UtterancePiece(said, self._key(first))]
        rng.shuffle(left)
        parts = [fill(pattern, {"adj": adjectives})] if pattern else []
        parts += [self._wish(act, rng) for act in left]
        if near:
            parts.insert(rng.randint(0, len(parts)), self._near(near, names, rng))
        if not pattern and wanted:
            parts.append(self._ask_one(wanted[0], rng))
        return self._spaced(parts, rng)

    def _wish(self, act: Act, rng: Random) -> Pieces:
        slot = act.slot.partition(SERVICE_MARK)[0]
        patterns = of_slot(self._book.want, act.domain, slot) or ("{v}",)
        return fill(rng.choice(patterns), {"v": self._value(act, rng)})

    def _near(self, near: Act, names: Mapping[str, Act], rng: Random) -> Pieces:
        book = self._book.near
        if near.value in names:
            return fill(
                rng.choice(book.place or ("{place}",)),
                {"place": self._value(names[near.value], rng)},
            )
        the = (*book.the.get(near.value, ()), *(book.there if near.domain != near.value else ()))
        return [UtterancePiece(rng.choice(the or book.there or ("",)))]

    def _go(self, domain: str, name: Act, rng: Random) -> Pieces:
        patterns = self._phrases(domain).go or ("{name}",)
        return fill(rng.choice(patterns), {"name": self._value(name, rng)})

    def _ride(self, domain: str, ends: Sequence[Act], rng: Random) -> list[Pieces]:
        wanted = {act.slot: act for act in ends}
        fitting = [
            pattern
            for pattern in self._book.rides.get(domain, ())
            if set(_HOLE.findall(pattern)) == set(wanted)
        ]
        if not wanted or not fitting:
            return []
        holes = {slot: self._value(act, rng) for slot, act in wanted.items()}
        return [fill(rng.choice(fitting), holes)]

    # Questions

    def _ask(
        self, domain: str, asked: Sequence[Act], name: Act | None, rng: Random
    ) -> list[Pieces]:
        if not asked:
            return []
        left = list(asked)
        rng.shuffle(left)
        sentences: list[Pieces] = []
        named = [act for act in left if self._asked(act).nouns and SERVICE_MARK not in act.slot]
        if named and (rng.random() < TOGETHER or name):
            sentences.append(self._ask_together(named, name, rng))
            left = [act for act in left if act not in named]
        elif name:
            sentences.append(self._go(domain, name, rng))
        services = [act for act in left if SERVICE_MARK in act.slot]
        if len(services) > 1 and rng.random() < TOGETHER:
            sentences.append(self._ask_services(services, rng))
            left = [act for act in left if act not in services]
        return [*sentences, *(self._ask_one(act, rng) for act in left)]

    def _ask_services(self, asked: Sequence[Act], rng: Random) -> Pieces:
        listed: Pieces = []
        for number, act in enumerate(asked):
            listed += [UtterancePiece(self._comma(rng))] if number else []
            listed += self._value(act, rng)
        it = [UtterancePiece(rng.choice(self._phrases(asked[0].domain).it or ("",)))]
        return fill(rng.choice(self._asked(asked[0]).say or ("{v}",)), {"it": it, "v": listed})

    def _ask_together(self, asked: Sequence[Act], name: Act | None, rng: Random) -> Pieces:
        nouns = [rng.choice(self._asked(act).nouns) for act in asked]
        listed: Pieces = []
        for number, noun in enumerate(nouns):
            listed += [UtterancePiece(self._comma(rng))] if number else []
            listed.append(UtterancePiece(noun))
        pieces = fill(rng.choice(self._book.ask.frames or ("{x}",)), {"x": listed})
        if name:
            holes = {"name": self._value(name, rng), "q": pieces}
            return fill(rng.choice(self._book.ask.of or ("{q} {name}",)), holes)
        return pieces

    def _ask_one(self, act: Act, rng: Random) -> Pieces:
        asked = self._asked(act)
        it = [UtterancePiece(rng.choice(self._phrases(act.domain).it or ("",)))]
        if asked.say and (rng.random() < TOGETHER or not asked.nouns):
            value = self._value(act, rng) if SERVICE_MARK in act.slot else []
            return fill(rng.choice(asked.say), {"it": it, "v": value})
        nouns = asked.nouns or (self._world.language.slot_name(act.domain, act.slot),)
        noun = [UtterancePiece(rng.choice(nouns))]
        return fill(rng.choice(self._book.ask.frames or ("{x}",)), {"x": noun})

    def _asked(self, act: Act) -> Asked:
        slot = act.slot.partition(SERVICE_MARK)[0]
        table = self._book.ask.slots
        return table.get(f"{act.domain}.{slot}") or table.get(slot) or Asked()

    # Parts

    def _value(self, act: Act, rng: Random) -> Pieces:
        return [UtterancePiece(self._sayer.say(act, rng), self._key(act))]

    def _key(self, act: Act) -> str:
        return self.keys.spoken(act).key

    def _phrases(self, domain: str) -> DomainPhrases:
        return self._book.domains.get(domain) or DomainPhrases()

    def _name_slot(self, domain: str) -> str:
        found = self._world.schema.domain(domain)
        return found.name_slot.key if found and found.name_slot else ""

    def _is_name(self, act: Act) -> bool:
        return act.intent == INFORM and act.slot == self._name_slot(act.domain)

    def _is_own(self, domain: str, slot: str) -> bool:
        """Whether no other domain has such a slot."""
        return not any(
            each.key != domain and each.slot(slot) is not None for each in self._world.schema
        )

    def _comma(self, rng: Random) -> str:
        return rng.choice(self._book.say.joined)

    def _joined(self, sentences: Sequence[Pieces], rng: Random) -> Pieces:
        pieces: Pieces = []
        for number, sentence in enumerate(each for each in sentences if each):
            pieces += [UtterancePiece(self._comma(rng))] if number else []
            pieces += sentence
        return pieces

    def _spaced(self, parts: Sequence[Pieces], rng: Random) -> Pieces:
        pieces: Pieces = []
        for part in (each for each in parts if each):
            pieces += [UtterancePiece(rng.choice(self._book.say.space))] if pieces else []
            pieces += part
        return pieces

    def _polite(self, general: Sequence[Act], said: Pieces, rng: Random) -> Pieces:
        before: list[Pieces] = []
        after: list[Pieces] = []
        for act in general:
            pieces = self.courtesy(act.domain, rng)
            is_first = act.domain == "greet" or (act.domain == "thank" and rng.random() < 0.5)
            (before if is_first else after).append(pieces)
        parts = [*before, said, *after]
        joined: Pieces = []
        for part in (each for each in parts if each):
            joined += [UtterancePiece(rng.choice((", ", "! ", ". ", " ")))] if joined else []
            joined += part
        return joined
