"""Attempts that count against a limit, in the store: all servers count together, in one order.

    WRONG = AttemptLimit("login", times=10, seconds=300)
    wait(connection, [(WRONG, "mei 192.0.2.1")], now)      # 0.0: there is room for another one
    count(connection, [(WRONG, "mei 192.0.2.1")], now)     # its number, for `uncount`

Only digests of the keys are kept, until they no longer count; backups leave them out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select

from crosstalk.web.store.sql_tables import ATTEMPTS
from crosstalk.web.store.worker_store import digest


@dataclass(frozen=True, slots=True)
class AttemptLimit:
    """At most `times` in any `seconds`, for each key."""

    kind: str
    times: int
    seconds: float


Place = tuple[AttemptLimit, str]
"""Where an attempt counts: a limit, and the key that is limited."""


def wait(connection: Connection, places: Iterable[Place], now: float) -> float:
    """Seconds until another attempt has room everywhere; 0 if it has."""
    return max((_wait(connection, place, now) for place in places), default=0.0)


def _wait(connection: Connection, place: Place, now: float) -> float:
    wanted = (
        select(ATTEMPTS.c.expires)
        .where(ATTEMPTS.c.key == _key(place), ATTEMPTS.c.expires > now)
        .order_by(ATTEMPTS.c.expires.desc())
        .limit(place[0].times)
    )
    newest = connection.execute(wanted).scalars().all()
    return newest[-1] - now if len(newest) >= place[0].times else 0.0


def count(connection: Connection, places: Iterable[Place], now: float) -> list[int]:
    """Count an attempt; the numbers under which it is kept."""
    connection.execute(delete(ATTEMPTS).where(ATTEMPTS.c.expires <= now))
    numbers = []
    for place in places:
        values = {"key": _key(place), "expires": now + place[0].seconds}
        added = insert(ATTEMPTS).values(values).returning(ATTEMPTS.c.id)
        numbers.append(connection.execute(added).scalar_one())
    return numbers


def uncount(connection: Connection, numbers: Sequence[int]) -> None:
    """Take back an attempt, which did not fail."""
    connection.execute(delete(ATTEMPTS).where(ATTEMPTS.c.id.in_(numbers)))


def is_counted(connection: Connection, place: Place, now: float) -> bool:
    """Whether an attempt of a key counts."""
    wanted = select(ATTEMPTS.c.id).where(ATTEMPTS.c.key == _key(place), ATTEMPTS.c.expires > now)
    return connection.execute(wanted.limit(1)).one_or_none() is not None


def forget(connection: Connection, place: Place) -> None:
    """Take back all attempts of a key."""
    connection.execute(delete(ATTEMPTS).where(ATTEMPTS.c.key == _key(place)))


def _key(place: Place) -> str:
    limit, key = place
    return digest(f"{limit.kind}\n{key}")
