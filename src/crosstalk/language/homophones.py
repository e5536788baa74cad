"""Homophones: words of a language without spaces that are written with signs that sound alike.

    Homophones("zh", ["动物园"]).slips("去动务园", " 动务园", " 动务园")  ->  动务园, 动物园

People type Chinese by sound and pick the wrong sign. Syllables are compared without tones, and such
as many people do not tell apart as one: `zh` and `z`, `ing` and `in`. `data/<code>/sounds.toml` has
the syllable of each common sign, and ordinary words that sound like one of ours.
"""

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final

from crosstalk.language.writing import DATA, primary

FILE: Final = "sounds.toml"
SHORTEST: Final = 3
"""Signs of a word that is put right; two in a row are often parts of two words."""
_ALIKE: Final = (("zh", "z"), ("ch", "c"), ("sh", "s"), ("ng", "n"))

Sound = tuple[str, ...]


@cache
def _sounds(language: str) -> tuple[Mapping[str, str], frozenset[str]]:
    """Sign -> syllable, and words that are no slips; nothing for a language without a table."""
    file = DATA / primary(language) / FILE
    if not file.is_file():
        return {}, frozenset()
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    syllables = {sign: _plain(key) for key, signs in table["syllables"].items() for sign in signs}
    return syllables, frozenset(table["words"].split())


def _plain(syllable: str) -> str:
    for one, other in _ALIKE:
        syllable = syllable.replace(one, other)
    return syllable


class Homophones:
    """Known words by their sounds."""

    def __init__(self, language: str, words: Iterable[str]) -> None:
        self._syllables, self._others = _sounds(language)
        self._words: dict[Sound, list[str]] = defaultdict(list)
        for word in dict.fromkeys(words):
            sound = self._sound(word)
            if sound and len(word) >= SHORTEST:
                self._words[sound].append(word)
        self._longest = max(map(len, self._words), default=0)

    def slips(self, text: str, left: str, small: str) -> Iterator[tuple[str, str]]:
        """Parts of a text that sound like a word known, and the word.

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
        """The syllables of a text; nothing where one of its signs has none."""
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
