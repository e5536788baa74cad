"""RS-X and RS-Mono: a context, and a response that is right or wrong.

Each instance gives one row that is right, one that is wrong and from the same document (hard), and
one to three that are wrong and from other documents (easy). RS-X answers in the other language.
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, Final

from crosstalk.transfer.specialisation.parallel import Parallel
from crosstalk.transfer.specialisation.windows import LONGEST, is_tidy, size_of

FEWEST, MOST = 2, 4
"""Lines of a context."""
LEAST: Final = 10
"""A response has more words than this (characters in Chinese)."""
EASY: Final = (1, 3)
WANTED: Final = 100_000
TRIES: Final = 50
"""Draws for one wrong response before an instance is given up."""


@dataclass(frozen=True, slots=True)
class Row:
    """As in the published files."""

    context: str
    response: str
    label: int

    def record(self) -> dict[str, Any]:
        return asdict(self)


def is_long(text: str, language: str) -> bool:
    return size_of(text, language) > LEAST


@dataclass(frozen=True, slots=True)
class Draws:
    """What wrong responses are drawn from."""

    parallel: Parallel
    spans: dict[int, range]
    """The document of every line."""
    rng: Random
    published: bool
    """Published: easy ones are not asked which document they are from, nor whether they are right.
    """

    def hard(self, lines: range, side: int) -> str | None:
        """From the same document, no line of the context, another text than the right one."""
        texts, span = self.parallel.side(side), self.spans[lines.start]
        gold = texts[lines[-1]]
        for _ in range(TRIES):
            line = self.rng.choice(span)
            text = texts[line]
            fits = line not in lines and text != gold
            if fits and is_long(text, self.parallel.languages[side]):
                return text
        return None

    def easy(self, lines: range, side: int) -> Iterator[str]:
        texts, used = self.parallel.side(side), set(lines)
        for _ in range(self.rng.randint(*EASY)):
            for _ in range(TRIES):
                line = self.rng.randrange(len(texts))
                text = texts[line]
                fits = line not in used and len(text) > LEAST and is_tidy(text)
                if fits and (self.published or self._is_apart(line, lines, side)):
                    used.add(line)
                    yield text
                    break

    def _is_apart(self, line: int, lines: range, side: int) -> bool:
        """Of another document, and not the right response in so many words."""
        documents, texts = self.parallel.documents, self.parallel.side(side)
        return documents[line] != documents[lines.start] and texts[line] != texts[lines[-1]]


def rows(
    parallel: Parallel,
    rng: Random,
    *,
    published: bool = False,
    wanted: int = WANTED,
) -> Iterator[Row]:
    """Walks the corpus once; give `parallel.alone()` for RS-Mono."""
    spans = {line: span for span in parallel.spans() for line in span}
    draws = Draws(parallel, spans, rng, published)
    start, found = 0, 0
    while start < len(parallel) and found < wanted:
        size = rng.randint(FEWEST, MOST)
        lines, toss = range(start, start + size + 1), rng.randint(0, 1)
        start = lines.stop
        if lines[-1] in spans[lines.start]:
            made = list(_instance(draws, lines, toss))
            found += bool(made)
            yield from made


def _instance(draws: Draws, lines: range, toss: int) -> Iterator[Row]:
    parallel, side = draws.parallel, 1 - toss
    context = " ".join(parallel.side(toss)[line] for line in lines[:-1])
    gold = parallel.side(side)[lines[-1]]
    if not is_long(gold, parallel.languages[side]) or not is_tidy(context + gold):
        return
    hard = draws.hard(lines, side)
    if hard is None or not is_tidy(hard):
        return
    used = size_of(context, parallel.languages[toss])
    if any(used + size_of(each, parallel.languages[side]) >= LONGEST for each in (gold, hard)):
        return
    shown = f" {context}" if draws.published else context
    yield Row(shown, gold, 1)
    yield Row(shown, hard, 0)
    yield from (Row(shown, text, 0) for text in draws.easy(lines, side))


def parted(made: Iterable[Row], *, seed: int = 42) -> tuple[list[Row], list[Row]]:
    """As published: rows are shuffled and cut nine to one, at most 100,000 and 10,000."""
    order = list(made)
    Random(seed).shuffle(order)
    cut = len(order) * 9 // 10
    return order[:cut][:100_000], order[cut:][:10_000]


def parted_by_context(made: Iterable[Row], *, seed: int = 42) -> tuple[list[Row], list[Row]]:
    """Mended: the rows of one context stay on one side."""
    order = list(made)
    contexts = sorted({row.context for row in order})
    Random(seed).shuffle(contexts)
    held = set(contexts[len(contexts) * 9 // 10 :])
    Random(seed).shuffle(order)
    train = [row for row in order if row.context not in held]
    return train[:100_000], [row for row in order if row.context in held][:10_000]
