"""Lexicon: values and phrases found in a text though not written as in the tables.

Words are compared by their stems, with a typing error allowed in longer ones; of a long name the
words that tell it from others are enough: `the old lighthouse` is `Old Lighthouse of Halmora`.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.columns import Column
from crosstalk.language.concepts import Concept, concepts, everyday
from crosstalk.language.gazetteer import Gazetteer, Match
from crosstalk.language.known_texts import KnownTexts, among
from crosstalk.language.normalize import folded, word_form
from crosstalk.language.scripts import is_undivided
from crosstalk.language.training_phrases import TrainingPhrases
from crosstalk.language.units import Unit, units

ENOUGH: Final = {False: 0.5, True: 0.45}
"""Share of a value's weight that has to be said; of one written without spaces a little less."""
FAINT: Final = 0.25
"""Weight of everyday words in a name."""
WHOLE: Final = 0.8
"""From this share on all of a value is meant."""
MISSPELT: Final = 0.6
"""Weight of a word with a typing error."""
COMMON: Final = 40
"""A stem of more values than this finds none of them by itself."""
GAP: Final = 2
"""Units between two that belong to one value."""
_FUZZY: Final = ((9, 2), (5, 1))
"""Letters of a stem -> errors allowed in it."""

TOLD_ONLY: Final = frozenset({SlotKind.TEXT, SlotKind.STATION})
"""Kinds whose values nobody asks for in words of their own: found only as they are written."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of the tables, ready to be found."""

    text: str
    columns: tuple[int, ...]
    stems: tuple[str, ...]
    bounds: tuple[tuple[int, int], ...]
    """Where its units stand in it."""
    size: int
    """Different stems."""
    kind: SlotKind
    """Of a LIST one word says something: `dumplings` of `pork and cabbage dumplings`."""
    total: float = 1.0
    """Weight of all its stems."""


class Lexicon:
    """What columns and a phrase book hold, for looking up in texts."""

    def __init__(
        self, columns: Sequence[Column], book: TrainingPhrases, ordinary: Iterable[str] = ()
    ) -> None:
        """`ordinary`: what domains and slots are called; such words alone are no name."""
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
        self._found = lru_cache(maxsize=8192)(self._find)
        self._noticed = lru_cache(maxsize=8192)(lambda text: tuple(self._phrases_in(text)))

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
        """The rarer, the heavier."""
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
        """The values a text names, in order, without those that lie inside a better one."""
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
        """Values of which enough might be said."""
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
        """One word says something; one character of several does not."""
        return len(said) > 1 or not any(map(is_undivided, said))

    def _is_unique(self, telling: Iterable[str], exact: Iterable[str]) -> bool:
        """Whether words stand in so few values that they name one: two characters in Chinese."""
        rare = [stem for stem in set(telling) & set(exact) if len(self._places[stem]) <= 2]
        return len(rare) >= (2 if any(map(is_undivided, telling)) else 1)

    # Words

    @cached_property
    def _vocabulary(self) -> tuple[str, ...]:
        phrases = {stem for stems in self._phrases for stem in stems}
        return tuple(sorted({*self._places, *phrases, *self._ordinary}))

    @cached_property
    def _known(self) -> Callable[[str], tuple[str, ...]]:
        return lru_cache(maxsize=65_536)(self._look_up)

    def _look_up(self, word: str) -> tuple[str, ...]:
        """The stems a word may be: its own, else what it becomes without one typing error."""
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
        """What the reader is told about: the tables' columns, then what phrases may mean."""
        return (*self.columns, *self.concepts)

    def hints(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Start, end and number among all columns of what stands in a text."""
        for match in self.find(text):
            yield from ((match.start, match.end, kind) for kind in match.kinds)
        for start, end, concept in self.phrases(text):
            yield start, end, len(self.columns) + concept

    def phrases(self, text: str) -> tuple[tuple[int, int, int], ...]:
        return self._noticed(text)

    def _phrases_in(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Start, end and concept of the phrases in a text; the longest of each at each place."""
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
    """Whether the characters stand in the value one after the other, as they do in the text."""
    return "".join(stem for _, stem in hits) in "".join(value.stems)


def _grouped(hits: Sequence[tuple[int, str]], gap: int) -> Iterator[list[tuple[int, str]]]:
    """Hits that stand together."""
    group: list[tuple[int, str]] = []
    for hit in hits:
        if group and hit[0] - group[-1][0] > gap:
            yield group
            group = []
        group.append(hit)
    if group:
        yield group


def _part(value: Value, said: Iterable[str]) -> str:
    """The stretch of a value from the first of the words said to the last."""
    wanted = set(said)
    at = [number for number, stem in enumerate(value.stems) if stem in wanted]
    return value.text[value.bounds[at[0]][0] : value.bounds[at[-1]][1]] if at else value.text


def _best(found: list[Match]) -> Iterator[Match]:
    """From the heaviest on, what does not overlap one before; equals in other columns stay."""
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
