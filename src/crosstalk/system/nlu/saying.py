"""Saying values: a price, a name or a dish as somebody might put it, meaning still the same."""

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import Final

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import SERVICE_MARK, SlotKind
from crosstalk.language.number_forms import Bounds, forms_of, read_bounds
from crosstalk.language.training_phrases import Alias, TrainingPhrases
from crosstalk.language.units import units
from crosstalk.system.nlu.facts import TextSpan, slot_of
from crosstalk.system.nlu.meanings import NUMBERS, LooseFacts

BY_ALIAS: Final = 0.6
IN_WORDS: Final = 0.2
WITH_UNIT: Final = 0.6
SHORTENED: Final = 0.4
_NAMES: Final = frozenset({SlotKind.NAME, SlotKind.ENDPOINT, SlotKind.NEARBY})


class ValueSayer:
    """Says values so that they are understood again."""

    def __init__(self, facts: LooseFacts, book: TrainingPhrases) -> None:
        self._facts = facts
        self._book = book
        self._words: dict[float, str] = {}
        for word, value in book.numbers.words.items():
            self._words.setdefault(value, word)
        self._short = lru_cache(maxsize=4096)(self._shorter)

    def say(self, act: Act, rng: Random) -> str:
        slot_key, _, service = act.slot.partition(SERVICE_MARK)
        found = slot_of(self._facts.world, act.domain, slot_key)
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
        """A form of the value that stands with the noun; empty where there is none."""
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
        found = slot_of(self._facts.world, act.domain, act.slot)
        if found is None or found[1].kind not in NUMBERS:
            return None
        return read_bounds(forms_of(self._facts.world.language, act.domain, found[1]), act.value)

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
        decimal = self._facts.world.language.forms.get("rating")
        return f"{value:g}".replace(".", decimal.decimal if decimal else ".")

    def _unit(self, act: Act, rng: Random) -> str:
        found = slot_of(self._facts.world, act.domain, act.slot)
        numbers = self._book.numbers
        is_rating = found is not None and found[1].kind is SlotKind.RATING
        several = numbers.points if is_rating else numbers.money
        if not several or rng.random() > WITH_UNIT:
            return ""
        unit = rng.choice(several)
        return unit if re.match(r"[\u2e80-\u9fff]", unit) else f" {unit}"

    def _means(self, act: Act, said: str) -> bool:
        """Whether what is said is read as it is meant."""
        found = slot_of(self._facts.world, act.domain, act.slot)
        slot = found[1] if found else None
        heard = TextSpan(Speaker.USER, said, 0, len(said))
        return self._facts.meanings(act.domain, slot, heard) == [act.value]

    # Names

    def _shorter(self, domain: str, slot_key: str, value: str) -> tuple[str, ...]:
        """Parts of a name that are enough to find it."""
        found = slot_of(self._facts.world, domain, slot_key)
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
            and self._facts.meanings(domain, slot, TextSpan(Speaker.USER, part, 0, len(part)))
            == [value]
        )
