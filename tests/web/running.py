"""A server in a thread, and people at their browsers, as programs."""

import asyncio
import json
import threading
import uuid
from contextlib import ExitStack
from typing import Any

import httpx2 as httpx
from sqlalchemy import delete
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from crosstalk.web.accounts import Accounts
from crosstalk.web.app import SiteAddress, bind, collect_app, make_server
from crosstalk.web.clients import Clients
from crosstalk.web.collect.settings import Settings
from crosstalk.web.collect.site import Site
from crosstalk.web.collect.startup import Parts
from crosstalk.web.store.sql_tables import LOBBY
from crosstalk.web.store.worker_store import INVITATION, add_link

PASSWORD = "a long password"
PATIENCE = 60.0


class Running:
    """The site behind a real server on a free port."""

    def __init__(
        self,
        site: Site,
        parts: Parts | None = None,
        *,
        port: int = 0,
        clients: Clients | None = None,
    ) -> None:
        self.site = site
        self._bound = bind("127.0.0.1", port)
        self.port: int = self._bound.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        begun = {"training": str(site.rules.training).lower(), "pause": site.rules.pause}
        settings = Settings(file=begun)
        where = SiteAddress(self.port, clients=clients or Clients())
        self.app = collect_app(site, where, parts, settings=settings)
        self._afterwards = ExitStack()
        ready = threading.Event()
        self._server = make_server(self.app, ready.set)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        assert ready.wait(PATIENCE), "the server did not start"

    def _run(self) -> None:
        asyncio.run(self._server.serve([self._bound]))

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *problem: object) -> None:
        self._afterwards.close()
        self._server.should_exit = True
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "the server did not stop"

    def everybody_leaves(self) -> None:
        """Pages are closed, and nobody waits any more."""
        self._afterwards.close()
        self.site.submit(lambda work: work.connection.execute(delete(LOBBY)).rowcount).result()

    def invitation(self, uses: int = 100) -> str:
        return self.site.submit(
            lambda work: add_link(work.connection, INVITATION, "test", uses, work.now)
        ).result()[1]

    def browser(self) -> "Browser":
        return self._afterwards.enter_context(Browser(self.url))

    def worker(self, name: str) -> "Browser":
        """Somebody who has joined and consented; the name is made unique."""
        browser = self.browser()
        unique = f"{name} {uuid.uuid4().hex[:8]}"
        body = {"invitation": self.invitation(1), "name": unique, "password": PASSWORD}
        browser.log_in("/api/join", body)
        assert browser.post("/api/consent", {"agreed": True}).status_code == 200
        return browser

    def admin(self) -> "Browser":
        browser = self.browser()
        browser.log_in(
            "/api/enter", {"token": Accounts(self.site.store, self.site.clock).admin_link()}
        )
        return browser


class Browser:
    """Cookies, the token against forged requests, and requests that carry both."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.http = httpx.Client(base_url=url, timeout=PATIENCE, verify=False)  # no certificates
        self.csrf = self.http.get("/api/me").json()["csrf"]
        self.worker: dict[str, Any] | None = None
        self._afterwards = ExitStack()

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *problem: object) -> None:
        self._afterwards.close()
        self.http.close()

    def get(self, path: str, **params: Any) -> httpx.Response:
        return self.http.get(path, params=params or None)

    def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        return self.http.post(path, json=body, headers={"X-CSRF-Token": self.csrf, **headers})

    def log_in(self, path: str, body: dict[str, Any]) -> None:
        answer = self.post(path, body)
        assert answer.status_code == 200, answer.text
        self.csrf, self.worker = answer.json()["csrf"], answer.json()["worker"]

    @property
    def id(self) -> int:
        assert self.worker is not None
        id: int = self.worker["id"]
        return id

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())

    def socket(self, *, origin: str | None = None) -> ClientConnection:
        connection = connect(
            self.url.replace("http", "ws") + "/ws",
            origin=Origin(origin or self.url),
            additional_headers={"Cookie": self.cookie},
            close_timeout=1,
        )
        return self._afterwards.enter_context(connection)

    def sit_down(self, room: int | None = None, last: int = 0) -> "Page":
        return Page(self.socket(), room, last)


class Page:
    """An open page: sends messages, waits for their answers, keeps what it was told."""

    def __init__(self, socket: ClientConnection, room: int | None, last: int = 0) -> None:
        self.socket = socket
        self.room = room
        self.seq = last
        self.events: list[dict[str, Any]] = []
        self.view: dict[str, Any] = {}
        self.lobby: dict[str, Any] = {}
        self.answers: dict[str, dict[str, Any]] = {}
        self.hello(room, last)

    def hello(self, room: int | None, last: int = 0) -> None:
        self.room = room
        self.socket.send(json.dumps({"do": "hello", "room": room, "last": last}))
        self.until(lambda: bool(self.view) if room else bool(self.lobby))

    def hear(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.socket.recv(timeout=PATIENCE))
        match message["type"]:
            case "update":
                self.events += message["events"]
                self.seq, self.view = message["seq"], message["view"]
            case "lobby":
                self.lobby = message
            case "ack" | "refused":
                self.answers[message["id"]] = message
        return message

    def until(self, happened: Any) -> None:
        while not happened():
            self.hear()

    def do(self, do: str, *, id: str | None = None, **fields: Any) -> dict[str, Any]:
        """Send one message and wait for its answer."""
        message = {"do": do, "id": id or uuid.uuid4().hex, **fields}
        if self.room is not None:
            message["room"] = self.room
        self.socket.send(json.dumps(message))
        self.until(lambda: message["id"] in self.answers)
        return self.answers.pop(message["id"])

    def must(self, do: str, **fields: Any) -> dict[str, Any]:
        answer = self.do(do, **fields)
        assert answer["type"] == "ack", answer
        return answer

    def close(self) -> None:
        self.socket.close()


def paired(server: Running) -> tuple[Browser, Browser, Page, Page]:
    """A user and a wizard in a room."""
    browsers = server.worker("Ursula"), server.worker("Wim")
    return *browsers, *in_a_room(*(browser.sit_down() for browser in browsers))


def in_a_room(user: Page, wizard: Page) -> tuple[Page, Page]:
    """Two open pages, once their people have asked for a dialogue and are in its room."""
    user.must("wait", role="user")
    wizard.must("wait", role="wizard")
    for page in (user, wizard):
        page.until(lambda page=page: page.lobby.get("room"))
        page.hello(page.lobby["room"])
    assert user.room == wizard.room
    return user, wizard
