"""Conversations (threads) of a log, their two-person views, and which views are kept."""

from collections.abc import Iterator
from enum import StrEnum
from operator import ne
from typing import NamedTuple, Protocol

from crosstalk.chatlogs.log_messages import LogMessage


class ThreadLine(NamedTuple):
    """A message within a conversation: its addressee and the line it answers."""

    order: int
    """Line number in the channel, over all files."""
    message: LogMessage
    speaker: str
    """The sender in lower case: IRC names ignore case."""
    recipient: str = ""
    text: str = ""
    """The message without the addressee at its start."""
    parent: int = -1
    """The order of the line it answers; its own if it opens a conversation; -1 if unknown."""
    confidence: float | None = None
    """The linker's probability that the line belongs to this conversation, from 0 to 1."""


Thread = tuple[ThreadLine, ...]
"""Lines in order; the first opened the conversation."""


class Extractor(Protocol):
    """Disentangles one channel: takes its days in order, yields conversations as they end."""

    def day(self, messages: list[LogMessage]) -> Iterator[Thread]: ...

    def end(self) -> Iterator[Thread]:
        """Yield the conversations that are still open at the end of the log."""
        ...


def speakers(thread: Thread) -> frozenset[str]:
    return frozenset([line.speaker for line in thread])


def turns(thread: Thread) -> list[list[ThreadLine]]:
    """Join consecutive lines of one speaker into turns."""
    merged: list[list[ThreadLine]] = []
    for line in thread:
        if merged and merged[-1][0].speaker == line.speaker:
            merged[-1].append(line)
        else:
            merged.append([line])
    return merged


def count_turns(thread: Thread) -> int:
    """Count the turns that `turns` returns, without building them."""
    spoken = [line.speaker for line in thread]
    return 1 + sum(map(ne, spoken, spoken[1:])) if spoken else 0


def two_person(thread: Thread, *, is_bot: frozenset[str] = frozenset()) -> Iterator[Thread]:
    """Yield the two-person dialogues of a conversation.

    A conversation of two people is yielded whole. A larger one yields one dialogue for each pair of
    people of whom one answered the other: their opening and all lines of the two in reply to it.
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
    """Return the pairs of people with a reply between them, in order of their first reply."""
    spoken = {line.order: line.speaker for line in thread}
    answered = dict.fromkeys(
        frozenset({line.speaker, asked})
        for line in thread
        if (asked := spoken.get(line.parent, line.speaker)) != line.speaker
    )
    return [pair for pair in answered if pair <= people]


def _sides(thread: Thread, pairs: list[frozenset[str]]) -> list[Thread]:
    """Build the dialogues of all pairs in one pass: a line belongs where its parent belongs."""
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


FEWEST_TURNS = 3
ONE_SIDED_FROM = 6
"""Dialogues of at least so many lines are dropped if one speaker has over 80 % of them."""
MIN_CONFIDENCE = 0.88
"""Minimum mean confidence of a dialogue's lines. On a fifth of the annotated train days, held out
of training, a quarter of the two-person dialogues have less; purity is 93.2 % with them and 95.2 %
without, and 55 and 66 % of them are a true conversation or its beginning."""
MIN_ANSWER_CONFIDENCE = 0.6
"""Minimum confidence of an article of `logs answers`. On the same days 352 of 406 articles have
more, and 94.0 % of these have their answer in the true conversation of their question (87.9 % of
all)."""


class DropReason(StrEnum):
    """Why a thread is not kept as a dialogue."""

    TOO_SHORT = "fewer than three turns"
    ONE_SIDED = "one speaker has more than 80 % of the lines"
    UNSURE = "the linker is not sure of its lines"


def drop_reason(thread: Thread, turns: int, sure: float = 0.0) -> DropReason | None:
    """Return why a thread is dropped, None if it is kept; `turns` is its number of turns."""
    if turns < FEWEST_TURNS:
        return DropReason.TOO_SHORT
    if len(thread) >= ONE_SIDED_FROM:
        spoken = [line.speaker for line in thread]
        most = max(map(spoken.count, set(spoken)))
        if 5 * most > 4 * len(thread):
            return DropReason.ONE_SIDED
    return None if is_confident(thread, sure) else DropReason.UNSURE


def is_confident(thread: Thread, sure: float) -> bool:
    """Tell whether the mean link confidence is at least `sure`; True for methods without one."""
    if not sure:
        return True
    told = [line.confidence for line in thread if line.confidence is not None]
    return sum(told) >= sure * len(told)
