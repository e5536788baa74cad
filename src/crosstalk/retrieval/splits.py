"""Dialogues in three parts, by time or at random, all copies of one question on one side."""

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import blake2b
from itertools import accumulate

from crosstalk.errors import InputError
from crosstalk.retrieval.turns import TurnTable


class ReleasedFile(StrEnum):
    """The released files are called the same."""

    TRAIN = "train"
    VALID = "valid"
    TEST = "test"


SHARES = (0.96, 0.02, 0.02)
"""The first release's: 2 % each to validate and to test."""


def split(table: TurnTable, how: str, part: ReleasedFile, *, seed: int = 1) -> TurnTable:
    """`how`: `random`, `time`, or the two days on which the first two parts end, as 2012-04-27."""
    places = {
        "random": lambda: _at_random(table, seed),
        "time": lambda: _by_time(table),
    }.get(how, lambda: _by_days(table, how))()
    number = list(ReleasedFile).index(part)
    return table.only(at for at, place in enumerate(places) if place == number)


def _at_random(table: TurnTable, seed: int) -> list[int]:
    """From the question's own digest: more dialogues move none of those there were."""
    key = (seed % 2**64).to_bytes(8, "little")
    digests = (blake2b(text.encode(), key=key, digest_size=8) for text in table.questions)
    return _places([int.from_bytes(digest.digest(), "little") / 2**64 for digest in digests])


def _by_time(table: TurnTable) -> list[int]:
    """The share of dialogues that began earlier decides; copies of a question began together."""
    earlier: dict[int, float] = {}
    for number, time in enumerate(sorted(table.times)):
        earlier.setdefault(time, number / len(table))
    return _places([earlier[time] for time in table.times])


def _places(shares: Sequence[float]) -> list[int]:
    first, second, _ = accumulate(SHARES)
    return [(share >= first) + (share >= second) for share in shares]


def _by_days(table: TurnTable, days: str) -> list[int]:
    try:
        first, second = (
            datetime.strptime(f"{day} 23:59:59", "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
            for day in days.split(",")
        )
    except ValueError as error:
        raise InputError(
            f"there is no way to split called {days!r}",
            remedy="Known: random, time, or two days such as 2012-04-27,2012-08-07.",
        ) from error
    if first >= second:
        raise InputError(
            f"--split {days}: the second part would end before the first",
            remedy="Give the last day of the first part, then that of the second.",
        )
    ends = first.timestamp(), second.timestamp()
    return [(time > ends[0]) + (time > ends[1]) for time in table.times]
