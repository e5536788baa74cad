"""Sessions end everywhere at once: sockets close and messages are refused, on all servers."""

import json
import time
import uuid
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from sqlalchemy import Connection, delete
from tests.web.running import PASSWORD, Browser, Page, Running, paired
from websockets.exceptions import ConnectionClosed

from crosstalk.errors import Rejection
from crosstalk.web import accounts as accounts_module
from crosstalk.web.accounts import Accounts
from crosstalk.web.collect.site import Site
from crosstalk.web.store.sql_tables import SESSIONS
from crosstalk.web.store.store import Store
from crosstalk.web.store.worker_store import end_session, end_sessions

SOON = 2.0
"""Seconds within which a session is over on all servers."""


@pytest.fixture
def both(address: str, open_site: Callable[..., Site]) -> Iterator[tuple[Running, Running]]:
    """Two servers on PostgreSQL, twice the same one on SQLite."""
    site = open_site(address)
    with Running(site) as here:
        if not site.store.shared:
            yield here, here
            return
        with Running(open_site(address)) as there:
            yield here, there


def again(server: Running, browser: Browser) -> Browser:
    """The same worker at another browser."""
    assert browser.worker
    elsewhere = server.browser()
    elsewhere.log_in("/api/login", {"name": browser.worker["name"], "password": PASSWORD})
    return elsewhere


def closed_with(page: Page) -> int:
    """The code with which a page's socket is closed; fails if it is not closed soon."""
    deadline = time.monotonic() + SOON
    with pytest.raises(ConnectionClosed) as closed:
        while True:
            page.socket.recv(timeout=max(deadline - time.monotonic(), 0))
    assert closed.value.rcvd
    return closed.value.rcvd.code


def log_out(browser: Browser, admin: Browser) -> None:
    assert browser.post("/api/logout", {}).status_code == 200


def change_password(browser: Browser, admin: Browser) -> None:
    assert browser.post("/api/password", {"password": "another long one"}).status_code == 200


def block(browser: Browser, admin: Browser) -> None:
    answer = admin.post(f"/api/admin/workers/{browser.id}", {"blocked": True})
    assert answer.status_code == 200


@pytest.mark.parametrize("end", [log_out, change_password, block])
def test_a_session_that_ends_here_closes_sockets_there(
    both: tuple[Running, Running], end: Callable[[Browser, Browser], None]
) -> None:
    here, there = both
    browser = here.worker("Ursula")
    same_session = there.browser()
    same_session.http.cookies.clear()
    for name, value in browser.http.cookies.items():
        same_session.http.cookies.set(name.replace(str(here.port), str(there.port)), value)
    page = same_session.sit_down()
    end(browser, here.admin())
    assert closed_with(page) in (1012, 4403)
    with pytest.raises(ConnectionClosed) as refused:
        same_session.socket().recv(timeout=SOON)
    assert refused.value.rcvd and refused.value.rcvd.code in (4401, 4403)


def test_a_session_that_nobody_tells_of_ends_too(both: tuple[Running, Running]) -> None:
    """As when the notification is lost, or a person is removed from the store."""
    here, there = both
    browser = there.worker("Ursula")
    page = browser.sit_down()
    session = dict(browser.http.cookies.items())[f"crosstalk_{there.port}"]
    here.site.store.write(lambda work: end_session(work, session)).result()
    assert closed_with(page) == 1012
    assert browser.get("/api/home").status_code == 401


def test_other_sessions_go_on(both: tuple[Running, Running]) -> None:
    here, there = both
    browser = here.worker("Ursula")
    elsewhere = again(there, browser)
    page = elsewhere.sit_down()
    log_out(browser, browser)
    time.sleep(SOON)
    page.must("wait", role="user")


def test_messages_of_an_ended_session_are_refused(both: tuple[Running, Running]) -> None:
    """Before any server has closed the socket, and over HTTP."""
    here, there = both
    ursula, _, user, _ = paired(there)
    body = {"id": uuid.uuid4().hex, "room": user.room, "text": "Hello", "sure": True}
    forget = delete(SESSIONS).where(SESSIONS.c.worker == ursula.id)

    def end(work: Connection) -> None:
        work.execute(forget)

    here.site.store.write(end).result()
    user.socket.send(json.dumps({"do": "say", **body}))
    kinds = []
    with pytest.raises(ConnectionClosed):
        while True:
            kinds.append(json.loads(user.socket.recv(timeout=SOON))["type"])
    assert "ack" not in kinds
    answer = ursula.post(f"/api/rooms/{user.room}/messages", {"do": "say", **body})
    assert answer.status_code == 401
    log = here.site.refresh(user.room or 0)
    assert log and not log.room.conversation.turns


def test_nobody_gets_in_by_a_password_that_was_just_changed(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old password is checked, then it is changed, then the session would begin."""
    browser = server.worker("Ursula")
    assert browser.worker
    accounts, name = Accounts(server.site.store), browser.worker["name"]
    check = accounts_module.is_right

    def changed_meanwhile(digest: str, password: str) -> bool:
        right = check(digest, password)
        change_password(browser, browser)
        return right

    monkeypatch.setattr(accounts_module, "is_right", changed_meanwhile)
    with pytest.raises(Rejection, match="wrong"):
        accounts.log_in("", name, PASSWORD)


def test_a_session_ends_with_all_others(server: Running) -> None:
    store: Store = server.site.store
    browser = server.worker("Ursula")
    store.write(partial(end_sessions, worker=browser.id)).result()
    assert browser.get("/api/home").status_code == 401
