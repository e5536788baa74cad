"""Session cookies, CSRF tokens, and the dependencies of routes: visitor, worker, administrator."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, Request, Response
from starlette.requests import HTTPConnection

from crosstalk.errors import Rejection
from crosstalk.web.accounts import Accounts
from crosstalk.web.interface_words import accepted_language
from crosstalk.web.middleware import SAFE
from crosstalk.web.store.role_store import Permission, may
from crosstalk.web.store.worker_store import Worker, token

LONGEST_TOKEN: Final = 200
VISIT_DAYS: Final = 30


@dataclass(frozen=True, slots=True)
class Cookies:
    """Names and attributes of the cookies; the port separates servers on one host."""

    port: int
    secure: bool = False

    @property
    def session(self) -> str:
        return "__Host-crosstalk" if self.secure else f"crosstalk_{self.port}"

    @property
    def visit(self) -> str:
        return "__Host-crosstalk-visit" if self.secure else f"crosstalk_visit_{self.port}"

    def give(self, response: Response, name: str, value: str, *, days: int) -> None:
        response.set_cookie(
            name,
            value,
            max_age=days * 86400,
            path="/",
            httponly=True,
            secure=self.secure,
            samesite="lax",
        )

    def take(self, response: Response, name: str) -> None:
        response.delete_cookie(name, path="/", secure=self.secure, httponly=True, samesite="lax")


class NeedsLogin(Exception):
    """The route needs a login."""


class NotAllowed(Exception):
    """The logged-in worker lacks the permission."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """The sender of a request."""

    worker: Worker | None
    token: str
    """Token of the session or the visit, from which the CSRF token is derived."""
    csrf: str
    interface: str
    """Language of the interface: as chosen, otherwise as the browser prefers."""


def accounts_of(connection: HTTPConnection) -> Accounts:
    accounts: Accounts = connection.app.state.accounts
    return accounts


def cookies_of(connection: HTTPConnection) -> Cookies:
    cookies: Cookies = connection.app.state.cookies
    return cookies


def needs_personal_link(connection: HTTPConnection) -> bool:
    """Whether people log in by personal links instead of passwords."""
    return any(area.personal_links for area in connection.app.state.areas)


def session_token(connection: HTTPConnection) -> str:
    given = connection.cookies.get(cookies_of(connection).session, "")
    return given if len(given) <= LONGEST_TOKEN else ""


def find_visitor(connection: HTTPConnection) -> Visitor:
    accounts, session = accounts_of(connection), session_token(connection)
    worker = accounts.worker(session) if session else None
    visit = connection.cookies.get(cookies_of(connection).visit, "")[:LONGEST_TOKEN]
    own = session if worker else visit
    wanted = accepted_language(connection.headers.get("accept-language", ""))
    interface = (worker.interface if worker else "") or wanted
    return Visitor(worker, own, accounts.csrf(own) if own else "", interface)


def visitor(request: Request) -> Visitor:
    """Any visitor; gets a visit cookie if there is none yet."""
    found = find_visitor(request)
    if request.method in SAFE and not found.token:
        return _begin_visit(request, found)
    return found


def _begin_visit(request: Request, found: Visitor) -> Visitor:
    """Begin a visit; the middleware sets its cookie on any kind of answer."""
    new, cookies, carrier = token(), cookies_of(request), Response()
    cookies.give(carrier, cookies.visit, new, days=VISIT_DAYS)
    request.state.set_cookie = carrier.headers["set-cookie"]
    return Visitor(found.worker, new, accounts_of(request).csrf(new), found.interface)


def _refuse_forged(request: Request, found: Visitor) -> None:
    """Raise Rejection if a changing request lacks the CSRF token of its session or visit."""
    if request.method in SAFE:
        return
    given = request.headers.get("x-csrf-token", "").encode(errors="replace")
    if not found.csrf or not hmac.compare_digest(given, found.csrf.encode()):
        raise Rejection("csrf", "the page is too old; load it again")


def needs_token(request: Request, found: Annotated[Visitor, Depends(visitor)]) -> Visitor:
    _refuse_forged(request, found)
    return found


def needs_worker(request: Request, found: Annotated[Visitor, Depends(visitor)]) -> Worker:
    if found.worker is None:
        raise NeedsLogin
    _refuse_forged(request, found)
    if found.worker.blocked:
        raise NotAllowed
    return found.worker


def permissions(connection: HTTPConnection, worker: Worker | None) -> frozenset[Permission]:
    """What a worker may do besides working; asked once a request."""
    if worker is None or worker.blocked:
        return frozenset()
    known = getattr(connection.state, "permissions", None)
    if known is None:
        store = accounts_of(connection).store
        known = store.read(lambda reading: may(reading, worker))
        connection.state.permissions = known
    granted: frozenset[Permission] = known
    return granted


def needs(wanted: Permission) -> Callable[[Request, Worker], Worker]:
    """A dependency: the worker who asks, if one of their roles allows it."""

    def allowed(request: Request, worker: Annotated[Worker, Depends(needs_worker)]) -> Worker:
        if wanted not in permissions(request, worker):
            raise NotAllowed
        return worker

    return allowed


needs_admin = needs(Permission.ADMINISTER)


AnyLink = Annotated[Visitor, Depends(visitor)]
"""A visitor who is authenticated by a link and needs no CSRF token."""
AnyVisitor = Annotated[Visitor, Depends(needs_token)]
AnyWorker = Annotated[Worker, Depends(needs_worker)]
AnyAdmin = Annotated[Worker, Depends(needs_admin)]
OurAccounts = Annotated[Accounts, Depends(accounts_of)]
