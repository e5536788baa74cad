"""Wordpieces: how an encoder cuts up a text, and how values are found and spelled in them.

Published rules: a value is where it first occurs; its first wordpiece is number so-and-so because
what stands before it has so many; a value is its wordpieces joined, in small letters, no spaces.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.schema import Schema
from crosstalk.system.nlu.bert_outputs import OUTSIDE, Outputs, is_span

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Values = Literal["raw", "wordpiece"]
"""How values are spelled: as they stand in the text, or as their wordpieces joined (published)."""
SPELLINGS: Final = ("raw", "wordpiece")

REMEMBERED: Final = 20_000
"""Texts whose wordpieces are kept: every utterance is in the context of the next three."""
MARKS: Final = ("##", "\u2581")
"""What wordpieces begin with that go on a word, or begin one."""


@dataclass(frozen=True, slots=True)
class WordPieces:
    """A text cut up."""

    tokens: tuple[str, ...]
    numbers: tuple[int, ...]
    places: tuple[tuple[int, int], ...]
    """Start and end of each in the text."""


class Wordpieces:
    """The tokenizer of an encoder, as BERTNLU uses it."""

    def __init__(self, tokenizer: "PreTrainedTokenizerBase", longest: int) -> None:
        self.tokenizer = tokenizer
        self.padding = int(tokenizer.pad_token_id)
        self._start, self._end = int(tokenizer.cls_token_id), int(tokenizer.sep_token_id)
        self._longest = longest
        self.cut = lru_cache(REMEMBERED)(self._cut)

    def _cut(self, text: str) -> WordPieces:
        found = self.tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        numbers = tuple(found["input_ids"])
        tokens = tuple(self.tokenizer.convert_ids_to_tokens(list(numbers)))
        return WordPieces(tokens, numbers, tuple(found["offset_mapping"]))

    def utterance(self, text: str, longest: int | None = None) -> list[int]:
        """With a mark at either end; cut where the encoder, or `longest`, ends."""
        size = min(longest or self._longest, self._longest - 2)
        return [self._start, *self.cut(text).numbers[:size], self._end]

    def context(self, texts: Sequence[str]) -> list[int]:
        """Earlier utterances with a mark between them; outer marks stand twice, as published."""
        between: list[int] = []
        for text in texts:
            between += [*([self._end] if between else []), *self.cut(text).numbers]
        size = self._longest - 3
        return [self._start, self._start, *between[-size:], self._end]

    def tags(self, text: str, acts: Sequence[Act], outputs: Outputs) -> list[int]:
        """One a wordpiece; of two acts that claim the same, the first in order has it."""
        tags = [OUTSIDE] * len(self.cut(text).numbers)
        for act in sorted(acts):
            begin, at = outputs.begin(act), text.find(act.value)
            if begin is None or not act.value or at < 0:
                continue
            start = len(self.cut(text[:at]).numbers)
            for place in range(start, start + len(self.cut(act.value).numbers)):
                if place < len(tags) and tags[place] == OUTSIDE:
                    tags[place] = begin if place == start else begin + 1
        return tags

    def spelled(self, text: str, start: int, end: int, values: Values) -> str:
        """The value that the wordpieces from `start` to `end` say."""
        pieces = self.cut(text)
        if values == "raw":
            return text[pieces.places[start][0] : pieces.places[end - 1][1]]
        return joined(pieces.tokens[start:end])

    def true_act(self, act: Act, text: str, schema: Schema, values: Values) -> Act:
        """The act a prediction is held against; values that the text does not hold stay."""
        if values == "raw" or not is_span(act, schema) or act.value not in text:
            return act
        return replace(act, value=joined(self.cut(act.value).tokens))


def joined(tokens: Sequence[str]) -> str:
    """In small letters; the marks of wordpieces and spaces are left out."""
    text = ""
    for token in tokens:
        for mark in MARKS:
            token = token.removeprefix(mark)
        text += token
    return text.lower().replace(" ", "")
