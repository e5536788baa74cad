"""A limit on the time a participant may take for one turn.

In the main thread of a process a timer interrupts whoever takes longer. Elsewhere (a thread, code
that never returns to the interpreter) nobody can be interrupted: the turn is refused once it comes.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN = 1.0
"""Seconds after which one who caught the first interruption is interrupted once more."""


class OutOfTimeError(BaseException):
    """A turn took too long. No `Exception`: code that catches everything shall not catch this."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError when the block takes longer; 0 waits for ever."""
    if not seconds:
        yield
        return
    began = time.monotonic()
    with _timer(seconds):
        yield
    if time.monotonic() - began > seconds:
        raise OutOfTimeError


@contextmanager
def _timer(seconds: float) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread() or not hasattr(
        signal, "setitimer"
    ):
        yield
        return
    before = signal.signal(signal.SIGALRM, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise OutOfTimeError
