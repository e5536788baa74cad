"""Synthetic user turns, acts and words, that simulated users would not take.

Simulated users pursue a goal step by step. People who try out a system do not: they ask before
anything was found, correct themselves, want odd numbers and talk about the weather.
`TypingNoise` adds what typing does to a text: case, punctuation, typos, dropped words.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from crosstalk.dialogue.acts import GENERAL, INFORM, REQUEST, SELECT, Act
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, Slot, SlotKind
from crosstalk.language.number_forms import Bounds
from crosstalk.language.scripts import is_undivided
from crosstalk.language.training_phrases import TrainingPhrases
from crosstalk.system.nlu.synthetic_utterances import (
    Pieces,
    UtteranceComposer,
    UtterancePiece,
    fill,
)
from crosstalk.system.nlu.value_linking import NUMBERS, ValueLinker, read_spec

Said = tuple[tuple[Act, ...], Pieces]

BY_LEVEL: Final = 0.4
"""Share of numeric constraints given by a word such as `cheap`."""
ABOUT: Final = 0.15
PART_OF_LIST: Final = 0.4
AGAIN: Final = 0.3
"""Probability that a second service is wanted or requested."""


@dataclass(frozen=True, slots=True)
class TurnSituation:
    """The point of the dialogue at which a turn is generated."""

    domain: str = ""
    """Domain of the place under discussion; empty at the beginning."""


class TurnGenerator:
    """Generates turns about one world."""

    def __init__(
        self, lookup: ValueLinker, book: TrainingPhrases, composer: UtteranceComposer
    ) -> None:
        self._lookup = lookup
        self._world = lookup.world
        self._book = book
        self._composer = composer
        self._places = [each for each in self._world.schema.places if each.key in book.domains]
        self._rides = [each for each in self._world.schema.rides if each.key in book.rides]
        self._kinds: list[tuple[Callable[[TurnSituation, Random], Said], float]] = [
            (self._find, 34),
            (self._ask, 34),
            (self._go, 5),
            (self._ride, 8 if self._rides else 0),
            (self._courtesy, 8),
            (self._nothing, 9),
            (self._instead, 4 if book.say.instead else 0),
        ]

    def turn(self, now: TurnSituation, rng: Random) -> Said:
        """The acts of a turn and its words."""
        makers, weights = zip(*self._kinds, strict=True)
        acts, pieces = rng.choices(makers, weights)[0](now, rng)
        say = self._book.say
        if acts and say.correction and rng.random() < 0.08:
            pieces = [UtterancePiece(rng.choice(say.correction) + " "), *pieces]
        elif acts and say.before and rng.random() < 0.2:
            pieces = [UtterancePiece(rng.choice(say.before) + " "), *pieces]
        if acts and say.after and rng.random() < 0.15:
            pieces = [*pieces, UtterancePiece(" " + rng.choice(say.after))]
        return tuple(sorted(set(acts))), pieces

    # Kinds of turns

    def _find(self, now: TurnSituation, rng: Random) -> Said:
        domain = self._some_place(now, rng, stay=0.45)
        count = rng.choices((0, 1, 2, 3), (20, 50, 25, 5))[0]
        slots = [slot for slot in domain.slots if slot.constrain]
        acts = [
            act
            for slot in rng.sample(slots, min(count, len(slots)))
            for act in self._wish(domain, slot, rng)
        ]
        if rng.random() < 0.3:
            acts += self._near(domain, now, rng)
        if not acts or rng.random() < 0.2:
            acts += [Act(REQUEST, domain.key, _name_of(domain), "")]
        if rng.random() < 0.12:
            acts += self._questions(domain, rng, most=1)
        if rng.random() < 0.12:
            acts += [Act(GENERAL, "greet")]
        return tuple(acts), self._composer.compose(sorted(set(acts)), rng, known=now.domain)

    def _ask(self, now: TurnSituation, rng: Random) -> Said:
        known = self._world.schema.domain(now.domain)
        if known in self._rides:
            asked = [Act(REQUEST, now.domain, s.key, "") for s in known.slots if s.request]
            acts = rng.sample(asked, rng.randint(1, len(asked)))
            return tuple(acts), self._composer.compose(acts, rng)
        named = not now.domain or rng.random() < 0.25
        domain = rng.choice(self._places) if named else self._some_place(now, rng, stay=1)
        acts = self._questions(domain, rng, most=3)
        if named:
            acts.append(self._name(domain, rng))
        return tuple(acts), self._composer.compose(acts, rng)

    def _go(self, now: TurnSituation, rng: Random) -> Said:
        acts = (self._name(rng.choice(self._places), rng),)
        return acts, self._composer.compose(acts, rng)

    def _ride(self, now: TurnSituation, rng: Random) -> Said:
        domain = rng.choice(self._rides)
        ends = domain.of_kind(SlotKind.ENDPOINT)
        places = [self._name(rng.choice(self._places), rng).value for _ in ends]
        acts = [
            Act(INFORM, domain.key, slot.key, place)
            for slot, place in zip(ends, places, strict=True)
        ]
        if rng.random() < 0.3:
            acts = [rng.choice(acts)]
        if rng.random() < 0.25:
            asked = [slot for slot in domain.slots if slot.request]
            acts.append(Act(REQUEST, domain.key, rng.choice(asked).key, ""))
        return tuple(acts), self._composer.compose(acts, rng)

    def _courtesy(self, now: TurnSituation, rng: Random) -> Said:
        kinds = rng.choice((("greet",), ("thank",), ("bye",), ("thank", "bye")))
        acts = [Act(GENERAL, kind) for kind in kinds]
        return tuple(acts), self._composer.compose(acts, rng)

    def _nothing(self, now: TurnSituation, rng: Random) -> Said:
        said = self._book.say.nothing
        return (), [
            UtterancePiece(" ".join(rng.sample(said, min(len(said), rng.choice((1, 1, 2))))))
        ]

    def _instead(self, now: TurnSituation, rng: Random) -> Said:
        """A correction: something, then what was really meant."""
        _, wrong = self._ask(now, rng) if rng.random() < 0.5 else self._find(now, rng)
        acts, right = self._ask(now, rng) if rng.random() < 0.5 else self._find(now, rng)
        taken_back = [UtterancePiece(piece.text) for piece in wrong]
        return acts, fill(rng.choice(self._book.say.instead), {"no": taken_back, "yes": right})

    # Acts

    def _some_place(self, now: TurnSituation, rng: Random, *, stay: float) -> Domain:
        known = next((each for each in self._places if each.key == now.domain), None)
        return known if known and rng.random() < stay else rng.choice(self._places)

    def _questions(self, domain: Domain, rng: Random, *, most: int) -> list[Act]:
        slots = [s for s in domain.slots if s.request and s.kind is not SlotKind.NAME]
        count = rng.choices(range(1, most + 1), (70, 25, 5)[:most])[0]
        chosen = rng.sample(slots, min(count, len(slots)))
        chosen += [s for s in chosen if s.kind is SlotKind.SERVICES and rng.random() < AGAIN]
        return [Act(REQUEST, domain.key, self._asked_key(domain, slot, rng), "") for slot in chosen]

    def _asked_key(self, domain: Domain, slot: Slot, rng: Random) -> str:
        if slot.kind is not SlotKind.SERVICES:
            return slot.key
        return f"{slot.key}{SERVICE_MARK}{self._term(domain, slot, rng)}"

    def _name(self, domain: Domain, rng: Random) -> Act:
        name = _name_of(domain)
        value = rng.choice(self._world.texts(domain.key, name))
        return Act(INFORM, domain.key, name, value)

    def _near(self, domain: Domain, now: TurnSituation, rng: Random) -> list[Act]:
        source = self._world.language.source
        reached = [p for p in self._places if any(s.target == p.key for s in domain.slots)]
        if now.domain in {place.key for place in reached} and rng.random() < 0.5:
            return [Act(SELECT, domain.key, source, now.domain)]
        if not reached:
            return []
        other = rng.choice(reached)
        return [self._name(other, rng), Act(SELECT, domain.key, source, other.key)]

    # Wishes

    def _wish(self, domain: Domain, slot: Slot, rng: Random) -> list[Act]:
        if slot.kind in NUMBERS:
            bounds = self._bounds(domain, slot, rng)
            value = self._lookup.say_bounds(domain.key, slot, bounds)
            return [Act(INFORM, domain.key, slot.key, value)]
        if slot.kind is SlotKind.SERVICES:
            yes = self._world.language.yes
            several = 2 if rng.random() < AGAIN else 1
            keys = {self._asked_key(domain, slot, rng) for _ in range(several)}
            return [Act(INFORM, domain.key, key, yes) for key in sorted(keys)]
        return [Act(INFORM, domain.key, slot.key, self._term(domain, slot, rng))]

    def _term(self, domain: Domain, slot: Slot, rng: Random) -> str:
        """A value of the slot, often one with aliases."""
        aliased = [
            value
            for alias in self._book.values
            for key, value in alias.slots.items()
            if key in (f"{domain.key}.{slot.key}", slot.key)
        ]
        if aliased and rng.random() < 0.6:
            return rng.choice(aliased)
        value = rng.choice(self._world.texts(domain.key, slot.key))
        if slot.kind is SlotKind.LIST and rng.random() < PART_OF_LIST:
            return self._lookup.part_of(domain.key, slot, value, rng) or value
        return value

    def _bounds(self, domain: Domain, slot: Slot, rng: Random) -> Bounds:
        levels = self._levels(domain, slot)
        if levels and rng.random() < BY_LEVEL:
            return rng.choice(levels)
        if slot.kind is SlotKind.RATING:
            return Bounds(rng.choice((3.5, 4.0, 4.0, 4.2, 4.5, 4.5, 4.8)), None)
        rows = [row.get(slot.key) for row in self._world.tables[domain.key]]
        cells = [cell for cell in rows if isinstance(cell, int | float) and cell > 0]
        low, high = sorted(_round(rng.choice(cells)) for _ in range(2))
        kind = rng.random()
        if kind < 0.5 or low == high:
            return Bounds(None, high)
        if kind < 0.65:
            return Bounds(low, None)
        if kind < 0.65 + ABOUT:
            return Bounds(round(high * 0.8), round(high * 1.2))
        return Bounds(low, high)

    def _levels(self, domain: Domain, slot: Slot) -> Sequence[Bounds]:
        return [
            read_spec(value)
            for alias in self._book.values
            for key, value in alias.slots.items()
            if key in (f"{domain.key}.{slot.key}", slot.key)
        ]


def _name_of(domain: Domain) -> str:
    return domain.name_slot.key if domain.name_slot else ""


def _round(number: float) -> float:
    return round(number / 10) * 10 or 10


SLIPS: Final = 0.5
"""Share of utterances with typos; `SLIP`: share of their longer words that get one."""
SLIP: Final = 0.08
SMALL: Final = 0.65
BARE: Final = 0.5
LEFT_OUT: Final = 0.06
_MARKS: Final = ".,!?;:。，！？；：،؟"


class TypingNoise:
    """Adds typing noise to utterances."""

    def __init__(self, keyboard: Sequence[str]) -> None:
        self._near = {
            key: [row[n] for n in (at - 1, at + 1) if 0 <= n < len(row)]
            for row in keyboard
            for at, key in enumerate(row)
        }

    def typed(self, pieces: Pieces, rng: Random) -> Pieces:
        small, bare, careless = (rng.random() < odds for odds in (SMALL, BARE, SLIPS))
        done = []
        for number, piece in enumerate(pieces):
            text = piece.text.lower() if small else piece.text
            if not small and not number:
                text = text[:1].upper() + text[1:]
            if bare and not piece.key:
                text = "".join(each for each in text if each not in _MARKS)
            if careless:
                text = self._slipping(text, rng, may_drop=not piece.key)
            done.append(UtterancePiece(text, piece.key))
        if not bare and done and rng.random() < 0.6:
            done.append(UtterancePiece(rng.choice((".", "?", "!", "?"))))
        return done

    def _slipping(self, text: str, rng: Random, *, may_drop: bool) -> str:
        words = text.split(" ")
        kept = []
        for word in words:
            if may_drop and len(words) > 3 and word and rng.random() < LEFT_OUT:
                continue
            slips = len(word) > 3 and not is_undivided(word) and not word.isdigit()
            kept.append(self._slip(word, rng) if slips and rng.random() < SLIP else word)
        return " ".join(kept)

    def _slip(self, word: str, rng: Random) -> str:
        """The word with one letter dropped, doubled, swapped, or hit on a neighbouring key."""
        at = rng.randrange(1, len(word))
        match rng.randrange(4):
            case 0:
                return word[:at] + word[at + 1 :]
            case 1:
                return word[:at] + word[at] + word[at:]
            case 2:
                return word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]
            case _:
                other = rng.choice(self._near.get(word[at], [word[at]]))
                return word[:at] + other + word[at + 1 :]
