"""Typos: which known word a misspelt, inflected or act_errors word stands for.

`Spelling` corrects typos in words that mean nothing else, `WordIndex` finds known words that a word
may stand for (endings and typos), `Homophones` finds Chinese words typed with other characters of
the same sound.
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein, Levenshtein, Prefix

from crosstalk.language.phrases import Phrasebook
from crosstalk.language.writing import DATA, SHORTEST_STEM, Writing, primary, writing_of

FILE: Final = "sounds.toml"
SHORTEST: Final = 3
"""Minimum length of a corrected word; two characters are often parts of two words."""
_ALIKE: Final = (("zh", "z"), ("ch", "c"), ("sh", "s"), ("ng", "n"))

Sound = tuple[str, ...]


@cache
def _sounds(language: str) -> tuple[Mapping[str, str], frozenset[str]]:
    """Character -> syllable, and words that are no typos; empty without a table."""
    file = DATA / primary(language) / FILE
    if not file.is_file():
        return {}, frozenset()
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    syllables = {sign: _plain(key) for sign, key in syllables_of(language).items()}
    return syllables, frozenset(table["words"].split())


@cache
def syllables_of(language: str) -> Mapping[str, str]:
    """Character -> its syllable without tone; empty without a table."""
    file = DATA / primary(language) / FILE
    if not file.is_file():
        return {}
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return {sign: key for key, signs in table["syllables"].items() for sign in signs}


def _plain(syllable: str) -> str:
    for one, other in _ALIKE:
        syllable = syllable.replace(one, other)
    return syllable


class Homophones:
    """Finds known words by their sounds."""

    def __init__(self, language: str, words: Iterable[str]) -> None:
        self._syllables, self._others = _sounds(language)
        self._words: dict[Sound, list[str]] = defaultdict(list)
        for word in dict.fromkeys(words):
            sound = self._sound(word)
            if sound and len(word) >= SHORTEST:
                self._words[sound].append(word)
        self._longest = max(map(len, self._words), default=0)

    def slips(self, text: str, left: str, small: str) -> Iterator[tuple[str, str]]:
        """Parts of a text that sound like a known word, and the word.

        `left` is the text with blanks for all that was understood: of a slip, a sign is left.
        `small` is the same with blanks for small words too, with which no slip begins.
        """
        at = 0
        while at < len(text):
            for end in range(min(len(text), at + self._longest), at + SHORTEST - 1, -1):
                part = text[at:end]
                opens = small[at : at + 1] != " "
                if word := self._meant(part, left[at:end], opens):
                    yield part, word
                    at = end - 1
                    break
            at += 1

    def _sound(self, text: str) -> Sound:
        """The syllables of a text; empty if a character has none."""
        syllables = tuple(self._syllables.get(sign, "") for sign in text)
        return syllables if all(syllables) else ()

    def _meant(self, part: str, left: str, opens: bool) -> str:
        words = self._words.get(self._sound(part), []) if left.strip() else []
        if part in words or part in self._others:
            return ""
        return next((word for word in words if _is_slip(part, word, left, opens)), "")


def _is_slip(part: str, word: str, left: str, opens: bool) -> bool:
    """Whether at least half the signs are right, and one that is wrong means nothing else."""
    if part[0] != word[0] and not opens:
        return False
    wrong = [at for at, (one, other) in enumerate(zip(part, word, strict=True)) if one != other]
    return 2 * len(wrong) <= len(word) and any(left[at] != " " for at in wrong)


SLIP: Final = 0.9
"""Similarity of a word with a typo; that of another ending is higher."""
SHORTEST_CORRECTED: Final = 5
SHORTEST_ALIKE: Final = 6
"""Letters of a word in which a slip of the keyboard is corrected, the second where words differ by
single letters; in the shortest no letter is taken for another."""
LONG: Final = 9
LONG_BY_EAR: Final = 7
"""Letters of a word in which two slips are corrected: any, or two letters of like sound."""
SHORTEST_NAME: Final = 7
"""Letters of a word of a name that others are corrected to."""
SHORTEST_BEGINNING: Final = 6
"""Letters of the beginning of words that others are corrected to."""
_RUN: Final = re.compile(r"([^\W\d])\1(?:\1+|$|(?<=\w{5})|(?=\w{4}))")
"""A letter several times in a row; only two of them amid a short word are no slip."""


class Speller:
    """Corrects typos in words that mean nothing else."""

    def __init__(self, book: Phrasebook, names: Iterable[str]) -> None:
        self._book = book
        self._names = frozenset(names)
        self._alike = not book.grammar.corrects
        self._shortest = SHORTEST_ALIKE if self._alike else SHORTEST_CORRECTED
        self._words = sorted(
            word
            for word in self._names | book.spelling
            if len(word) >= (self._shortest if word in book.spelling else SHORTEST_NAME)
        )
        self._beginnings = sorted(
            each for each in book.beginnings if len(each) >= SHORTEST_BEGINNING + self._alike
        )
        self._writing = writing_of(book.language)
        self._index = WordIndex(self._names, self._writing)
        self._fix = lru_cache(maxsize=4096)(self._correct)

    def corrected(self, text: str) -> str:
        return " ".join(self._fix(word) for word in text.split())

    def _correct(self, word: str) -> str:
        if not word.isalpha() or self._is_known(word):
            return word
        for shorter in _unstretched(word):
            if self._is_known(shorter):
                return shorter
        bare = self._writing.bare(word)
        if len(bare) < self._shortest:
            return word
        joined = word.removesuffix(bare)
        return joined + (self._nearest(bare) or self._with_beginning(bare) or bare)

    def _nearest(self, word: str) -> str:
        """The known word that differs by one or two typos; empty if there is none."""
        allowed = 2 if len(word) >= LONG_BY_EAR and not self._alike else 1
        near = process.extract(
            word, self._words, scorer=DamerauLevenshtein.distance, score_cutoff=allowed, limit=8
        )
        likely = (other for other, _, _ in near if self._is_likely(word, other))
        return next(likely, "")

    def _is_likely(self, word: str, other: str) -> bool:
        """Whether the words differ by neighbouring keys or similar sounds only."""
        if word[0] != other[0]:
            return False
        if sorted(word) == sorted(other):
            return True  # two letters the wrong way round
        steps = Levenshtein.editops(word, other)
        heard = all(step.tag == "replace" for step in steps)
        swapped = [
            (word[step.src_pos], other[step.dest_pos]) for step in steps if step.tag == "replace"
        ]
        if len(steps) > 1 and len(word) < LONG:
            return heard and all(self._writing.sounds_alike(*pair) for pair in swapped)
        if len(word) <= SHORTEST_CORRECTED and swapped:
            return False
        return all(self._writing.mistakes(*pair) for pair in swapped)

    def _with_beginning(self, word: str) -> str:
        """The word with a typo in its stem corrected, whatever its ending; empty if none fits."""
        for beginning in self._beginnings if self._writing.inflects else ():
            if beginning[:2] != word[:2]:
                continue
            for size in (len(beginning), len(beginning) - 1, len(beginning) + 1):
                slips = DamerauLevenshtein.distance(word[:size], beginning, score_cutoff=1)
                if slips <= 1 and self._is_likely(word[:size], beginning):
                    return beginning + word[size:]
        return ""

    def _is_known(self, word: str) -> bool:
        if word in self._names or word in self._book.spelling or self._book.knows(word):
            return True
        return self._is_phrase(word) or self._is_form(word)

    def _is_phrase(self, word: str) -> bool:
        """Whether a word is known: it has a meaning or is a function word."""
        book = self._book
        tables = (book.cues, book.domains, book.slots)
        if any(called.fullmatch(word) for table in tables for called in table.values()):
            return True
        patterns = (*book.values.values(), *book.kinds.values(), book.unsupported)
        return any(called.search(word) for table in patterns for called in table.values())

    def _is_form(self, word: str) -> bool:
        """Whether a word is an inflected word of a name."""
        like = self._index.like(word) if self._writing.inflects else {}
        forms = [other for other, how in like.items() if how > SLIP]
        return bool(forms) and not any(self._is_slip(word, other) for other in forms)

    def _is_slip(self, word: str, other: str) -> bool:
        """Whether one letter amid a word is another, and no ending is."""
        pairs = zip(word, other, strict=False)
        differing = [at for at, pair in enumerate(pairs) if len(set(pair)) > 1]
        if len(word) != len(other) or len(differing) != 1:
            return False
        last, ending = differing[0], self._writing.adjectives
        ends = not ending or bool(re.search(ending, word))
        return last < len(word) - 3 or (last < len(word) - 1 and not ends)


def _unstretched(word: str) -> Iterator[str]:
    """A word without letters that are written several times: `thaaanks`, `pleaase`."""
    for left in (r"\1\1", r"\1"):
        shorter = _RUN.sub(left, word)
        if shorter != word:
            yield shorter


class WordIndex:
    """Finds the known words that a word may stand for."""

    def __init__(self, known: Iterable[str], writing: Writing) -> None:
        self._writing = writing
        self._known: dict[str, list[str]] = defaultdict(list)
        for word in sorted(set(known)):
            self._known[word[:1]].append(word)
        self._like = lru_cache(maxsize=8192)(self._likenesses)

    def like(self, word: str) -> Mapping[str, float]:
        """Known word -> similarity: the same word, the same stem, or one or two typos away."""
        return self._like(word)

    def _likenesses(self, word: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for other in self._known.get(
            word[:1], ()
        ):  # neither typos nor endings change the first letter
            if other == word:
                found[other] = 1.0
            elif abs(len(other) - len(word)) <= 3 and min(len(other), len(word)) >= 4:
                likeness = _likeness(word, other, self._writing)
                if likeness:
                    found[other] = likeness
            elif self._writing.cases and _same_short(word, other, self._writing.cases):
                found[other] = 0.95
        return found


def _likeness(word: str, other: str, writing: Writing) -> float:
    shorter, longer = sorted((len(word), len(other)))
    common = Prefix.similarity(word, other)
    if common >= max(4, writing.same_stem * longer):
        return 0.95
    if writing.vowels and common >= SHORTEST_STEM and _same_bones(word, other, writing):
        return 0.95
    if writing.adjectives and _same_adjective(word, other, writing.adjectives):
        return 0.95
    allowed = 2 if shorter >= 8 else 1 if shorter >= 5 else 0
    slips = DamerauLevenshtein.distance(word, other, score_cutoff=allowed)
    return 0.9 if slips <= allowed and word[0] == other[0] else 0.0


def _same_adjective(word: str, other: str, endings: str) -> bool:
    """Two forms of a short adjective, whose endings outweigh its stem: `старый`, `старого`."""
    stems = [re.sub(endings, "", each) for each in (word, other)]
    return stems[0] == stems[1] and SHORTEST_STEM <= len(stems[0]) < min(len(word), len(other))


def _same_short(word: str, other: str, cases: str) -> bool:
    """Two forms of a noun of three letters: `сад`, `саду`."""
    stems = [
        each if len(each) == SHORTEST_STEM else re.sub(cases, "", each) for each in (word, other)
    ]
    return stems[0] == stems[1] and len(stems[0]) == SHORTEST_STEM


def _same_bones(word: str, other: str, writing: Writing) -> bool:
    """Whether words differ in endings and in vowels that come and go: `песок`, `песка`."""
    gone = str.maketrans("", "", writing.vowels)
    one, two = (re.sub(writing.nouns or "(?!)", "", each).translate(gone) for each in (word, other))
    return one == two
