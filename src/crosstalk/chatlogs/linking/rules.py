"""Linkers without any training: one pass, one parent a line.

A line that names somebody answers that person's last line; one that names nobody goes on from its
writer's last line or answers the last line that named its writer; a bot answers the last command;
anything else opens a conversation.
"""

from dataclasses import dataclass

from crosstalk.chatlogs.linking.lines import FLAGS, Lines

COMMAND, BOT = FLAGS.index("command"), FLAGS.index("bot")


@dataclass(frozen=True, slots=True)
class _Columns:
    """What the rules look at, as plain lists: one number at a time is slow out of arrays."""

    minutes: list[int]
    speakers: list[int]
    targets: list[int]
    commands: list[bool]
    bots: list[bool]

    @classmethod
    def of(cls, lines: Lines) -> "_Columns":
        flags = lines.flags > 0
        columns = (lines.minutes, lines.speakers, lines.targets[:, 0])
        return cls(*(each.tolist() for each in (*columns, flags[:, COMMAND], flags[:, BOT])))


@dataclass(frozen=True, slots=True)
class RuleLinker:
    """Minutes after which an earlier line is no longer what is meant."""

    named: int = 30
    own: int = 10
    naming: int = 15
    command: int = 1

    def parents(self, lines: Lines, start: int, stop: int) -> list[tuple[int, float]]:
        last: dict[int, int] = {}
        called: dict[int, int] = {}
        command = -1
        found: list[tuple[int, float]] = []
        columns = _Columns.of(lines)
        for place in range(stop):
            if place >= start:
                found.append((self._parent(columns, place, last, called, command), 1.0))
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
        """`other` if it is recent enough, else the line itself."""
        near = other >= 0 and lines.minutes[place] - lines.minutes[other] <= minutes
        return other if near else place


class PreviousLinker:
    """The baseline: every line answers the one before it."""

    def parents(self, lines: Lines, start: int, stop: int) -> list[tuple[int, float]]:
        return [(max(0, place - 1), 1.0) for place in range(start, stop)]
