"""Conversations by links: days of messages in, whole conversations out as they end."""

from collections.abc import Iterator
from typing import Protocol

from crosstalk.chatlogs.linking.candidates import WINDOW
from crosstalk.chatlogs.linking.lines import LineReader, Lines
from crosstalk.chatlogs.messages import Message
from crosstalk.chatlogs.nicks import TRAILING
from crosstalk.chatlogs.threads import Line, Thread

CONTEXT = 400
"""Lines of the day before that the first lines of a day are seen against."""
KEYS = 50_000
"""Messages back that a marked reply may go: Slack's threads go on for days."""


class Linker(Protocol):
    """Says what each line answers."""

    def parents(self, lines: Lines, start: int) -> list[tuple[int, float]]:
        """For each line from `start` on: the place it answers, its own if none, and how sure."""
        ...


class LinkExtractor:
    """Every line goes to the conversation of the line it answers."""

    def __init__(self, linker: Linker) -> None:
        self._linker = linker
        self._reader = LineReader()
        self._lines = Lines()
        self._order = 0
        self._open: dict[int, list[Line]] = {}
        """Conversations by the order of their first line."""
        self._home: dict[int, int] = {}
        """The conversation of each line that may still be answered."""
        self._keys: dict[str, int] = {}

    def day(self, messages: list[Message]) -> Iterator[Thread]:
        self._lines.keep_last(CONTEXT)
        start = len(self._lines)
        self._reader.read(messages, self._order, self._lines)
        self._order += len(messages)
        for place, (parent, sure) in enumerate(self._linker.parents(self._lines, start), start):
            self._place(place, self._lines.orders[parent], sure)
        oldest = self._lines.orders[-WINDOW] if len(self._lines) >= WINDOW else 0
        yield from self._close(oldest)

    def end(self) -> Iterator[Thread]:
        yield from self._close(self._order + 1)

    def _place(self, place: int, parent: int, sure: float) -> None:
        order, message = self._lines.orders[place], self._lines.messages[place]
        marked = self._keys.get(message.reply_to) if message.reply_to else None
        if marked is not None and marked in self._home:
            parent, sure = marked, 1.0
        self._remember(message.key, order)
        home = self._home.get(parent, order)
        self._home[order] = home
        recipient, text = self._addressed(place)
        parent = parent if home != order else order
        line = Line(order, message, message.sender.casefold(), recipient, text, parent, sure)
        self._open.setdefault(home, []).append(line)

    def _addressed(self, place: int) -> tuple[str, str]:
        """The name at the head of a line as it is written there, and the rest."""
        text = self._lines.messages[place].text
        if self._lines.targets[place][0] < 0:
            return "", text
        head, _, rest = text.partition(" ")
        return head.removeprefix("@").rstrip(TRAILING), rest.lstrip()

    def _remember(self, key: str, order: int) -> None:
        if key:
            self._keys[key] = order
            if len(self._keys) > KEYS:
                del self._keys[next(iter(self._keys))]

    def _close(self, oldest: int) -> Iterator[Thread]:
        """Conversations that no line from now on can answer."""
        ended = [home for home, lines in self._open.items() if lines[-1].order < oldest]
        for home in ended:
            thread = tuple(self._open.pop(home))
            for line in thread:
                del self._home[line.order]
            yield thread
