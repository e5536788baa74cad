"""TLM: windows of parallel lines, all of one language and then all of the other.

Published files: one instance a line. The order of the two languages is tossed.
"""

import unicodedata
from collections.abc import Iterator
from random import Random
from typing import Final

from crosstalk.language.writing import writing_of
from crosstalk.transfer.specialisation.parallel import Parallel

FEWEST, MOST = 2, 15
"""So many lines are drawn for a window, and one more is taken."""
LONGEST: Final = 256
"""Both sides together have fewer words than this."""
WANTED: Final = 300_000
LEARNT: Final = 100_000
"""Of 200,000 that are written, so many are learnt from."""


def size_of(text: str, language: str) -> int:
    """Words; characters where words have no spaces between them."""
    return len(text.split()) if writing_of(language).spaced else len(text)


def is_tidy(text: str) -> bool:
    """No control or unassigned characters, no braces."""
    return not any(each in "{}" or unicodedata.category(each)[0] == "C" for each in text)


def windows(
    parallel: Parallel, rng: Random, *, published: bool = False, wanted: int = WANTED
) -> Iterator[str]:
    """Windows that do not overlap and do not leave their document.

    `published` keeps the double space where the languages meet; windows that would reach into
    another document are dropped. Mended, such a window ends with its document, if as many lines
    are left as the shortest has.
    """
    start, found = 0, 0
    ends = {line: span.stop for span in parallel.spans() for line in span}
    while start < len(parallel) and found < wanted:
        size = rng.randint(FEWEST, MOST) + 1
        end, toss = start + size, rng.random() < 0.5
        if not published:
            end = min(end, ends[start])
        if end <= ends[start] and end - start > FEWEST:
            text = _joined(parallel, range(start, end), toss, published)
            if text and is_tidy(text):
                found += 1
                yield text
        start = end


def _joined(parallel: Parallel, lines: range, toss: bool, published: bool) -> str:
    sides = [" ".join(parallel.side(number)[line] for line in lines) for number in (0, 1)]
    sizes = map(size_of, sides, parallel.languages)
    if sum(sizes) >= LONGEST:
        return ""
    if toss:
        sides.reverse()
    return ("  " if published else " ").join(sides)


def parted(instances: list[str], *, seed: int = 0) -> tuple[list[str], list[str]]:
    """As published: shuffled, nine tenths and one, at most 200,000 and 10,000."""
    order = instances.copy()
    Random(seed).shuffle(order)
    cut = len(order) * 9 // 10
    return order[:cut][:200_000], order[cut:][:10_000]
