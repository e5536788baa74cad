"""Accounts: invitations, names and passwords, links, and sessions.

    accounts = Accounts(Store(store_url("talk.db")))
    worker, session = accounts.log_in("127.0.0.1", "Mei", "a long password")
    accounts.worker(session)      # until accounts.log_out(session), a new password, or the last day

A session is a row of the store, found by the digest of its token; deleting it ends the session on
all servers.
"""

import hashlib
import hmac
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from typing import Any, Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Connection, select

from crosstalk.errors import Rejection
from crosstalk.language.confusables import is_numbered, look_alike, plain_name
from crosstalk.web.rate_limits import AccessLimits, Limits, TooFast, attempt
from crosstalk.web.store import attempts, study_store, worker_store
from crosstalk.web.store.attempts import AttemptLimit, Place
from crosstalk.web.store.erasure import ERASED
from crosstalk.web.store.sql_tables import SETTINGS
from crosstalk.web.store.store import Store
from crosstalk.web.store.worker_store import (
    ADMIN_LINK,
    INVITATION,
    PERSONAL_LINK,
    RESET,
    Link,
    Worker,
)

LONGEST_NAME: Final = 40
ADMIN_NAME: Final = "admin"
RESERVED: Final = (ADMIN_NAME, "machine")
COORDINATOR: Final = "\N{BLACK STAR}"
"""Name of the administrator of sites with personal links; no other person can have it."""
SHORTEST_PASSWORD: Final = 8
RESET_DAYS: Final = 1
"""How long a link to a new password lasts."""
FAMILIAR: Final = AttemptLimit("familiar", 1, 90 * 86400)
"""Pairs of account and client that have logged in."""
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""OWASP's minimum: 19 MiB, about 20 ms."""
HASHING: Final = 2
"""Passwords hashed at once, so that logins cannot exhaust memory."""
PATIENCE: Final = 10
"""By how much less urgent hashing is than messages, as `nice` counts."""
_PLACES: Final = threading.Semaphore(16)
"""Limits who waits for it, so that logins cannot take all threads that answer requests (40)."""
CROWDED: Final = 2.0
"""Seconds after which to try again when the queue is full."""


@contextmanager
def _place_to_hash() -> Iterator[None]:
    """Taken before the store is asked anything; raises TooFast if too many wait."""
    if not _PLACES.acquire(blocking=False):
        raise TooFast("too many people are logging in at once; please try again", CROWDED)
    try:
        yield
    finally:
        _PLACES.release()


class Accounts:
    """All accounts of a site; safe from any thread."""

    def __init__(
        self,
        store: Store,
        clock: Callable[[], float] = time.time,
        *,
        days: int = 14,
        admin_token: str = "",
        limits: Limits = AccessLimits,
    ) -> None:
        """`days`: how long a session lasts; `admin_token`: opens /metrics, besides the link's;
        `limits`: those of guesses that hold now.
        """
        self._admin_token = admin_token
        self.store = store
        self.days = days
        self._clock = clock
        self._limits = limits
        self.secret = store.write(_site_secret).result()
        """Key that signs CSRF tokens; the same on all servers."""

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

    def _begin_if_unchanged(self, connection: Connection, worker: Worker) -> tuple[Worker, str]:
        """Refuse who was blocked, or whose password was changed, while the old one was checked."""
        now_known = worker_store.find_worker(connection, worker.id)
        if now_known is None or now_known.password != worker.password:
            raise Rejection("wrong_password", "name or password is wrong")
        if now_known.blocked:
            raise Rejection("blocked", "your account is blocked")
        return self._begin(connection, now_known)

    # Logging in

    @_place_to_hash()
    def log_in(self, client: str, name: str, password: str) -> tuple[Worker, str]:
        """The worker and a new session's token; `client`: address of the browser, "" if unknown."""
        folded = visible_name(name).casefold()
        both = f"{folded}\n{client}"
        with attempt(self.store, self._places(folded, client), self._clock):
            known = self.store.read(lambda reading: _named(reading, name, folded))
            if not is_right(known.password if known else "", password) or known is None:
                raise Rejection("wrong_password", "name or password is wrong")

        def job(connection: Connection) -> tuple[Worker, str]:
            entered = self._begin_if_unchanged(connection, known)
            attempts.forget(connection, self._by_both(both))
            attempts.forget(connection, (FAMILIAR, both))
            attempts.count(connection, [(FAMILIAR, both)], self._clock())
            return entered

        return self.store.write(job).result()

    def _places(self, account: str, client: str) -> list[Place]:
        """Where a try to log in counts. Strangers' tries never keep a familiar client out."""
        both, now, limits = f"{account}\n{client}", self._clock(), self._limits()
        places = [self._by_both(both), *self._of_client(client)]
        familiar = (FAMILIAR, both)
        if not self.store.read(lambda reading: attempts.is_counted(reading, familiar, now)):
            by_account = AttemptLimit("account", limits.account_guesses, limits.guess_seconds)
            places.append((by_account, account))
        return places

    def _by_both(self, both: str) -> Place:
        limits = self._limits()
        return AttemptLimit("both", limits.guesses, limits.guess_seconds), both

    def _of_client(self, client: str) -> list[Place]:
        """Nowhere if the client is unknown, which would be everybody."""
        limits = self._limits()
        by_client = AttemptLimit("client", limits.client_guesses, limits.guess_seconds)
        return [(by_client, client)] if client else []

    @_place_to_hash()
    def join(
        self, client: str, *, invitation: str, name: str, password: str, interface: str
    ) -> tuple[Worker, str]:
        """A new account by invitation; only wrong invitations count as guesses."""
        name, password = good_name(name), good_password(password)
        with attempt(self.store, self._of_client(client), self._clock):
            if not self.invites(invitation):
                raise worker_store.void_link()
        digest = hashed(password)

        def job(connection: Connection) -> tuple[Worker, str]:
            worker_store.use_link(connection, invitation, INVITATION)
            for word in (ERASED, *study_store.known_keys(connection)):
                _refuse_numbered(name, word)
            for other in worker_store.names(connection):
                _refuse_look_alike(name, other)
            return self._begin(connection, self._add(connection, name, digest, interface))

        return self.store.write(job).result()

    def enter(self, client: str, token: str, interface: str) -> tuple[Worker, str]:
        """Log in by a link: the administrator's works once, personal ones any number of times."""

        def job(connection: Connection) -> tuple[Worker, str]:
            link = worker_store.use_link(connection, token, ADMIN_LINK, PERSONAL_LINK)
            name = link.label if link.kind == PERSONAL_LINK else ADMIN_NAME
            worker = worker_store.worker_named(connection, name)
            if worker is None:
                worker = self._add(connection, name, "", interface, admin=True)
            return self._begin(connection, worker)

        with attempt(self.store, self._of_client(client), self._clock):
            return self.store.write(job).result()

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

    def invites(self, token: str) -> bool:
        """Whether a token is an invitation that can be used."""
        link = self.link(token)
        return link is not None and link.kind == INVITATION

    def is_admin_token(self, token: str) -> bool:
        """Whether it is the configured token, the newest administrator's or the coordinator's."""
        fixed = self._admin_token.encode()
        if fixed and hmac.compare_digest(token.encode(errors="replace"), fixed):
            return True
        return self.store.read(partial(worker_store.is_admin_token, token=token, label=COORDINATOR))

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

    @_place_to_hash()
    def change_password(self, worker: Worker, password: str) -> tuple[Worker, str]:
        """Change a password; ends all other sessions and returns the token of a new one."""
        digest = hashed(good_password(password))

        def job(connection: Connection) -> tuple[Worker, str]:
            return self._begin(connection, self._give(connection, worker, digest))

        return self.store.write(job).result()

    def _give(self, connection: Connection, worker: Worker, digest: str) -> Worker:
        """Set a password; all sessions end, and links to a new one are void."""
        worker_store.end_sessions(connection, worker.id)
        worker_store.revoke_resets(connection, worker.id)
        return worker_store.change_worker(connection, worker.id, password=digest)

    def reset_link(self, name: str) -> str:
        """The token of a link by which a worker chooses a new password, once, within a day."""
        folded = visible_name(name).casefold()

        def job(connection: Connection) -> str:
            worker = _named(connection, name, folded)
            if worker is None or worker.name == COORDINATOR:
                raise Rejection("unknown_worker", f"there is no worker named {name!r}")
            worker_store.revoke_resets(connection, worker.id)
            label = str(worker.id)
            return worker_store.add_link(connection, RESET, label, 1, self._clock())[1]

        return self.store.write(job).result()

    @_place_to_hash()
    def reset_password(self, client: str, token: str, password: str) -> tuple[Worker, str]:
        """Choose a new password by a link; the worker and the token of a new session."""
        password, since = good_password(password), self._clock() - RESET_DAYS * worker_store.DAY
        with attempt(self.store, self._of_client(client), self._clock):
            link = self.link(token)
            if link is None or link.kind != RESET:
                raise worker_store.void_link()
            digest = hashed(password)  # not for guesses: it takes a core for 20 ms

            def job(connection: Connection) -> tuple[Worker, str]:
                worker = worker_store.use_reset(connection, token, since)
                if worker.blocked:
                    raise Rejection("blocked", "your account is blocked")
                return self._begin(connection, self._give(connection, worker, digest))

            return self.store.write(job).result()

    def change(self, worker: Worker, **values: Any) -> Worker:
        return self.store.write(
            partial(worker_store.change_worker, id=worker.id, **values)
        ).result()


def _named(connection: Connection, name: str, folded: str) -> Worker | None:
    """A worker by name; names of earlier versions are found as they were written then."""
    before = " ".join(name.split())
    return worker_store.worker_named(connection, folded) or worker_store.worker_named(
        connection, before
    )


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


def _be_patient() -> None:
    """On Linux, `nice` is about the calling thread."""
    if sys.platform == "linux":
        os.nice(PATIENCE)


@cache
def _hashers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(HASHING, "hashing", initializer=_be_patient)


def hashed(password: str) -> str:
    """The digest, made in a thread that leaves others the processor."""
    return _hashers().submit(_HASHER.hash, password).result()


def is_right(digest: str, password: str) -> bool:
    """Check a password; takes as long for unknown accounts, so that timing reveals no names."""
    try:
        checked = _hashers().submit(_HASHER.verify, digest or _nobody(), password)
        return checked.result() and bool(digest)
    except (VerificationError, InvalidHashError):
        return False


@cache
def _nobody() -> str:
    return _HASHER.hash("nobody has this password")


def visible_name(name: str) -> str:
    """A name in its one spelling; raises Rejection if something in it cannot be seen."""
    try:
        return plain_name(name)
    except ValueError as problem:
        raise Rejection("bad_name", str(problem)) from None


def good_name(name: str) -> str:
    plain = visible_name(name)
    if not 1 <= len(plain) <= LONGEST_NAME:
        raise Rejection("bad_name", f"a name has 1 to {LONGEST_NAME} characters")
    for other in RESERVED:
        _refuse_look_alike(plain, other)
    return plain


def _refuse_look_alike(name: str, other: str) -> None:
    if look_alike(name, other):
        raise Rejection("name_taken", f"the name {name!r} is taken, or looks like one that is")


def _refuse_numbered(name: str, word: str) -> None:
    """Refuse names that participants of a study are given, or what is left of erased people."""
    if is_numbered(name, word):
        raise Rejection("name_taken", f"names such as {name!r} are given by this site")


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
