"""Who is asking: sessions, tokens against forged requests, and what each route needs."""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, Request, Response
from starlette.requests import HTTPConnection

from crosstalk.collection.refusals import Refusal
from crosstalk.web.middleware import SAFE
from crosstalk.web.site import Site
from crosstalk.web.store.people import Worker, session_worker, token

INTERFACES: Final = ("en", "zh")
"""Languages of the pages."""
LONGEST_TOKEN: Final = 200


@dataclass(frozen=True, slots=True)
class Cookies:
    """What our cookies are called and how they are set; ports keep servers of one host apart."""

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
    """Nobody is logged in where somebody must be."""


class NotAllowed(Exception):
    """Somebody is logged in who may not do this."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whoever sent a request."""

    worker: Worker | None
    token: str
    """The session's, or the visit's: what the token against forged requests is made from."""
    csrf: str
    interface: str


def site_of(connection: HTTPConnection) -> Site:
    site: Site = connection.app.state.site
    return site


def cookies_of(connection: HTTPConnection) -> Cookies:
    cookies: Cookies = connection.app.state.cookies
    return cookies


def csrf_token(secret: str, token: str) -> str:
    return hmac.new(secret.encode(), token.encode(errors="replace"), hashlib.sha256).hexdigest()


def session_token(connection: HTTPConnection) -> str:
    given = connection.cookies.get(cookies_of(connection).session, "")
    return given if len(given) <= LONGEST_TOKEN else ""


def find_visitor(connection: HTTPConnection) -> Visitor:
    site, session = site_of(connection), session_token(connection)
    worker = None
    if session:
        worker = site.store.read(lambda reading: session_worker(reading, session, site.clock()))
    visit = connection.cookies.get(cookies_of(connection).visit, "")[:LONGEST_TOKEN]
    own = session if worker else visit
    csrf = csrf_token(connection.app.state.secret, own) if own else ""
    return Visitor(worker, own, csrf, _interface(connection, worker))


def _interface(connection: HTTPConnection, worker: Worker | None) -> str:
    if worker:
        return worker.interface
    wanted = connection.headers.get("accept-language", "").lower()
    return wanted_interface(wanted)


def wanted_interface(accepted: str) -> str:
    """The language of the interface for what a browser accepts, in small letters."""
    return next((code for code in INTERFACES if accepted.startswith(code)), INTERFACES[0])


def visitor(request: Request) -> Visitor:
    """Anybody; has a visit's cookie afterwards, and must show the token to change things."""
    found = find_visitor(request)
    if request.method not in SAFE:
        given = request.headers.get("x-csrf-token", "")
        if not found.csrf or not hmac.compare_digest(given.encode(), found.csrf.encode()):
            raise Refusal("csrf", "the page is too old; load it again")
    elif not found.token:
        found = _begin_visit(request, found)
    return found


def _begin_visit(request: Request, found: Visitor) -> Visitor:
    """The middleware puts the cookie on the answer, whatever kind of answer it is."""
    new, cookies, carrier = token(), cookies_of(request), Response()
    cookies.give(carrier, cookies.visit, new, days=30)
    request.state.set_cookie = carrier.headers["set-cookie"]
    csrf = csrf_token(request.app.state.secret, new)
    return Visitor(found.worker, new, csrf, found.interface)


def needs_worker(found: Annotated[Visitor, Depends(visitor)]) -> Worker:
    if found.worker is None:
        raise NeedsLogin
    if found.worker.blocked:
        raise NotAllowed
    return found.worker


def needs_admin(worker: Annotated[Worker, Depends(needs_worker)]) -> Worker:
    if not worker.admin:
        raise NotAllowed
    return worker


AnyVisitor = Annotated[Visitor, Depends(visitor)]
AnyWorker = Annotated[Worker, Depends(needs_worker)]
AnyAdmin = Annotated[Worker, Depends(needs_admin)]
OurSite = Annotated[Site, Depends(site_of)]
