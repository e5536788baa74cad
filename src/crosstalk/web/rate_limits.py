"""Limits on how often something may be done: wrong guesses (`attempt`), requests (`Bucket`).

    with attempt(store, [(AttemptLimit("login", 10, 300), "mei 192.0.2.1")], time.time):
        ...  # counted beforehand, taken back unless it ends in a wrong guess

Guesses are counted in the store, for all servers of a site; requests by each server, in memory: a
write for each message would cost more than what a second server lets through.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

from sqlalchemy import Connection

from crosstalk.errors import Rejection
from crosstalk.web.store import attempts
from crosstalk.web.store.attempts import Place
from crosstalk.web.store.store import Store

MOST_KEYS: Final = 10_000
"""Maximum number of buckets; the one that was used longest ago is forgotten first."""
WRONG_GUESSES: Final = frozenset({"wrong_password", "bad_invitation"})
"""Codes of rejections that count as failures; all other outcomes are free."""
TOO_MANY: Final = "too many wrong tries; please wait some minutes"


@dataclass(frozen=True, slots=True)
class AccessLimits:
    """How often and how much clients may send; the same for all accounts."""

    guesses: int = 10
    """Wrong passwords at one account from one client."""
    client_guesses: int = 30
    """Wrong passwords and links from one client."""
    account_guesses: int = 100
    """Wrong passwords at one account from all clients that have not logged in to it before."""
    guess_seconds: float = 300
    """How long a wrong guess counts."""
    messages: float = 20.0
    """Messages of a worker a second, on sockets and in requests together."""
    burst: int = 100
    """Messages of a worker at once."""
    upload: int = 4096
    """KiB of goals that an administrator brings at once."""


Limits = Callable[[], AccessLimits]
"""What holds now: settings may change while a site runs."""


class TooFast(Rejection):
    """Too many tries; `wait` is the number of seconds until the next one."""

    def __init__(self, message: str, wait: float) -> None:
        super().__init__("too_fast", message)
        self.wait = wait


def take(
    connection: Connection, places: Sequence[Place], now: float, *, says: str = TOO_MANY
) -> list[int]:
    """Count an attempt; its numbers. Raises TooFast, with what it `says`, if there is no room."""
    if seconds := attempts.wait(connection, places, now):
        raise TooFast(says, seconds)
    return attempts.count(connection, places, now)


@contextmanager
def attempt(store: Store, places: Sequence[Place], clock: Callable[[], float]) -> Iterator[None]:
    """Count an attempt beforehand, so that parallel ones cannot overtake the limit.

    It is uncounted unless the body raises a wrong guess. Raises TooFast if a limit is reached.
    """
    if not places:
        yield
        return
    if seconds := store.read(partial(attempts.wait, places=places, now=clock())):
        raise TooFast(TOO_MANY, seconds)  # a flood of guesses does not keep the writer busy
    taken = store.write(lambda connection: take(connection, places, clock())).result()
    failed = False
    try:
        yield
    except Rejection as rejection:
        failed = rejection.code in WRONG_GUESSES
        raise
    finally:
        if not failed:
            store.write(partial(attempts.uncount, numbers=taken))


@dataclass(slots=True)
class Bucket:
    """Token bucket that was left with `level` tokens `at` a time."""

    level: float
    at: float

    def take(self, now: float, limits: AccessLimits) -> bool:
        refilled = self.level + (now - self.at) * limits.messages
        self.level, self.at = min(limits.burst, refilled), now
        if self.level < 1:
            return False
        self.level -= 1
        return True


class Buckets:
    """A bucket by key, which outlives connections; safe from any thread."""

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self._limits, self._clock = limits, clock
        self._buckets: OrderedDict[int, Bucket] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: int) -> bool:
        limits, now = self._limits(), self._clock()
        with self._lock:
            bucket = self._buckets.get(key)
            if bucket is None:
                bucket = self._buckets[key] = Bucket(limits.burst, now)
            self._buckets.move_to_end(key)
            while len(self._buckets) > MOST_KEYS:
                self._buckets.popitem(last=False)
            return bucket.take(now, limits)
