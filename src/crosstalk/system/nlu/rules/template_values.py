"""Wishes in free words, for worlds without everyday words of their own.

    TemplateValues(world, folder).read("a train from cambridge to ely after 10:00", "")

Values are known from the tables; which slot a value is for is told by the words that the world's
own templates have around it (`a train from {departure}`, `leave after {leaveAt}`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from crosstalk.dialogue.acts import INFORM, REQUEST, Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import Domain, DomainKind, Slot, SlotKind
from crosstalk.language.normalize import comparable, plain
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.spoken_times import spoken_times_of
from crosstalk.language.times import DAY, times_of
from crosstalk.language.writing import writing_of
from crosstalk.system.nlg.act_keys import JOIN, PART
from crosstalk.system.nlg.template_bank import Hole
from crosstalk.system.nlg.world_templates import load_written
from crosstalk.worlds.tables import World

_NUMBER: Final = re.compile(r"(?<!\d)(\d+)(?![\d:.])")
_KINDS: Final = (SlotKind.CATEGORY, SlotKind.DAY, SlotKind.TIME, SlotKind.COUNT, SlotKind.HOURS)
_SENTENCE: Final = re.compile(r"(?:[^.!?。！？؟]|[.](?=\S))+[.!?。！？؟]*")
QUESTION_MARKS: Final = "?？؟"
_NEAR: Final = 2
"""Words, or signs, beside a value by which its slot is known."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A value that a text may have for a slot."""

    slot: Slot
    value: str
    start: int
    end: int
    score: int
    """How much of the words around it is as in the templates."""


class TemplateValues:
    """Reads the wishes of texts in one world."""

    KINDS_OF_ITS_OWN: Final = frozenset(
        {SlotKind.DAY, SlotKind.TIME, SlotKind.COUNT, SlotKind.FLAG}
    )
    """Kinds of slots that nothing else in the rules reads."""

    def __init__(self, world: World, folder: Path, book: Phrasebook | None = None) -> None:
        """`book` has what people call the domains."""
        self._world = world
        self._book = book
        self._writing = writing_of(world.language.code)
        self._spaced = self._writing.spaced
        bank = load_written(folder, world.schema, world.language, Speaker.USER)
        self._around: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for table in (bank.first, bank.then):
            for signature, templates in table.items():
                if JOIN in signature or not signature.startswith(INFORM + PART):
                    continue
                _, domain, slot, *_ = signature.split(PART)
                for template in templates:
                    self._add((domain, slot), template.parts)

    def _add(self, key: tuple[str, str], parts: Sequence[str | Hole]) -> None:
        at = next((n for n, part in enumerate(parts) if isinstance(part, Hole)), None)
        if at is not None:
            texts = ["".join(str(each) for each in side) for side in (parts[:at], parts[at + 1 :])]
            self._around.setdefault(key, []).append((comparable(texts[0]), comparable(texts[1])))

    def read(self, text: str, latest: str) -> list[Act]:
        """The wishes of a text; `latest` is the domain that was spoken of last."""
        acts: dict[Act, None] = {}
        for sentence in _SENTENCE.findall(self._in_digits(comparable(text))):
            found = self._of_sentence(sentence, latest)
            latest = found[-1].domain if found else latest
            acts |= dict.fromkeys(found)
        return list(acts)

    def _in_digits(self, text: str) -> str:
        """A text with its times in digits, where something is searched by time."""
        kinds = {slot.kind for domain in self._world.schema for slot in domain.slots if slot.search}
        if not kinds & {SlotKind.TIME, SlotKind.HOURS}:
            return text
        is_open = SlotKind.HOURS in kinds and self._says_open(text)
        return spoken_times_of(self._writing).in_digits(text, bare=is_open)

    def _says_open(self, text: str) -> bool:
        return any(self._word(word).search(text) for word in self._writing.open_words)

    def asks_hours(self, text: str, latest: str) -> Act | None:
        """The question when a place is open, in the domain that was spoken of last."""
        domain = self._world.schema.domain(latest)
        slots = domain.of_kind(SlotKind.HOURS) if domain else ()
        if not slots or not self._says_open(comparable(text)):
            return None
        return Act(REQUEST, latest, slots[0].key, "")

    def _of_sentence(self, small: str, latest: str) -> list[Act]:
        named = [each for each in self._world.schema if self._names(each, small)]
        if any(each.kind is not DomainKind.PLACE for each in named):
            return []  # rides are read elsewhere
        places = named or [each for each in self._world.schema.places if each.key == latest]
        if not places:
            places = self._by_values(small)
        return [
            Act(INFORM, domain.key, each.slot.key, each.value)
            for domain in places
            for each in self._wishes(domain, small, is_named=bool(named))
        ]

    def _names(self, domain: Domain, text: str) -> bool:
        called = self._book.domains.get(domain.key) if self._book else None
        return bool(
            self._word(self._world.language.domain_name(domain.key)).search(text)
            or (called and called.search(plain(text)))
        )

    def _by_values(self, text: str) -> list[Domain]:
        """The domain to which alone some category of the text belongs."""
        own = {
            domain.key: {
                each.value
                for slot in domain.of_kind(SlotKind.CATEGORY)
                for each in self._values(domain, slot, text)
            }
            for domain in self._world.schema.places
        }
        alone = [
            domain
            for domain in self._world.schema.places
            if own[domain.key].difference(*(v for key, v in own.items() if key != domain.key))
        ]
        return alone if len(alone) == 1 else []

    def _wishes(self, domain: Domain, text: str, *, is_named: bool) -> Iterator[_Found]:
        """Of the values that overlap, the one whose words fit best, then the longest."""
        slots = [slot for slot in domain.slots if slot.search and slot.kind in _KINDS]
        found = [each for slot in slots for each in self._values(domain, slot, text)]
        found.sort(key=lambda each: (-each.score, each.start - each.end))
        taken: list[_Found] = []
        for each in found:
            span = each.start, each.end
            others = [other for other in found if (other.start, other.end) == span]
            rivals = [other for other in others if other.slot is not each.slot]
            is_clear = each.score > max((other.score for other in rivals), default=-1)
            overlaps = any(o.start < each.end and each.start < o.end for o in taken)
            if is_clear and not overlaps and all(o.slot is not each.slot for o in taken):
                taken.append(each)
        yield from taken
        if is_named and (
            taken or text[-1] not in QUESTION_MARKS
        ):  # `what about parking at the hotel?`
            yield from self._flags(domain, text)

    def _values(self, domain: Domain, slot: Slot, text: str) -> Iterator[_Found]:
        for value, start, end in self._spans(domain, slot, text):
            score = self._score(domain, slot, text[:start], text[end:])
            is_domain = self._names(domain, text[start:end])  # `hotel` is a type of hotels, too
            if score or not (slot.kind is SlotKind.COUNT or is_domain):
                yield _Found(slot, value, start, end, score)

    def _spans(self, domain: Domain, slot: Slot, text: str) -> Iterator[tuple[str, int, int]]:
        if slot.kind is SlotKind.TIME:
            for time in sorted(times_of(self._writing).find(text), key=lambda time: time.start):
                is_late = time.written >= DAY  # 24:10 stands in timetables
                minutes = time.written if is_late or len(time.minutes) > 1 else min(time.minutes)
                yield f"{minutes // 60:02}:{minutes % 60:02}", time.start, time.end
        elif slot.kind is SlotKind.HOURS:
            yield from self._opening(text) if self._says_open(text) else ()
        elif slot.kind is SlotKind.COUNT:
            for match in _NUMBER.finditer(text):
                yield match[1], *match.span()
        else:
            for said, value in self._spellings[domain.key, slot.key]:
                for match in said.finditer(text):
                    yield value, *match.span()

    def _opening(self, text: str) -> Iterator[tuple[str, int, int]]:
        """The day and the time at which a place shall be open: `Monday 09:00`."""
        days = [
            (day, *match.span())
            for day in self._world.language.days
            for match in self._word(day).finditer(text)
        ]
        times = [
            (f"{each.written // 60:02}:{each.written % 60:02}", each.start, each.end)
            for each in times_of(self._writing).find(text)
        ]
        said = sorted([*days[:1], *times[:1]], key=lambda each: each[1])
        if said:
            wish = " ".join(each[0] for each in (*days[:1], *times[:1]))
            yield wish, said[0][1], said[-1][2]

    @cached_property
    def _spellings(self) -> dict[tuple[str, str], list[tuple[re.Pattern[str], str]]]:
        """Domain and slot -> how its values are written -> the value."""
        known: dict[tuple[str, str], list[tuple[re.Pattern[str], str]]] = {}
        for domain in self._world.schema.places:
            for slot in domain.slots:
                texts = self._world.language.days
                if slot.kind is SlotKind.CATEGORY:
                    texts = tuple(self._world.texts(domain.key, slot.key))
                words = {each: each for each in texts} | dict(slot.aliases)
                known[domain.key, slot.key] = [
                    (self._word(said), value) for said, value in words.items() if said
                ]
        return known

    def _word(self, said: str) -> re.Pattern[str]:
        """A word by itself, also in the plural of languages that only add an `s`."""
        escaped = re.escape(comparable(said))
        return re.compile(rf"\b{escaped}s?\b" if self._spaced else escaped)

    def _score(self, domain: Domain, slot: Slot, before: str, after: str) -> int:
        return max(
            (
                self._common(before, lead, ends=True) + self._common(after, trail, ends=False)
                for lead, trail in self._around.get((domain.key, slot.key), ())
            ),
            default=0,
        )

    def _common(self, said: str, written: str, *, ends: bool) -> int:
        """How many words beside the value are those of a template."""
        one, other = (self._beside(each, ends=ends) for each in (said, written))
        count = 0
        for a, b in zip(one, other, strict=False):
            if a != b and a + "s" != b and a != b + "s":
                break
            count += 1
        return count

    def _beside(self, text: str, *, ends: bool) -> list[str]:
        words = re.findall(r"\w+", text) if self._spaced else re.findall(r"\w", text)
        return words[::-1][:_NEAR] if ends else words[:_NEAR]

    def _flags(self, domain: Domain, text: str) -> Iterator[_Found]:
        """Yes or no slots that a text names, by a word that only their templates have."""
        slots = [slot for slot in domain.of_kind(SlotKind.FLAG) if slot.search]
        words = {slot.key: self._words_of(domain, slot) for slot in domain.slots}
        words[""] = {comparable(self._world.language.domain_name(domain.key))}
        for slot in slots:
            others = set().union(*(words[key] for key in words if key != slot.key))
            for word in sorted(words[slot.key] - others):
                if match := self._word(word).search(text):
                    no = self._word(self._world.language.no).search(text[: match.start()][-6:])
                    value = self._world.language.no if no else self._world.language.yes
                    yield _Found(slot, value, *match.span(), 1)
                    break

    def _words_of(self, domain: Domain, slot: Slot) -> set[str]:
        told = " ".join(
            lead + " " + trail for lead, trail in self._around.get((domain.key, slot.key), ())
        )
        name = comparable(self._world.language.slot_name(domain.key, slot.key))
        return {*re.findall(r"\w+", told), name} if self._spaced else {name}
