"""The clock of a turn: how long a participant may take, without what it has to wait for.

    with running(TurnClock(60)) as clock: ...
    stop_for(20)      # somewhere below: a service asked for a pause of 20 s
    with asking(60): ...    # a request that gives up by itself after 60 s without an answer

A server that is asked too often says how long to wait. That time is nobody's fault, so it is taken
off the clock of the turn. The time of a request counts once it is over: a service that never
answers is told from an agent that takes too long by the request, which gives up first.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

GRACE: Final = 5.0
"""Seconds that a request has to notice that its own time is over."""


@dataclass(slots=True)
class TurnClock:
    """One turn that may take so many seconds."""

    seconds: float
    began: float = field(default_factory=time.monotonic)
    stopped: float = 0.0
    """Seconds that do not count."""
    asked: float | None = None
    """When the request that is under way began; None: there is none."""
    until: float = 0.0
    """When its time begins to count although it is not over."""

    @property
    def left(self) -> float:
        """Seconds until the turn is too long; below 0: it is."""
        now = time.monotonic()
        if self.asked is not None and now < self.until:
            now = self.asked
        return self.began + self.seconds + self.stopped - now


_CLOCK: ContextVar[TurnClock | None] = ContextVar("clock of the turn", default=None)


@contextmanager
def running(clock: TurnClock) -> Iterator[TurnClock]:
    """Make a clock that of everything called from here."""
    token = _CLOCK.set(clock)
    try:
        yield clock
    finally:
        _CLOCK.reset(token)


def stop_for(seconds: float) -> None:
    """Take so many seconds off the clock of the turn, if there is one."""
    if clock := _CLOCK.get():
        clock.stopped += seconds


@contextmanager
def asking(seconds: float) -> Iterator[None]:
    """A request, whose time counts once it is over, or once it took longer than `seconds`.

    0: the clock runs on.
    """
    clock = _CLOCK.get()
    if clock is None or not seconds:
        yield
        return
    now = time.monotonic()
    clock.asked, clock.until = now, now + seconds + GRACE
    try:
        yield
    finally:
        clock.asked = None
