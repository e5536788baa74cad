"""The arguments of an action in what people say: names, dates, times, numbers, codes.

    finder = ArgumentFinder(ActionLanguage(world))
    finder.find(action, "for three on Friday at 19:00")
        ->  {"people": "3", "date": "2026-06-05", "time": "19:00"}

Each kind of argument has its own reader of the language layer. Where an action takes several of a
kind (people and nights), the words around a number decide: the argument's name, the way details are
said, or the unit; then what the system asked for; then order.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from functools import cached_property
from itertools import product
from typing import Final

from crosstalk.dialogue.actions import CODE_SIGNS, ENTITY, Action, Given
from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.action_words import CHANGED
from crosstalk.language.names import Mention, NameFinder
from crosstalk.language.normalize import comparable, plain
from crosstalk.language.spoken_times import SpokenTimes, spoken_times_of
from crosstalk.language.times import times_of
from crosstalk.language.writing import writing_of
from crosstalk.system.actions.action_language import ActionLanguage
from crosstalk.system.actions.counts import NIGHTS, UNITS, Counts

GONE: Final = "\ue300"
"""Stands for text that has been read; no word and no digit."""
NAME_MARKS: Final = 0xE310
"""First of the characters that stand for names while times are read."""
CODE_EDGES: Final = "(?<![A-Za-z0-9]){}(?![A-Za-z0-9])"
_ANY_CODE: Final = re.compile(r"[A-Za-z0-9]+(?:[-/.][A-Za-z0-9]+)*")
_DIGIT: Final = re.compile(r"\d")
VALUE: Final = "{value}"
NEVER: Final = re.compile(r"(?!)")


class ArgumentFinder:
    """Finds arguments in texts of one language."""

    def __init__(self, language: ActionLanguage) -> None:
        self._language = language
        self._writing = writing_of(language.pack.code)

    def find(self, action: Action, text: str, asked: Sequence[str] = ()) -> dict[str, str]:
        """Argument -> value as tables write it; `asked` is what the system wanted to know."""
        return self.read(action, text, asked)[0]

    def read(
        self, action: Action, text: str, asked: Sequence[str] = ()
    ) -> tuple[dict[str, str], str]:
        """The same, and the text without dates, times, codes and labelled numbers."""
        reading = _Reading(self, action, text, asked)
        found = {name: reading.found[name] for name in action.arguments if name in reading.found}
        return found, reading.rest.replace(GONE, " ")

    @cached_property
    def names(self) -> NameFinder:
        world = self._language.world
        places = [
            (place.key, name)
            for place in world.schema.places
            if place.name_slot
            for name in world.texts(place.key, place.name_slot.key)
        ]
        small = self._language.book.cues.get("small") if self._language.book else None
        return NameFinder(places, self._language.pack.code, small)

    @cached_property
    def counts(self) -> Counts:
        return Counts(self._language)

    @cached_property
    def number_words(self) -> frozenset[str]:
        return frozenset(map(plain, self._writing.numerals))

    @property
    def until(self) -> tuple[str, ...]:
        """What stands between the first and the last of several days."""
        return self._writing.until

    @cached_property
    def spoken_times(self) -> SpokenTimes:
        return spoken_times_of(self._writing)

    @property
    def language(self) -> ActionLanguage:
        return self._language

    def times(self, text: str) -> Iterator[tuple[int, int, int, frozenset[int]]]:
        """Times of a text, in order: start, end, minutes as written, minutes possible."""
        ways = (True, False) if self._writing.spaced else (False, True)
        readers = [times_of(self._writing, loose=loose) for loose in ways]
        found = next(filter(None, (reader.find(text) for reader in readers)), [])
        for each in sorted(found, key=lambda each: each.start):
            yield each.start, each.end, each.written, each.minutes


class _Reading:
    """One text, read for one action; what has been read is taken out of it."""

    def __init__(
        self, finder: ArgumentFinder, action: Action, text: str, asked: Sequence[str]
    ) -> None:
        self._finder = finder
        self._language = finder.language
        self._action = action
        self._asked = asked
        self._original = text
        self.found: dict[str, str] = {}
        others = list(self._other_ends(plain(text)))
        self._mentions = others + [
            each
            for each in finder.names.find(plain(text))
            if each.sure and not self._is_number(plain(text)[each.start : each.end])
            if all(each.end <= other.start or other.end <= each.start for other in others)
        ]
        self._mentions.sort(key=lambda each: each.start)
        self._text = comparable(text)
        if self._arguments(SlotKind.TIME):
            self._text = self._with_times_in_digits(self._text)
        self.rest = self._text
        """What is left when all has been read; names stay in it."""
        self._codes()
        self._names()
        self._dates()
        self._times()
        self._days()
        self._chosen()
        self._counts()

    def _with_times_in_digits(self, text: str) -> str:
        """Spoken times in digits, except in names: *at Three Lanterns* says no time."""
        names = dict.fromkeys(
            comparable(name) for each in self._mentions for _, name in each.places
        )
        marks = {name: chr(NAME_MARKS + at) for at, name in enumerate(names) if name in text}
        for name, mark in marks.items():
            text = text.replace(name, mark)
        text = self._finder.spoken_times.in_digits(text)
        for name, mark in marks.items():
            text = text.replace(mark, name)
        return text

    def _arguments(self, *kinds: SlotKind) -> list[str]:
        """Arguments of these kinds, those that were asked for first."""
        names = [
            name
            for name in self._action.arguments
            if name not in self.found and self._language.kind(self._action, name) in kinds
        ]
        return sorted(names, key=lambda name: name not in self._asked)

    def _take(self, start: int, end: int, *, is_name: bool = False) -> None:
        gone = GONE * (end - start)
        self._text = self._text[:start] + gone + self._text[end:]
        if not is_name:
            self.rest = self.rest[:start] + gone + self.rest[end:]

    # Kinds

    def _codes(self) -> None:
        for name in self._arguments(SlotKind.KEY):
            patterns = [*self._patterns(name)]
            if found := next(self._codes_like(patterns), None) or self._code_asked_for(name):
                said, self.found[name] = found
                at = self._text.find(comparable(said))
                if at >= 0:
                    self._take(at, at + len(comparable(said)))

    def _patterns(self, name: str) -> Iterator[str]:
        """What a code may look like: as actions give it, or as the examples of its column do."""
        actions = self._language.world.schema.actions
        given = [each for action in actions for each in action.gives if each.key == name]
        yield from dict.fromkeys(each.pattern for each in given if each.pattern)
        slot = self._language.slot(self._action, name)
        yield from dict.fromkeys(_DIGIT.sub("#", each) for each in (slot.examples if slot else ()))

    def _codes_like(self, patterns: Sequence[str]) -> Iterator[tuple[str, str]]:
        """(what was said, the code); codes have a digit or are in capitals, as words are not."""
        for pattern in patterns:
            shape = Given("", pattern=pattern).shape
            for match in re.finditer(CODE_EDGES.format(shape), self._original, re.IGNORECASE):
                if any(map(str.isdigit, match[0])) or match[0].isupper():
                    yield match[0], _as_given(match[0], pattern)

    def _code_asked_for(self, name: str) -> tuple[str, str] | None:
        """Any word with a digit, where a code was asked for that has no known look."""
        if name not in self._asked or self._has_look(name):
            return None
        found = (each for each in _ANY_CODE.finditer(self._original) if _DIGIT.search(each[0]))
        return next(((match[0], match[0]) for match in found), None)

    def _has_look(self, name: str) -> bool:
        actions = self._language.world.schema.actions
        return any(each.key == name for action in actions for each in action.gives)

    def _names(self) -> None:
        wanted = self._arguments(SlotKind.NAME, SlotKind.ENDPOINT)
        if not wanted:
            return
        words, mentions = plain(self._original), self._mentions
        targets = {name: self._targets(name) for name in wanted}
        for name, mention in self._assigned(wanted, mentions, words):
            places = [place for place in mention.places if place[0] in targets[name]]
            if places and name not in self.found:
                self.found[name] = places[0][1]
        for mention in mentions:
            for _, name in mention.places:
                at = self._text.find(comparable(name))
                if at >= 0:
                    self._take(at, at + len(comparable(name)), is_name=True)

    def _is_number(self, text: str) -> bool:
        """Whether words that are part of a name are a number and nothing else."""
        return self._spaced and all(
            word.isdecimal() or word in self._finder.number_words for word in text.split()
        )

    def _other_ends(self, words: str) -> Iterator[Mention]:
        """Ends of rides that are no places of the tables, such as stations."""
        slots = [self._language.slot(self._action, name) for name in self._action.arguments]
        ends = [slot for slot in slots if slot and slot.kind is SlotKind.ENDPOINT]
        for value in dict.fromkeys(value for slot in ends for value in slot.values):
            at = words.find(plain(value))
            if at >= 0:
                end = at + len(plain(value))
                yield Mention(((self._action.domain, value),), at, end)

    def _targets(self, name: str) -> Collection[str]:
        if name == ENTITY:
            return {self._action.domain}
        slot = self._language.slot(self._action, name)
        if slot and slot.target:
            return {slot.target}
        return {self._action.domain, *(p.key for p in self._language.world.schema.places)}

    def _assigned(
        self, wanted: Sequence[str], mentions: Sequence[Mention], words: str
    ) -> Iterator[tuple[str, Mention]]:
        """Arguments with the names that they go with: by the words before a name, then in order."""
        if len(wanted) == 1:
            yield from ((wanted[0], mention) for mention in mentions)
            return
        free = list(mentions)
        open_ = list(wanted)
        for mention in mentions:
            before = words[: mention.start].rstrip()
            for name in list(open_):
                if any(_ends_with(before, each, self._spaced) for each in self._leads(name)):
                    yield name, mention
                    free.remove(mention)
                    open_.remove(name)
                    break
        yield from zip(open_, free, strict=False)

    @property
    def _spaced(self) -> bool:
        return writing_of(self._language.pack.code).spaced

    def _leads(self, name: str) -> Iterator[str]:
        """Words that stand before the value of an argument."""
        yield plain(self._language.slot_name(self._action, name))
        kind = str(self._language.kind(self._action, name) or "")
        for _, form in self._language.words.forms(self._action.key, name, kind):
            yield plain(form.partition(VALUE)[0].replace("{slot}", ""))

    def _dates(self) -> None:
        found = self._language.dates.find(self._text)
        wanted = self._arguments(SlotKind.DATE)
        if len(wanted) == 1 and len(found) == 2:
            first, last = (date.fromisoformat(each.date) for each in found)
            self._stay((last - first).days)
        for name, each in zip(wanted, found, strict=False):
            self.found[name] = each.date
        for each in found:
            self._take(each.start, each.end)
        if found:  # the day of the week beside a date has no number of its own
            for _, span in self._language.dates.weekdays(self._text):
                self._take(*span)

    def _stay(self, days: int) -> None:
        """The nights between a first and a last day."""
        counted = self._arguments(SlotKind.COUNT)
        nights = [name for name in counted if self._counts_unit(name, NIGHTS)]
        if nights and days > 0:
            self.found[nights[0]] = str(days)

    def _times(self) -> None:
        found = list(self._finder.times(self._text))
        spans = [(each[0], each[1]) for each in found]
        for name, at in self._in_words(self._arguments(SlotKind.TIME), spans):
            each = found[at]
            minutes = self._within(name, each[2], each[3])
            self.found[name] = f"{minutes // 60:02}:{minutes % 60:02}"
        for start, end, _, _ in found if self._arguments(SlotKind.TIME) or self.found else ():
            self._take(start, end)

    def _in_words(
        self, wanted: Sequence[str], spans: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[str, int]]:
        """Arguments with the numbers of their spans: by the words around them, then in order."""
        free, open_ = list(range(len(spans))), list(wanted)
        for at, name in product(list(free), list(open_) if len(open_) > 1 else ()):
            if at in free and name in open_ and self._is_said_of(name, *spans[at]):
                yield name, at
                free.remove(at)
                open_.remove(name)
        yield from zip(open_, free, strict=False)

    def _is_said_of(self, name: str, start: int, end: int) -> bool:
        """Whether the words around a value are those in which an argument is said."""
        before, after = plain(self._text[:start]), plain(self._text[end:])
        kind = str(self._language.kind(self._action, name) or "")
        named = comparable(self._language.slot_name(self._action, name))
        own = [form for _, form in self._language.words.forms(self._action.key, name, kind)]
        for form in (*own, named + VALUE):
            lead, _, trail = comparable(form.replace("{slot}", named)).partition(VALUE)
            lead, trail = plain(lead), plain(trail)
            if (lead or trail) and before.endswith(lead) and after.startswith(trail):
                return True
        return False

    def _within(self, name: str, written: int, possible: frozenset[int]) -> int:
        """Of two possible times the one that the argument allows."""
        slot = self._language.slot(self._action, name)
        allowed = [
            each
            for each in sorted(possible, key=lambda each: each != written)
            if slot is None
            or (
                (str(slot.low or "00:00") <= f"{each // 60:02}:{each % 60:02}")
                and (f"{each // 60:02}:{each % 60:02}" <= str(slot.high or "24:00"))
            )
        ]
        return allowed[0] if allowed else written

    def _days(self) -> None:
        wanted = self._arguments(SlotKind.DAY)
        if not wanted:
            return
        week = self._language.pack.days
        days = sorted(set(self._language.dates.weekdays(self._text)), key=lambda day: day[1])
        if len(wanted) == 1 and len(days) == 2 and self._is_range(days[0][1], days[1][1]):
            self._stay((days[1][0] - days[0][0]) % len(week or days))
        for number, day in days:
            if wanted and number < len(week):
                self.found[wanted.pop(0)] = week[number]
            self._take(*day)

    def _is_range(self, first: tuple[int, int], last: tuple[int, int]) -> bool:
        between = self._text[first[1] : last[0]].strip()
        return between in map(comparable, self._finder.until)

    def _chosen(self) -> None:
        """Arguments with a list of values, and those that are yes or no."""
        words = plain(self._text)
        for name in self._arguments(SlotKind.CATEGORY):
            slot = self._language.slot(self._action, name)
            lengths = {
                value: length
                for value in (slot.values if slot else ())
                if (length := self._length_said(name, value, words))
            }
            if lengths:
                self.found[name] = max(lengths, key=lambda value: lengths[value])
        pack = self._language.pack
        for name in self._arguments(SlotKind.FLAG):
            says = self._flag(name, words)
            if says is None and name in self._asked:
                says = words.split()[:1] != [plain(pack.no)]
            if says is not None:
                self.found[name] = pack.yes if says else pack.no

    def _length_said(self, name: str, value: str, words: str) -> int:
        """How many characters of a text say a value, or are what people call it; 0: none."""
        book = self._language.book
        called = book.values.get(name, {}).get(value) if book else None
        edge = r"(?<!\w)" if self._spaced else ""
        own = re.search(edge + re.escape(plain(value)), words)
        found = [*([own] if own else []), *(called.finditer(words) if called else ())]
        return max((len(match[0]) for match in found), default=0)

    def _flag(self, name: str, words: str) -> bool | None:
        """Whether a text wants what an argument is called: *with insurance*, *insurance: no*."""
        pack, book = self._language.pack, self._language.book
        called = plain(self._language.slot_name(self._action, name))
        ways = [re.compile(rf"(?<!\w){re.escape(called)}(?!\w)" if self._spaced else called)]
        ways += [book.slots[name]] if book and name in book.slots else []
        found = [match for way in ways if (match := way.search(words))]
        if not found:
            return None
        before, after = words[: found[0].start()].rstrip(), words[found[0].end() :].lstrip()
        for word, means in ((pack.yes, True), (pack.no, False)):
            said = rf"{re.escape(plain(word))}(?!\w)" if self._spaced else plain(word)
            if any(re.match(link + said, after) for link in self._links(name)):
                return means
        without = book.cues.get("without") if book else None
        return not any(match.end() == len(before) for match in (without or NEVER).finditer(before))

    def _links(self, name: str) -> Iterator[str]:
        """What may stand between the name of an argument and its value: *changed to*."""
        kind, words = str(self._language.kind(self._action, name) or ""), self._language.words
        yield ""
        for key, of_kind in ((name, kind), (CHANGED, "")):
            for _, form in words.forms(self._action.key, key, of_kind):
                link = plain(form.partition("{slot}")[2].partition(VALUE)[0])
                yield rf"{re.escape(link)}\s*" if link else ""

    def _counts(self) -> None:
        for name in self._arguments(SlotKind.COUNT, SlotKind.NUMBER, SlotKind.MONEY):
            self._labelled(name)
        open_ = self._arguments(SlotKind.COUNT, SlotKind.NUMBER, SlotKind.MONEY)
        text = self._text.replace(GONE, " ")
        numbers = self._finder.counts.find(text, self._language.does(self._action))
        for number, unit in [each for each in numbers if each[1]]:
            meant = [name for name in open_ if self._counts_unit(name, unit)]
            meant = meant or [name for name in open_ if not self._has_unit(name)]
            if meant:
                self.found[meant[0]] = number
                open_.remove(meant[0])
        bare = [number for number, unit in numbers if not unit]
        asked = [name for name in open_ if name in self._asked] or open_
        if len(asked) == 1 or self._asked:
            self.found.update(zip(asked, bare, strict=False))

    def _labelled(self, name: str) -> None:
        """A number beside the argument's name, or in a form of its detail."""
        action, kind = self._action, str(self._language.kind(self._action, name) or "")
        label = re.escape(comparable(self._language.slot_name(action, name)))
        match = re.search(rf"{label}\s*[:：]?\s*(\d+)", self._text)
        if match:
            self.found[name] = str(int(match[1]))
            self._take(*match.span())
            return
        words = self._language.words
        changed = words.forms(action.key, CHANGED, "")
        for value, form in (*words.forms(action.key, name, kind), *changed):
            said = comparable(form.replace("{slot}", self._language.slot_name(action, name)))
            if value and said in self._text:
                self.found[name] = value
                at = self._text.index(said)
                self._take(at, at + len(said))
                return
            before, _, after = said.partition(VALUE)
            if value or not plain(before + after):
                continue
            pattern = rf"{re.escape(before)}(\d+){re.escape(after)}(?!\d)"
            if match := re.search(pattern, self._text):
                self.found[name] = str(int(match[1]))
                self._take(*match.span())
                return

    def _has_unit(self, name: str) -> bool:
        """Whether it is known what an argument counts."""
        return self._finder.counts.has_nouns(name) or any(
            self._counts_unit(name, unit) for unit in UNITS
        )

    def _counts_unit(self, name: str, unit: str) -> bool:
        """Whether an argument counts what a unit says, by its nouns, its name or its forms."""
        if self._finder.counts.counts_own(name, unit):
            return True
        book = self._language.book
        cue = book.cues.get(unit) if book else None
        if cue is None:
            return False
        kind = str(self._language.kind(self._action, name) or "")
        forms = [form for _, form in self._language.words.forms(self._action.key, name, kind)]
        texts = [self._language.slot_name(self._action, name), *forms]
        return any(cue.search(plain(text.replace(VALUE, "2"))) for text in texts)


def _as_given(said: str, pattern: str) -> str:
    """A code as it was given out, however it was typed: letters that are drawn are capitals."""
    signs = zip(said, pattern, strict=True)
    return "".join(sign.upper() if own in CODE_SIGNS else own for sign, own in signs)


def _ends_with(before: str, lead: str, spaced: bool) -> bool:
    if not lead:
        return False
    return before.endswith(lead) and (
        not spaced or len(before) == len(lead) or before[-len(lead) - 1] == " "
    )
