"""Tokens of chat text, the vocabulary of the recurrent rankers, and pretrained word vectors.

Addresses, numbers and paths become tags, as in the paper's experiments. The paper's tags for people
and places need a tagger of its time and are left out.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import FileProblem
from crosstalk.files import read_json, writing
from crosstalk.training.word_vectors import read_word_vectors

URL, PATH, NUMBER = "__url__", "__path__", "__number__"
_TOKEN = re.compile(
    r"__\w+?__|(?:https?|ftps?|smb)://\S+|(?:~|\.{0,2})/[\w.+~-]+(?:/[\w.+~-]*)*"
    r"|\d+(?:\.\d+)?(?![\w.])|[^\W_]+(?:[-_.+][^\W_]+)*|n't|'\w+|[^\w\s]+"
)
_TAGS = (
    (re.compile(r"(?:https?|ftps?|smb)://"), URL),
    (re.compile(r"(?:~|\.{0,2})/\w"), PATH),
    (re.compile(r"\d+(?:\.\d+)?$"), NUMBER),
)


def chat_tokens(text: str) -> list[str]:
    """Lower-case words, runs of punctuation, and tags.

    tokens("Try http://x.org, it's 12") == ["try", "__url__", "it", "'s", "__number__"]
    """
    return [_tagged(word) for word in _TOKEN.findall(text.lower())]


@lru_cache(maxsize=100_000)
def _tagged(word: str) -> str:
    return next((tag for pattern, tag in _TAGS if pattern.match(word)), word)


FILE = "vocabulary.json"
PADDING, UNKNOWN = 0, 1
RESERVED = 2
SPREAD = 0.25
"""Range of the initial vectors of words without one (uniform in plus or minus)."""


@dataclass(frozen=True, slots=True)
class RankerVocabulary:
    """Word ids from 2 on; 0 is padding, 1 any unknown word."""

    numbers: dict[str, int]

    def __len__(self) -> int:
        return RESERVED + len(self.numbers)

    def encode(self, text: str, at_most: int, *, first: bool = False) -> NDArray[np.int32]:
        """Return the ids of the last, or the first, `at_most` words; at least one id."""
        words = chat_tokens(text)
        kept = words[:at_most] if first else words[-at_most:]
        found = [self.numbers.get(word, UNKNOWN) for word in kept]
        return np.array(found or [UNKNOWN], dtype=np.int32)

    def save(self, folder: Path) -> None:
        with writing(folder / FILE) as text:
            json.dump(list(self.numbers), text, ensure_ascii=False)

    @classmethod
    def load(cls, folder: Path) -> "RankerVocabulary":
        words = read_json(folder / FILE)
        if not isinstance(words, list):
            raise FileProblem(f"{folder / FILE}: not a list of words", remedy="Train it anew.")
        return cls(_numbered(map(str, words)))


def learn_vocabulary(texts: Iterable[str], *, fewest: int = 2) -> RankerVocabulary:
    """Learn the words that occur at least `fewest` times, the most frequent first."""
    counts = Counter(word for text in texts for word in chat_tokens(text))
    frequent = [word for word, count in counts.items() if count >= fewest]
    return RankerVocabulary(_numbered(sorted(frequent, key=lambda word: (-counts[word], word))))


def _numbered(words: Iterable[str]) -> dict[str, int]:
    return {word: number for number, word in enumerate(words, RESERVED)}


def first_vectors(
    vocabulary: RankerVocabulary, width: int, rng: np.random.Generator, file: Path | None = None
) -> NDArray[np.float32]:
    """Return one vector per word: from the file if it has the word, else small random numbers."""
    read = read_word_vectors(file, vocabulary.numbers) if file else ()
    known = {vocabulary.numbers[word]: vector for word, vector in read}
    width = len(next(iter(known.values()))) if known else width
    rows = rng.uniform(-SPREAD, SPREAD, (len(vocabulary), width)).astype(np.float32)
    for number, vector in known.items():
        rows[number] = vector
    rows[PADDING] = 0
    return rows
