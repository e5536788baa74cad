"""Requests that are tried again while their faults may pass: `tried(ask, 3)`.

Time-outs, 408, 409, 429 and 5xx may pass. A server that says how long to wait is obeyed, up to two
minutes; the wait is taken off the clock of the turn.
"""

import email.utils
import random
import time
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from crosstalk.dialogue.turn_clock import asking, stop_for

AGAIN: Final = frozenset({408, 409, 425, 429})
TRIES: Final = 4
LONGEST_WAIT: Final = 120.0
"""Seconds; a server that asks for more is not asked again."""
JITTER: Final = 0.25
"""Share of a wait that is left out at random, so that clients do not march in step."""

BROKEN: Final = {
    "ConnectError": "no connection",
    "ConnectTimeout": "no connection in time",
    "RemoteProtocolError": "the connection broke off",
    "ReadError": "the connection broke off",
    "WriteError": "the connection broke off",
}
"""What errors of connections mean."""

T = TypeVar("T")


class PassingFault(Exception):
    """A fault that may pass; `wait` is what the server asked for, None where it did not."""

    def __init__(self, problem: str, wait: float | None = None) -> None:
        super().__init__(problem)
        self.wait = wait


def broken(error: Exception) -> PassingFault:
    """A connection that failed, in words."""
    name = type(error).__name__
    return PassingFault(f"{BROKEN.get(name, 'the connection failed')} ({name})")


def may_pass(status: int) -> bool:
    """Whether an HTTP status is that of a fault that may pass."""
    return status in AGAIN or status >= 500


def tried(
    ask: Callable[[], T],
    tries: int = TRIES,
    sleep: Callable[[float], None] = time.sleep,
    jitter: float = JITTER,
    limit: float = 0.0,
) -> tuple[T, float]:
    """The answer and the seconds it took; raises the last fault where all tries failed.

    `limit`: seconds after which `ask` gives up by itself; the turn's clock waits for that. 0: the
    clock runs on.
    """
    attempt = 0
    while True:
        began = time.monotonic()
        with asking(limit):
            try:
                return ask(), time.monotonic() - began
            except PassingFault as fault:
                attempt += 1
                wait = fault.wait if fault.wait is not None else _backoff(attempt, jitter)
                if wait > LONGEST_WAIT or attempt >= tries:
                    raise
                stop_for(wait + time.monotonic() - began)
        sleep(wait)


def _backoff(attempt: int, jitter: float) -> float:
    """0.5 s, doubled each time up to 8 s, less the jitter."""
    wait: float = min(8.0, 0.25 * 2**attempt)
    return wait * (1 - random.random() * jitter)


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """`Retry-After` in seconds, as milliseconds, or as a date."""
    if given := headers.get("retry-after-ms"):
        return _number(given, 1000)
    given = headers.get("retry-after", "")
    seconds = _number(given)
    if seconds is None and given:
        try:
            then = email.utils.parsedate_to_datetime(given)
        except ValueError:
            return None
        seconds = then.timestamp() - time.time()
    return None if seconds is None else max(0.0, seconds)


def _number(text: str, divisor: float = 1) -> float | None:
    try:
        return float(text) / divisor
    except ValueError:
        return None
