"""Sampling of contexts, responses and negatives, as in the two releases of the corpus.

Random numbers are drawn by counter (Philox, one generator per block of rows), so that any row can
be made without those before it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from crosstalk.retrieval.turn_table import END_OF_LINE, END_OF_TURN, TurnTable, lines_of

BLOCK = 1024
KEYS = 2**128
"""Number of Philox keys; seeds are taken modulo this."""


Numbers = Sequence[float]


def random_rows(seed: int, rows: range, width: int) -> Iterator[Numbers]:
    """Yield `width` uniform numbers in [0, 1) for each row."""
    for block in range(rows.start // BLOCK, (max(rows.stop, 1) - 1) // BLOCK + 1):
        table = _block(seed, block, width)
        first = max(rows.start - block * BLOCK, 0)
        last = min(rows.stop - block * BLOCK, BLOCK)
        yield from table[first:last].tolist()  # Python takes numbers out of lists faster


def _block(seed: int, block: int, width: int) -> NDArray[np.float64]:
    philox = np.random.Philox(key=seed % KEYS, counter=[0, 0, block, width])
    return np.random.Generator(philox).random((BLOCK, width))


LONGEST_CONTEXT = 20
FEWEST_WORDS = 5
"""The first release skips contexts of at most so many words."""
Pair = tuple[str, str, bool]
"""A context, a response, and whether it is the true one."""


class Sampling(StrEnum):
    """The two releases. Their scores are not comparable."""

    V1 = "v1"
    V2 = "v2"


@dataclass(frozen=True, slots=True)
class Cut:
    """A split of a dialogue: turns `first` to `response` - 1 are the context."""

    dialogue: int
    first: int
    response: int


@dataclass(frozen=True, slots=True)
class ResponseGroup:
    """A context, its true response, and false ones."""

    context: str
    response: str
    false: tuple[str, ...]


NegativeSampler = Callable[[int, Cut, Numbers], list[str]]
"""Returns negatives for the cut of a row, from two random numbers each."""


def v1_context_turns(draw: float, turns: int) -> int:
    """Return min(t - 1, n - 1), n = 10C / eta + 2, eta uniform on (C/2, 10C), C = 20."""
    eta = LONGEST_CONTEXT / 2 + draw * (10 * LONGEST_CONTEXT - LONGEST_CONTEXT / 2)
    return min(turns - 1, int(10 * LONGEST_CONTEXT / eta + 2) - 1)


def v2_context_turns(draw: float, turns: int) -> int:
    """Return a uniform length from 2 to one less than the turns (at most 18)."""
    upper = min(LONGEST_CONTEXT, turns + 1) - 2
    return upper if upper <= 2 else 2 + int(draw * (upper - 1))


def v2_false_turn(draw: float, turns: int) -> int:
    """Return a position in the range of true responses; else length reveals negatives."""
    if turns <= 3:
        return turns - 1
    last = min(LONGEST_CONTEXT, turns) - 1
    return 3 + int(draw * (last - 2))


def random_negatives(table: TurnTable, sampling: Sampling) -> NegativeSampler:
    """Sample negatives from all dialogues; one may happen to equal the true response."""
    said = {Sampling.V1: _any_line(table), Sampling.V2: _turn_of_a_like_place(table)}[sampling]
    count = len(table)

    def draw(row: int, cut: Cut, numbers: Numbers) -> list[str]:
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        return [said(int(which * count), where) for which, where in pairs]

    return draw


def _turn_of_a_like_place(table: TurnTable) -> Callable[[int, float], str]:
    def turn(dialogue: int, where: float) -> str:
        turns = table.turns[dialogue]
        return turns[v2_false_turn(where, len(turns))]

    return turn


def _any_line(table: TurnTable) -> Callable[[int, float], str]:
    """Sample lines, as the first release does; they are shorter than the true turns."""
    split: dict[int, list[str]] = {}

    def line(dialogue: int, where: float) -> str:
        if dialogue not in split:
            split[dialogue] = [line for turn in table.turns[dialogue] for line in lines_of(turn)]
        lines = split[dialogue]
        return f"{lines[int(where * len(lines))]} {END_OF_LINE}"

    return line


def evaluation_cut(table: TurnTable, sampling: Sampling, row: int, draw: float) -> Cut:
    """Return the cut of the row's dialogue."""
    turns = len(table.turns[row])
    way = v1_context_turns if sampling is Sampling.V1 else v2_context_turns
    size = way(draw, turns)
    return Cut(row, max(0, size - LONGEST_CONTEXT), size)


def evaluation_groups(
    table: TurnTable,
    sampling: Sampling,
    negatives: int,
    seed: int,
    rows: range | None = None,
    false: NegativeSampler | None = None,
) -> Iterator[ResponseGroup]:
    """Yield one group per dialogue; a group depends on the seed and its row only."""
    rows = rows if rows is not None else range(len(table))
    false = false or random_negatives(table, sampling)
    for row, numbers in zip(rows, random_rows(seed, rows, 1 + 2 * negatives), strict=True):
        cut = evaluation_cut(table, sampling, row, numbers[0])
        context, response = context_at(table, cut), table.turns[row][cut.response]
        if sampling is Sampling.V2 or _long_enough(context):
            yield ResponseGroup(context, response, tuple(false(row, cut, numbers[1:])))


def training_cuts(table: TurnTable) -> Iterator[Cut]:
    """Yield every turn from the third on as a response, as in the paper."""
    for dialogue, turns in enumerate(table.turns):
        for response in range(2, len(turns)):
            yield Cut(dialogue, max(0, response - LONGEST_CONTEXT), response)


def training_pairs(
    table: TurnTable,
    sampling: Sampling,
    negatives: int,
    seed: int,
    rows: range | None = None,
    false: NegativeSampler | None = None,
) -> Iterator[Pair]:
    """Yield the pairs of a training file as the release makes it.

    `rows`: of the first release, true responses; of the second, pairs. By default both use every
    response about once.
    """
    false = false or random_negatives(table, sampling)
    if sampling is Sampling.V1:
        return v1_training_pairs(table, negatives, seed, rows, false)
    whole = sum(len(turns) - 2 for turns in table.turns) * (1 + negatives)
    return v2_training_pairs(table, negatives, seed, rows or range(whole), false)


def v2_training_pairs(
    table: TurnTable, negatives: int, seed: int, rows: range, false: NegativeSampler
) -> Iterator[Pair]:
    """Cycle through the dialogues, one pair each; one in `negatives` + 1 is true."""
    count = len(table)
    for row, numbers in zip(rows, random_rows(seed, rows, 4), strict=True):
        dialogue = row % count
        turns = table.turns[dialogue]
        size = v2_context_turns(numbers[0], len(turns))
        cut = Cut(dialogue, 0, size)
        right = numbers[1] * (1 + negatives) < 1
        response = turns[size] if right else false(row, cut, numbers[2:])[0]
        yield context_at(table, cut), response, right


def v1_training_pairs(
    table: TurnTable, negatives: int, seed: int, rows: range | None, false: NegativeSampler
) -> Iterator[Pair]:
    """Yield every turn from the third on with its context, followed by its negatives."""
    cuts = list(training_cuts(table))
    rows = rows if rows is not None else range(len(cuts))
    for row, numbers in zip(rows, random_rows(seed, rows, max(1, 2 * negatives)), strict=True):
        cut = cuts[row]
        context = context_at(table, cut)
        if not _long_enough(context):
            continue
        yield context, table.turns[cut.dialogue][cut.response], True
        for response in false(row, cut, numbers[: 2 * negatives]):
            yield context, response, False


def context_at(table: TurnTable, cut: Cut) -> str:
    turns = table.turns[cut.dialogue][cut.first : cut.response]
    return f" {END_OF_TURN} ".join(turns) + f" {END_OF_TURN}"


def _long_enough(context: str) -> bool:
    """Look at the beginning only: a word is followed by at most two end marks."""
    beginning = context.split(maxsplit=3 * FEWEST_WORDS + 3)
    return sum(word not in (END_OF_LINE, END_OF_TURN) for word in beginning) > FEWEST_WORDS
