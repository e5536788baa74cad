"""Limits on how often something may be done: wrong guesses (`Throttle`), requests (`Bucket`).

    guesses = Throttle(10, 300, time.time)
    with attempt((guesses, "127.0.0.1 mei")):
        ...  # counted beforehand, taken back unless it ends in a wrong guess

Both keep at most `MOST_KEYS` keys.
"""

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from crosstalk.errors import Rejection

MOST_KEYS: Final = 10_000
"""Maximum number of keys; the one that was tried longest ago is forgotten first."""
WRONG_GUESSES: Final = frozenset({"wrong_password", "bad_invitation"})
"""Codes of rejections that count as failures; all other outcomes are free."""


class TooFast(Rejection):
    """Too many tries; `wait` is the number of seconds until the next one."""

    def __init__(self, message: str, wait: float) -> None:
        super().__init__("too_fast", message)
        self.wait = wait


@dataclass(slots=True)
class Throttle:
    """At most `times` in any `seconds`, by key; safe from any thread."""

    times: int
    seconds: float
    clock: Callable[[], float]
    _taken: OrderedDict[str, deque[float]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, key: str) -> float:
        """Count an attempt and return 0; otherwise the seconds until there is a place again."""
        with self._lock:
            now = self.clock()
            taken = self._taken.setdefault(key, deque())
            self._taken.move_to_end(key)
            while taken and taken[0] <= now - self.seconds:
                taken.popleft()
            if len(taken) >= self.times:
                return taken[0] + self.seconds - now
            taken.append(now)
            while len(self._taken) > MOST_KEYS:
                self._taken.popitem(last=False)
            return 0

    def give_back(self, key: str) -> None:
        """Uncount one attempt, which did not fail."""
        with self._lock:
            if taken := self._taken.get(key):
                taken.pop()

    def has(self, key: str) -> bool:
        """Whether an attempt of a key is counted."""
        with self._lock:
            return bool(self._taken.get(key))

    def forget(self, key: str) -> None:
        with self._lock:
            self._taken.pop(key, None)


@contextmanager
def attempt(*places: tuple[Throttle, str]) -> Iterator[None]:
    """Count an attempt beforehand, so that parallel ones cannot overtake the limit.

    It is uncounted unless the body raises a wrong guess. Raises TooFast if a limit is reached.
    """
    taken: list[tuple[Throttle, str]] = []
    failed = False
    try:
        for throttle, key in places:
            if wait := throttle.take(key):
                raise TooFast("too many wrong tries; please wait some minutes", wait)
            taken.append((throttle, key))
        yield
    except Rejection as rejection:
        failed = rejection.code in WRONG_GUESSES
        raise
    finally:
        if not failed:
            for throttle, key in taken:
                throttle.give_back(key)


@dataclass(slots=True)
class Bucket:
    """Token bucket: `rate` per second on average, at most `size` at once."""

    rate: float
    size: float
    clock: Callable[[], float]
    _level: float = field(init=False)
    _at: float = field(init=False)

    def __post_init__(self) -> None:
        self._level, self._at = self.size, self.clock()

    def take(self) -> bool:
        now = self.clock()
        self._level = min(self.size, self._level + (now - self._at) * self.rate)
        self._at = now
        if self._level < 1:
            return False
        self._level -= 1
        return True


class Buckets:
    """A bucket by key, which outlives connections; safe from any thread."""

    def __init__(self, rate: float, size: float, clock: Callable[[], float]) -> None:
        self._rate, self._size, self._clock = rate, size, clock
        self._buckets: OrderedDict[int, Bucket] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: int) -> bool:
        with self._lock:
            bucket = self._buckets.get(key)
            if bucket is None:
                bucket = self._buckets[key] = Bucket(self._rate, self._size, self._clock)
            self._buckets.move_to_end(key)
            while len(self._buckets) > MOST_KEYS:
                self._buckets.popitem(last=False)
            return bucket.take()
