"""The words of the SC-LSTM: what people say around values, and holes for the values.

A hole is one word, always numbered: `[Inform+hotel+price1]`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from crosstalk.language.tokenize import joined, wording
from crosstalk.system.nlg.generator import Texts
from crosstalk.system.nlg.keys import JOIN
from crosstalk.system.nlg.templates import HOLE, Hole, parse

PAD: Final = "<pad>"
START: Final = "<sos>"
END: Final = "<eos>"
UNKNOWN: Final = "<unk>"
SPECIAL: Final = (PAD, START, END, UNKNOWN)
"""The first words of every vocabulary, in this order."""

RARE: Final = 3
"""Words said so seldom or less are unknown to the network."""


@dataclass(frozen=True, slots=True)
class DelexicalisedUtterance:
    """One thing somebody said: the keys of its acts in order, and its words, values left out."""

    group: tuple[str, ...]
    words: tuple[str, ...]


def sayings(texts: Texts, language: str) -> list[DelexicalisedUtterance]:
    """Every template of every group, as often as it was said; those without words say nothing."""
    said = []
    for key, templates in texts.items():
        group = tuple(key.split(JOIN)) if key else ()
        for text in templates:
            found = tuple(_words(text, group, language))
            if found:
                said.append(DelexicalisedUtterance(group, found))
    return said


def _words(text: str, group: Sequence[str], language: str) -> Iterable[str]:
    for part in parse(text, group).parts:
        if isinstance(part, Hole):
            yield hole_word(part.key, part.number)
        else:
            yield from wording(part, language)


def hole_word(key: str, number: int) -> str:
    return f"[{key}{number}]"


@dataclass(frozen=True)
class SclstmVocabulary:
    """The words a network knows, in the order of its outputs."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, said: Iterable[DelexicalisedUtterance]) -> "SclstmVocabulary":
        counts = Counter(word for saying in said for word in saying.words)
        known = sorted(word for word, count in counts.items() if count > RARE)
        return cls((*SPECIAL, *known))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def numbers(self, words: Iterable[str]) -> list[int]:
        """With start and end around them."""
        unknown = SPECIAL.index(UNKNOWN)
        return [
            SPECIAL.index(START),
            *(self._numbers.get(word, unknown) for word in words),
            SPECIAL.index(END),
        ]


def spoken_text(
    words: Iterable[str], values: Mapping[str, Sequence[str]], *, language: str, keep_open: bool
) -> str:
    """The utterance: unknown words and spaces left out, holes filled with the values of their key.

    `keep_open`: a hole for which there is no value is printed, as published; else it is left out.
    """
    fillings = {
        hole_word(key, number): value
        for key, texts in values.items()
        for number, value in enumerate(texts, 1)
    }
    parts = []
    for word in words:
        if word in fillings:
            parts.append(fillings[word])
        elif word not in SPECIAL and (keep_open or not HOLE.fullmatch(word)):
            parts.append(word)
    return joined(parts, language)
