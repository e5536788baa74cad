"""Passwords: argon2id, a few at a time so that logging in cannot exhaust the machine."""

import threading
from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

SHORTEST: Final = 8
LONGEST: Final = 200
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""OWASP's least setting: 19 MiB for some 20 ms."""
_TWO: Final = threading.Semaphore(2)


def hashed(password: str) -> str:
    with _TWO:
        return _HASHER.hash(password)


def is_right(digest: str, password: str) -> bool:
    """Takes as long where there is no such account, so that nobody learns which names exist."""
    with _TWO:
        try:
            return _HASHER.verify(digest or _nobody(), password) and bool(digest)
        except (VerificationError, InvalidHashError):
            return False


@cache
def _nobody() -> str:
    return _HASHER.hash("nobody has this password")
