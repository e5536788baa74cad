"""Scanning a sentence for everything the tables and the language know, with positions.

The finders are those of the understanding by rules (`Spotter`: names, values, numbers, cues); added
are the texts that agents tell and users do not say: phones, addresses, stations, cars, hours.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final

from crosstalk.language.gazetteer import KnownTexts
from crosstalk.language.names import Place
from crosstalk.language.normalize import plain, tidy
from crosstalk.language.numerals import JOIN
from crosstalk.language.phrases import load_phrases
from crosstalk.language.quantities import TIMES, Quantity
from crosstalk.language.values import TERMS
from crosstalk.language.writing import SHORTEST_STEM
from crosstalk.reading.clock import HoursReader, SaidTime
from crosstalk.reading.column_values import ColumnValues
from crosstalk.reading.facts import LONGEST_ENDING, SHORTEST_FORM, WorldFacts, form_of
from crosstalk.reading.items import Column, Found, Item, Scanned
from crosstalk.reading.positions import Alignment, aligned, letters_in_place
from crosstalk.reading.prose import Sentence
from crosstalk.reading.table_texts import TableTexts
from crosstalk.reading.words import judging_words
from crosstalk.system.nlu.rules.context import TurnContext
from crosstalk.system.nlu.rules.spotting import Spotter
from crosstalk.system.nlu.rules.utterance import (
    MARKS,
    Hit,
    Utterance,
)
from crosstalk.worlds.tables import World

Term = tuple[str, str, str, tuple[str, ...]]
"""Domain, slot, a term of the tables, and the stems of its words."""
PRICES: Final = ("per_night", "per_person", "entry")
"""Cues of what a price is for."""
AROUND_PRICE: Final = 14
"""Characters around a price in which words say what it is for."""
DASHES: Final = ("-", "–", "—")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
SHORTEST_NAME: Final = 2
"""Letters of a name that is looked for."""


MOST_TO_PHONE: Final = 3
"""Words before a phone that lead to it: *unter der Nummer*."""
MOST_WORDS_OF_FREE: Final = 2
"""Words of a field that says that something is free."""
_SCALE: Final = re.compile(r"(?<=\d)((?:\s*/\s*|(?:\s+[^\W\d]+){1,2}\s+)5)(?=\s+[^\W\d])")
"""What stands between a rating and the word for points."""
_HYPHENATED: Final = re.compile(r"\b([^\W\d_]+)[-‐‑]([^\W\d_]+)\b")


class ExactSpotter(Spotter):
    """Finds what stands in a text, letter by letter: an agent's slip may be an invented name."""

    def spot(self, text: str, context: TurnContext) -> Utterance:
        shown = tidy(text)
        return self._spot(self.words_of(shown), shown, context)


class Scanner:
    """Scans sentences in one language of a world."""

    def __init__(self, world: World, folder: Path, others: Sequence[World] = ()) -> None:
        """`others`: the same world in its other languages, whose names are known too."""
        self.world = world
        self._others = others
        self.book = load_phrases(folder, world.language, world.schema)
        self.words = judging_words(world.language.code)
        self.facts = WorldFacts(world, self.words)
        self._texts = TableTexts(self.facts, self.words, self.book.cues)
        self._spotter = ExactSpotter(world, self.book)
        self.hours = HoursReader(self.book, self.words)
        self.quantities = self._spotter.quantities
        self._columns = ColumnValues(world, self.facts, self.book, self.quantities)

    @cached_property
    def has_hours(self) -> bool:
        return any(self.facts.slot_of(d.key, "hours") for d in self.world.schema.places)

    def scan(
        self, sentence: Sentence, recent: Sequence[Place] = (), *, asked: Collection[Column] = ()
    ) -> Scanned:
        """`recent`: places spoken of lately, of which a part of the name will do.

        `asked`: the columns that the user wants to know.
        """
        fixed: list[Item] = []
        text = sentence.text
        named = self._spans_of_names(text)
        texts = self._texts
        for finder in (texts.phones, texts.plates, texts.cars, texts.addresses, texts.stations):
            alone = (item for item in finder(text) if not _inside_any(item, named))
            fixed += [item for item in alone if not texts.is_behind_name(item, text, named)]
            text = _masked(text, fixed)
        text = self._without_ways_to_phones(text, fixed)
        districts = [
            (name, start, end)
            for name, start, end in self._districts_in(text)
            if not any(a < end and start < b for a, b, _ in named)
        ]
        for _, start, end in districts:
            text = text[:start] + " " * (end - start) + text[end:]
        cells = list(self._columns.find(text, asked))
        fixed += cells
        text = _masked(text, [item for item in cells if any(map(str.isdigit, item.value))])
        hours = list(self._hours(text, any(map(self._holds_hours, asked))))
        fixed += hours
        text = _masked(text, hours)
        text = self._in_digits(self._exactly(self._parted_numbers(text)))
        text = self._without_scales(text)
        label = f"{sentence.label}: " if sentence.label else ""
        said = self._spotter.spot(label + text, TurnContext(recent=list(recent)))
        names = tuple((hit.start, hit.said) for hit in said.hits if hit.said)
        places = aligned(label + text, said.text, names)
        clauses = _clauses(said, places, len(label + text))
        found = [*self._hits(said, places)]
        found = [*self._whole_names(label + text, found, places)]
        found = [*self._terms(label + text, found)]
        found += self._free(said, places, found)
        items = [*fixed, *(_shifted(item, len(label)) for item in found)]
        clauses = [(max(0, a - len(label)), max(0, b - len(label)), w) for a, b, w in clauses]
        items += self._free_fields(label + text, clauses, items)
        spans = [(start, end) for start, end, _ in clauses]
        moved = [
            replace(
                item,
                start=item.start + sentence.start,
                end=item.end + sentence.start,
                clause=_clause_at(spans, item.start),
            )
            for item in items
        ]
        return Scanned(
            sentence,
            said.text,
            tuple(sorted(moved, key=lambda item: (item.start, item.end))),
            tuple((start + sentence.start, end + sentence.start) for start, end in spans),
            tuple(words for _, _, words in clauses),
            tuple(self._spotter.unexplained(said)),
            text,
            tuple((name, a + sentence.start, b + sentence.start) for name, a, b in districts),
        )

    def _without_ways_to_phones(self, text: str, items: Iterable[Item]) -> str:
        """Without a word for *below* that leads to a phone: `4,4 Punkte, erreichbar unter 0482`."""
        below = self.book.cues.get("below")
        for item in items if below else ():
            head = text[: item.start] if item.found is Found.PHONE else ""
            for word in [*_LETTERS.finditer(head)][-MOST_TO_PHONE:]:
                if below and below.fullmatch(plain(word[0])):
                    text = text[: word.start()] + " " * len(word[0]) + text[word.end() :]
        return text

    def _parted_numbers(self, text: str) -> str:
        """`sixty-five` as two words, so that `three hundred and sixty-five` is one number."""
        known = self.facts.writing.number_words

        def part(found: re.Match[str]) -> str:
            words = found[1].lower(), found[2].lower()
            return f"{found[1]} {found[2]}" if all(word in known for word in words) else found[0]

        return _HYPHENATED.sub(part, text)

    def _exactly(self, text: str) -> str:
        """Without words such as *only*: the number behind them is meant exactly."""
        shown, places = letters_in_place(text)
        for start, end in self.words.spans("just", shown):
            begin, stop = places[start], places[end - 1] + 1
            text = text[:begin] + " " * (stop - begin) + text[stop:]
        return text

    def _without_scales(self, text: str) -> str:
        """Without the scale of a rating: *4.5 out of 5 stars* says 4.5 stars, and no class."""
        points = self.book.cues.get("points")
        for match in reversed([*_SCALE.finditer(text)] if points else []):
            if points and points.match(letters_in_place(text[match.end() :])[0].lstrip()):
                begin, end = match.span(1)
                text = text[:begin] + " " * (end - begin) + text[end:]
        shown, places = letters_in_place(text)
        for start, end in self.words.spans("scale", shown):
            begin, stop = places[start], places[end - 1] + 1
            text = text[:begin] + " " * (stop - begin) + text[stop:]
        return text

    def _in_digits(self, text: str) -> str:
        """Number words that a mark joins, or that are joined to a small word, made readable.

        `два-три` becomes `2-3`, `four point one` becomes `4.1`, `بثلاثين` parts; positions stay.
        """
        if not self.facts.writing.spaced:
            return text
        words = list(_LETTERS.finditer(text))
        for one, other in reversed(list(pairwise(words))):
            if text[one.end() : other.start()].strip() in DASHES:
                text = self._put(text, one, other, "-")
        for one, point, other in reversed(list(zip(words, words[1:], words[2:], strict=False))):
            if self.words.has("decimal_point", plain(point[0])):
                text = self._put(text, one, other, ".")
        for match in _LETTERS.finditer(text):
            word = plain(match[0])
            small = word[:1] in self.facts.writing.before_names and not self._joins(word[:1])
            if small and self._number(word[1:]) is not None:
                text = text[: match.start()] + " " + text[match.start() + 1 :]
        return text

    def _joins(self, letter: str) -> bool:
        """Whether a letter joins the parts of a number: `مئة وخمس وثلاثون`."""
        return self.book.numbers.get(letter) == JOIN

    def _put(self, text: str, one: re.Match[str], other: re.Match[str], mark: str) -> str:
        """Two number words as digits with a mark between; a decimal has one digit behind it."""
        first, last = self._number(one[0]), self._number(other[0])
        decimal = mark == "."
        if first is None or last is None or (decimal and (first > 5 or last > 9)):
            return text
        made = f"{first}{mark}{last}".ljust(other.end() - one.start())
        return text[: one.start()] + made + text[other.end() :]

    def _number(self, word: str) -> int | None:
        found = self.book.numbers.get(plain(word))
        return found if found is not None and found >= 0 else None

    def reads_unit(self, domain: str, slot: str) -> bool:
        """Whether the numbers of a column are known by a unit of its own."""
        return self._columns.reads((domain, slot))

    def _holds_hours(self, column: Column) -> bool:
        return bool(column[1]) and column[1] == self.facts.slot_of(column[0], "hours")

    def asked_matters(self, column: Column) -> tuple[Column, ...]:
        """The column if sentences are read otherwise when it is asked for."""
        return (column,) if self._holds_hours(column) or self._columns.reads(column) else ()

    def _hours(self, text: str, expected: bool) -> Iterator[Item]:
        if not self.has_hours:
            return
        said = self.hours.read(text, expected=expected)
        if said is None or (said.times and all(self._is_price(text, each) for each in said.times)):
            return
        for time in said.times:
            yield Item(Found.HOURS, time.start, time.end, 0, hours=said)
        if not said.times:
            yield Item(Found.HOURS, 0, len(text), 0, hours=said)

    def _is_price(self, text: str, time: SaidTime) -> bool:
        """Whether what looks like a time is an amount of money: `11.50 euros`."""
        money = self.book.cues.get("money")
        return bool(money and money.match(plain(text[time.end :]).lstrip()))

    # Hits of the spotter

    def _whole_names(self, text: str, items: list[Item], places: Alignment) -> Iterator[Item]:
        """Items with the names, in any language of the world, that a text has letter by letter."""
        names = [
            Item(Found.NAME, start, end, 0, places=self._named[said], at=places.made(start))
            for start, end, said in self._spans_of_names(text)
        ]
        spotted = [item for item in items if item.found is Found.NAME and item.whole]
        added = [name for name in names if not any(_same_name(name, item) for item in spotted)]
        yield from added
        for item in items:
            whole = next((n for n in names if _same_name(n, item)), None)
            if item.found is Found.NAME and item.whole and whole:
                yield replace(item, start=whole.start, end=whole.end)
                continue
            if not (
                item.found in (Found.VALUE, Found.DOMAIN, Found.SLOT, Found.NAME)
                and any(_meet(name, item) for name in added)
            ):
                yield item

    def _spans_of_names(self, text: str) -> list[tuple[int, int, str]]:
        """Where whole names stand in a text, and the name letter by letter."""
        shown, origins = letters_in_place(text)
        found = []
        at = 0
        while at < len(shown):
            inside = self.facts.writing.spaced and at and shown[at - 1].isalnum()
            inside = inside and not self._is_joined(shown, at)
            end = 0 if inside else self._names.longest(shown, at, self._may_end)
            if end > at and self._is_within_longer(shown, at, end):
                end = at  # `the Glass Pier` in *the Glass Pier Hotel*
            if end > at:
                found.append((origins[at], origins[end - 1] + 1, shown[at:end]))
            at = max(end, at + 1)
        return found

    def _is_within_longer(self, shown: str, start: int, end: int) -> bool:
        """Whether a longer name begins inside a name and goes beyond it."""
        begins = (at + 1 for at in range(start, end - 1) if shown[at] == " ")
        ends = ((at, self._names.longest(shown, at, self._may_end)) for at in begins)
        return any(stop > end and stop - at > end - start for at, stop in ends)

    def _is_joined(self, shown: str, at: int) -> bool:
        """Whether only a small word stands between here and the space before: `and`, `in`."""
        start = shown.rfind(" ", 0, at) + 1
        return shown[start:at] in self.facts.writing.before_names

    def _districts_in(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Districts that a text names, perhaps inflected; parts of the names of places too."""
        stems = self.facts.stems(text)
        for name, words in self._districts:
            for at in range(len(stems) - len(words) + 1):
                said = [stem for stem, _, _ in stems[at : at + len(words)]]
                if all(map(_same_form, said, words)):
                    yield name, stems[at][1], stems[at + len(words) - 1][2]

    @cached_property
    def _districts(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return tuple(
            (name, tuple(stem for stem, _, _ in self.facts.stems(said)))
            for said, name in self.facts.districts.items()
        )

    def _terms(self, text: str, items: list[Item]) -> Iterator[Item]:
        """Items with the terms of several words that a text has, inflected or parted.

        `Ortsgespräche sind kostenlos` has the service `kostenlose Ortsgespräche`.
        """
        if not self.facts.writing.spaced:
            yield from items
            return
        stems = self.facts.stems(text)
        whole = [item for item in items if item.found is Found.VALUE and self._is_term(item)]
        added: list[Item] = []
        beginnings = {stem[:SHORTEST_FORM] for stem, _, _ in stems}
        for domain, slot, term, words in self._terms_with(beginnings):
            spots = [form_of(word, stems) for word in words]
            if not all(spots) or any(i.value == term for i in (*whole, *added)):
                continue
            start, end = min(s[1] for s in spots if s), max(s[2] for s in spots if s)
            if end - start > 3 * len(term) + 8 or _crosses(text[start:end]):
                continue
            item = Item(Found.VALUE, start, end, 0, key=slot, domain=domain, value=term)
            if not any(_meet(item, other) for other in whole):
                added.append(item)
        best = [
            item
            for item in added
            if not any(o is not item and _inside(item, o) for o in (*added, *whole))
        ]
        yield from best
        for item in items:
            if item.found is Found.VALUE and any(_meet(item, term) for term in best):
                continue
            yield (
                item if item.found is not Found.VALUE else replace(item, whole=self._is_term(item))
            )

    def _is_term(self, item: Item) -> bool:
        """Whether a value is one that the tables hold, word for word."""
        return (item.domain, item.key, item.value) in self._known_terms

    @cached_property
    def _known_terms(self) -> frozenset[tuple[str, str, str]]:
        return frozenset(
            (column.domain, column.slot, text)
            for column in self.world.columns(*TERMS)
            for text in column.texts
        )

    def _terms_with(self, beginnings: set[str]) -> Iterator[Term]:
        """Terms whose longest word begins as one of a text does."""
        for begin in sorted(beginnings):
            yield from self._terms_by_beginning.get(begin, ())

    @cached_property
    def _terms_by_beginning(self) -> dict[str, list[Term]]:
        found: dict[str, list[Term]] = {}
        for term in self._term_stems:
            found.setdefault(max(term[3], key=len)[:SHORTEST_FORM], []).append(term)
        return found

    @cached_property
    def _term_stems(self) -> tuple[Term, ...]:
        small = self.book.cues.get("small")
        found = []
        for domain, slot, term in sorted(self._known_terms):
            words = [
                stem
                for stem, start, end in self.facts.stems(term)
                if not (small and small.fullmatch(term[start:end].lower()))
            ]
            if len(words) > 1:
                found.append((domain, slot, term, tuple(words)))
        return tuple(found)

    def _may_end(self, text: str, at: int) -> bool:
        return not self.facts.writing.spaced or at == len(text) or not text[at].isalnum()

    @cached_property
    def _named(self) -> dict[str, tuple[Place, ...]]:
        """Names letter by letter -> the places of that name; names of other languages too."""
        found: dict[str, dict[Place, None]] = {}
        for domain, name, said in self._said_names():
            shown = " ".join(letters_in_place(said)[0].split())
            if len(shown) >= SHORTEST_NAME:
                found.setdefault(shown, {})[domain, name] = None
        return {shown: tuple(places) for shown, places in found.items()}

    def _said_names(self) -> Iterator[tuple[str, str, str]]:
        for world in (self.world, *self._others):
            for domain in self.world.schema.places:
                if domain.name_slot:
                    key = domain.name_slot.key
                    rows = zip(self.world.tables[domain.key], world.tables[domain.key], strict=True)
                    for ours, theirs in rows:
                        yield domain.key, str(ours[key]), str(theirs[key])

    @cached_property
    def _names(self) -> KnownTexts[str]:
        return KnownTexts(self._named)

    def _hits(self, said: Utterance, places: Alignment) -> Iterator[Item]:
        for hit in said.hits:
            start, end = places.span(hit.start, hit.end)
            if hit.amount and _is_article(hit.amount, places.text[start:end]):
                continue
            match hit.kind:
                case "name":
                    yield Item(
                        Found.NAME,
                        start,
                        end,
                        0,
                        places=hit.places,
                        sure=hit.sure,
                        whole=not hit.value,
                        at=hit.start,
                    )
                case "amount":
                    yield Item(
                        Found.AMOUNT,
                        start,
                        end,
                        0,
                        amount=hit.amount,
                        at=hit.start,
                        decimal="." in said.text[hit.start : hit.end],
                        per=self._per(said.text, hit),
                    )
                case "value":
                    yield Item(
                        Found.VALUE,
                        start,
                        end,
                        0,
                        key=hit.key,
                        domain=hit.domain,
                        value=hit.value,
                        whole=hit.alone,
                        at=hit.start,
                    )
                case "domain":
                    yield Item(Found.DOMAIN, start, end, 0, key=hit.key, at=hit.start)
                case "slot":
                    yield Item(Found.SLOT, start, end, 0, key=hit.key, at=hit.start)
                case "kind":
                    yield Item(
                        Found.DOMAIN, start, end, 0, key=hit.domain, whole=False, at=hit.start
                    )
                case _:
                    pass

    def _per(self, words: str, hit: Hit) -> str:
        """What the words around a price say that it is for; empty: nothing, or several things."""
        around = words[max(0, hit.start - AROUND_PRICE) : hit.end + AROUND_PRICE]
        said = [cue for cue in PRICES if self.words.has(cue, around)]
        return said[0] if len(said) == 1 else ""

    def _free(self, said: Utterance, places: Alignment, items: Iterable[Item]) -> Iterator[Item]:
        values = [item for item in items if item.found is Found.VALUE and item.whole]
        for start, end in self.words.spans("free", said.text):
            begin, stop = places.span(start, end)
            if not any(item.start < stop and begin < item.end for item in values):
                yield Item(Found.FREE, begin, stop, 0)

    def _free_fields(
        self, text: str, clauses: Sequence[tuple[int, int, str]], items: Sequence[Item]
    ) -> Iterator[Item]:
        """Fields that say *free* together with their heads: `Eintritt: frei`, or in a table."""
        for head, (start, end, words) in pairwise(clauses):
            known = any(i.found is Found.FREE and i.start < end and start < i.end for i in items)
            fits = 0 < len(words.split()) <= MOST_WORDS_OF_FREE and ":" in text
            fits = fits and not known and not self.words.has("free", head[2])
            if fits and self.words.has("free", f"{head[2]} {words}"):
                yield Item(Found.FREE, start, end, 0)


def _masked(text: str, items: Iterable[Item]) -> str:
    for item in items:
        if item.found is Found.HOURS and item.hours and not item.hours.times:
            continue
        text = text[: item.start] + " " * (item.end - item.start) + text[item.end :]
    return text


def _is_article(amount: Quantity, words: str) -> bool:
    """Whether a number word is an article: *eine Bewertung* is no rating of 1."""
    counts = amount.unit in TIMES or amount.unit == "money"
    one = amount.bounds.low == amount.bounds.high == 1
    return one and not counts and not any(letter.isdigit() for letter in words)


def _same_form(one: str, other: str) -> bool:
    """Whether two stems are forms of one word."""
    short = min(len(one), len(other))
    return one == other or (
        short >= SHORTEST_STEM
        and abs(len(one) - len(other)) < LONGEST_ENDING
        and (one.startswith(other) or other.startswith(one))
    )


def _inside_any(item: Item, spans: Sequence[tuple[int, int, str]]) -> bool:
    """Whether an item is no more than a part of a name, or the name itself."""
    return item.found in (Found.STATION, Found.CAR, Found.ADDRESS) and any(
        start <= item.start and item.end <= end for start, end, _ in spans
    )


def _crosses(text: str) -> bool:
    """Whether a stretch goes beyond a clause."""
    return any(mark in text for mark in ",;:،؛.!?")


def _inside(one: Item, other: Item) -> bool:
    longer = other.end - other.start > one.end - one.start
    return other.start <= one.start and one.end <= other.end and longer


def _meet(one: Item, other: Item) -> bool:
    return one.start < other.end and other.start < one.end


def _same_name(whole: Item, item: Item) -> bool:
    """Whether an item is about where a whole name stands, and may mean it."""
    close = item.start <= whole.end and whole.start <= item.end
    return close and bool(set(whole.places) & set(item.places))


def _shifted(item: Item, by: int) -> Item:
    if not by:
        return item
    return replace(item, start=max(0, item.start - by), end=max(1, item.end - by))


def _clauses(said: Utterance, places: Alignment, length: int) -> list[tuple[int, int, str]]:
    found, begin, at = [], 0, 0
    for position, letter in enumerate(said.text):
        if letter in MARKS:
            end = max(begin, places.span(position, position + 1)[0])
            found.append((begin, end, said.text[at:position].strip()))
            begin, at = end, position + 1
    found.append((begin, length, said.text[at:].strip()))
    return found


def _clause_at(spans: Sequence[tuple[int, int]], at: int) -> int:
    return next((n for n, (start, end) in enumerate(spans) if start <= at < end), len(spans) - 1)
