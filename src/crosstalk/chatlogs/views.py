"""Two people's side of a conversation of many."""

from collections import Counter
from collections.abc import Iterator

from crosstalk.chatlogs.threads import Line, Thread, speakers


def two_person(thread: Thread, *, is_bot: frozenset[str] = frozenset()) -> Iterator[Thread]:
    """The whole of a conversation of two; of a larger one, what each pair said to each other.

    A pair's side holds the lines of both that answer one of the two, and the opening they go back
    to; whoever answered is a pair with the one who was answered.
    """
    everybody = speakers(thread)
    people = everybody - is_bot
    if len(people) <= 2:
        yield (
            thread
            if people == everybody
            else tuple(line for line in thread if line.speaker in people)
        )
        return
    by_order = {line.order: line for line in thread}
    for pair in _pairs(thread, by_order, people):
        yield _side(thread, by_order, pair)


def _pairs(
    thread: Thread, by_order: dict[int, Line], people: frozenset[str]
) -> list[frozenset[str]]:
    """Pairs that answered each other, in the order in which they first did."""
    answered = Counter(
        frozenset({line.speaker, parent.speaker})
        for line in thread
        if (parent := by_order.get(line.parent)) is not None and parent.speaker != line.speaker
    )
    return [pair for pair in answered if pair <= people]


def _side(thread: Thread, by_order: dict[int, Line], pair: frozenset[str]) -> Thread:
    kept: dict[int, Line] = {}
    for line in thread:
        parent = by_order.get(line.parent)
        opens = parent is None or parent.order == line.order
        if line.speaker in pair and (opens or line.parent in kept):
            kept[line.order] = line
    return tuple(kept.values())
