"""Synthetic user utterances: acts worded with the phrases of a world's training phrase book.

    pieces = UtteranceComposer(lookup, book).compose(acts, rng)

Variety matters more than style: every phrase should occur together with every other.
`ValueParaphraser` words a price, a name or a dish so that it is still understood.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Final

from crosstalk.dialogue.acts import GENERAL, INFORM, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import SERVICE_MARK, DomainKind, SlotKind
from crosstalk.language.number_forms import Bounds, forms_of, read_bounds
from crosstalk.language.tokenize import units
from crosstalk.language.training_phrases import (
    Alias,
    Asked,
    DomainPhrases,
    TrainingPhrases,
    of_slot,
)
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlu.entity_lookup import TextSpan, slot_of
from crosstalk.system.nlu.training_samples import FilledUtterance, Span
from crosstalk.system.nlu.value_linking import NUMBERS, ValueLinker

BY_ALIAS: Final = 0.6
IN_WORDS: Final = 0.2
WITH_UNIT: Final = 0.6
SHORTENED: Final = 0.4
_NAMES: Final = frozenset({SlotKind.NAME, SlotKind.ENDPOINT, SlotKind.NEARBY})


class ValueParaphraser:
    """Words values in ways that the value linker still understands."""

    def __init__(self, lookup: ValueLinker, book: TrainingPhrases) -> None:
        self._lookup = lookup
        self._book = book
        self._words: dict[float, str] = {}
        for word, value in book.numbers.words.items():
            self._words.setdefault(value, word)
        self._short = lru_cache(maxsize=4096)(self._shorter)

    def say(self, act: Act, rng: Random) -> str:
        slot_key, _, service = act.slot.partition(SERVICE_MARK)
        found = slot_of(self._lookup.world, act.domain, slot_key)
        value = service or act.value
        if found is None:
            return value
        slot = found[1]
        if slot.kind in NUMBERS:
            return self._number(act, rng)
        aliases = list(self._aliases(act.domain, slot.key, value))
        if aliases and rng.random() < BY_ALIAS:
            return rng.choice(rng.choice(aliases).say)
        if slot.kind in _NAMES and rng.random() < SHORTENED:
            return rng.choice(self._short(act.domain, slot.key, value) or (value,))
        return value

    def adjective(self, act: Act, rng: Random) -> str:
        """An adjective for the value; empty if there is none."""
        slot, _, service = act.slot.partition(SERVICE_MARK)
        value = service or self._spec(act) or act.value
        aliases = [each for each in self._aliases(act.domain, slot, value) if each.adj]
        return rng.choice(rng.choice(aliases).adj) if aliases else ""

    def _aliases(self, domain: str, slot: str, value: str) -> Iterator[Alias]:
        for alias in self._book.values:
            if value in (alias.slots.get(f"{domain}.{slot}"), alias.slots.get(slot)):
                yield alias

    # Numbers

    def _spec(self, act: Act) -> str:
        """The bounds of a number as phrase books write them."""
        bounds = self._bounds(act)
        if bounds is None:
            return ""
        return "..".join("" if end is None else f"{end:g}" for end in (bounds.low, bounds.high))

    def _bounds(self, act: Act) -> Bounds | None:
        found = slot_of(self._lookup.world, act.domain, act.slot)
        if found is None or found[1].kind not in NUMBERS:
            return None
        return read_bounds(forms_of(self._lookup.world.language, act.domain, found[1]), act.value)

    def _number(self, act: Act, rng: Random) -> str:
        bounds = self._bounds(act)
        aliases = list(self._aliases(act.domain, act.slot, self._spec(act)))
        if bounds is None or (aliases and rng.random() < BY_ALIAS):
            return rng.choice(rng.choice(aliases).say) if aliases else act.value
        if rng.random() < 0.25:
            return act.value
        unit = self._unit(act, rng)
        said = self._pattern(bounds, unit, rng)
        return said if self._means(act, said) else act.value

    def _pattern(self, bounds: Bounds, unit: str, rng: Random) -> str:
        numbers = self._book.numbers
        if bounds.low is not None and bounds.high is not None:
            middle = (bounds.low + bounds.high) / 2
            if bounds.low == bounds.high or (middle * 0.8, middle * 1.2) == (
                bounds.low,
                bounds.high,
            ):
                return self._put(rng.choice(numbers.about or ("{}",)), [middle], unit, rng)
            return self._put(
                rng.choice(numbers.range or ("{}-{}",)), [bounds.low, bounds.high], unit, rng
            )
        if bounds.high is not None:
            return self._put(rng.choice((*numbers.below, "{}")), [bounds.high], unit, rng)
        return self._put(rng.choice(numbers.above or ("{}",)), [bounds.low or 0], unit, rng)

    def _put(self, pattern: str, values: list[float], unit: str, rng: Random) -> str:
        in_words = rng.random() < IN_WORDS
        parts = pattern.split("{}")
        said = parts[0]
        for number, (value, after) in enumerate(zip(values, parts[1:], strict=False), start=1):
            text = self._digits(value, in_words)
            said += text + (unit if number == len(values) else "") + after
        return said

    def _digits(self, value: float, in_words: bool) -> str:
        if in_words and value in self._words:
            return self._words[value]
        hundreds = value / 100
        if in_words and hundreds in self._words and 100 in self._words:
            apart = "" if len(self._words[100]) == 1 else " "
            return f"{self._words[hundreds]}{apart}{self._words[100]}"
        decimal = self._lookup.world.language.forms.get("rating")
        return f"{value:g}".replace(".", decimal.decimal if decimal else ".")

    def _unit(self, act: Act, rng: Random) -> str:
        found = slot_of(self._lookup.world, act.domain, act.slot)
        numbers = self._book.numbers
        is_rating = found is not None and found[1].kind is SlotKind.RATING
        several = numbers.points if is_rating else numbers.money
        if not several or rng.random() > WITH_UNIT:
            return ""
        unit = rng.choice(several)
        return unit if re.match(r"[\u2e80-\u9fff]", unit) else f" {unit}"

    def _means(self, act: Act, said: str) -> bool:
        """Whether the wording is linked to the intended value."""
        found = slot_of(self._lookup.world, act.domain, act.slot)
        slot = found[1] if found else None
        heard = TextSpan(Speaker.USER, said, 0, len(said))
        return self._lookup.linked_values(act.domain, slot, heard) == [act.value]

    # Names

    def _shorter(self, domain: str, slot_key: str, value: str) -> tuple[str, ...]:
        """Parts of a name that suffice to identify it."""
        found = slot_of(self._lookup.world, domain, slot_key)
        slot = found[1] if found else None
        there = units(value)
        parts = {
            value[there[first].start : there[last].end]
            for first in range(len(there))
            for last in range(first, len(there))
            if last - first < len(there) - 1
        }
        return tuple(
            part
            for part in sorted(parts)
            if len(part) > 1
            and self._lookup.linked_values(domain, slot, TextSpan(Speaker.USER, part, 0, len(part)))
            == [value]
        )


NAMELESS: Final = 0.5
"""Share of constraints worded without a sentence that asks for a place."""
ADJECTIVE: Final = 0.7
TOGETHER: Final = 0.6
"""Share of several requests that are put into one sentence."""
_HOLE: Final = re.compile(r"\{(\w*)\}")


@dataclass(frozen=True, slots=True)
class UtterancePiece:
    """A part of an utterance; with a key, it is the value of an act of that key."""

    text: str
    key: str = ""


Pieces = list[UtterancePiece]


def fill(pattern: str, holes: Mapping[str, Pieces]) -> Pieces:
    """A pattern with its placeholders filled."""
    pieces: Pieces = []
    for number, part in enumerate(_HOLE.split(pattern)):
        if number % 2:
            pieces += holes.get(part, [])
        elif part:
            pieces.append(UtterancePiece(part))
    return pieces


def sample_of_pieces(pieces: Iterable[UtterancePiece], keys: frozenset[str]) -> FilledUtterance:
    """The utterance, single-spaced, with its values marked."""
    text, spans = "", []
    for piece in pieces:
        part = re.sub(r"\s+", " ", piece.text)
        if part.startswith(" ") and (not text or text.endswith(" ")):
            part = part[1:]
        if piece.key and part.strip():
            spans.append(Span(len(text), len(text) + len(part), piece.key))
        text += part
    return FilledUtterance(Speaker.USER, text, tuple(spans), keys)


class UtteranceComposer:
    """Words user acts with the phrases of one phrase book."""

    def __init__(self, lookup: ValueLinker, book: TrainingPhrases) -> None:
        self._world = lookup.world
        self._book = book
        self._paraphraser = ValueParaphraser(lookup, book)
        self.keys = ActKeys.of(self._world.schema, self._world.language, Speaker.USER)

    def can_say(self, acts: Sequence[Act]) -> bool:
        """Whether the phrase book covers all acts."""
        return all(act.intent == GENERAL or act.domain in self._book.domains for act in acts)

    def compose(self, acts: Sequence[Act], rng: Random, *, known: str = "") -> Pieces:
        """One utterance: domain by domain, constraints before requests, greetings around.

        `known` is the domain under discussion, which need not be named again.
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
            if said := self._paraphraser.adjective(first, rng):
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
        return [UtterancePiece(self._paraphraser.say(act, rng), self._key(act))]

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
