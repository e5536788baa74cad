"""The clock of a turn: how long a participant may take, without what it has to wait for.

    with running(TurnClock(60)) as clock: ...
    stop_for(20)      # somewhere below: a service asked for a pause of 20 s

A server that is asked too often says how long to wait. That time is nobody's fault, so it is taken
off the clock of the turn.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(slots=True)
class TurnClock:
    """One turn that may take so many seconds."""

    seconds: float
    began: float = field(default_factory=time.monotonic)
    stopped: float = 0.0
    """Seconds that do not count."""

    @property
    def left(self) -> float:
        """Seconds until the turn is too long; below 0: it is."""
        return self.began + self.seconds + self.stopped - time.monotonic()


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
