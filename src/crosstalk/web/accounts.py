"""Accounts: invitations, names and passwords, links, and sessions.

    accounts = Accounts(Store(store_url("talk.db")))
    worker, session = accounts.log_in("127.0.0.1", "Mei", "a long password")
    accounts.worker(session)      # until accounts.log_out(session), a new password, or the last day

A session is a row of the store, found by the digest of its token; deleting it ends the session on
all servers.
"""

import hashlib
import hmac
import threading
import time
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any, Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, select

from crosstalk.collection.wizard_form import is_sound
from crosstalk.errors import Rejection
from crosstalk.web.middleware import Throttle
from crosstalk.web.store import worker_store
from crosstalk.web.store.sql_tables import SETTINGS
from crosstalk.web.store.store import Store
from crosstalk.web.store.worker_store import ADMIN_LINK, INVITATION, PERSONAL_LINK, Link, Worker

LONGEST_NAME: Final = 40
ADMIN_NAME: Final = "admin"
COORDINATOR: Final = "\N{BLACK STAR}"
"""Name of the administrator of sites with personal links; no other person can have it."""
SHORTEST_PASSWORD: Final = 8
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""OWASP's minimum: 19 MiB, about 20 ms."""
_TWO: Final = threading.Semaphore(2)
"""Limits concurrent password hashing, so that logins cannot exhaust memory."""


class Accounts:
    """All accounts of a site; safe from any thread."""

    def __init__(
        self, store: Store, clock: Callable[[], float] = time.time, *, days: int = 14
    ) -> None:
        """`days`: how long a session lasts."""
        self.store = store
        self.days = days
        self._clock = clock
        self.secret = store.write(_site_secret).result()
        """Key that signs CSRF tokens; the same on all servers."""
        self._by_name = Throttle(10, 300, clock)
        self._by_address = Throttle(30, 300, clock)
        self._joins = Throttle(60, 600, clock)

    # Sessions

    def worker(self, session: str) -> Worker | None:
        """The worker of a session; None if it does not exist or has ended."""
        now = self._clock()
        return self.store.read(lambda reading: worker_store.session_worker(reading, session, now))

    def log_out(self, session: str) -> None:
        self.store.write(partial(worker_store.end_session, token=session)).result()

    def csrf(self, token: str) -> str:
        """The CSRF token of a session, or of a visit without one."""
        message = token.encode(errors="replace")
        return hmac.new(self.secret.encode(), message, hashlib.sha256).hexdigest()

    def _begin(self, connection: Connection, worker: Worker) -> tuple[Worker, str]:
        now = self._clock()
        return worker, worker_store.begin_session(connection, worker.id, now, days=self.days)

    # Logging in

    def log_in(self, address: str, name: str, password: str) -> tuple[Worker, str]:
        """The worker and a new session's token."""
        folded = tidy(name).casefold()
        key = f"{address} {folded}"
        if self._by_name.wait(key) or self._by_address.wait(address):
            raise Rejection("too_fast", "too many wrong tries; please wait some minutes")
        known = self.store.read(lambda connection: worker_store.worker_named(connection, folded))
        if not is_right(known.password if known else "", password) or known is None:
            self._by_name.count(key)
            self._by_address.count(address)
            raise Rejection("wrong_password", "name or password is wrong")
        if known.blocked:
            raise Rejection("blocked", "your account is blocked")
        self._by_name.forget(key)
        return self.store.write(partial(self._begin, worker=known)).result()

    def join(
        self, address: str, *, invitation: str, name: str, password: str, interface: str
    ) -> tuple[Worker, str]:
        """A new account by invitation."""
        if self._joins.wait(address):
            raise Rejection("too_fast", "too many new accounts; please wait some minutes")
        self._joins.count(address)
        name = good_name(name)
        digest = hashed(good_password(password))

        def job(connection: Connection) -> tuple[Worker, str]:
            worker_store.use_link(connection, invitation, INVITATION)
            return self._begin(connection, self._add(connection, name, digest, interface))

        return self.store.write(job).result()

    def enter(self, address: str, token: str, interface: str) -> tuple[Worker, str]:
        """Log in by a link: the administrator's works once, personal ones any number of times."""
        if self._by_address.wait(address):
            raise Rejection("too_fast", "too many wrong tries; please wait some minutes")

        def job(connection: Connection) -> tuple[Worker, str]:
            link = worker_store.use_link(connection, token, ADMIN_LINK, PERSONAL_LINK)
            name = link.label if link.kind == PERSONAL_LINK else ADMIN_NAME
            worker = worker_store.worker_named(connection, name)
            if worker is None:
                worker = self._add(connection, name, "", interface, admin=True)
            return self._begin(connection, worker)

        try:
            return self.store.write(job).result()
        except Rejection:
            self._by_address.count(address)
            raise

    def _add(
        self,
        connection: Connection,
        name: str,
        password: str,
        interface: str,
        *,
        admin: bool = False,
    ) -> Worker:
        return worker_store.add_worker(
            connection,
            name=name,
            password=password,
            interface=interface,
            now=self._clock(),
            admin=admin,
        )

    # Links and passwords

    def link(self, token: str) -> Link | None:
        """What a link is for, without using it."""
        return self.store.read(partial(worker_store.find_link, token=token))

    def admin_link(self) -> str:
        """A new one-time link for the administrator; earlier ones become invalid."""

        def job(connection: Connection) -> str:
            worker_store.revoke_links(connection, ADMIN_LINK)
            return worker_store.add_link(connection, ADMIN_LINK, "", 1, self._clock())[1]

        return self.store.write(job).result()

    def personal_links(self, names: Iterable[str], secret: str) -> dict[str, str]:
        """Name -> token of a personal link, which stays valid as long as `secret` is the same.

        Only these people and the coordinator have access: links and sessions of all others end, and
        a new secret ends all sessions.
        """
        links = {name: personal_token(secret, name) for name in (*names, COORDINATOR)}

        def job(connection: Connection) -> None:
            worker_store.keep_personal_links(connection, links, self._clock())
            for name in links:
                known = worker_store.worker_named(connection, name)
                if known is None:
                    self._add(connection, name, "", "", admin=name == COORDINATOR)
                elif known.name != name:  # written with other capitals before
                    worker_store.change_worker(connection, known.id, name=name)

        self.store.write(job).result()
        return links

    def change_password(self, worker: Worker, password: str) -> tuple[Worker, str]:
        """Change a password; ends all other sessions and returns the token of a new one."""
        digest = hashed(good_password(password))

        def job(connection: Connection) -> tuple[Worker, str]:
            worker_store.change_worker(connection, worker.id, password=digest)
            worker_store.end_sessions(connection, worker.id)
            return self._begin(connection, worker)

        return self.store.write(job).result()

    def change(self, worker: Worker, **values: Any) -> Worker:
        return self.store.write(
            partial(worker_store.change_worker, id=worker.id, **values)
        ).result()


def personal_token(secret: str, name: str) -> str:
    message = f"link\n{name}".encode()
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()[:40]


def _site_secret(connection: Connection) -> str:
    wanted = select(SETTINGS.c.value).where(SETTINGS.c.key == "secret")
    known = connection.execute(wanted).scalar_one_or_none()
    if known is None:
        known = worker_store.token()
        connection.execute(SETTINGS.insert().values(key="secret", value=known))
    return known


def hashed(password: str) -> str:
    with _TWO:
        return _HASHER.hash(password)


def is_right(digest: str, password: str) -> bool:
    """Check a password; takes as long for unknown accounts, so that timing reveals no names."""
    with _TWO:
        try:
            return _HASHER.verify(digest or _nobody(), password) and bool(digest)
        except (VerificationError, InvalidHashError):
            return False


@cache
def _nobody() -> str:
    return _HASHER.hash("nobody has this password")


def tidy(name: str) -> str:
    plain = " ".join(name.split())
    if not is_sound(plain):
        raise Rejection("bad_name", "the name holds characters that are no text")
    return plain


def good_name(name: str) -> str:
    plain = tidy(name)
    if not 1 <= len(plain) <= LONGEST_NAME:
        raise Rejection("bad_name", f"a name has 1 to {LONGEST_NAME} characters")
    if plain.casefold() in (ADMIN_NAME, "machine"):
        raise Rejection("name_taken", f"the name {plain!r} is taken")
    return plain


def good_password(password: str) -> str:
    if len(password) < SHORTEST_PASSWORD:
        raise Rejection("weak_password", f"a password has at least {SHORTEST_PASSWORD} characters")
    return password


def worker_record(worker: Worker) -> dict[str, Any]:
    """A worker as JSON, without password and note."""
    return {
        "id": worker.id,
        "name": worker.name,
        "admin": worker.admin,
        "interface": worker.interface,
        "consented": worker.consented,
        "trained": worker.trained,
        "blocked": worker.blocked,
    }
