"""Where dialogues are cut into context and response, as the two releases of the corpus do it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from crosstalk.retrieval.draws import draws
from crosstalk.retrieval.turns import TurnTable, context_of

LONGEST_CONTEXT = 20
FEWEST_WORDS = 5
"""The first release skips contexts of so many words or fewer."""


class Sampling(StrEnum):
    V1 = "v1"
    V2 = "v2"


@dataclass(frozen=True, slots=True)
class Cut:
    """A place in a dialogue: turns before it are the context, the turn at it the response."""

    dialogue: int
    first: int
    response: int


@dataclass(frozen=True, slots=True)
class Group:
    """A context, its true response, and false ones."""

    context: str
    response: str
    false: tuple[str, ...]


def v1_context_turns(draw: float, turns: int) -> int:
    """The paper's min(t - 1, n - 1), n = 10C / eta + 2, eta uniform on (C/2, 10C), C = 20."""
    eta = LONGEST_CONTEXT / 2 + draw * (10 * LONGEST_CONTEXT - LONGEST_CONTEXT / 2)
    return min(turns - 1, int(10 * LONGEST_CONTEXT / eta + 2) - 1)


def v2_context_turns(draw: float, turns: int) -> int:
    """Uniform from 2 to two less than the turns (at most 18); two for the shortest dialogues."""
    upper = min(LONGEST_CONTEXT, turns + 1) - 2
    return upper if upper <= 2 else 2 + int(draw * (upper - 1))


def v2_false_turn(draw: float, turns: int) -> int:
    """Turns from the range where true responses stand: else length gives the false ones away."""
    if turns <= 3:
        return turns - 1
    last = min(LONGEST_CONTEXT, turns) - 1
    return 3 + int(draw * (last - 2))


def evaluation_groups(
    table: TurnTable, sampling: Sampling, negatives: int, seed: int, rows: range | None = None
) -> Iterator[Group]:
    """One group a dialogue; the same seed gives the same groups, each by itself too."""
    rows = rows if rows is not None else range(len(table))
    width = 1 + 2 * negatives
    for row, numbers in zip(rows, draws(seed, rows, width), strict=True):
        turns = table.turns[row]
        if sampling is Sampling.V1:
            size = v1_context_turns(numbers[0], len(turns))
        else:
            size = v2_context_turns(numbers[0], len(turns))
        false = [
            false_response(table, sampling, numbers[1 + 2 * at], numbers[2 + 2 * at])
            for at in range(negatives)
        ]
        first = max(0, size - LONGEST_CONTEXT)
        yield Group(context_of(turns[first:size]), turns[size], tuple(false))


def false_response(table: TurnTable, sampling: Sampling, which: float, where: float) -> str:
    """A turn of any dialogue; the first release takes any turn, the second one of a like place."""
    turns = table.turns[int(which * len(table))]
    if sampling is Sampling.V1:
        return turns[int(where * len(turns))]
    return turns[v2_false_turn(where, len(turns))]


def training_cuts(table: TurnTable) -> Iterator[Cut]:
    """Every turn from the third on is a response once, as the paper says."""
    for dialogue, turns in enumerate(table.turns):
        for response in range(2, len(turns)):
            yield Cut(dialogue, max(0, response - LONGEST_CONTEXT), response)


def training_pairs(
    table: TurnTable, sampling: Sampling, negatives: int, seed: int
) -> Iterator[tuple[str, str, bool]]:
    """(context, response, whether it is the true one), as the release makes its training file."""
    if sampling is Sampling.V2:
        return v2_training_pairs(table, seed, range(len(table)))
    return v1_training_pairs(table, negatives, seed)


def v2_training_pairs(table: TurnTable, seed: int, rows: range) -> Iterator[tuple[str, str, bool]]:
    """One example a dialogue and pass, true or false with equal odds; rows go round and round."""
    for row, numbers in zip(rows, draws(seed, rows, 4), strict=True):
        turns = table.turns[row % len(table)]
        size = v2_context_turns(numbers[0], len(turns))
        right = bool(numbers[1] < 0.5)
        response = (
            turns[size] if right else false_response(table, Sampling.V2, numbers[2], numbers[3])
        )
        yield context_of(turns[:size]), response, right


def v1_training_pairs(
    table: TurnTable, negatives: int, seed: int
) -> Iterator[tuple[str, str, bool]]:
    """Every turn from the third on with all before it, each followed by false responses."""
    cuts = list(training_cuts(table))
    for cut, numbers in zip(
        cuts, draws(seed, range(len(cuts)), max(1, 2 * negatives)), strict=True
    ):
        turns = table.turns[cut.dialogue]
        context = context_of(turns[cut.first : cut.response])
        if len(context.split()) <= FEWEST_WORDS:
            continue
        yield context, turns[cut.response], True
        for at in range(negatives):
            yield (
                context,
                false_response(table, Sampling.V1, numbers[2 * at], numbers[2 * at + 1]),
                False,
            )
