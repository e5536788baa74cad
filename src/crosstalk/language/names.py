"""Names of places in what people type: whole, in part, inflected or misspelt.

    NameFinder([("attraction", "Maritime Museum")], "en").find("is the maritme museum open")

The score of a name is the share of its words that occur close together in the text; rare words
weigh more. Chinese, which writes no spaces, is searched by substrings.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from crosstalk.language.gazetteer import KnownTexts
from crosstalk.language.normalize import plain
from crosstalk.language.spelling import WordIndex
from crosstalk.language.writing import Writing, writing_of

Place = tuple[str, str]
"""Domain and name."""

SURE: Final = 0.72
"""Share of a name, by weight, that is certain; two of three words of equal weight are not."""
PLAIN: Final = 0.9
"""Share from which a name counts as complete, typos included."""
DOUBT: Final = 0.2
"""Names whose share is lower by less than this may be meant, too."""
FEW: Final = 2
"""Maximum number of names that a single word may stand for."""
LONG_WORD: Final = 5
"""Minimum length of a word that stands for a whole name."""
LIKELY: Final = 0.5
"""Minimum share of a possible name."""
TITLE: Final = 0.5
"""Words that weigh less than this say what kind of place it is: *hotel*."""
COMMON: Final = 5
"""A part that more names than this share is a common word."""
LONG_ENOUGH: Final = 3
"""Minimum length of a Chinese name in which one character may be wrong."""
NOTHING: Final = "□"
"""Replaces each character of a name that was taken out of a text."""

_ASIDE: Final = re.compile(r"[(（].*?[)）]")
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Mention:
    """A place named in a text."""

    places: tuple[Place, ...]
    """The places that may be meant; one if there is no doubt."""
    start: int
    end: int
    share: float = 1.0
    """Share of the name that the text contains."""

    @property
    def sure(self) -> bool:
        return self.share >= SURE


def blanked(text: str, mentions: Iterable[Mention]) -> str:
    """The text with its names blanked; positions stay."""
    for mention in mentions:
        hole = NOTHING * (mention.end - mention.start)
        text = text[: mention.start] + hole + text[mention.end :]
    return text


def overlaps(mention: Mention, others: Iterable[Mention]) -> bool:
    """Whether a mention shares text with one of others."""
    return any(mention.start < other.end and other.start < mention.end for other in others)


class NameFinder:
    """Finds the names of known places."""

    def __init__(
        self,
        places: Iterable[Place],
        language: str,
        small: re.Pattern[str] | None = None,
        common: Sequence[tuple[re.Pattern[str], float]] = (),
    ) -> None:
        """`common`: words that are less distinctive in names, with their weights."""
        self._places: dict[str, list[Place]] = defaultdict(list)
        for domain, name in places:
            self._places[plain(name)].append((domain, name))
        self._writing = writing_of(language)
        parts = dict(self._places)
        if not self._writing.spaced:  # a branch is said without its brackets: 蓝锚客栈车站店
            self._places |= {"".join(name.split()): called for name, called in parts.items()}
        self._whole_names = KnownTexts(self._places)
        self._parts: _Parts = (
            _Tokens(parts, small, self._writing, common)
            if self._writing.spaced
            else _Substrings(parts)
        )

    def find(self, text: str, recent: Iterable[Place] = ()) -> tuple[Mention, ...]:
        """Names in a plain text, in order: whole names, and parts of names in the rest.

        A smaller part suffices for the `recent` places.
        """
        whole = list(self._whole(text))
        lately = frozenset(plain(name) for _, name in recent)
        parts = [
            each
            for each in self._parts.find(blanked(text, whole), lately)
            if not overlaps(each, whole)
        ]
        sure = [*whole, *(each for each in parts if each.sure)]
        begun = [each for each in self._parts.begun(text) if not overlaps(each, sure)]
        parts = [*begun, *(each for each in parts if not overlaps(each, begun))]
        return tuple(sorted((*whole, *parts), key=lambda mention: mention.start))

    def rare(self, text: str, known: Collection[Place] = (), domain: str = "") -> Iterator[Mention]:
        """Single words of few names, or of one of the `known` places: `the Belvedere`.

        In languages without spaces only a known place is certain. Of several names, the one of
        `domain` is preferred.
        """
        for start, end, names in self._parts.rare(text):
            places = tuple(place for name in names for place in self._places[name])
            spoken = tuple(place for place in places if place in known)
            names = [name for name in names if self._parts.leads(text[start:end], name)]
            places = tuple(place for name in names for place in self._places[name])
            near = [place for place in places if place[0] == domain]
            if spoken or 0 < len(names) <= FEW or len(near) == 1:
                share = SURE if spoken or (self._parts.tells and len(names) <= FEW) else LIKELY
                meant = tuple(near) if len(near) == 1 else places
                yield Mention(spoken or meant, start, end, share)

    def resembling(self, stretch: str) -> Iterator[tuple[str, str]]:
        """Parts of a text without spaces that differ from a name by one character, and the name."""
        for name in self._places:
            for at in range(len(stretch) - len(name) + 1 if len(name) >= LONG_ENOUGH else 0):
                part = stretch[at : at + len(name)]
                if sum(a != b for a, b in zip(part, name, strict=True)) == 1:
                    yield part, name

    def _whole(self, text: str) -> Iterator[Mention]:
        at = 0
        while at < len(text):
            name = self._name_at(text, at)
            if name and self._is_within_longer(text, at, at + len(name)):
                name = ""  # `the Glass Pier` in *the Glass Pier Hotel*
            if name:
                yield Mention(tuple(self._places[name]), at, at + len(name))
            at += len(name) or 1

    def _is_within_longer(self, text: str, start: int, end: int) -> bool:
        """Whether a longer name begins inside a name and goes beyond it."""
        begins = (at + 1 for at in range(start, end - 1) if text[at] == " ")
        names = ((at, self._name_at(text, at)) for at in begins)
        return any(at + len(name) > end and len(name) > end - start for at, name in names)

    def _name_at(self, text: str, at: int) -> str:
        if (
            self._writing.spaced
            and at
            and text[at - 1].isalnum()
            and not self._after_joined(text, at)
        ):
            return ""
        return text[at : self._whole_names.longest(text, at, self._may_end)]

    def _may_end(self, text: str, at: int) -> bool:
        return not self._writing.spaced or at == len(text) or not text[at].isalnum()

    def _after_joined(self, text: str, at: int) -> bool:
        """Whether only a prefixed function word stands between the last space and here."""
        start = text.rfind(" ", 0, at) + 1
        return text[start:at] in self._writing.before_names


class _Parts:
    """Finds parts of names."""

    tells = True
    """Whether a single word distinguishes a name from ordinary words."""

    def find(self, text: str, recent: frozenset[str] = frozenset()) -> list[Mention]:
        raise NotImplementedError

    def rare(self, text: str) -> Iterator[tuple[int, int, list[str]]]:
        """Each word of a text that occurs in names: start, end and the names."""
        raise NotImplementedError

    def begun(self, text: str) -> Iterable[Mention]:
        """Names whose beginning occurs in the text."""
        return ()

    def leads(self, word: str, name: str) -> bool:
        """Whether a word can stand for a name by itself."""
        return True


class _Tokens(_Parts):
    """Finds names by their words."""

    def __init__(
        self,
        places: Mapping[str, Sequence[Place]],
        small: re.Pattern[str] | None,
        writing: Writing,
        common: Sequence[tuple[re.Pattern[str], float]] = (),
    ) -> None:
        self._small = small
        self._common = common
        self._writing = writing
        self._places = places
        self._numbers = frozenset(map(plain, writing.number_words))
        self._words = {name: self._content(name) for name in places}
        counts = Counter(word for words in self._words.values() for word in set(words))
        self._weights = {
            word: math.log(2 * len(places) / count) * self._share(word)
            for word, count in counts.items()
        }
        self._names: dict[str, list[str]] = defaultdict(list)
        for name, words in self._words.items():
            for word in set(words):
                self._names[word].append(name)
        self._index = WordIndex(self._weights, writing)
        self._pairs: dict[str, list[str]] = defaultdict(list)
        for name in places:
            for one, other in pairwise(_WORD.findall(name)):
                self._pairs[f"{one} {other}"].append(name)

    def _share(self, word: str) -> float:
        """Weight factor of a word: *hotel* is less distinctive than the rest of a name."""
        return min((share for words, share in self._common if words.fullmatch(word)), default=1.0)

    def find(self, text: str, recent: frozenset[str] = frozenset()) -> list[Mention]:
        tokens = [(found[0], found.start(), found.end()) for found in _WORD.finditer(text)]
        hits = [self._like(self._bare(word)) for word, _, _ in tokens]
        for at in self._in_numbers([word for word, _, _ in tokens]):
            hits[at] = {}
        mentions = []
        while best := self._best(hits):
            share, first, last, names = best
            places = tuple(place for name in names for place in self._places[name])
            mentions.append(Mention(places, tokens[first][1], tokens[last][2], share))
            hits[first : last + 1] = [{}] * (last + 1 - first)
        return mentions

    def _in_numbers(self, words: Sequence[str]) -> Iterator[int]:
        """Words of numbers of several words: *a hundred and forty* is not `Skyline Forty`."""
        known = [self._is_number(word) for word in words]
        for at, is_number in enumerate(known):
            if is_number and (any(known[max(0, at - 1) : at]) or any(known[at + 1 : at + 2])):
                yield at

    def _is_number(self, word: str) -> bool:
        bare = (word, *(word.removeprefix(each) for each in self._writing.before_names))
        return any(each in self._numbers for each in bare)

    def rare(self, text: str) -> Iterator[tuple[int, int, list[str]]]:
        tokens = list(_WORD.finditer(text))
        numbers = set(self._in_numbers([found[0] for found in tokens]))
        for at, found in enumerate(tokens):
            if len(found[0]) < LONG_WORD or at in numbers:
                continue
            like = self._like(self._bare(found[0]))
            words = [word for word, likeness in like.items() if likeness > 0.9]
            names = sorted({name for word in words for name in self._names[word]})
            if names and all(self._share(word) == 1 for word in words):
                yield found.start(), found.end(), names

    def begun(self, text: str) -> Iterable[Mention]:
        """`The Grand Hotel`: two words that begin one name alone, and one of them is common."""
        for one, other in pairwise(_WORD.finditer(text)):
            pair = f"{one[0]} {other[0]}"
            names = [name for name in self._pairs.get(pair, ()) if name.startswith(pair)]
            shares = sorted(self._share(word) for word in pair.split())
            if len(names) == 1 and shares[0] < TITLE and shares[1] == 1:
                yield Mention(tuple(self._places[names[0]]), one.start(), other.end(), SURE)

    def leads(self, word: str, name: str) -> bool:
        """Not for *island* in `Ramen Shack on the Island`, which follows a function word."""
        like, seen = self._like(self._bare(word)), False
        for each in _WORD.findall(plain(_ASIDE.sub(" ", name)) or name):
            small = self._small is not None and bool(self._small.fullmatch(each))
            if small and seen:
                return False
            if not small and self._bare(each) in like:
                return True
            seen = seen or not small
        return False

    def _content(self, name: str) -> list[str]:
        words = _WORD.findall(plain(_ASIDE.sub(" ", name)) or name)
        kept = [word for word in words if not (self._small and self._small.fullmatch(word))]
        return [self._bare(word) for word in kept or words]

    def _bare(self, word: str) -> str:
        return self._writing.bare(word)

    def _like(self, word: str) -> Mapping[str, float]:
        """Words of names that a word may stand for, with similarities."""
        if len(word) < 3 and not word.isdigit():
            return {}
        if self._small and self._small.fullmatch(word):
            return {}
        found = self._index.like(word)
        joined = next((each for each in self._writing.before_names if word.startswith(each)), "")
        if not found and joined and len(word) > LONG_WORD:
            return self._index.like(word.removeprefix(joined))
        return found

    def _best(
        self, hits: Sequence[Mapping[str, float]]
    ) -> tuple[float, int, int, list[str]] | None:
        """The best match of any name: share, first and last token, and the names."""
        found: dict[tuple[int, int], dict[str, float]] = defaultdict(dict)
        best: dict[str, float] = {}
        for hit in hits:
            for word, likeness in hit.items():
                best[word] = max(likeness, best.get(word, 0.0))
        names = {name for word in best for name in self._names[word]}
        for name in names:
            if self._most(name, best) < LIKELY:
                continue
            share, first, last = self._match(self._words[name], hits)
            if share >= LIKELY:
                found[first, last][name] = share
        if not found:
            return None
        (first, last), shares = max(found.items(), key=self._rank)
        top = max(shares.values())
        margin = 0.02 if top >= PLAIN else DOUBT
        return (
            top,
            first,
            last,
            sorted(name for name, share in shares.items() if share > top - margin),
        )

    def _rank(
        self, match: tuple[tuple[int, int], Mapping[str, float]]
    ) -> tuple[float, bool, float, int]:
        """Complete names rank first, then those without other words between, then long ones."""
        (first, last), shares = match
        top = max(shares.values())
        words = max(len(self._words[name]) for name, share in shares.items() if share == top)
        return min(top, PLAIN), last - first < words, top, last - first

    def _most(self, name: str, best: Mapping[str, float]) -> float:
        """Upper bound of the share of a name, wherever its words occur."""
        words = self._words[name]
        found = sum(best[word] * self._weights[word] for word in words if word in best)
        return found / sum(self._weights[word] for word in words)

    def _match(
        self, words: Sequence[str], hits: Sequence[Mapping[str, float]]
    ) -> tuple[float, int, int]:
        """The share of a name's words in the best window of the text."""
        total = sum(self._weights[word] for word in words)
        best = (0.0, 0, 0)
        for first, hit in enumerate(hits):
            if not any(word in hit for word in words):
                continue
            window = hits[first : first + len(words) + 2]
            gained, last = 0.0, first
            for word in words:
                likeness, at = max((hit.get(word, 0.0), -at) for at, hit in enumerate(window))
                gained += likeness * self._weights[word]
                last = max(last, first - at) if likeness else last
            if gained / total > best[0] + 1e-9:
                best = (gained / total, first, last)
        return best


class _Substrings(_Parts):
    """Finds names by their substrings."""

    SHORTEST: Final = 2
    tells = False

    def rare(self, text: str) -> Iterator[tuple[int, int, list[str]]]:
        at = 0
        while at + self.SHORTEST <= len(text):
            end = at + self.SHORTEST
            while end < len(text) and text[at : end + 1] in self._names:
                end += 1
            names = self._names.get(text[at:end], [])
            if names:
                yield at, end, names
            at = end if names else at + 1

    def __init__(self, places: Mapping[str, Sequence[Place]]) -> None:
        self._places = places
        said = {name: places[name][0][1] for name in places}
        self._cores = {name: plain(_ASIDE.sub(" ", text)) or name for name, text in said.items()}
        self._branches = _branches(said, self._cores)
        self._endings = Counter(
            core[-length:] for core in self._cores.values() for length in range(2, len(core))
        )
        self._names: dict[str, list[str]] = defaultdict(list)
        for name, core in self._cores.items():
            for stretch in {
                core[a:b] for a in range(len(core)) for b in range(a + 2, len(core) + 1)
            }:
                self._names[stretch].append(name)

    def find(self, text: str, recent: frozenset[str] = frozenset()) -> list[Mention]:
        mentions, at = [], 0
        while at < len(text):
            mention = self._mention(text, at, recent)
            if mention:
                mentions.append(mention)
            at = mention.end if mention else at + 1
        return mentions

    def _is_telling(self, stretch: str, name: str) -> bool:
        """Whether a part is more than a common ending of names: not `星酒店`."""
        for length in range(len(stretch) - 1, 1, -1):
            if self._endings[stretch[-length:]] > COMMON:
                return len(stretch) - length >= self.SHORTEST or stretch == self._cores[name]
        return True

    def _branch(self, text: str, at: int, recent: frozenset[str]) -> Mention | None:
        """Another branch of a recent place, named by the branch alone."""
        for name in recent:
            for aside, other in self._branches.get(self._cores.get(name, ""), ()):
                if text.startswith(aside, at):
                    return Mention(tuple(self._places[other]), at, at + len(aside))
        return None

    def _mention(self, text: str, at: int, recent: frozenset[str]) -> Mention | None:
        if branch := self._branch(text, at, recent):
            return branch
        end = at + self.SHORTEST
        while end < len(text) and text[at : end + 1] in self._names:
            end += 1
        names = self._names.get(text[at:end], [])
        names = [name for name in names if self._is_telling(text[at:end], name)]
        shares = {name: (end - at) / len(self._cores[name]) for name in names}
        top = max(shares.values(), default=0.0)
        if top < LIKELY or (end - at < 3 and top < SURE):
            known = [name for name in names if name in recent]
            if len(known) != 1 or len(names) > COMMON:
                return None
            top = shares[known[0]]
            shares = {known[0]: top}
        best = [name for name, share in shares.items() if share == top]
        places = tuple(place for name in best for place in self._places[name])
        sure = len(best) == 1 or top == 1.0  # any branch of a chain
        return Mention(places, at, end, top if sure else min(top, 0.7))


def _branches(
    names: Mapping[str, str], cores: Mapping[str, str]
) -> dict[str, list[tuple[str, str]]]:
    """Core of a name -> its branches in brackets, longest first, with the full name."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, text in names.items():
        for aside in _ASIDE.findall(text):
            if len(plain(aside)) >= _Substrings.SHORTEST:
                found[cores[name]].append((plain(aside), name))
    return {core: sorted(each, key=lambda pair: -len(pair[0])) for core, each in found.items()}
