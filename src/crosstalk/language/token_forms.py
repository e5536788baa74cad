"""Finding forms in tokens: every place where a form of a lexicon stands, the longest first.

finder = Finder({("arts", "theatre"): "name"}, stems={("chines",): "food"})
finder.find(["the", "arts", "theatre"])
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Generic, TypeVar

from crosstalk.language.known_texts import KnownTexts
from crosstalk.language.state_words import STEM, StateWords

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FormMatch(Generic[T]):
    """A form from token `start` up to `end`."""

    start: int
    end: int
    what: T


class FormFinder(Generic[T]):
    """Forms, whole or the beginnings of words, and what each of them means."""

    def __init__(self, words: StateWords, forms: Mapping[str, T]) -> None:
        self._meant: dict[str, list[T]] = defaultdict(list)
        for form, what in forms.items():
            stem = words.spaces and form.endswith(STEM)
            if tokens := words.tokens(form.rstrip(STEM)):
                self._meant[" ".join(tokens) + ("" if stem else " ")].append(what)
        self._known = KnownTexts(self._meant)
        self._order = {form: number for number, form in enumerate(self._meant)}

    def find(self, tokens: Sequence[str]) -> Iterator[FormMatch[T]]:
        text = "".join(f"{token} " for token in tokens)
        starts = list(accumulate((len(token) + 1 for token in tokens), initial=0))
        for first, start in enumerate(starts[:-1]):
            said = [text[start:end] for end in self._known.ends(text, start)]
            for form in sorted(said, key=self._order.__getitem__):
                last = bisect_left(starts, start + len(form))
                yield from (FormMatch(first, last, what) for what in self._meant[form])
