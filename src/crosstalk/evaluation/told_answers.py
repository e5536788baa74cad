"""Whether a reply tells what the tables answer, however it is put: `TrueAnswers(reader).told(...)`.

The reader binds values to places and slots, and may miss one that is there. Before a question
counts as never answered, the true answer itself is looked for in the replies: the digits of a phone
number, the words of a name in any inflection, the number of a price, a denial where there is none.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, cached_property, lru_cache, reduce
from typing import Final

from crosstalk.dialogue.schema import SERVICE_MARK, Domain, Slot, SlotKind
from crosstalk.language.normalize import comparable, plain
from crosstalk.language.scripts import scripts_of
from crosstalk.language.times import times_of
from crosstalk.language.writing import writing_of, written_languages
from crosstalk.reading.claims import Verdict
from crosstalk.reading.conversation import Exchange
from crosstalk.reading.items import Column, Item
from crosstalk.reading.prose import Prose
from crosstalk.reading.reader import ProseReader
from crosstalk.worlds.display import answer
from crosstalk.worlds.tables import Cell, Row, texts

DIALLED: Final = 7
"""Digits of a phone number without its area code."""
SHORTEST: Final = 3
"""Letters of a word that tells a name apart."""
ENDING: Final = 2
"""Letters at the end of a word that inflection may change."""
LONGEST_ANSWER: Final = 24
"""Letters of a bare yes or no: `unfortunately not`."""
LONGEST_UNSPACED_ANSWER: Final = 6
"""The same in a script without spaces, where a letter is a word."""
READ_BY_WORDS: Final = (SlotKind.LIST, SlotKind.NEARBY, SlotKind.SERVICES)
"""Kinds of slots of which a word of the answer tells it."""
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_WORD: Final = re.compile(r"[^\W_]+")
_PARTS: Final = re.compile("[.,;:!?。，；：！？،؛]")
DENIALS: Final = ("refusing", "lacking", "denying", "none_known", "no")


class TrueAnswers:
    """Looks for true answers in what an agent wrote."""

    def __init__(self, reader: ProseReader) -> None:
        self._reader = reader
        self._pack = reader.world.language
        self._scanned: dict[tuple[str, tuple[Column, ...]], tuple[Item, ...]] = {}

    def told(self, domain: Domain, row: Row, key: str, exchanges: Sequence[Exchange]) -> int | None:
        """The first exchange whose reply holds the true answer; None where none does."""
        slot = domain.slot(key)
        if slot is None:
            return None
        for number, exchange in enumerate(exchanges):
            if self._holds(domain, row, slot, key, exchange):
                return number
        return None

    def ride_told(
        self, rows: Sequence[Row], slots: Sequence[str], exchanges: Sequence[Exchange]
    ) -> int | None:
        """The first exchange whose reply tells a ride whole: every slot that was asked for."""
        cells = [next((row[slot] for row in rows if slot in row), None) for slot in slots]
        for number, exchange in enumerate(exchanges):
            if cells and all(self._stop_told(cell, exchange) for cell in cells):
                return number
        return None

    def _stop_told(self, cell: Cell, exchange: Exchange) -> bool:
        """A station, a car or a plate: all its words but those that every station has."""
        if cell is None:
            return self._denies(exchange)
        reply = _plain(exchange.reply)
        shown = [word for word in _WORD.findall(_plain(str(cell))) if word not in self._common]
        if _is_unspaced(str(cell)):
            return all(word in reply for word in shown)
        return all(_stem(word) in reply for word in shown)

    @cached_property
    def _common(self) -> frozenset[str]:
        """Words that more than a third of all stations have: *metro*, *exit*."""
        world = self._reader.world
        cells = [text for column in world.columns(SlotKind.STATION) for text in column.texts]
        counts = Counter(word for cell in cells for word in set(_WORD.findall(_plain(cell))))
        return frozenset(word for word, n in counts.items() if 3 * n > len(cells) and len(word) > 1)

    def _holds(self, domain: Domain, row: Row, slot: Slot, key: str, exchange: Exchange) -> bool:
        cell = row.get(slot.key)
        if slot.kind is SlotKind.SERVICES and key != slot.key:
            return self._service(key, slot, row, exchange)
        if cell is None or cell == ():
            return self._is_asked(slot, key, exchange) and self._denies(exchange)
        reply = _plain(exchange.reply)
        if slot.kind not in READ_BY_WORDS and self._is_read(domain, row, slot, exchange):
            return True
        if slot.kind.is_number:
            return self._number(float(str(cell)), exchange)
        if slot.kind is SlotKind.TIME:
            return self._time(str(cell), exchange)
        if slot.kind in (SlotKind.LIST, SlotKind.NEARBY, SlotKind.SERVICES):
            return any(_mentions(reply, term) for term in texts(cell))
        said = " ".join(answer(self._pack, domain, row, key))
        return self._text(said, reply)

    def _is_read(self, domain: Domain, row: Row, slot: Slot, exchange: Exchange) -> bool:
        """Whether the reader finds a true answer in some sentence, whatever it was bound to."""
        check = self._reader.check
        for item in self._items(exchange.reply, (domain.key, slot.key)):
            is_told = check.slot_for(domain, item) == slot.key
            if is_told and check.verdict(domain, row, slot.key, item, False) is Verdict.TRUE:
                return True
        return False

    def _items(self, reply: str, asked: Column) -> tuple[Item, ...]:
        """What the scanner finds in a reply; scanned once for all places and questions."""
        key = reply, self._reader.scanner.asked_matters(asked)
        if key not in self._scanned:
            self._scanned[key] = tuple(
                item
                for sentence in Prose.of(reply).sentences
                for item in self._reader.scanner.scan(sentence, asked=key[1]).items
            )
        return self._scanned[key]

    def _service(self, key: str, slot: Slot, row: Row, exchange: Exchange) -> bool:
        """A service is told where it is named, and affirmed or denied as the table has it.

        Denials count in the part of a sentence that names the service.
        """
        service = key.partition(SERVICE_MARK)[2]
        is_there = service in texts(row.get(slot.key))
        if not self._is_asked(slot, key, exchange):
            return False
        lines = map(_plain, exchange.reply.splitlines())
        parts = [part for line in lines for part in _PARTS.split(line) if _mentions(part, service)]
        return any(is_there != self.has_denial(part) for part in parts)

    def _number(self, value: float, exchange: Exchange) -> bool:
        if value == 0:
            return self._reader.words.has("free", _plain(exchange.reply))
        return value in _numbers(exchange.reply)

    def _time(self, cell: str, exchange: Exchange) -> bool:
        """Whether a time of day is told, in either half of the day where none is named."""
        times = times_of(writing_of(self._pack.code))
        wanted = {minute for each in times.find(comparable(cell)) for minute in each.minutes}
        said = times.find(comparable(exchange.reply))
        return any(wanted & each.minutes for each in said)

    def _text(self, said: str, reply: str) -> bool:
        """Phone numbers by their digits, addresses by number and street, other texts by words."""
        phones = [digits for each in said.split() if len(digits := _digits(each)) >= DIALLED]
        if phones:
            return any(phone[-DIALLED:] in _digits(reply) for phone in phones)
        street = re.split("[,，、]", said)[0]
        numbers = _numbers(said)
        return numbers <= _numbers(reply) and _mentions(reply, _NUMBER.sub(" ", street))

    def _denies(self, exchange: Exchange) -> bool:
        return exchange.reading.says_no or self.has_denial(_plain(exchange.reply))

    def has_denial(self, text: str) -> bool:
        said = plain(text)
        negator = self._reader.scanner.book.cues.get("negator")
        return bool(negator and negator.search(said)) or any(
            self._reader.words.has(cue, said) for cue in DENIALS
        )

    def begins_with_answer(self, exchange: Exchange) -> bool:
        """Whether a reply begins with a yes or a no, before its first comma or full stop."""
        begin = next((part for part in _PARTS.split(_plain(exchange.reply)) if part.strip()), "")
        longest = LONGEST_UNSPACED_ANSWER if _is_unspaced(begin) else LONGEST_ANSWER
        is_short = len(begin.strip()) <= longest
        return is_short and any(
            self._reader.words.has(cue, begin) for cue in ("yes", "no", *DENIALS)
        )

    def _is_asked(self, slot: Slot, key: str, exchange: Exchange) -> bool:
        if any(asked == key for _, asked in exchange.user.questions):
            return True
        if slot.kind is SlotKind.SERVICES:
            return mentions(exchange.user.text, key.partition(SERVICE_MARK)[2])
        return slot.kind is SlotKind.NEARBY and exchange.user.mentions(slot.target)


def mentions(text: str, name: str) -> bool:
    """Whether a text has all the words of a name, in any inflection."""
    return _mentions(_plain(text), name)


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return comparable(text)


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _numbers(text: str) -> set[float]:
    """The numbers of a text, with points or commas for thousands or decimals."""
    found = set()
    for each in _NUMBER.findall(_plain(text)):
        found |= set(_read(each))
    return found


def _read(digits: str) -> Iterable[float]:
    parts = re.split("[.,]", digits)
    if len(parts) > 1 and all(len(part) == 3 for part in parts[1:]):
        yield float("".join(parts))
    if len(parts) == 2:
        yield float(".".join(parts))
    if len(parts) == 1:
        yield float(digits)


@lru_cache(maxsize=1 << 16)
def _stems(phrase: str) -> tuple[str, ...]:
    words = [word for word in _WORD.findall(_plain(phrase)) if len(word) >= SHORTEST]
    return tuple(_stem(word) for word in words or _WORD.findall(_plain(phrase)))


@cache
def _articles() -> tuple[str, ...]:
    """Articles that languages write together with their words."""
    return tuple({each.article for each in written_languages() if each.article})


@cache
def _unspaced_scripts() -> frozenset[str]:
    return frozenset(each.script for each in written_languages() if not each.spaced)


@lru_cache(maxsize=1 << 16)
def _is_unspaced(text: str) -> bool:
    """Whether some of a text is in a script without spaces between words."""
    return not _unspaced_scripts().isdisjoint(scripts_of(text))


def _stem(word: str) -> str:
    if len(word) > SHORTEST + 1:
        word = reduce(str.removeprefix, _articles(), word)
    return word[: max(SHORTEST, len(word) - ENDING)]


def _mentions(text: str, phrase: str) -> bool:
    """Whether a text has all the words of a phrase, in any inflection and order."""
    if _is_unspaced(phrase):
        return re.sub(r"[\s（(].*", "", _plain(phrase)) in text
    stems = _stems(phrase)
    return bool(stems) and all(stem in text for stem in stems)
