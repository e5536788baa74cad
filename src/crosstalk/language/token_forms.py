"""Finding forms in tokens: every place where a form of a lexicon stands, the longest first.

finder = Finder({("arts", "theatre"): "name"}, stems={("chines",): "food"})
finder.find(["the", "arts", "theatre"])
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from crosstalk.language.state_words import STEM, Words

T = TypeVar("T")
Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """A form from token `start` up to `end`."""

    start: int
    end: int
    what: T


class Finder(Generic[T]):
    """Forms by the first two letters of their first token; what each of them means."""

    def __init__(self, words: Words, forms: Mapping[str, T]) -> None:
        self._by_start: dict[str, list[tuple[Tokens, bool, T]]] = defaultdict(list)
        for form, what in forms.items():
            stem = words.spaces and form.endswith(STEM)
            tokens = tuple(words.tokens(form.rstrip(STEM)))
            if tokens:
                self._by_start[tokens[0][:2]].append((tokens, stem, what))

    def find(self, tokens: Sequence[str]) -> Iterator[Found[T]]:
        for start, token in enumerate(tokens):
            for form, stem, what in self._by_start.get(token[:2], ()):
                end = start + len(form)
                if end > len(tokens) or tuple(tokens[start : end - 1]) != form[:-1]:
                    continue
                last = tokens[end - 1]
                if last == form[-1] or (stem and last.startswith(form[-1])):
                    yield Found(start, end, what)
