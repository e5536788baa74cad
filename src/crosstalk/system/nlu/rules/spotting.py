"""Spotting: everything known that occurs in an utterance, and where.

Names, values, kinds of places, numbers and cues are candidates; of overlapping ones the longest
wins (`resolved`).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.gazetteer import Column
from crosstalk.language.names import Mention, Place
from crosstalk.language.normalize import plain, tidy
from crosstalk.language.numerals import CLOCK
from crosstalk.language.patterns import FIRST_HOLE, LAST_HOLE
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.quantities import Quantities
from crosstalk.language.spelling import Homophones, Speller
from crosstalk.language.values import TERMS, Spotted, Vocabularies
from crosstalk.language.writing import SHORTEST_STEM
from crosstalk.system.nlu.rules.context import TurnContext
from crosstalk.system.nlu.rules.cues import (
    LIGHT,
    NEGATIONS,
    NUMBERED,
    TRANSPARENT,
    UNSCANNED,
    WEAK,
    Cues,
)
from crosstalk.system.nlu.rules.place_names import PlaceNames
from crosstalk.system.nlu.rules.utterance import (
    AMOUNT,
    CUE,
    DOMAIN,
    GROUP,
    KIND,
    MARKS,
    NAME,
    SLOT,
    SOFT,
    TOPIC,
    VALUE,
    Hit,
    Utterance,
    marked,
    meet,
    within,
)
from crosstalk.worlds.tables import World


def resolved(book: Phrasebook, text: str, fixed: list[Hit], candidates: list[Hit]) -> list[Hit]:
    names = [hit for hit in fixed if hit.kind == NAME]
    amounts = [hit for hit in fixed if hit.kind == AMOUNT]
    candidates = [hit for hit in candidates if not _is_decimal(text, hit)]
    exact = [hit for hit in candidates if hit.kind in (VALUE, GROUP) and hit.alone]
    exact += [hit for hit in candidates if hit.kind == CUE and hit.key in NUMBERED]
    amounts = [
        hit
        for hit in amounts
        if not any(meet(hit, other) and _holds_number(text, other) for other in exact)
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
        if _is_loose(book, text, hit, candidates):
            loose.append(hit)
        elif all(not meet(hit, other) or _same(hit, other) for other in kept):
            kept.append(hit)
    drops = [hit for hit in negations if hit.key == "drop"]
    kept = [hit for hit in kept if not _is_part_of_drop(hit, drops)]
    inside = [hit for hit in weak if not any(within(hit, other) for other in kept)]
    return [*kept, *loose, *inside, *_negations(negations, candidates, kept)]


def _negations(
    negations: Iterable[Hit], candidates: Iterable[Hit], kept: Sequence[Hit]
) -> Iterator[Hit]:
    """Negations are heard inside of phrases that say no more than they do: `I don't want`."""
    solid = [hit for hit in kept if not (hit.kind == CUE and hit.key in TRANSPARENT)]
    solid += [hit for hit in candidates if hit.kind == CUE and hit.key == "not_negator"]
    for hit in negations:
        if not any(within(hit, other) or _is(hit, other) for other in solid):
            yield hit


def _is_part_of_drop(hit: Hit, drops: Iterable[Hit]) -> bool:
    """Whether a correction is the beginning of a phrase that takes a wish back: `instead of`."""
    corrects = hit.kind == CUE and hit.key in ("correction", "replace")
    return corrects and any(within(hit, drop) for drop in drops)


def _is_loose(book: Phrasebook, text: str, hit: Hit, candidates: Iterable[Hit]) -> bool:
    """Whether a phrase has a gap, or a cue a word for a domain in it: `which hotels`."""
    if any(FIRST_HOLE <= letter <= LAST_HOLE for letter in text[hit.start : hit.end]):
        return True
    if hit.kind in (SLOT, DOMAIN) and book.gapped.fullmatch(text, hit.start, hit.end):
        return True
    return hit.kind == CUE and any(
        other.kind in (DOMAIN, KIND)
        and hit.start <= other.start
        and other.end <= hit.end
        and other.end - other.start < hit.end - hit.start
        for other in candidates
    )


def _same(one: Hit, other: Hit) -> bool:
    return (one.start, one.end) == (other.start, other.end) and other.kind != NAME


def _is(one: Hit, other: Hit) -> bool:
    return (one.start, one.end) == (other.start, other.end) and other.key == "not_negator"


def _rank(text: str, hit: Hit) -> tuple[bool, int, bool, int]:
    """Values with a number in them come first, then what is longer: `5 star`, not `star hotel`."""
    numbered = hit.kind == VALUE and _holds_number(text, hit)
    return not numbered, hit.start - hit.end, hit.kind != VALUE, hit.start


def _is_decimal(text: str, hit: Hit) -> bool:
    """Whether a phrase begins amid a number: the *5 stars* of 4.5 stars."""
    before = text[max(0, hit.start - 2) : hit.start]
    return text[hit.start].isdigit() and before[-1:] == "." and before[:1].isdigit()


def _holds_number(text: str, hit: Hit) -> bool:
    return any(letter.isdigit() for letter in text[hit.start : hit.end]) or hit.kind == GROUP


_BLANK: Final = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")
"""A blank between Chinese words stands for a comma."""
_ABBREVIATION: Final = re.compile(r"(\w+)\.\s")
_WORD: Final = re.compile(r"\w+")
SHORTEST_OF_NAME: Final = 3
"""Characters of the beginning or end of a name by which it is known."""
NEARLY_WHOLE: Final = 0.8
"""Share of a name from which on it is meant, whatever else its words mean."""


class Spotter:
    """Finds names, values, kinds of places, numbers and cues of one world in one language."""

    def __init__(self, world: World, book: Phrasebook) -> None:
        self._book = book
        self.spaced = book.grammar.spaced
        self.quantities = Quantities(book)
        self.cues = Cues(book)
        self._cues = {key: cue for key, cue in book.cues.items() if key not in UNSCANNED}
        self._values = Vocabularies(_terms(world), book)
        self._names = PlaceNames(_places(world), book, self._values, self._cues)
        self.name_slots = {d.key: d.name_slot.key for d in world.schema.places if d.name_slot}
        self.kinds = {
            (domain, word): _of_kind(world, domain, self.name_slots[domain], word)
            for domain, words in book.kinds.items()
            if domain in self.name_slots
            for word in words
        }
        self.hours_slot = _hours_slot(world)
        self._lists = {
            domain.key: [slot.key for slot in domain.of_kind(SlotKind.LIST)]
            for domain in world.schema.places
        }
        self._speller = (
            Speller(book, _name_words(world, SlotKind.NAME, *TERMS)) if self.spaced else None
        )
        self._stops = _stops_in([name for _, name in _places(world)])
        self._homophones = None if self.spaced else Homophones(book.language, _known(world, book))

    def spot(self, text: str, context: TurnContext) -> Utterance:
        shown = tidy(text)
        parted = shown if self.spaced else _BLANK.sub(", ", shown)
        words = self.words_of(parted)
        if self._speller:
            words = self._speller.corrected(words)
        said = self._spot(words, shown, context)
        named = words if self.spaced else self._names.corrected(words, self.unexplained(said))
        for part, word in self._slips(said):
            named = named.replace(part, word)
        return said if named == words else self._spot(named, shown, context)

    def words_of(self, shown: str) -> str:
        """Plain words of a text with marks where clauses end; those inside of names are none."""
        if self._stops:
            shown = self._stops.sub(lambda found: f"{found[0][:-1]} ", shown)
        return self._joined(self._book.standard(marked(shown)))

    def _slips(self, said: Utterance) -> Iterator[tuple[str, str]]:
        """What sounds like something known if nothing was understood, and what that is."""
        left = self._left(said)
        if self._homophones and left.strip():
            yield from self._homophones.slips(said.text, left, self._without_light(left))

    def _spot(self, words: str, shown: str, context: TurnContext) -> Utterance:
        mentions = self._apart_from_values(words, self._names.find(words, context))
        opened, names = self._opened(words, mentions, context)
        candidates = list(self._candidates(opened))
        fixed = [*names, *self._amounts(opened, [*names, *candidates])]
        hits = resolved(self._book, opened, fixed, candidates)
        hits += self._single_words(opened, hits, context)
        return Utterance(opened, self._landmarks(hits), shown)

    def _apart_from_values(self, words: str, mentions: Sequence[Mention]) -> list[Mention]:
        """Without words of names that are part of a longer value: `goat's cheese with honey`.

        A name of which little was said gives way to any value that it reaches into.
        """
        values = [each for each in self._values.find(words) if each.alone] if mentions else []
        return [each for each in mentions if not any(_is_part(each, value) for value in values)]

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
        return self.cues.ends_with("antecedent", before) or any(
            each.fullmatch(last) for each in patterns
        )

    def _opened(
        self, words: str, mentions: Sequence[Mention], context: TurnContext
    ) -> tuple[str, list[Hit]]:
        """The text with one character for each name and digits for number words."""
        said = [words[mention.start : mention.end] for mention in mentions]
        for number in reversed(range(len(mentions))):
            mention = mentions[number]
            hole = chr(ord(FIRST_HOLE) + number)
            words = f"{words[: mention.start]} {hole} {words[mention.end :]}"
        text = self.quantities.with_digits(" ".join(words.split()))
        hits = []
        for number, mention in enumerate(mentions):
            at = text.index(chr(ord(FIRST_HOLE) + number))
            sure = mention.sure or self._names.was_spoken_of(mention, context)
            hits.append(
                Hit(NAME, "", at, at + 1, places=mention.places, sure=sure, said=said[number])
            )
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

    def _amounts(self, text: str, others: Sequence[Hit]) -> Iterator[Hit]:
        values = [hit for hit in others if hit.kind in (NAME, VALUE) and hit.alone]
        for found in self.quantities.find(text):
            governs = any(found.negated <= hit.start < found.start for hit in values)
            amount = found.straight if found.straight and governs else found
            yield Hit(AMOUNT, amount.unit, amount.start, amount.end, amount=amount)

    def _candidates(self, text: str) -> Iterator[Hit]:
        for each in self._values.find(text):
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
                yield Hit(KIND, self.name_slots[domain], found.start(), found.end(), domain, word)
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

    def _single_words(self, text: str, hits: list[Hit], context: TurnContext) -> list[Hit]:
        """Words of dishes, where the talk is about such things."""
        spoken = {hit.key for hit in hits if hit.kind == DOMAIN}
        spoken |= {hit.domain for hit in hits if hit.kind == VALUE}
        kept: list[Hit] = []
        for each in self._values.find(text):
            hit = Hit(VALUE, each.slot, each.start, each.end, each.domain, each.value)
            if each.alone or any(meet(hit, other) for other in (*hits, *kept)):
                continue
            word = text[each.start : each.end]
            if any(light.fullmatch(word) for light in self._book.light):
                continue
            if each.domain in spoken or (not spoken and each.domain == context.place_domain):
                kept.append(hit)
        return kept

    def called(self, kind: Hit) -> Callable[[str], bool]:
        """Tells whether a name is that of a place of a kind: `these gardens`, `Terrace Gardens`."""
        word, words = plain(kind.value), self._book.kinds[kind.domain][kind.value]
        return lambda name: word in plain(name) or bool(words.search(plain(name)))

    def list_slot(self, domain: str, text: str) -> str:
        """The slot of a domain with several terms, such as dishes, that a text asks for."""
        for slot in self._lists.get(domain, ()):
            called = self._book.slots.get(slot)
            if called and called.search(text):
                return slot
        return ""

    def domains_in(self, text: str) -> list[str]:
        """The domains that a text has words for."""
        return [key for key, words in self._book.domains.items() if words.search(text)]

    def _left(self, said: Utterance) -> str:
        """The text with blanks for everything that was understood."""
        left = list(said.text)
        for hit in said.hits:
            negated = hit.amount.negated if hit.amount else -1
            start = negated if negated >= 0 else hit.start
            left[start : hit.end] = " " * (hit.end - start)
        return "".join(letter if letter not in MARKS else " " for letter in left)

    def _without_light(self, text: str) -> str:
        for light in self._book.light:
            text = light.sub(lambda found: " " * len(found[0]), text)
        return text

    def names_slot(self, key: str, words: str) -> bool:
        """Whether a slot is called by its name in plain words."""
        called = self._book.slots.get(key)
        return bool(called and called.search(words))

    def unexplained(self, said: Utterance) -> list[str]:
        """Words that were not understood; of Chinese, stretches of characters."""
        text = self._without_light(self._left(said))
        shortest = 4 if self.spaced else 2
        words = (word for word in text.split() if len(word) >= shortest and not word.isdigit())
        return [word for word in words if not self._book.knows(word)]


def _is_part(mention: Mention, value: Spotted) -> bool:
    meets = mention.start < value.end and value.start < mention.end
    inside = value.start <= mention.start and mention.end <= value.end
    longer = value.end - value.start > mention.end - mention.start
    return (inside and longer) or (meets and not inside and mention.share < NEARLY_WHOLE)


def _name_words(world: World, *kinds: SlotKind) -> Iterator[str]:
    for table in world.tables.values():
        for row in table:
            for slot in table.domain.of_kind(*kinds):
                cell = row.get(slot.key)
                for text in (cell,) if isinstance(cell, str) else cell or ():  # type: ignore[union-attr]
                    yield from plain(str(text)).split()


def _known(world: World, book: Phrasebook) -> Iterator[str]:
    """What typos may be meant for, in a language without spaces: phrases, and ends of names."""
    yield from book.things
    for _, name in _places(world):
        core = plain(name).split()[0]
        for at in range(len(core) - SHORTEST_OF_NAME + 1):
            yield core[at:]
            yield core[: len(core) - at]


def _hours_slot(world: World) -> str:
    """The slot of opening hours, or the one whose texts say days or clock times."""
    if named := [slot for domain in world.schema.places for slot in domain.of_kind(SlotKind.HOURS)]:
        return named[0].key
    for domain in world.schema.places:
        for slot in domain.of_kind(SlotKind.TEXT):
            cells = [row.get(slot.key) for row in world.tables[domain.key]]
            texts = [str(cell) for cell in cells if cell]
            if texts and sum(bool(CLOCK.search(text)) for text in texts) > len(texts) / 2:
                return slot.key
    return ""


def _terms(world: World) -> list[Column]:
    places = {domain.key for domain in world.schema.places}
    return [column for column in world.columns(*TERMS) if column.domain in places]


def _stops_in(names: Sequence[str]) -> re.Pattern[str] | None:
    """Signs that are no end: in `Dr. Yue` after an abbreviation, in `Yue's` after a short word."""
    pairs = {
        (short[1], word)
        for name in names
        for short in _ABBREVIATION.finditer(name)
        for word in _WORD.findall(name[short.end() :])
    }
    last = {words[-1] for name in names if (words := _WORD.findall(name))}
    ways = [rf"{re.escape(a)}\.(?=\s+{re.escape(b)}\b)" for a, b in sorted(pairs)]
    ways += [
        rf"{re.escape(word)}['’](?=s\b)" for word in sorted(last) if len(word) <= SHORTEST_STEM
    ]
    return re.compile(rf"\b(?:{'|'.join(ways)})", re.IGNORECASE) if ways else None


def _places(world: World) -> list[Place]:
    """Every place by its name, as often as the tables have it."""
    return [
        (domain.key, str(row[slot.key]))
        for domain in world.schema.places
        if (slot := domain.name_slot)
        for row in world.tables[domain.key]
    ]


def _of_kind(world: World, domain: str, slot: str, word: str) -> tuple[Place, ...]:
    names = [str(row[slot]) for row in world.tables[domain]]
    return tuple((domain, name) for name in names if plain(word) in plain(name))
