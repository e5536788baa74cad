"""Who is asking: everybody has a link of their own, which stays good as long as the secret does.

A link leads to a page with a button; pressing it sets a cookie. Programs that look at links do
nothing by that.
"""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, Request

from crosstalk.translation.work_queues import Declined
from crosstalk.web.middleware import SAFE
from crosstalk.web.visitors import LONGEST_TOKEN, Cookies, NeedsLogin, NotAllowed, csrf_token

COORDINATOR: Final = "\N{BLACK STAR}"
"""No editor can be called so: names are letters, digits, spaces and hyphens."""
DAYS: Final = 180


@dataclass(frozen=True, slots=True)
class People:
    """Everybody who may come in."""

    names: tuple[str, ...]
    secret: str

    def link(self, name: str) -> str:
        """The secret part of somebody's link."""
        return self._sign("link", name)[:40]

    def by_link(self, token: str) -> str | None:
        for name in (*self.names, COORDINATOR):
            if hmac.compare_digest(self.link(name).encode(), token.encode(errors="replace")):
                return name
        return None

    def session(self, name: str) -> str:
        return self._sign("session", name)

    def by_session(self, token: str) -> str | None:
        for name in (*self.names, COORDINATOR):
            if hmac.compare_digest(self.session(name).encode(), token.encode(errors="replace")):
                return name
        return None

    def _sign(self, what: str, name: str) -> str:
        message = f"{what}\n{name}".encode()
        return hmac.new(self.secret.encode(), message, hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True)
class Guest:
    """Whoever sent a request."""

    name: str | None
    csrf: str

    @property
    def coordinator(self) -> bool:
        return self.name == COORDINATOR


def people_of(request: Request) -> People:
    people: People = request.app.state.people
    return people


def cookies_of(request: Request) -> Cookies:
    cookies: Cookies = request.app.state.cookies
    return cookies


def find_guest(request: Request) -> Guest:
    people = people_of(request)
    given = request.cookies.get(cookies_of(request).session, "")[:LONGEST_TOKEN]
    name = people.by_session(given) if given else None
    return Guest(name, csrf_token(people.secret, given) if name is not None else "")


def guest(request: Request) -> Guest:
    """Anybody; whoever changes something must be known and show the token."""
    found = find_guest(request)
    if request.method not in SAFE:
        if found.name is None:
            raise NeedsLogin
        given = request.headers.get("x-csrf-token", "")
        if not hmac.compare_digest(given.encode(errors="replace"), found.csrf.encode()):
            raise Declined("csrf", "the page is too old; load it again")
    return found


def needs_name(found: Annotated[Guest, Depends(guest)]) -> Guest:
    if found.name is None:
        raise NeedsLogin
    return found


def needs_coordinator(found: Annotated[Guest, Depends(needs_name)]) -> Guest:
    if not found.coordinator:
        raise NotAllowed
    return found


AnyGuest = Annotated[Guest, Depends(guest)]
Known = Annotated[Guest, Depends(needs_name)]
Coordinator = Annotated[Guest, Depends(needs_coordinator)]
