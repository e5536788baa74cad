"""Sentences for the system's acts beyond the published ones, around what a generator says.

    AnswerNLG(generator, world, book).say(acts, Random(1))

The sentences come from the `answers` of the language's phrase file; acts of the published intents
go to the generator. The parts are ordered as people expect: yes or no first, then facts, then
questions back.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Final

from crosstalk.dialogue.acts import (
    AFFIRM,
    AMONG,
    ASK,
    COUNT,
    DENY,
    DIFFERENCE,
    FACT,
    GENERAL,
    IGNORED,
    INFORM,
    NO_MORE,
    NO_RECORD,
    NO_STEP,
    PRODUCT,
    PUBLISHED,
    TIE,
    UNSUPPORTED,
    WINNER,
    Act,
)
from crosstalk.dialogue.schema import SERVICE_MARK, SlotKind
from crosstalk.language.phrases import Phrasebook
from crosstalk.system.nlg.generator import ParaphrasingGenerator
from crosstalk.worlds.queries import ends_of
from crosstalk.worlds.tables import World

RIDE: Final = "Ride"
"""The sentence that names both ends of a ride."""
OURS: Final = frozenset({"help", "restart", "misunderstood"})
"""General acts with sentences of their own."""
BEFORE: Final = ("restart", AFFIRM, DENY, IGNORED, UNSUPPORTED, NO_MORE, NO_STEP, COUNT, RIDE)
"""What is said before the generator's facts, in this order."""
AFTER: Final = (FACT, PRODUCT, DIFFERENCE, TIE, WINNER, NO_RECORD, "misunderstood", "help", ASK)
"""What is said after them."""
ACT_PLACEHOLDERS: Final = frozenset(
    {"name", "value", "slot", "places", "domains", "rides", "examples"}
)
"""What the answer to an act may hold in braces."""
JOINED_PLACEHOLDERS: Final = {
    RIDE: frozenset({"departure", "destination"}),
    IGNORED: frozenset({"words"}),
    UNSUPPORTED: frozenset({"words"}),
}
"""What answers to several acts at once may hold instead."""
CLOSING: Final = frozenset({"reqmore", "bye"})
OPENING: Final = frozenset({"greet", "thank", "welcome"})
MOST_EXAMPLES: Final = 2


class AnswerNLG:
    """A generator that can say every act of the system."""

    def __init__(self, generator: ParaphrasingGenerator, world: World, book: Phrasebook) -> None:
        self._generator = generator
        self._world = world
        self._book = book

    def say(self, acts: Sequence[Act], rng: Random) -> str:
        return next(self.ways(acts, rng, 1))

    def ways(self, acts: Sequence[Act], rng: Random, most: int) -> Iterator[str]:
        """Different wordings of the facts, with the same sentences around them."""
        theirs = [act for act in acts if not self._is_ours(act)]
        ours = [act for act in acts if self._is_ours(act)]
        if not ours:
            yield from self._generator.ways(theirs, rng, most)
            return
        body = [act for act in theirs if not self._is_general(act, OPENING | CLOSING)]
        opening = [act for act in theirs if self._is_general(act, OPENING)]
        closing = [act for act in theirs if self._is_general(act, CLOSING)]
        first = [*self._said(opening, rng), *self._sentences(ours, BEFORE, rng)]
        last = [*self._sentences(ours, AFTER, rng), *self._said(closing, rng)]
        for text in self._generator.ways(body, rng, most) if body else [""]:
            yield self._space.join(part for part in (*first, text, *last) if part)

    @property
    def _space(self) -> str:
        goal = self._world.language.goal
        return goal.sentence_space if goal else " "

    def _said(self, acts: Sequence[Act], rng: Random) -> list[str]:
        return [self._generator.say(acts, rng)] if acts else []

    def _is_general(self, act: Act, what: frozenset[str]) -> bool:
        return act.intent == GENERAL and act.domain in what

    def _is_ours(self, act: Act) -> bool:
        return act.intent not in PUBLISHED or self._is_general(act, OURS) or bool(self._is_end(act))

    def _is_end(self, act: Act) -> str:
        """Which end of a ride an act names: departure, destination, or none."""
        domain = self._world.schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        if act.intent not in (INFORM, ASK) or not domain or not slot:
            return ""
        if slot.kind is not SlotKind.ENDPOINT:
            return ""
        return "departure" if slot.key == ends_of(domain)[0] else "destination"

    def _sentences(self, acts: Sequence[Act], stages: Sequence[str], rng: Random) -> list[str]:
        staged = [(self._stage(act), act) for act in acts]
        said = []
        for stage in stages:
            group = [act for where, act in staged if where == stage]
            if stage == RIDE and group:
                ends = {self._is_end(act): act.value for act in group}
                said.append(self._fill([RIDE], ends, rng))
            elif stage in (IGNORED, UNSUPPORTED) and group:
                said += self._joined(stage, group, rng)
            else:
                said += [self._fill(self._keys(act), self._values(act), rng) for act in group]
        return list(dict.fromkeys(said))

    def _stage(self, act: Act) -> str:
        if act.intent == INFORM:
            return RIDE
        return act.domain if act.intent == GENERAL else act.intent

    def _joined(self, intent: str, acts: Sequence[Act], rng: Random) -> list[str]:
        """One sentence per topic, with all its words."""
        topics = dict.fromkeys(act.slot for act in acts)
        return [
            self._fill(
                [f"{intent}+{topic}", intent],
                {"words": self._enumerated([a.value for a in acts if a.slot == topic])},
                rng,
            )
            for topic in topics
        ]

    def _keys(self, act: Act) -> list[str]:
        """Names of sentences that say the act, the most specific first."""
        domain = self._world.schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        kind = f"{act.intent}+{slot.kind}" if slot else act.intent
        if act.intent == GENERAL:
            return [f"{GENERAL}+{act.domain}"]
        if act.intent == ASK:
            return [f"{ASK}+{self._is_end(act) or act.slot}", f"{ASK}+place"]
        pack = self._world.language
        ways = {pack.yes: f"{kind}+yes", pack.no: f"{kind}+no"}
        whether = [ways[value] for value in [act.value.partition(AMONG)[2]] if value in ways]
        return [*whether, f"{kind}+{act.value}", kind, act.intent]

    def _values(self, act: Act) -> dict[str, str]:
        pack, schema = self._world.language, self._world.schema
        slot, _, service = act.slot.partition(SERVICE_MARK)
        name, _, value = act.value.partition(AMONG)
        places = self._enumerated([pack.domain_name(domain.key) for domain in schema.places])
        rides = self._enumerated([pack.domain_name(domain.key) for domain in schema.rides])
        return {
            "name": name,
            "value": value or name,
            "slot": service or pack.slot_name(act.domain, slot),
            "places": places,
            "domains": places,
            "rides": rides,
            "examples": " / ".join(self._book.examples[:MOST_EXAMPLES]),
        }

    def _fill(self, keys: Sequence[str], values: Mapping[str, str], rng: Random) -> str:
        ways = next((self._book.answers[key] for key in keys if key in self._book.answers), ())
        text = rng.choice(ways) if ways else " ".join(filter(None, values.values()))
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    def _enumerated(self, items: Sequence[str]) -> str:
        goal = self._world.language.goal
        comma, last = (goal.comma, goal.last_comma) if goal else (", ", ", ")
        if len(items) < 2:
            return "".join(items)
        return comma.join(items[:-1]) + last + items[-1]
