"""Slowing down whoever tries too often."""

import threading
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

MOST_KEYS: Final = 10_000
"""Keys remembered; beyond that everything is forgotten, which only helps whoever has to wait."""


@dataclass(slots=True)
class Throttle:
    """At most `times` in any `seconds`, by key."""

    times: int
    seconds: float
    clock: Callable[[], float]
    _tried: dict[str, deque[float]] = field(default_factory=lambda: defaultdict(deque))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait(self, key: str) -> float:
        """Seconds until another try is welcome; 0: now."""
        with self._lock:
            tried = self._tried[key]
            now = self.clock()
            while tried and tried[0] <= now - self.seconds:
                tried.popleft()
            return tried[0] + self.seconds - now if len(tried) >= self.times else 0

    def count(self, key: str) -> None:
        with self._lock:
            if len(self._tried) > MOST_KEYS:
                self._tried.clear()
            self._tried[key].append(self.clock())

    def forget(self, key: str) -> None:
        with self._lock:
            self._tried.pop(key, None)


@dataclass(slots=True)
class Bucket:
    """So many a second on average, so many at once."""

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
