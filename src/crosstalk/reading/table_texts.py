"""Texts of the tables in a sentence: phones, plates, cars, addresses and stations.

Agents tell them and users do not say them; each finder yields what it finds with its place.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from crosstalk.language.values import PARTICLE
from crosstalk.reading.facts import (
    HAN_ADDRESS,
    HAN_STATION,
    LEAST_PHONE,
    MOST_PHONE,
    PHONE,
    PHONES,
    PLATE,
    RANGE_OF_AMOUNTS,
    Address,
    Station,
    WorldFacts,
    digits,
)
from crosstalk.reading.items import Found, Item
from crosstalk.reading.positions import letters_in_place
from crosstalk.reading.words import JudgingWords

AROUND_NUMBER: Final = 7
"""Words around a house number among which its street stands."""
AROUND_STATION: Final = 4
"""Words around the word for a station among which its name stands."""
SHORTEST_HEAD: Final = 3
"""Letters of a street's name before its ending."""
_BRACKETS: Final = re.compile(r"[()（）;；]")
_DECIMALS: Final = re.compile(r"[.,]\d")
_WHOLES: Final = re.compile(r"\d[.,]$")


class TableTexts:
    """Finds the texts of one world in one language."""

    def __init__(
        self, facts: WorldFacts, words: JudgingWords, cues: Mapping[str, re.Pattern[str]]
    ) -> None:
        self._facts = facts
        self._words = words
        self._cues = cues

    def phones(self, text: str) -> Iterator[Item]:
        for match in PHONE.finditer(text):
            whole = len(digits(match[0])) <= MOST_PHONE
            several = [match] if whole else PHONES.finditer(text, *match.span())
            for each in several:
                is_range = RANGE_OF_AMOUNTS.fullmatch(each[0]) is not None
                if LEAST_PHONE <= len(digits(each[0])) <= MOST_PHONE and not is_range:
                    yield Item(Found.PHONE, *each.span(), 0, value=digits(each[0]))

    def plates(self, text: str) -> Iterator[Item]:
        for match in PLATE.finditer(text):
            if match[1] in self._facts.plate_letters:
                yield Item(Found.PLATE, *match.span(), 0, value=match[1] + match[2])

    def cars(self, text: str) -> Iterator[Item]:
        if not self._facts.cars:
            return
        if not self._facts.writing.spaced:
            for car in self._facts.cars:
                found = re.search(f"{PARTICLE}?".join(map(re.escape, car)), text)
                if found:
                    yield Item(Found.CAR, *found.span(), 0, value=car)
            return
        stems = self._facts.stems(text)
        vocabulary = {word for words in self._facts.cars.values() for word in words}
        counts = {
            word: sum(word in words for words in self._facts.cars.values()) for word in vocabulary
        }
        parts: dict[int, list[tuple[str, int, int]]] = {}
        for each in stems:
            if each[0] in vocabulary:
                part = sum(mark in ",;:،؛" for mark in text[: each[1]])
                parts.setdefault(part, []).append(each)
        said = max(parts.values(), key=len, default=[])
        rare = [each for each in said if counts[each[0]] < len(self._facts.cars)]
        if len({each[0] for each in rare}) < 2:
            return
        start, end = min(each[1] for each in rare), max(each[2] for each in rare)
        yield Item(Found.CAR, start, end, 0, value=" ".join(sorted({each[0] for each in said})))

    def addresses(self, text: str) -> Iterator[Item]:
        if not self._facts.writing.spaced:
            for match in HAN_ADDRESS.finditer(text):
                known = self._facts.street_in(match[1])
                address = Address((known,), match[2])
                begin = match.start(2) - len(known)
                yield Item(Found.ADDRESS, begin, match.end(), 0, address=address)
            return
        stems = self._facts.stems(text)
        taken = 0
        for at, (word, start, end) in enumerate(stems):
            if not word.isdigit() or len(word) > 3 or start < taken:
                continue
            if ":" in (text[start - 1 : start], text[end : end + 1]) and (
                text[start - 2 : start - 1].isdigit() or text[end + 1 : end + 2].isdigit()
            ):
                continue
            if at and self._words.has("exit", letters_in_place(text[slice(*stems[at - 1][1:])])[0]):
                continue
            decimals, wholes = _DECIMALS.match(text, end), _WHOLES.search(text[:start])
            if decimals or wholes or text[:start].endswith(("(", "（")):
                continue  # a rating behind a name: `Clock Square Hotel (4.4 points)`
            first = max(0, at - AROUND_NUMBER)
            window = stems[first : at + AROUND_NUMBER]
            span = self._street_near(window, at - first)
            number = digits(word)
            if span and span[1] < taken:
                continue  # the street has its number already
            if span and self._is_price(text, start, end, span[1]):
                continue
            if span and _BRACKETS.search(text[min(end, span[2]) : max(start, span[1])]):
                continue  # `2 to 3 hours), Shell Lane 55`
            if span:
                street, begin, stop = span
                taken = max(end, stop)
                yield Item(
                    Found.ADDRESS, min(start, begin), taken, 0, address=Address(street, number)
                )
            elif self._beside_street(text, start, end):
                yield Item(Found.ADDRESS, start, end, 0, address=Address((), number))

    def _is_price(self, text: str, start: int, end: int, street: int) -> bool:
        """Whether a number beside a street is no house number: `Spice Street: 55 crowns`."""
        shown, _ = letters_in_place(text[end : end + 24])
        money = self._cues.get("money")
        if money and money.match(shown.strip()):
            return True
        return self._facts.number_first and street < start

    def is_behind_name(self, item: Item, text: str, named: Sequence[tuple[int, int, str]]) -> bool:
        """Whether a bare house number stands behind a name that ends like a street's."""
        bare = item.address is not None and not item.address.street
        return bare and any(not text[end : item.start].strip(" :,–—-") for _, end, _ in named)

    def _street_near(
        self, window: Sequence[tuple[str, int, int]], number: int
    ) -> tuple[tuple[str, ...], int, int] | None:
        words = [word for word, _, _ in window]
        found: list[tuple[int, int, tuple[str, ...], int, int]] = []
        for street in self._facts.streets:
            size = len(street)
            for at in range(len(words) - size + 1):
                if tuple(words[at : at + size]) == street and not at <= number < at + size:
                    gap = number - (at + size) if at < number else at - number - 1
                    if gap <= 2:
                        found.append((-size, gap, street, window[at][1], window[at + size - 1][2]))
        return min(found)[2:] if found else None

    def _beside_street(self, text: str, start: int, end: int) -> bool:
        """Whether a number stands beside a word for a street that no table has."""
        before, _ = letters_in_place(text[max(0, start - 14) : start])
        after, _ = letters_in_place(text[end : end + 28])
        near = [before.split()[-1:], after.split()[:3]]
        return any(self._is_street(word) for words in near for word in words)

    def _is_street(self, word: str) -> bool:
        """Whether a word is one for a street, or ends in one: *Lotsengasse*."""
        endings = (word[at:] for at in range(SHORTEST_HEAD, len(word) - 1))
        return self._words.has("street", word) or any(
            self._words.has("street_ending", ending) for ending in endings
        )

    def stations(self, text: str) -> Iterator[Item]:
        if not self._facts.writing.spaced:
            for match in HAN_STATION.finditer(text):
                known = next(
                    (name for name in self._facts.stations if match[1].endswith(name[0])), None
                )
                if known:
                    start = match.end(1) - len(known[0])
                    station = Station(known, match[2] or "")
                    end = match.end() + text[match.end() : match.end() + 1].startswith("口")
                    yield Item(Found.STATION, start, end, 0, station=station)
            return
        stems = self._facts.stems(text)
        words = [word for word, _, _ in stems]
        shown = [letters_in_place(text[start:end])[0] for _, start, end in stems]
        heads = {
            at
            for at, word in enumerate(shown)
            if self._words.has("station", word) or self._words.has("exit", word)
        }
        taken: set[int] = set()
        for name in sorted(self._facts.stations, key=len, reverse=True):
            for at in range(len(words) - len(name) + 1):
                inside = set(range(at, at + len(name)))
                near = any(
                    at - AROUND_STATION <= head < at + len(name) + AROUND_STATION for head in heads
                )
                if tuple(words[at : at + len(name)]) == name and near and not inside & taken:
                    taken |= inside
                    last, exit_ = self._exit(shown, at + len(name))
                    yield Item(
                        Found.STATION,
                        stems[at][1],
                        stems[last - 1][2],
                        0,
                        station=Station(name, exit_),
                    )

    def _exit(self, shown: Sequence[str], at: int) -> tuple[int, str]:
        """The exit named behind a station: where it ends, and which."""
        for step in range(at, min(at + 4, len(shown) - 1)):
            if self._words.has("exit", shown[step]) and len(shown[step + 1]) <= 2:
                return step + 2, shown[step + 1]
        return at, ""
