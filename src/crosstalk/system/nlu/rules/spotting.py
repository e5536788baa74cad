"""Spotting: everything known that stands in an utterance, and where.

The longest match wins: what lies inside it, or reaches into it, is dropped.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from crosstalk.database.tables import World
from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.names import (
    PLAIN,
    SURE,
    Mention,
    NameFinder,
    Place,
    without_joined,
)
from crosstalk.language.normalize import plain, tidy
from crosstalk.language.opening_hours import ALWAYS
from crosstalk.language.patterns import FIRST_HOLE, LAST_HOLE
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.quantities import CLOCK, Quantities, Quantity
from crosstalk.language.values import TERMS, Spotted, Vocabulary
from crosstalk.system.nlu.rules.context import TurnContext
from crosstalk.system.nlu.rules.spelling import Speller

SOFT: Final = "\ue200"
HARD: Final = "\ue201"
ASKED: Final = "\ue202"
"""Marks in the text: the end of a clause, of a sentence, of a question."""
MARKS: Final = SOFT + HARD + ASKED
_BREAK: Final = re.compile(
    r"(?<=\d):[0-5]\d(?!\d)|"
    r"[?？؟][!?？؟.…]*|[.!。！…]+(?!\d)(?=\s|$|[^\s\w])|[。！]|[,;:،؛](?!\d)|[，；：、]|\s[-–—]\s(?!\d)|\n"
)
SIGNS: Final = {"+": "plus", "<": "max", "≤": "max", ">": "min", "≥": "min"}
"""Signs beside a number, and the words they are read as."""
_SIGN: Final = re.compile(r"(?<=\d)\+(?!\d)|[<≤>≥](?=\s*\d)")
_CLOCK: Final = re.compile(r"\d{1,2}[:：]\d{2}")

NAME: Final = "name"
VALUE: Final = "value"
KIND: Final = "kind"
AMOUNT: Final = "amount"
DOMAIN: Final = "domain"
SLOT: Final = "slot"
CUE: Final = "cue"
TOPIC: Final = "topic"
GROUP: Final = "group"

UNSCANNED: Final = frozenset(
    [
        "below",
        "above",
        "about",
        "exactly",
        "span",
        "between",
        "money",
        "points",
        "hours",
        "minutes",
        "days",
        "uncounted",
        "persons",
        "nights",
        "rooms",
        "oclock",
        "strict",
        "small",
        "filler",
        "without",
        "needless",
    ]
)
"""Cues that mean something beside a number only, or nothing."""
NUMBERED: Final = frozenset({ALWAYS, "first", "second", "third", "fourth", "fifth"})
"""Cues whose numbers are no amounts: *24 hours*, *the 2nd*."""
NEGATIONS: Final = frozenset({"negator", "after_negator", "drop", "after_drop"})
WEAK: Final = frozenset(
    [
        "opener",
        "asking",
        "definite",
        "indefinite",
        "anyone",
        "too",
        "and",
        "or",
        "which",
        "search",
        "they",
        "here",
        "but",
        "than",
        "except",
        "dontcare",
    ]
)
"""Cues of which other phrases may be made up: they take nothing away from these."""
LIGHT: Final = WEAK | NEGATIONS
TRANSPARENT: Final = WEAK | {"no", "correction", "restart", "another"}
"""Cues in whose words a negation keeps its meaning."""
FEW: Final = 3
"""Places of a kind of which the first is meant where a landmark is expected."""
DOMAIN_SHARE: Final = 0.3
KIND_SHARE: Final = 0.5
"""How much words such as *hotel* and *museum* count in a name."""
LONGEST_ANSWER: Final = 5
"""Words of an answer that is a name."""
SHORTEST_RECALLED: Final = 5
"""Letters of a word that stands for a name told before."""


@dataclass(frozen=True, slots=True)
class Hit:
    """Something known, and where it stands."""

    kind: str
    key: str
    """A cue, a topic, a domain, or the slot of a value; `domain.slot` of a slot."""
    start: int
    end: int
    domain: str = ""
    value: str = ""
    places: tuple[Place, ...] = ()
    amount: Quantity | None = None
    alone: bool = True
    """Whether it means its domain even where nothing else speaks for that."""
    sure: bool = True


@dataclass(slots=True)
class Utterance:
    """A text with everything known in it."""

    text: str
    hits: list[Hit]
    shown: str = ""
    by_key: dict[str, list[Hit]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.hits.sort(key=lambda hit: (hit.start, hit.end))
        for hit in self.hits:
            if hit.kind == CUE:
                self.by_key.setdefault(hit.key, []).append(hit)

    def of(self, kind: str) -> list[Hit]:
        return [hit for hit in self.hits if hit.kind == kind]

    def cues(self, *keys: str) -> list[Hit]:
        found = [hit for key in keys for hit in self.by_key.get(key, ())]
        return sorted(found, key=lambda hit: (hit.start, hit.end))

    def has(self, *keys: str) -> bool:
        return any(key in self.by_key for key in keys)

    def has_in(self, start: int, end: int, *keys: str) -> bool:
        return any(start <= hit.start < end for key in keys for hit in self.by_key.get(key, ()))

    def clause(self, at: int) -> tuple[int, int]:
        """Where the clause around a position begins and ends."""
        return self._around(at, MARKS)

    def sentence(self, at: int) -> tuple[int, int]:
        return self._around(at, HARD + ASKED)

    def _around(self, at: int, marks: str) -> tuple[int, int]:
        start = max(self.text.rfind(mark, 0, at) for mark in marks) + 1
        ends = [end for mark in marks if (end := self.text.find(mark, at)) >= 0]
        return start, min(ends, default=len(self.text))

    def is_asked(self, at: int) -> bool:
        """Whether the sentence around a position ends in a question mark."""
        _, end = self.sentence(at)
        return self.text[end : end + 1] == ASKED


def marked(text: str) -> str:
    """Plain text with marks where clauses and sentences end."""
    text = _SIGN.sub(lambda found: f" {SIGNS[found[0]]} ", text)
    parts: list[str] = []
    at = 0
    for found in _BREAK.finditer(text):
        rest = text[found.end() :].lstrip()
        if found[0] in ".:" and rest[:1].isdigit():  # ca. 50, limit: 50
            continue
        parts += [plain(text[at : found.start()]), _mark(found[0])]
        at = found.end()
    parts.append(plain(text[at:]))
    return " ".join(part for part in parts if part)


def _mark(sign: str) -> str:
    if sign[1:].isdigit():
        return CLOCK
    if sign[0] in "?？؟":
        return ASKED
    return HARD if sign[0] in ".!。！…\n" else SOFT


class Spotter:
    """Finds names, values, kinds of places, numbers and cues of one world in one language."""

    def __init__(self, world: World, book: Phrasebook) -> None:
        self._book = book
        self.spaced = book.grammar.spaced
        self.quantities = Quantities(book)
        self._of_names = Counter(map(without_joined, _name_words(world, SlotKind.NAME)))
        self._names = NameFinder(world, book.cues.get("small"), _common(book))
        self._vocabularies = [
            Vocabulary(world, domain, slot, book)
            for domain in world.schema.places
            for slot in domain.of_kind(*TERMS)
        ]
        self._name_slots = {d.key: d.name_slot.key for d in world.schema.places if d.name_slot}
        self.kinds = {
            (domain, word): _of_kind(world, domain, self._name_slots[domain], word)
            for domain, words in book.kinds.items()
            if domain in self._name_slots
            for word in words
        }
        self._cues = {key: cue for key, cue in book.cues.items() if key not in UNSCANNED}
        self._light = [book.cues[key] for key in ("small", "filler") if key in book.cues]
        self.hours_slot = _hours_slot(world, book)
        self._counted = _counted(book)
        self._speller = (
            Speller(book, _name_words(world, SlotKind.NAME, SlotKind.LIST))
            if self.spaced and book.grammar.corrects
            else None
        )

    def spot(self, text: str, context: TurnContext) -> Utterance:
        shown = tidy(text)
        words = self._joined(self._book.standard(marked(shown)))
        if self._speller:
            words = self._speller.corrected(words)
        said = self._spot(words, shown, context)
        named = words if self.spaced else self._with_names(words, said)
        return said if named == words else self._spot(named, shown, context)

    def _with_names(self, words: str, said: Utterance) -> str:
        """The text with the names that stretches resemble which nothing was made of."""
        for stretch in self.unexplained(said):
            for part, name in self._names.resembling(stretch):
                words = words.replace(part, name)
        return words

    def _spot(self, words: str, shown: str, context: TurnContext) -> Utterance:
        mentions = self._mentions(words, context)
        opened, names = self._opened(words, mentions, context)
        candidates = list(self._candidates(opened))
        fixed = [*names, *self._amounts(opened, [*names, *candidates])]
        hits = self._resolved(opened, fixed, candidates)
        hits += self._single_words(opened, hits, context)
        return Utterance(opened, self._landmarks(hits), shown)

    def _joined(self, text: str) -> str:
        """Without the comma before a clause that belongs to the word before it: `none, that`."""
        relative = self._book.cues.get("relative")
        for at in range(len(text) - 1, 0, -1) if relative else ():
            before, after = text[:at].rstrip(), text[at + 1 :].lstrip()
            if text[at] != SOFT or not (relative and relative.match(after)):
                continue
            if self._takes_clause(before):
                text = f"{before} {after}"
        return text

    def _takes_clause(self, before: str) -> bool:
        """Whether a text ends in a word of which a clause may say more."""
        tables = (*self._book.kinds.values(), self._book.domains)
        patterns = [each for table in tables for each in table.values()]
        last = before.rpartition(" ")[2]
        return self.ends_with("antecedent", before) or any(
            each.fullmatch(last) for each in patterns
        )

    # Names

    def _mentions(self, words: str, context: TurnContext) -> list[Mention]:
        expected = context.question is not None and len(words.split()) <= LONGEST_ANSWER
        found = self._names.find(words, (*context.recent, *context.listed))
        kept = [each for each in found if self._is_name(each, words, context)]
        sure = [each for each in kept if each.sure or self._was_spoken_of(each, context)]
        if not sure:
            sure = [each for each in kept if expected or self._may_be_name(words, each)]
        called = list(self._called(words, sure, context))
        return sorted([*sure, *called], key=lambda each: each.start)

    def _called(
        self, words: str, mentions: Sequence[Mention], context: TurnContext
    ) -> Iterator[Mention]:
        """Places called by one word of their names: `the Belvedere`."""
        known = {*context.recent, *context.listed}
        for each in self._names.rare(words, known, context.place_domain):
            text = words[each.start : each.end]
            free = all(each.end <= other.start or other.end <= each.start for other in mentions)
            part = self._is_phrase(each, words) or self._is_part(each, words)
            meant = each.sure or self._is_pointed(each, words)
            if free and meant and not part and self._is_distinctive(text):
                yield replace(each, share=SURE)

    def _was_spoken_of(self, mention: Mention, context: TurnContext) -> bool:
        """Whether a part of a name means a place that was told before."""
        return any(place in context.recent for place in mention.places)

    def _is_name(self, mention: Mention, words: str, context: TurnContext) -> bool:
        text = words[mention.start : mention.end]
        if any(mark in text for mark in MARKS):
            return False
        whole = any(plain(name) == text for _, name in mention.places)
        if whole and (" " in text or not self.spaced):
            return True
        if self._is_phrase(mention, words) or self._is_kind(text):
            return False
        if not (whole or self.spaced or self._is_meant(mention, words)):
            return False
        if any(each.alone and each.end - each.start == len(text) for each in self._values(text)):
            return False
        nearly = mention.share >= PLAIN and " " in text
        return whole or nearly or not self.spaced or self._is_distinctive(text)

    def _is_meant(self, mention: Mention, words: str) -> bool:
        """Whether a part of a name that says little by itself is pointed at: `海莫拉那家`."""
        text, rest = words[mention.start : mention.end], words[mention.end :].lstrip()
        light = any(each.fullmatch(text) for each in self._light)
        pointed = self._book.cues.get("definite")
        return not light or bool(pointed and pointed.match(rest))

    def _is_pointed(self, mention: Mention, words: str) -> bool:
        """Whether a short part of a name is spoken of as a place: `船坞那家`, `船坞呢`."""
        rest = words[mention.end :].lstrip()
        pointed = self._book.cues.get("definite")
        if pointed and pointed.match(rest):
            return True
        before = words[max(words.rfind(mark, 0, mention.start) for mark in MARKS) + 1 :]
        alone = words[mention.end : mention.end + 3].strip(MARKS + " ")
        opens = before.lstrip().startswith(words[mention.start : mention.end])
        return opens and bool(alone) and self.is_all("too", alone)

    def _is_phrase(self, mention: Mention, words: str) -> bool:
        """Whether what resembles a part of a name belongs to a longer phrase."""
        patterns = [*self._book.slots.values(), *self._cues.values()]
        patterns += self._book.unsupported.values()
        for pattern in patterns:
            for found in pattern.finditer(words):
                if found.start() <= mention.start and mention.end <= found.end():
                    return True
        return any(
            each.alone and each.start <= mention.start and mention.end <= each.end
            for each in self._values(words)
        )

    def _is_part(self, mention: Mention, words: str) -> bool:
        """Whether a word belongs to what people call a domain, a kind of place or a value."""
        tables = [*self._book.kinds.values(), *self._book.values.values(), self._book.domains]
        return any(
            found.start() <= mention.start and mention.end <= found.end()
            for table in tables
            for pattern in table.values()
            for found in pattern.finditer(words)
        )

    def _is_kind(self, text: str) -> bool:
        return any(
            called.fullmatch(text)
            for table in self._book.kinds.values()
            for called in table.values()
        )

    def _is_distinctive(self, text: str) -> bool:
        if not self.spaced:
            return not self._is_kind(text) and not self._means_otherwise(text)
        return any(not self._means_otherwise(word) for word in text.split())

    def _means_otherwise(self, word: str) -> bool:
        if (
            word.isdigit()
            or self._book.knows(word)
            or any(light.fullmatch(word) for light in self._light)
        ):
            return True
        kinds = [called for kinds in self._book.kinds.values() for called in kinds.values()]
        return any(called.search(word) for called in kinds) or any(self._values(word))

    def _may_be_name(self, words: str, mention: Mention) -> bool:
        """A single word of a name says little in a long utterance: `my wife and I`."""
        text = words[mention.start : mention.end]
        if self.spaced and " " not in text and len(words.split()) > LONGEST_ANSWER + 2:
            return False
        return self._is_distinctive(text)

    def _values(self, text: str) -> Iterator[Spotted]:
        for vocabulary in self._vocabularies:
            yield from vocabulary.find(text)

    def _opened(
        self, words: str, mentions: Sequence[Mention], context: TurnContext
    ) -> tuple[str, list[Hit]]:
        """The text with one character for each name and digits for number words."""
        for number in reversed(range(len(mentions))):
            mention = mentions[number]
            hole = chr(ord(FIRST_HOLE) + number)
            words = f"{words[: mention.start]} {hole} {words[mention.end :]}"
        text = self.quantities.with_digits(" ".join(words.split()))
        hits = []
        for number, mention in enumerate(mentions):
            at = text.index(chr(ord(FIRST_HOLE) + number))
            sure = mention.sure or self._was_spoken_of(mention, context)
            hits.append(Hit(NAME, "", at, at + 1, places=mention.places, sure=sure))
        return text, hits

    def _landmarks(self, hits: list[Hit]) -> list[Hit]:
        """The one place of a kind, where there is but one, is a name: `the zoo`."""
        kinds = Counter((hit.start, hit.end) for hit in hits if hit.kind == KIND)
        return [self._landmark(hit) if kinds[hit.start, hit.end] == 1 else hit for hit in hits]

    def _landmark(self, hit: Hit) -> Hit:
        if hit.kind != KIND:
            return hit
        places = self.kinds[hit.domain, hit.value]
        first = places[0][1] if places else ""
        if places and all(first in name for _, name in places):
            return Hit(NAME, "", hit.start, hit.end, hit.domain, hit.value, places[:1])
        return hit

    # Everything else

    def _amounts(self, text: str, others: Sequence[Hit]) -> Iterator[Hit]:
        values = [hit for hit in others if hit.kind in (NAME, VALUE) and hit.alone]
        for found in self.quantities.find(text):
            governs = any(found.negated <= hit.start < found.start for hit in values)
            amount = found.straight if found.straight and governs else found
            yield Hit(AMOUNT, amount.unit, amount.start, amount.end, amount=amount)

    def _candidates(self, text: str) -> Iterator[Hit]:
        for each in self._values(text):
            yield Hit(
                VALUE,
                each.slot,
                each.start,
                each.end,
                each.domain,
                each.value,
                (),
                None,
                each.alone,
            )
        for domain, word in self.kinds:
            for found in self._book.kinds[domain][word].finditer(text):
                yield Hit(KIND, self._name_slots[domain], found.start(), found.end(), domain, word)
        tables: list[tuple[str, Mapping[str, re.Pattern[str]]]] = [
            (DOMAIN, self._book.domains),
            (SLOT, self._book.slots),
            (TOPIC, self._book.unsupported),
            (CUE, self._cues),
        ]
        for kind, patterns in tables:
            for key, pattern in patterns.items():
                for found in pattern.finditer(text):
                    yield Hit(kind, key, found.start(), found.end())
        for pattern, number in self._book.groups:
            for found in pattern.finditer(text):
                yield Hit(GROUP, str(number), found.start(), found.end())

    def _resolved(self, text: str, fixed: list[Hit], candidates: list[Hit]) -> list[Hit]:
        names = [hit for hit in fixed if hit.kind == NAME]
        amounts = [hit for hit in fixed if hit.kind == AMOUNT]
        exact = [hit for hit in candidates if hit.kind in (VALUE, GROUP) and hit.alone]
        exact += [hit for hit in candidates if hit.kind == CUE and hit.key in NUMBERED]
        amounts = [
            hit
            for hit in amounts
            if not any(_meet(hit, other) and _holds_number(text, other) for other in exact)
        ]
        kept: list[Hit] = [*names, *amounts]
        loose: list[Hit] = []
        candidates = [hit for hit in candidates if hit.alone]
        turned = {hit.amount.negated for hit in amounts if hit.amount}
        negations = [hit for hit in candidates if hit.kind == CUE and hit.key in NEGATIONS]
        negations = [hit for hit in negations if hit.start not in turned]
        weak = [hit for hit in candidates if hit.kind == CUE and hit.key in WEAK]
        candidates = [hit for hit in candidates if not (hit.kind == CUE and hit.key in LIGHT)]
        for hit in sorted(candidates, key=lambda hit: _rank(text, hit)):
            if self._is_loose(text, hit, candidates):
                loose.append(hit)
            elif all(not _meet(hit, other) or _same(hit, other) for other in kept):
                kept.append(hit)
        inside = [hit for hit in weak if not any(_within(hit, other) for other in kept)]
        return [*kept, *loose, *inside, *self._negations(negations, candidates, kept)]

    def _negations(
        self, negations: Iterable[Hit], candidates: Iterable[Hit], kept: Sequence[Hit]
    ) -> Iterator[Hit]:
        """Negations are heard inside of phrases that say no more than they do: `I don't want`."""
        solid = [hit for hit in kept if not (hit.kind == CUE and hit.key in TRANSPARENT)]
        solid += [hit for hit in candidates if hit.kind == CUE and hit.key == "not_negator"]
        for hit in negations:
            if not any(_within(hit, other) or _is(hit, other) for other in solid):
                yield hit

    def _is_loose(self, text: str, hit: Hit, candidates: Iterable[Hit]) -> bool:
        """Whether a phrase has a gap, or a cue a word for a domain in it: `which hotels`."""
        if any(FIRST_HOLE <= letter <= LAST_HOLE for letter in text[hit.start : hit.end]):
            return True
        if hit.kind in (SLOT, DOMAIN) and self._book.gapped.fullmatch(text, hit.start, hit.end):
            return True
        return hit.kind == CUE and any(
            other.kind in (DOMAIN, KIND)
            and hit.start <= other.start
            and other.end <= hit.end
            and other.end - other.start < hit.end - hit.start
            for other in candidates
        )

    def _single_words(self, text: str, hits: list[Hit], context: TurnContext) -> list[Hit]:
        """Words of dishes, where the talk is about such things."""
        spoken = {hit.key for hit in hits if hit.kind == DOMAIN}
        kept: list[Hit] = []
        for each in self._values(text):
            hit = Hit(VALUE, each.slot, each.start, each.end, each.domain, each.value)
            if each.alone or any(_meet(hit, other) for other in (*hits, *kept)):
                continue
            word = text[each.start : each.end]
            if any(light.fullmatch(word) for light in self._light):
                continue
            if each.domain in spoken or (not spoken and each.domain == context.place_domain):
                kept.append(hit)
        return kept

    def says(self, cue: str, text: str) -> bool:
        return self._book.has(cue, text)

    def is_all(self, cue: str, text: str) -> bool:
        """Whether a text is a cue and nothing else."""
        found = self._book.cues.get(cue)
        return bool(found and found.fullmatch(text))

    def ends_with(self, cue: str, text: str) -> bool:
        """Whether a cue stands at the end of a text."""
        found = self._book.cues.get(cue)
        tail = text[-20:].rstrip()  # articles are short
        return bool(found and any(each.end() == len(tail) for each in found.finditer(tail)))

    def starts_with(self, cue: str, text: str, reach: int) -> bool:
        """Whether a cue stands near the beginning of a text."""
        found = self._book.cues.get(cue)
        return bool(found and any(each.start() < reach for each in found.finditer(text)))

    def number_before(self, text: str) -> int:
        """The small number in words or digits that ends a text, but for a word or two; 0: none."""
        for counted in self._counted.finditer(text) if self._counted else ():
            return self._number(counted[1])
        words = text.split()[-3:] if self.spaced else []
        return next((number for word in reversed(words) if (number := self._number(word))), 0)

    def number_after(self, text: str) -> int:
        """The small number in the first words of a text; 0: none."""
        for counted in self._counted.finditer(text[:12]) if self._counted else ():
            return self._number(counted[1])
        words = text.split()[1:4] if self.spaced else []
        return next((number for word in words if (number := self._number(word))), 0)

    def _number(self, word: str) -> int:
        return int(word) if word.isdigit() else self._book.numbers.get(word, 0)

    def unexplained(self, said: Utterance) -> list[str]:
        """Words that nothing was made of; of Chinese, stretches of characters."""
        left = list(said.text)
        for hit in said.hits:
            negated = hit.amount.negated if hit.amount else -1
            start = negated if negated >= 0 else hit.start
            left[start : hit.end] = " " * (hit.end - start)
        text = "".join(letter if letter not in MARKS else " " for letter in left)
        for light in self._light:
            text = light.sub(" ", text)
        shortest = 4 if self.spaced else 2
        words = (word for word in text.split() if len(word) >= shortest and not word.isdigit())
        return [word for word in words if not self._book.knows(word)]


def _name_words(world: World, *kinds: SlotKind) -> Iterator[str]:
    for table in world.tables.values():
        for row in table:
            for slot in table.domain.of_kind(*kinds):
                cell = row.get(slot.key)
                for text in (cell,) if isinstance(cell, str) else cell or ():  # type: ignore[union-attr]
                    yield from plain(str(text)).split()


def _hours_slot(world: World, book: Phrasebook) -> str:
    """The slot whose texts say days or clock times: opening hours."""
    for domain in world.schema.places:
        for slot in domain.of_kind(SlotKind.TEXT):
            cells = [row.get(slot.key) for row in world.tables[domain.key]]
            texts = [str(cell) for cell in cells if cell]
            if texts and sum(bool(_CLOCK.search(text)) for text in texts) > len(texts) / 2:
                return slot.key
    return ""


def _counted(book: Phrasebook) -> re.Pattern[str] | None:
    """A number and the word that counts places, in languages that have such words."""
    if not book.grammar.counters:
        return None
    digits, counters = "".join(book.numbers), "|".join(book.grammar.counters)
    return re.compile(f"([{digits}\\d])(?:{counters})")


def _common(book: Phrasebook) -> list[tuple[re.Pattern[str], float]]:
    kinds = [words for table in book.kinds.values() for words in table.values()]
    return [
        *((words, DOMAIN_SHARE) for words in book.domains.values()),
        *((words, KIND_SHARE) for words in kinds),
    ]


def _of_kind(world: World, domain: str, slot: str, word: str) -> tuple[Place, ...]:
    names = [str(row[slot]) for row in world.tables[domain]]
    return tuple((domain, name) for name in names if plain(word) in plain(name))


def _meet(one: Hit, other: Hit) -> bool:
    return one.start < other.end and other.start < one.end


def _same(one: Hit, other: Hit) -> bool:
    return (one.start, one.end) == (other.start, other.end) and other.kind != NAME


def _within(one: Hit, other: Hit) -> bool:
    """Whether one lies inside the other, which is longer."""
    longer = other.end - other.start > one.end - one.start
    return other.start <= one.start and one.end <= other.end and longer


def _is(one: Hit, other: Hit) -> bool:
    return (one.start, one.end) == (other.start, other.end) and other.key == "not_negator"


def _rank(text: str, hit: Hit) -> tuple[bool, int, bool, int]:
    """Values with a number in them come first, then what is longer: `5 star`, not `star hotel`."""
    numbered = hit.kind == VALUE and _holds_number(text, hit)
    return not numbered, hit.start - hit.end, hit.kind != VALUE, hit.start


def _holds_number(text: str, hit: Hit) -> bool:
    return any(letter.isdigit() for letter in text[hit.start : hit.end]) or hit.kind == GROUP
