"""Training instances from parallel text: TLM windows, and response selection (RS-X, RS-Mono).

A TLM window is some lines of one language, then the same lines of the other, in random order. An RS
instance gives one right row, one wrong row of the same document (hard), and one to three wrong rows
of other documents (easy); in RS-X the response is in the other language.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, Final

from crosstalk.language.writing import writing_of
from crosstalk.transfer.specialisation.parallel_text import DocumentLookup, ParallelText

FEWEST_LINES, MOST_LINES = 2, 15
"""Range of the drawn window size in lines; a window has one line more."""
LONGEST: Final = 256
"""A window has fewer words than this in both languages together."""
WANTED_WINDOWS: Final = 300_000
LEARNT_WINDOWS: Final = 100_000
"""Windows that are trained on, of the 200,000 written."""


def size_of(text: str, language: str) -> int:
    """Count words; characters in languages without spaces."""
    return len(text.split()) if writing_of(language).spaced else len(text)


def is_tidy(text: str) -> bool:
    """Tell whether a text has no control or unassigned characters and no braces."""
    return not any(each in "{}" or unicodedata.category(each)[0] == "C" for each in text)


def translation_windows(
    parallel: ParallelText, rng: Random, *, published: bool = False, wanted: int = WANTED_WINDOWS
) -> Iterator[str]:
    """Yield windows that do not overlap and stay within their document, for TLM.

    `published` keeps the double space between the languages and drops windows that would reach
    into another document. Otherwise such a window is cut at the end of its document, if enough
    lines for the shortest window are left.
    """
    start, found = 0, 0
    documents = DocumentLookup.of(parallel)
    while start < len(parallel) and found < wanted:
        size = rng.randint(FEWEST_LINES, MOST_LINES) + 1
        end, toss = start + size, rng.random() < 0.5
        last = documents.span(start).stop
        if not published:
            end = min(end, last)
        if end <= last and end - start > FEWEST_LINES:
            text = _joined(parallel, range(start, end), toss, published)
            if text and is_tidy(text):
                found += 1
                yield text
        start = end


def _joined(parallel: ParallelText, lines: range, toss: bool, published: bool) -> str:
    sides = [" ".join(parallel.side(number)[line] for line in lines) for number in (0, 1)]
    sizes = map(size_of, sides, parallel.languages)
    if sum(sizes) >= LONGEST:
        return ""
    if toss:
        sides.reverse()
    return ("  " if published else " ").join(sides)


def split_windows(instances: list[str], *, seed: int = 0) -> tuple[list[str], list[str]]:
    """Shuffle and split nine to one, at most 200,000 and 10,000, as published."""
    order = instances.copy()
    Random(seed).shuffle(order)
    cut = len(order) * 9 // 10
    return order[:cut][:200_000], order[cut:][:10_000]


FEWEST_CONTEXT_LINES, MOST_CONTEXT_LINES = 2, 4
"""Lines of a context."""
LEAST_RESPONSE: Final = 10
"""A response has more words than this (characters in Chinese)."""
EASY_NEGATIVES: Final = (1, 3)
WANTED_INSTANCES: Final = 100_000
TRIES: Final = 50
"""Draws for one wrong response before an instance is given up."""


@dataclass(frozen=True, slots=True, repr=False)
class ResponseRow:
    """One row of the published files."""

    context: str
    response: str
    label: int

    def __repr__(self) -> str:
        """Unchanged since the first release: digests of training data are made of it."""
        return f"Row(context={self.context!r}, response={self.response!r}, label={self.label!r})"

    def record(self) -> dict[str, Any]:
        return asdict(self)


def is_long_response(text: str, language: str) -> bool:
    return size_of(text, language) > LEAST_RESPONSE


@dataclass(frozen=True, slots=True)
class NegativeSampling:
    """Draws wrong responses: hard ones of the same document, easy ones of others."""

    parallel: ParallelText
    documents: DocumentLookup
    rng: Random
    published: bool
    """As published, easy ones may come from the same document or equal the right response.
    """

    def hard(self, lines: range, side: int) -> str | None:
        """Draw from the same document, outside the context, another text than the right one."""
        texts, span = self.parallel.side(side), self.documents.span(lines.start)
        gold = texts[lines[-1]]
        for _ in range(TRIES):
            line = self.rng.choice(span)
            text = texts[line]
            fits = line not in lines and text != gold
            if fits and is_long_response(text, self.parallel.languages[side]):
                return text
        return None

    def easy(self, lines: range, side: int) -> Iterator[str]:
        texts, used = self.parallel.side(side), set(lines)
        for _ in range(self.rng.randint(*EASY_NEGATIVES)):
            for _ in range(TRIES):
                line = self.rng.randrange(len(texts))
                text = texts[line]
                fits = line not in used and len(text) > LEAST_RESPONSE and is_tidy(text)
                if fits and (self.published or self._is_apart(line, lines, side)):
                    used.add(line)
                    yield text
                    break

    def _is_apart(self, line: int, lines: range, side: int) -> bool:
        """Tell whether a line is of another document and differs from the right response."""
        names, texts = self.parallel.documents, self.parallel.side(side)
        return names[line] != names[lines.start] and texts[line] != texts[lines[-1]]


def response_rows(
    parallel: ParallelText,
    rng: Random,
    *,
    published: bool = False,
    wanted: int = WANTED_INSTANCES,
) -> Iterator[ResponseRow]:
    """Yield rows in one pass over the corpus; give `parallel.alone()` for RS-Mono."""
    documents = DocumentLookup.of(parallel)
    negatives = NegativeSampling(parallel, documents, rng, published)
    start, found = 0, 0
    while start < len(parallel) and found < wanted:
        size = rng.randint(FEWEST_CONTEXT_LINES, MOST_CONTEXT_LINES)
        lines, toss = range(start, start + size + 1), rng.randint(0, 1)
        start = lines.stop
        if lines[-1] in documents.span(lines.start):
            made = list(_instance(negatives, lines, toss))
            found += bool(made)
            yield from made


def _instance(negatives: NegativeSampling, lines: range, toss: int) -> Iterator[ResponseRow]:
    parallel, side = negatives.parallel, 1 - toss
    context = " ".join(parallel.side(toss)[line] for line in lines[:-1])
    gold = parallel.side(side)[lines[-1]]
    if not is_long_response(gold, parallel.languages[side]) or not is_tidy(context + gold):
        return
    hard = negatives.hard(lines, side)
    if hard is None or not is_tidy(hard):
        return
    used = size_of(context, parallel.languages[toss])
    if any(used + size_of(each, parallel.languages[side]) >= LONGEST for each in (gold, hard)):
        return
    shown = f" {context}" if negatives.published else context
    yield ResponseRow(shown, gold, 1)
    yield ResponseRow(shown, hard, 0)
    yield from (ResponseRow(shown, text, 0) for text in negatives.easy(lines, side))


def split_rows(
    made: Iterable[ResponseRow], *, seed: int = 42
) -> tuple[list[ResponseRow], list[ResponseRow]]:
    """Shuffle rows and split nine to one, at most 100,000 and 10,000, as published."""
    order = list(made)
    Random(seed).shuffle(order)
    cut = len(order) * 9 // 10
    return order[:cut][:100_000], order[cut:][:10_000]


def split_rows_by_context(
    made: Iterable[ResponseRow], *, seed: int = 42
) -> tuple[list[ResponseRow], list[ResponseRow]]:
    """Split like `split_rows`, but keep the rows of one context on one side."""
    order = list(made)
    contexts = sorted({row.context for row in order})
    Random(seed).shuffle(contexts)
    held = set(contexts[len(contexts) * 9 // 10 :])
    Random(seed).shuffle(order)
    train = [row for row in order if row.context not in held]
    return train[:100_000], [row for row in order if row.context in held][:10_000]
