"""Conversations from reply links: the extractor, the linker interface, and linkers by rules.

Lines are linked when some hundred more have come: later lines help to find what a line answers.
A line joins the conversation in which it most probably answers some line, which need not be the
conversation of its most probable parent: three faint links to one conversation outweigh a fair one
to another.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from crosstalk.chatlogs.conversation_threads import Thread, ThreadLine
from crosstalk.chatlogs.linking.line_columns import FLAGS, LineColumns, LineReader
from crosstalk.chatlogs.linking.link_candidates import WINDOW
from crosstalk.chatlogs.linking.link_features import REACH
from crosstalk.chatlogs.log_messages import LogMessage
from crosstalk.chatlogs.nicknames import TRAILING

COMMAND, BOT = FLAGS.index("command"), FLAGS.index("bot")


Choices = Sequence[tuple[int, float]]
"""Possible parents of a line by position, each with its probability; the line's own position
stands for opening a conversation."""


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns that the rules use, as lists: single array accesses are slow."""

    minutes: list[int]
    speakers: list[int]
    targets: list[int]
    commands: list[bool]
    bots: list[bool]

    @classmethod
    def of(cls, lines: LineColumns) -> "_Columns":
        flags = lines.flags > 0
        columns = (lines.minutes, lines.speakers, lines.targets[:, 0])
        return cls(*(each.tolist() for each in (*columns, flags[:, COMMAND], flags[:, BOT])))


@dataclass(frozen=True, slots=True)
class RuleLinker:
    """Links by addressee and speaker; fields are the maximum age of a parent in minutes.

    A line with an addressee answers that person's last line. Without one it continues its writer's
    last line or answers the last line that named its writer. A bot answers the last command. Any
    other line opens a conversation.
    """

    named: int = 30
    own: int = 10
    naming: int = 15
    command: int = 1

    def choices(self, lines: LineColumns, start: int, stop: int) -> list[Choices]:
        last: dict[int, int] = {}
        called: dict[int, int] = {}
        command = -1
        found: list[Choices] = []
        columns = _Columns.of(lines)
        for place in range(stop):
            if place >= start:
                found.append(((self._parent(columns, place, last, called, command), 1.0),))
            target = columns.targets[place]
            last[columns.speakers[place]] = place
            if target >= 0:
                called[target] = place
            if columns.commands[place]:
                command = place
        return found

    def _parent(
        self,
        lines: _Columns,
        place: int,
        last: dict[int, int],
        called: dict[int, int],
        command: int,
    ) -> int:
        speaker, target = lines.speakers[place], lines.targets[place]
        if lines.bots[place]:
            return self._recent(lines, place, command, self.command)
        own = last.get(speaker, -1)
        if target >= 0:
            theirs = self._recent(lines, place, last.get(target, -1), self.named)
            answered = own >= 0 and lines.targets[own] == target and theirs < own
            return own if answered else theirs
        choices = (
            self._recent(lines, place, own, self.own),
            self._recent(lines, place, called.get(speaker, -1), self.naming),
        )
        return max((choice for choice in choices if choice != place), default=place)

    def _recent(self, lines: _Columns, place: int, other: int, minutes: int) -> int:
        """Return `other` if it is recent enough, else the line itself."""
        near = other >= 0 and lines.minutes[place] - lines.minutes[other] <= minutes
        return other if near else place


class PreviousLinker:
    """Baseline: every line answers the one before it."""

    def choices(self, lines: LineColumns, start: int, stop: int) -> list[Choices]:
        return [((max(0, place - 1), 1.0),) for place in range(start, stop)]


STRETCH = 3_000
"""Lines linked at once, with REACH lines of context on either side."""
new_line = tuple.__new__
"""Takes half the time of calling `ThreadLine`."""
MARKED_REPLIES = 10_000
"""Maximum distance of a marked reply in lines: threads go on for days."""


class Linker(Protocol):
    """Finds the lines that each line may answer."""

    def choices(self, lines: LineColumns, start: int, stop: int) -> list[Choices]:
        """Return the possible parents of lines `start` to `stop`."""
        ...


class LinkExtractor:
    """Adds every line to the conversation of the line it answers.

    A conversation that was silent for more than `silence` seconds has ended, unless its writer
    marked a line as a reply. None: silence ends no conversation.
    """

    def __init__(self, linker: Linker, *, silence: int | None = None) -> None:
        self._linker = linker
        self._silence = math.inf if silence is None else silence
        self._reader = LineReader()
        self._lines = LineColumns.none()
        self._start = 0
        """The first position of `_lines` that is not linked yet."""
        self._order = 0
        self._open: dict[int, list[ThreadLine]] = {}
        """Conversations by the order of their first line."""
        self._home: dict[int, int] = {}
        """The conversation of each line that can still be answered."""
        self._keys: dict[str, int] = {}

    def day(self, messages: list[LogMessage]) -> Iterator[Thread]:
        self._lines = LineColumns.together([self._lines, self._reader.read(messages, self._order)])
        self._order += len(messages)
        while len(self._lines) - self._start >= STRETCH + REACH:
            yield from self._link(self._start + STRETCH)

    def end(self) -> Iterator[Thread]:
        yield from self._link(len(self._lines))
        yield from self._close(self._order + 1)

    def _link(self, stop: int) -> Iterator[Thread]:
        """Link the waiting lines up to `stop`, and yield conversations that have ended."""
        lines, start = self._lines.between(0, stop + REACH), self._start
        orders = lines.orders.tolist()
        links = self._linker.choices(lines, start, stop)
        self._place(
            lines.between(start, stop),
            [[(orders[parent], chance) for parent, chance in choices] for choices in links],
        )
        oldest = orders[stop - WINDOW] if stop >= WINDOW else 0
        if self._keys:
            oldest = min(oldest, orders[-1] - MARKED_REPLIES)
        yield from self._close(oldest)
        spare = max(0, stop - REACH)
        self._lines = self._lines.between(spare, len(self._lines))
        self._start = stop - spare

    def _place(self, lines: LineColumns, links: list[list[tuple[int, float]]]) -> None:
        """Add lines to the conversations of the lines they answer."""
        homes, conversations, name = self._home, self._open, self._reader.name
        columns = (lines.messages, lines.orders.tolist(), lines.speakers.tolist())
        is_addressed = (lines.targets[:, 0] >= 0).tolist()
        placed = zip(*columns, is_addressed, links, strict=True)
        for message, order, speaker, named, choices in placed:
            marked = self._marked(message, order) if message.key or message.reply_to else None
            if marked is None:
                link = choices[0] if len(choices) == 1 else self._likeliest(choices, order)
                marked = self._unless_silent(link, message.time, order)
            parent, sure = marked
            home = homes[order] = homes.get(parent, order)
            head, text = _addressed(message.text) if named else ("", message.text)
            parent = parent if home != order else order
            line = new_line(ThreadLine, (order, message, name(speaker), head, text, parent, sure))
            if home == order:
                conversations[home] = [line]
            else:
                conversations[home].append(line)

    def _marked(self, message: LogMessage, order: int) -> tuple[int, float] | None:
        """Return the parent that the writer marked, if any."""
        found = self._keys.get(message.reply_to) if message.reply_to else None
        if message.key:
            self._remember(message.key, order)
        return (found, 1.0) if found is not None and found in self._home else None

    def _likeliest(self, choices: list[tuple[int, float]], order: int) -> tuple[int, float]:
        """Return the best parent in the likeliest conversation, and that conversation's chance."""
        homes = self._home
        chances: dict[int, float] = {}
        for parent, chance in choices:
            home = homes.get(parent, order)
            chances[home] = chances.get(home, 0.0) + chance
        best = max(chances, key=lambda home: chances[home])
        within = [choice for choice in choices if homes.get(choice[0], order) == best]
        return max(within, key=lambda choice: choice[1])[0], chances[best]

    def _unless_silent(self, link: tuple[int, float], time: int, order: int) -> tuple[int, float]:
        """Return the link, or a link to the line itself if the conversation has ended."""
        home = self._home.get(link[0])
        if home is None or time - self._open[home][-1].message.time <= self._silence:
            return link
        return order, 1.0

    def _remember(self, key: str, order: int) -> None:
        self._keys[key] = order
        if len(self._keys) > MARKED_REPLIES:
            del self._keys[next(iter(self._keys))]

    def _close(self, oldest: int) -> Iterator[Thread]:
        """Yield the conversations that no further line can answer."""
        ended = [home for home, lines in self._open.items() if lines[-1].order < oldest]
        for home in ended:
            thread = tuple(self._open.pop(home))
            for line in thread:
                del self._home[line.order]
            yield thread


def _addressed(text: str) -> tuple[str, str]:
    """Split a line into the name at its start, as written, and the rest."""
    head, _, rest = text.partition(" ")
    return head.strip("<>@").rstrip(TRAILING), rest.lstrip()
