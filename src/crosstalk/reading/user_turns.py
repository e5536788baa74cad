"""What a user's words say, whoever phrased them: acts in a normal form, and values of the tables.

    reader = UserTurnReader(ConversationReader.of("harbour", "en"))
    reader.said_otherwise(text, acts, history)    # what the words say more or less than the acts
    reader.other_values(text, acts)               # values of any table that the acts do not hold

A language model that speaks for a simulated user is held to its acts with this reader.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from crosstalk.dialogue.acts import (
    CONFIRM,
    EXCLUDE,
    GENERAL,
    IGNORED,
    INFORM,
    LIST,
    REFINE,
    REQUEST,
    SELECT,
    Act,
)
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import SERVICE_MARK, DomainKind, SlotKind
from crosstalk.language.normalize import comparable, plain
from crosstalk.language.number_forms import forms_of, read_bounds
from crosstalk.language.quantities import Quantity
from crosstalk.reading.conversation import ConversationReader
from crosstalk.reading.items import Found, Item
from crosstalk.reading.prose import Sentence

Meaning = tuple[str, ...]
"""An act in normal form: kind, domain, and what it says."""
NEAR, NAMED, ASKED, WISHED, EXCLUDED = "near", "named", "asked", "wished", "excluded"
_WITHOUT_CONTENT: Final = frozenset({GENERAL, LIST, REFINE, IGNORED})
_WORDS: Final = frozenset({Found.DOMAIN, Found.SLOT, Found.FREE})
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True)
class UserTurnReader:
    """Reads the turns of users in one language of a world."""

    conversation: ConversationReader

    def understand(self, text: str, history: Sequence[Turn] = ()) -> tuple[Act, ...]:
        """The acts of a turn, by the rules."""
        return self.conversation.understand(Turn(Speaker.USER, text), tuple(history))

    def foreign(self, text: str) -> str:
        """The code of the language a text is in where it is not the world's; else empty."""
        return self.conversation.reader.is_foreign(text)

    def said_otherwise(
        self, text: str, acts: Sequence[Act], history: Sequence[Turn] = ()
    ) -> tuple[frozenset[Meaning], frozenset[Meaning]]:
        """What a text leaves out of the acts, and what it adds to them."""
        meant = frozenset(self.meanings(acts))
        read = frozenset(self.meanings(self.understand(text, history)))
        missing = {each for each in meant - read if not self._is_implied(each, meant, text)}
        added = {each for each in read - meant if not self._is_implied(each, meant, text)}
        return frozenset(missing), frozenset(added)

    def meanings(self, acts: Sequence[Act]) -> Iterator[Meaning]:
        """Acts in normal form: *near the museum* is the same as a wish and as a question."""
        for act in acts:
            if act.intent not in _WITHOUT_CONTENT:
                yield from self._meaning(act)

    def _meaning(self, act: Act) -> Iterator[Meaning]:
        domain = self.conversation.reader.world.schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        kind = slot.kind if slot else None
        if act.intent == SELECT:
            yield NEAR, act.value, act.domain
        elif act.intent in (REQUEST, CONFIRM) and slot and kind is SlotKind.NEARBY:
            yield NEAR, act.domain, slot.target
        elif act.intent in (REQUEST, CONFIRM):
            yield ASKED, act.domain, act.slot
        elif act.intent == INFORM and slot and kind is SlotKind.NEARBY:
            yield NEAR, slot.target, act.domain
            yield NAMED, slot.target, comparable(act.value)
        elif act.intent == INFORM and kind is SlotKind.NAME:
            yield NAMED, act.domain, comparable(act.value)
        elif act.intent == INFORM:
            yield WISHED, act.domain, act.slot, self._value(act)
        elif act.intent == EXCLUDE:
            yield EXCLUDED, act.domain, act.slot, self._value(act)
        else:
            yield act.intent, act.domain, act.slot, comparable(act.value)

    def _value(self, act: Act) -> str:
        """A number as its bounds, anything else as a text without case and width."""
        world = self.conversation.reader.world
        domain = world.schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        if slot and slot.kind.is_number:
            bounds = read_bounds(forms_of(world.language, act.domain, slot), act.value)
            if bounds is not None:
                return f"{bounds.low}-{bounds.high}"
        return comparable(act.value)

    def _is_implied(self, each: Meaning, meant: frozenset[Meaning], text: str) -> bool:
        """Whether it goes without saying: what a search asks for, or the place spoken of.

        A name counts as said where it stands in the words, as added only where it does.
        """
        if each[0] == NAMED:
            return (each in meant) == (each[2] in comparable(text))
        return self.is_searched(each, meant)

    def is_searched(self, each: Meaning, said: frozenset[Meaning]) -> bool:
        """Whether a search asks for it anyway: the name of a place, the stations of a ride."""
        searches = any(
            other[0] in (WISHED, EXCLUDED, NEAR) and each[1] in other[1:3] for other in said
        )
        if each[0] != ASKED or not searches:
            return False
        domain = self.conversation.reader.world.schema.domain(each[1])
        if domain is None or domain.kind is not DomainKind.PLACE:
            return domain is not None
        return bool(domain.name_slot and domain.name_slot.key == each[2])

    def other_values(self, text: str, acts: Sequence[Act]) -> list[str]:
        """Values of the tables in a text that the acts do not hold, as the text has them."""
        known = SaidValues.of(acts)
        scanned = self.conversation.reader.scanner.scan(Sentence(text, 0, 0))
        return [
            text[item.start : item.end]
            for item in scanned.items
            if item.found not in _WORDS and not known.explain(item, text)
        ]


@dataclass(frozen=True, slots=True)
class SaidValues:
    """The values that acts hold."""

    texts: tuple[str, ...]
    """Without case and width."""
    numbers: frozenset[float]

    @classmethod
    def of(cls, acts: Sequence[Act]) -> "SaidValues":
        values = [act.value for act in acts if act.intent != GENERAL and act.value]
        values += [act.slot.partition(SERVICE_MARK)[2] for act in acts if SERVICE_MARK in act.slot]
        numbers = (read_number(found) for value in values for found in _NUMBER.findall(value))
        return cls(tuple(map(comparable, values)), frozenset(numbers))

    def explain(self, item: Item, text: str) -> bool:
        """Whether an item of a text is one of the values, or stands inside one."""
        if item.found is Found.NAME:
            return any(comparable(name) in self.texts for _, name in item.places)
        written = comparable(text[item.start : item.end])
        if item.found is Found.HOURS:  # may span several sentences
            return all(read_number(each) in self.numbers for each in _NUMBER.findall(written))
        if any(written in each for each in self.texts):
            return True
        if item.found is Found.AMOUNT and item.amount is not None:
            return self._holds(item.amount, written)
        value = comparable(item.value)
        return any(value and value in each for each in self.texts)

    def _holds(self, amount: Quantity, written: str) -> bool:
        """Whether the numbers are those of the values; *a night* names no number."""
        said = [amount.middle, amount.bounds.low, amount.bounds.high]
        numbers = {number for number in said if number is not None}
        is_article = numbers == {1.0} and not _NUMBER.search(written)
        return is_article or numbers <= self.numbers


def read_number(text: str) -> float:
    return float(text.replace(",", "."))


def holds_phrase(text: str, phrases: Sequence[str]) -> str:
    """The first of some phrases that stands in a text, by whole words where words are spaced."""
    said = f" {plain(text)} "
    for phrase in phrases:
        sought = plain(phrase)
        if f" {sought} " in said or (sought and not sought.isascii() and sought in said):
            return phrase
    return ""
