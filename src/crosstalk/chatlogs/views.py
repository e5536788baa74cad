"""Two people's side of a conversation of many."""

from collections.abc import Iterator

from crosstalk.chatlogs.threads import Thread, ThreadLine, speakers


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
    yield from _sides(thread, _pairs(thread, people))


def _pairs(thread: Thread, people: frozenset[str]) -> list[frozenset[str]]:
    """Pairs that answered each other, in the order in which they first did."""
    spoken = {line.order: line.speaker for line in thread}
    answered = dict.fromkeys(
        frozenset({line.speaker, asked})
        for line in thread
        if (asked := spoken.get(line.parent, line.speaker)) != line.speaker
    )
    return [pair for pair in answered if pair <= people]


def _sides(thread: Thread, pairs: list[frozenset[str]]) -> list[Thread]:
    """In one pass, however many people there are: a line is in those sides its parent is in."""
    of_person: dict[str, list[int]] = {}
    for number, pair in enumerate(pairs):
        for person in pair:
            of_person.setdefault(person, []).append(number)
    sides: list[list[ThreadLine]] = [[] for _ in pairs]
    within: dict[int, list[int]] = {}
    for line in thread:
        above = within.get(line.parent)
        if above is None:  # it opens the conversation
            among = of_person.get(line.speaker, [])
        else:
            among = [number for number in above if line.speaker in pairs[number]]
        within[line.order] = among
        for number in among:
            sides[number].append(line)
    return list(map(tuple, sides))
