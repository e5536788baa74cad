"""News of other servers: PostgreSQL tells every server what any of them has committed."""

import logging
import threading
from typing import Final

from crosstalk.collection.roles import Role
from crosstalk.web.site import CHANNEL, Site

WAIT: Final = 0.5
"""Seconds between two looks whether the server is being stopped."""
log = logging.getLogger(__name__)


def listen(site: Site, stopped: threading.Event) -> None:
    """Runs in a thread of its own until `stopped`; a lost connection is made again."""
    while not stopped.is_set():
        try:
            _listen(site, stopped)
        except Exception:  # of any kind: a thread that ended would never hear again
            log.exception("lost the connection that brings news of other servers")
            stopped.wait(1)


def _listen(site: Site, stopped: threading.Event) -> None:
    import psycopg  # only stores on PostgreSQL need it

    plain = site.store.url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f"LISTEN {CHANNEL}")
        site.heard(tuple(_refreshed(site, site.logs.known())), True)
        while not stopped.is_set():
            for notice in connection.notifies(timeout=WAIT):
                hear(site, notice.payload)


def hear(site: Site, payload: str) -> None:
    """`SERVER LOBBY ROOM,ROOM`: what a commit changed; `SERVER user ROOM`: who is typing where."""
    server, what, rooms = payload.split(" ")
    numbers = [int(room) for room in rooms.split(",") if room]
    if server == site.server:
        return  # our own doings we know already
    if what in set(Role):
        site.typing(numbers[0], Role(what))
    else:
        site.heard(tuple(_refreshed(site, numbers)), what == "1")


def _refreshed(site: Site, rooms: list[int]) -> list[int]:
    """Only rooms somebody here has looked at are read again."""
    return [room for room in rooms if site.logs.get(room) and site.refresh(room)]
