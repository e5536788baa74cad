"""Table values and phrases in a text that is not written as the tables are; for trained models.

Words are compared by their stems, with a typo allowed in longer ones. Of a long name its
distinctive words suffice: `the old lighthouse` is `Old Lighthouse of Halmora`. The shipped
`nlu-harbour-*` models were trained on exactly these matches; the rules use `names.py`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.gazetteer import Column, Gazetteer, KnownTexts, Match, among
from crosstalk.language.normalize import folded, word_form
from crosstalk.language.remembered import remembered
from crosstalk.language.scripts import is_undivided
from crosstalk.language.tokenize import Unit, units
from crosstalk.language.training_phrases import TrainingPhrases

Concept = tuple[str, str]
"""Kind of a phrase (say, domain, ask, near, value, number) and which of the kind."""
_HOLES: Final = re.compile(r"\{[^}]*\}")


def everyday(book: TrainingPhrases) -> Iterator[str]:
    """All phrases of a book except names of values, without placeholders."""
    say, ask = book.say, book.ask
    several = [say.greet, say.thank, say.bye, say.nothing, say.before, say.after, say.correction]
    several += [ask.frames, ask.of, book.near.place, book.near.there]
    several += [*book.want.values(), *book.rides.values(), *book.near.the.values()]
    for asked in ask.slots.values():
        several += [asked.nouns, asked.say]
    for domain in book.domains.values():
        several += [domain.words, domain.it, domain.find, domain.go]
    for phrases in several:
        for phrase in phrases:
            yield _HOLES.sub(" ", phrase)


def concepts(book: TrainingPhrases) -> Iterator[tuple[str, Concept]]:
    """Phrases that the reader gets as input features, and what each may mean."""
    for act, phrases in (
        ("greet", book.say.greet),
        ("thank", book.say.thank),
        ("bye", book.say.bye),
        ("correction", book.say.correction),
    ):
        yield from ((phrase, ("say", act)) for phrase in phrases)
    for key, domain in book.domains.items():
        yield from ((word, ("domain", key)) for word in domain.words)
    for slot, asked in book.ask.slots.items():
        for phrase in (*asked.nouns, *asked.say):
            yield from ((part, ("ask", slot)) for part in _solid(phrase))
    for phrase in (*book.near.place, *book.near.there):
        yield from ((part, ("near", "place")) for part in _solid(phrase, least=1))
    for number, alias in enumerate(book.values):
        for phrase in (*alias.say, *alias.adj):
            yield phrase, ("value", " ".join([*alias.slots, str(number)]))
    for kind in ("below", "above", "about", "money", "points"):
        for phrase in getattr(book.numbers, kind):
            yield from ((part, ("number", kind)) for part in _solid(phrase, least=1))
    yield from ((word, ("number", "word")) for word in book.numbers.words)


def _solid(phrase: str, *, least: int = 2) -> Iterator[str]:
    """The parts of a phrase between its placeholders that have at least `least` words."""
    parts = [part.strip() for part in _HOLES.split(phrase)]
    if len(parts) == 1:
        yield phrase
    else:
        yield from (part for part in parts if len(units(part)) >= least)


ENOUGH: Final = {False: 0.5, True: 0.45}
"""Minimum share of a value's weight; key: whether it is written without spaces."""
FAINT: Final = 0.25
"""Weight of everyday words in a name."""
WHOLE: Final = 0.8
"""From this share the whole value is meant."""
MISSPELT: Final = 0.6
"""Weight of a word with a typing error."""
COMMON: Final = 40
"""A stem that occurs in more values than this does not find them by itself."""
GAP: Final = 2
"""Maximum distance between words of one value."""
_FUZZY: Final = ((9, 2), (5, 1))
"""Letters of a stem -> errors allowed in it."""

TOLD_ONLY: Final = frozenset({SlotKind.TEXT, SlotKind.STATION})
"""Kinds whose values are found only as they are written."""


@dataclass(frozen=True, slots=True)
class Value:
    """A table value with its stems."""

    text: str
    columns: tuple[int, ...]
    stems: tuple[str, ...]
    bounds: tuple[tuple[int, int], ...]
    """Start and end of its words."""
    size: int
    """Number of different stems."""
    kind: SlotKind
    """Of a LIST one word suffices: `dumplings` of `pork and cabbage dumplings`."""
    total: float = 1.0
    """Weight of all its stems."""


class Lexicon:
    """Finds the values of columns and the phrases of a book in texts."""

    def __init__(
        self, columns: Sequence[Column], book: TrainingPhrases, ordinary: Iterable[str] = ()
    ) -> None:
        """`ordinary`: names of domains and slots; such words alone are no name."""
        self.book = book
        self._beginnings = tuple(map(word_form, book.beginnings))
        self._endings = tuple(sorted(map(word_form, book.endings), key=len, reverse=True))
        self._exact = Gazetteer.of(columns)
        self.columns = self._exact.columns
        told = [column for column in columns if column.texts]
        self._written = {folded(text): text for column in told for text in column.texts}
        self._values = list(self._read_values(told))
        self._ordinary = self._ordinary_words(ordinary)
        self._places: dict[str, list[int]] = defaultdict(list)
        for number, value in enumerate(self._values):
            for stem in set(value.stems):
                self._places[stem].append(number)
        self._weight = {stem: self._weighed(stem) for stem in self._places}
        self._values = [replace(each, total=self._total(each)) for each in self._values]
        self._telling = {
            stem
            for stem in self._places
            if is_undivided(stem) or (stem not in self._ordinary and len(stem) > 2)
        }
        self._phrases: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self.concepts: tuple[Concept, ...] = tuple(dict.fromkeys(c for _, c in concepts(book)))
        for phrase, concept in dict.fromkeys(concepts(book)):
            stems = tuple(self.stem(unit.plain) for unit in units(phrase))
            if stems:
                self._phrases[stems].append(self.concepts.index(concept))
        self._known_phrases = KnownTexts(self._phrases)
        self._order = {stems: number for number, stems in enumerate(self._phrases)}
        self._found = remembered(self._find, 4096)
        self._noticed = remembered(lambda text: tuple(self._phrases_in(text)), 4096)

    def stem(self, word: str) -> str:
        for ending in self._endings:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                return word[: -len(ending)]
        return word

    # Values

    def _read_values(self, columns: Iterable[Column]) -> Iterator[Value]:
        held: dict[tuple[str, SlotKind], list[int]] = {}
        for number, column in enumerate(columns):
            for text in column.texts if column.kind not in TOLD_ONLY else ():
                held.setdefault((text, column.kind), []).append(number)
        for (text, kind), numbers in held.items():
            there = units(text)
            stems = tuple(self.stem(unit.plain) for unit in there)
            places = tuple((unit.start, unit.end) for unit in there)
            yield Value(text, tuple(numbers), stems, places, len(set(stems)), kind)

    def _total(self, value: Value) -> float:
        return sum(self._weight[stem] for stem in set(value.stems))

    def _weighed(self, stem: str) -> float:
        """Weight of a stem: rare stems weigh more."""
        weight: float = len(self._places[stem]) ** -0.5
        return weight * FAINT if stem in self._ordinary and not is_undivided(stem) else weight

    def _ordinary_words(self, names: Iterable[str]) -> frozenset[str]:
        """Words of everyday phrases, which alone are no name."""
        said = [phrase for phrase, _ in concepts(self.book)]
        said += [*names, *everyday(self.book)]
        stems = Counter(self.stem(unit.plain) for text in said for unit in units(text))
        return frozenset(stems)

    def find(self, text: str) -> tuple[Match, ...]:
        return self._found(text)

    def _find(self, text: str) -> tuple[Match, ...]:
        """The values that a text names, in order, without those inside a better match."""
        there = units(text)
        places: dict[str, list[int]] = {}
        for at, unit in enumerate(there):
            for stem in self._known(unit.plain):
                places.setdefault(stem, []).append(at)
        found = [
            match
            for number in self._suspects(places)
            for match in self._matches(there, places, self._values[number])
        ]
        found = [match for match in found if not self._is_ordinary(match, text)]
        found += self._as_written(text)
        return tuple(sorted(_best(found), key=lambda match: match.start))

    def _is_ordinary(self, match: Match, text: str) -> bool:
        """Whether a part of a name is only a word for what it is: `museum`."""
        return match.share < WHOLE and any(
            self.concepts[concept][0] == "domain" and start <= match.start and match.end <= end
            for start, end, concept in self.phrases(text)
        )

    def _as_written(self, text: str) -> Iterator[Match]:
        small = folded(text)
        for match in self._exact.find(text):
            value = self._written[small[match.start : match.end]]
            weight = float(match.end - match.start)  # heavier than anything said in part
            yield Match(match.start, match.end, match.kinds, value, 1.0, weight)

    def _suspects(self, there: Iterable[str]) -> Iterable[int]:
        """Values that share a stem with the text."""
        said: dict[int, float] = {}
        for stem in there:
            where = self._places.get(stem, ())
            if len(where) <= COMMON:
                for number in where:
                    said[number] = said.get(number, 0.0) + self._weight[stem]
        return said

    def _matches(
        self, there: Sequence[Unit], places: Mapping[str, Sequence[int]], value: Value
    ) -> Iterator[Match]:
        hits = sorted((at, stem) for stem in set(value.stems) for at in places.get(stem, ()))
        undivided = is_undivided(value.text)
        for group in _grouped(hits, 1 if undivided else GAP):
            if undivided and not _is_stretch(group, value):
                continue
            if match := self._match(there, value, group):
                yield match

    def _match(
        self, there: Sequence[Unit], value: Value, hits: Sequence[tuple[int, str]]
    ) -> Match | None:
        said = {stem for _, stem in hits}
        telling = [stem for stem in said if stem in self._telling]
        if len(said) < value.size and not (telling and self._is_some(said)):
            return None
        exact = {stem for at, stem in hits if self.stem(there[at].plain) == stem}
        weight = sum(self._weight[stem] * (1 if stem in exact else MISSPELT) for stem in said)
        share = weight / value.total
        start, end = there[hits[0][0]].start, there[hits[-1][0]].end
        text = value.text
        if value.kind is SlotKind.LIST and share < WHOLE:
            text = _part(value, set(telling))
        elif share < ENOUGH[is_undivided(value.text)] and not self._is_unique(telling, exact):
            return None
        return Match(start, end, value.columns, text, share, weight)

    def _is_some(self, said: Collection[str]) -> bool:
        """Whether the stems suffice: one word does, one character does not."""
        return len(said) > 1 or not any(map(is_undivided, said))

    def _is_unique(self, telling: Iterable[str], exact: Iterable[str]) -> bool:
        """Whether the words occur in at most two values; in Chinese two such are needed."""
        rare = [stem for stem in set(telling) & set(exact) if len(self._places[stem]) <= 2]
        return len(rare) >= (2 if any(map(is_undivided, telling)) else 1)

    # Words

    @cached_property
    def _vocabulary(self) -> tuple[str, ...]:
        phrases = {stem for stems in self._phrases for stem in stems}
        return tuple(sorted({*self._places, *phrases, *self._ordinary}))

    @cached_property
    def _known(self) -> Callable[[str], tuple[str, ...]]:
        return lru_cache(maxsize=1 << 14)(self._look_up)

    def _look_up(self, word: str) -> tuple[str, ...]:
        """The stems of a word: its own if it is known, else known ones within the allowed typos."""
        stem = self.stem(word)
        if stem in self._vocabulary_set or word.isdecimal():
            return (stem,)
        for beginning in self._beginnings:
            rest = self.stem(word.removeprefix(beginning))
            if rest != stem and rest in self._vocabulary_set:
                return (rest,)
        allowed = next((errors for letters, errors in _FUZZY if len(stem) >= letters), 0)
        if not allowed or is_undivided(word):
            return (stem,)
        near = extract(stem, self._vocabulary, scorer=OSA.distance, score_cutoff=allowed, limit=3)
        return tuple(each for each, _, _ in near if abs(len(each) - len(stem)) <= allowed) or (
            stem,
        )

    @cached_property
    def _vocabulary_set(self) -> frozenset[str]:
        return frozenset(self._vocabulary)

    # Phrases

    @property
    def all_columns(self) -> tuple[Concept, ...]:
        """Input features of the reader: the columns of the tables, then the concepts of phrases."""
        return (*self.columns, *self.concepts)

    def hints(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Start, end and number (in `all_columns`) of everything found in a text."""
        for match in self.find(text):
            yield from ((match.start, match.end, kind) for kind in match.kinds)
        for start, end, concept in self.phrases(text):
            yield start, end, len(self.columns) + concept

    def phrases(self, text: str) -> tuple[tuple[int, int, int], ...]:
        return self._noticed(text)

    def _phrases_in(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Start, end and concept of the phrases in a text; the longest of each at each position."""
        there = units(text)
        known = [self._known(unit.plain) for unit in there]
        for at in range(len(there)):
            longest: dict[int, int] = {}
            for stems in sorted(among(self._known_phrases, known, at), key=self._order.__getitem__):
                for concept in self._phrases[stems]:
                    longest[concept] = max(len(stems), longest.get(concept, 0))
            for concept, size in longest.items():
                yield there[at].start, there[at + size - 1].end, concept


def _is_stretch(hits: Sequence[tuple[int, str]], value: Value) -> bool:
    """Whether the characters are adjacent in the value, as they are in the text."""
    return "".join(stem for _, stem in hits) in "".join(value.stems)


def _grouped(hits: Sequence[tuple[int, str]], gap: int) -> Iterator[list[tuple[int, str]]]:
    """Hits grouped by proximity."""
    group: list[tuple[int, str]] = []
    for hit in hits:
        if group and hit[0] - group[-1][0] > gap:
            yield group
            group = []
        group.append(hit)
    if group:
        yield group


def _part(value: Value, said: Iterable[str]) -> str:
    """The part of a value from the first matched word to the last."""
    wanted = set(said)
    at = [number for number, stem in enumerate(value.stems) if stem in wanted]
    return value.text[value.bounds[at[0]][0] : value.bounds[at[-1]][1]] if at else value.text


def _best(found: list[Match]) -> Iterator[Match]:
    """Greedy selection by weight without overlaps; equal matches in other columns stay."""
    found.sort(key=lambda m: (-m.weight, -m.share, len(m.value), m.start))
    kept: list[Match] = []
    for match in found:
        over = [k for k in kept if match.start < k.end and k.start < match.end]
        same = all(
            (k.start, k.end, k.share) == (match.start, match.end, match.share)
            and not set(k.kinds) & set(match.kinds)
            for k in over
        )
        if same:
            kept.append(match)
            yield match
