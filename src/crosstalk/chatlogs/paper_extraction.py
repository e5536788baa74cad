"""The heuristic of the Ubuntu Dialogue Corpus: one dialogue per pair of names.

A line that starts with a known name is addressed to that person; all lines between two people are
one dialogue. The question that the addressee asked in the three minutes before comes first.
Unaddressed lines join if their writer talks to nobody else. One pass; memory is bounded by what is
still open.
"""

from bisect import bisect
from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from operator import itemgetter

from crosstalk.chatlogs.conversation_threads import Thread, ThreadLine
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.chatlogs.nicknames import RecentNicks

LOOK_BACK = 180
"""Seconds before a first answer in which its question is searched."""
QUESTION_LINES = 10
FORGOTTEN = 1000
"""Lines after which an unaddressed line is no longer a question; some hours' worth."""
NEVER = 1 << 62
ORDER = itemgetter(0)
new_line = tuple.__new__
"""Takes half the time of calling `ThreadLine`."""
Alone = tuple[int, LogMessage]
"""An unaddressed line with its order; most of them are never used."""


class PaperVariant(StrEnum):
    """When unaddressed lines join a dialogue; the paper's sentence has three readings."""

    OVERLAP = "overlap"
    """Their writer has no other dialogue at that time; reproduces the paper's Figure 6."""
    PARTNER = "partner"
    """Their writer names only the partner in the dialogue's span."""
    BOTH = "both"
    """Neither of the two names anybody else in it, as in the released program."""


@dataclass(frozen=True, slots=True)
class PaperRules:
    """Options of the published procedure, and of the released program where they differ."""

    reading: PaperVariant = PaperVariant.OVERLAP
    question_chain: bool = False
    """Each question line extends the three minutes (released); else only the last counts."""
    silence: int | None = 3600
    """Seconds of silence that end a dialogue; None, as published: one dialogue per pair."""
    bots: frozenset[str] = frozenset({"ubotu", "ubottu", "ubot3", "ubot3`"})


@dataclass(slots=True, eq=False)
class _Pair:
    """The lines that two people addressed to each other so far."""

    users: tuple[str, str]
    question: list[ThreadLine]
    lines: list[ThreadLine]
    first: int
    """Order of the first line; `last` is that of the last one."""
    last: int
    open: bool = True


@dataclass(slots=True)
class _Person:
    """A speaker's unaddressed lines and dialogues, as far back as they can matter."""

    alone: list[Alone] = field(default_factory=list)
    """Sorted by order, for bisection."""
    pairs: list[_Pair] = field(default_factory=list)

    def spoke_since(self, order: int) -> bool:
        return bool(self.alone) and self.alone[-1][0] >= order

    def forget(self) -> None:
        """Drop what no longer affects an open dialogue."""
        earliest = min([pair.first for pair in self.pairs if pair.open], default=NEVER)
        self.pairs = [pair for pair in self.pairs if pair.last >= earliest]
        recent = max(0, len(self.alone) - QUESTION_LINES)
        del self.alone[: min(recent, bisect(self.alone, earliest, key=ORDER))]

    def between(self, first: int, last: int) -> list[Alone]:
        """Return unaddressed lines between two orders."""
        after = bisect(self.alone, first, key=ORDER)
        return self.alone[after : bisect(self.alone, last, after, key=ORDER)]


class PaperExtractor:
    """An `Extractor`: takes the days of a channel in order, yields dialogues as they end."""

    def __init__(self, rules: PaperRules) -> None:
        self._rules = rules
        self._bots = rules.bots
        self._book = RecentNicks()
        self._people: defaultdict[str, _Person] = defaultdict(_Person)
        self._open: OrderedDict[tuple[str, str], _Pair] = OrderedDict()
        self._order = 0

    def day(self, messages: list[LogMessage]) -> Iterator[Thread]:
        """Process one day; its speakers and those of the day before are known names.

        One loop with few calls: most lines address nobody and are only stored.
        """
        folded = self._turn_day(messages)
        named: dict[str, tuple[str, str]] = {}
        silence, now = self._rules.silence, -1
        people, spoken = self._people, LineKind.MESSAGE
        for order, message in enumerate(messages, self._order):
            _, time, kind, sender, text, _, _ = message
            if time != now and silence is not None:
                now = time
                if self._open and now - silence > self._oldest():
                    yield from self._close_silent(now - silence)
            if kind is not spoken or not text:
                continue
            speaker = folded[sender]
            first, _, rest = text.partition(" ")
            found = named.get(first)
            if found is None:
                found = named[first] = self._book.named_by(first)
            if rest and found[0] and found[0] != speaker:
                self._address(order, message, speaker, found, rest)
                continue
            person = people[speaker]
            person.alone.append((order, message))
            if len(person.alone) > QUESTION_LINES and not person.pairs:
                del person.alone[0]
        self._order += len(messages)

    def end(self) -> Iterator[Thread]:
        """Yield the dialogues that are still open at the end of the log."""
        while self._open:
            yield self._close(self._open.popitem(last=False)[1])

    def _turn_day(self, messages: list[LogMessage]) -> dict[str, str]:
        """Return the day's speakers in lower case, in order of their last line."""
        senders = [message.sender for message in messages if message.kind is LineKind.MESSAGE]
        latest = dict.fromkeys(reversed(senders))
        folded = {name: name.casefold() for name in reversed(latest)}
        self._book.turn_day(folded)
        silent = [
            name
            for name, person in self._people.items()
            if not person.pairs and not person.spoke_since(self._order - FORGOTTEN)
        ]
        for name in silent:
            del self._people[name]
        return folded

    def _address(
        self, order: int, message: LogMessage, speaker: str, whom: tuple[str, str], rest: str
    ) -> None:
        listener, recipient = whom
        if speaker in self._bots or listener in self._bots:
            return
        line = new_line(ThreadLine, (order, message, speaker, recipient, rest.lstrip(), -1, None))
        users = (speaker, listener) if speaker < listener else (listener, speaker)
        pair = self._open.get(users)
        if pair is None:
            question = self._question(line, listener)
            pair = self._open[users] = _Pair(users, question, [line], order, order)
            for user in users:
                self._people[user].pairs.append(pair)
        else:
            pair.lines.append(line)
            pair.last = order
            self._open.move_to_end(users)

    def _question(self, answer: ThreadLine, asker: str) -> list[ThreadLine]:
        """Return the asker's unaddressed lines just before the first answer."""
        found: list[ThreadLine] = []
        before = answer.message.time
        for line in reversed(self._people[asker].alone[-QUESTION_LINES:]):
            time = line[1].time
            if before - time >= LOOK_BACK:
                break
            found.insert(0, _unaddressed(line, asker))
            if not self._rules.question_chain:
                break
            before = time
        return found

    def _close_silent(self, before: int) -> Iterator[Thread]:
        while self._open and self._oldest() < before:
            yield self._close(self._open.popitem(last=False)[1])

    def _oldest(self) -> int:
        """Return the last time of the pair that has been silent longest."""
        return next(iter(self._open.values())).lines[-1].message.time

    def _close(self, pair: _Pair) -> Thread:
        free = [user for user in pair.users if self._is_free(user, pair)]
        if self._rules.reading is PaperVariant.BOTH and len(free) < 2:
            free = []
        joining = [
            _unaddressed(line, user)
            for user in free
            for line in self._people[user].between(pair.first, pair.last)
        ]
        pair.open = False
        for user in pair.users:
            self._people[user].forget()
        lines = sorted(pair.lines + joining) if joining else pair.lines  # no two have one order
        return (*pair.question, *lines)

    def _is_free(self, user: str, pair: _Pair) -> bool:
        others = [
            other
            for other in self._people[user].pairs
            if other.first <= pair.last and pair.first <= other.last and other is not pair
        ]
        if self._rules.reading is PaperVariant.OVERLAP:
            return not others
        return not any(
            line.speaker == user and pair.first <= line.order <= pair.last
            for other in others
            for line in other.lines
        )


def _unaddressed(line: Alone, speaker: str) -> ThreadLine:
    order, message = line
    return new_line(ThreadLine, (order, message, speaker, "", message.text, -1, None))
