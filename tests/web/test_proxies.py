"""Behind nginx and Caddy as documented: one server, and two servers on one PostgreSQL."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2 as httpx
import pytest
from tests.web.commands import serving
from tests.web.postgres import outage, running_postgres
from tests.web.proxies import LOCAL, free_port, listening_port, login, program, proxy
from tests.web.running import PASSWORD, Browser, Page, in_a_room
from websockets.exceptions import ConnectionClosed

SOON = 2.0
"""Seconds within which the end of a session is known at all servers."""
KINDS = ("nginx", "caddy")


@dataclass
class Proxied:
    """A site behind a proxy, and each of its servers."""

    public: str
    servers: list[int]
    admin: Browser
    afterwards: ExitStack = field(default_factory=ExitStack)

    def worker(self, name: str) -> Browser:
        invited = self.admin.post("/api/admin/invitations", {"label": "", "uses": 1}).json()
        browser = self.afterwards.enter_context(Browser(self.public))
        account = {"invitation": invited["token"], "name": name, "password": PASSWORD}
        browser.log_in("/api/join", account)
        assert browser.post("/api/consent", {"agreed": True}).status_code == 200
        return browser

    def at(self, server: int, browser: Browser) -> Browser:
        """The same person, past the proxy, as if it had chosen this server."""
        address = LOCAL.format(self.servers[server])
        direct = self.afterwards.enter_context(Browser(address))
        direct.http.cookies = browser.http.cookies
        direct.csrf, direct.worker = browser.csrf, browser.worker
        return direct

    def sit_down_at(self, server: int, browser: Browser) -> Page:
        """A page whose socket has come to this server through the proxy."""
        for _ in range(20):
            before = self.sockets(server)
            page = browser.sit_down()
            if self.sockets(server) > before:
                return page
            page.close()
        raise AssertionError("the proxy has one favourite")

    def sockets(self, server: int) -> int:
        text = self.at(server, self.admin).get("/metrics").text
        [count] = re.findall(r"^crosstalk_sockets (\d+)", text, re.MULTILINE)
        return int(count)

    def ready(self) -> set[int]:
        """What all servers, and the proxy, say."""
        places = [self.public, *map(LOCAL.format, self.servers)]
        return {httpx.get(f"{place}/readyz").status_code for place in places}


@contextmanager
def site_behind(kind: str, folder: Path, count: int, store: str = "") -> Iterator[Proxied]:
    program(kind)
    port = free_port()
    words = ["--goals", "9", "--no-machines", "--no-training", "--trusted-proxy", "127.0.0.1"]
    words += ["--address", LOCAL.format(port), *(("--store", store) if store else ())]
    with ExitStack() as stack:
        begun = [stack.enter_context(serving(folder, *words)) for _ in range(count)]
        servers = [listening_port(process.pid) for process, _, _ in begun]
        public = stack.enter_context(proxy(kind, folder, port, servers))
        admin = stack.enter_context(Browser(public))
        admin.log_in("/api/enter", {"token": begun[-1][2].split("/")[-1]})
        site = Proxied(public, servers, admin)
        stack.enter_context(site.afterwards)
        yield site


@pytest.fixture(scope="module")
def postgres_of_its_own() -> Iterator[str]:
    with running_postgres() as address:
        yield address


@pytest.fixture(scope="module", params=KINDS)
def site(
    request: pytest.FixtureRequest,
    postgres_of_its_own: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Proxied]:
    """Two servers; of both proxies in turn, on one store."""
    folder = tmp_path_factory.mktemp(request.param)
    with site_behind(request.param, folder, 2, postgres_of_its_own) as site:
        yield site


@pytest.fixture(scope="module")
def named(site: Proxied) -> Callable[[str], Browser]:
    """People by name, other ones at each proxy."""
    return lambda name: site.worker(f"{name} {site.public[-5:]}")


def is_closed_soon(page: Page, code: int) -> None:
    ends = time.monotonic() + SOON
    with pytest.raises(ConnectionClosed) as closed:
        while time.monotonic() < ends:
            page.socket.recv(timeout=max(ends - time.monotonic(), 0.01))
    assert closed.value.rcvd and closed.value.rcvd.code == code


def paired(site: Proxied, ursula: Browser, wim: Browser) -> tuple[Page, Page]:
    """A user at the first server and a wizard at the second, in one room."""
    return in_a_room(site.sit_down_at(0, ursula), site.sit_down_at(1, wim))


def exchange(user: Page, wizard: Page) -> None:
    user.must("say", text="Good morning", sure=True)
    wizard.until(lambda: wizard.view["your_turn"])
    wizard.must("query", domain="hotel", slots={})
    wizard.must("say", text="Good morning to you", sure=True)
    user.until(lambda: user.view["your_turn"])


@pytest.mark.parametrize("kind", KINDS)
def test_two_clients_behind_one_proxy(kind: str, tmp_path: Path) -> None:
    """One guesses until it is stopped, the other logs in."""
    with site_behind(kind, tmp_path, 1) as site:
        guessed = [login(site.public, "127.0.0.2", f"n{number}") for number in range(32)]
        assert guessed[:30] == [403] * 30 and guessed[30:] == [429] * 2
        assert login(site.public, "127.0.0.2", "x", forged="8.8.8.8") == 429
        assert login(site.public, "127.0.0.3", "x") == 403
        assert site.admin.sit_down().lobby["type"] == "lobby", "sockets pass, too"


def test_people_of_a_room_sit_at_different_servers(
    site: Proxied, named: Callable[[str], Browser]
) -> None:
    ursula, wim = named("Ursula"), named("Wim")
    user, wizard = paired(site, ursula, wim)
    for _ in range(2):
        exchange(user, wizard)
    turns = [[event for event in page.events if event["kind"] == "turn"] for page in (user, wizard)]
    assert len(turns[0]) == 4
    assert [turn["text"] for turn in turns[0]] == [turn["text"] for turn in turns[1]]


def test_the_end_of_a_session_is_known_at_both(
    site: Proxied, named: Callable[[str], Browser]
) -> None:
    mei, otto = named("Mei"), named("Otto")
    mine, other = site.sit_down_at(0, mei), site.sit_down_at(0, otto)
    assert site.at(1, mei).post("/api/logout", {}).status_code == 200
    is_closed_soon(mine, 1012)
    blocked = site.at(1, site.admin).post(f"/api/admin/workers/{otto.id}", {"blocked": True})
    assert blocked.status_code == 200
    is_closed_soon(other, 4403)
    for server in (0, 1):
        assert site.at(server, mei).get("/api/home").status_code == 401
        assert site.at(server, otto).get("/api/home").status_code == 403


def test_guesses_through_both_servers(site: Proxied, named: Callable[[str], Browser]) -> None:
    """Whoever guesses at an account is stopped, whatever they write; its owner is not."""
    named("Anna")
    name = f"Anna {site.public[-5:]}"
    guessed = [
        login(site.public, "127.0.0.2", name, forged=f"198.51.100.{number}") for number in range(24)
    ]
    assert guessed.count(403) == 10, "both servers count together"
    assert guessed[-2:] == [429] * 2
    assert login(site.public, "127.0.0.3", name, PASSWORD) == 200


def test_postgresql_goes_away_and_comes_back(
    site: Proxied, named: Callable[[str], Browser], postgres_of_its_own: str
) -> None:
    ursula, wim = named("Una"), named("Willem")
    user, wizard = paired(site, ursula, wim)
    exchange(user, wizard)
    with outage(postgres_of_its_own):
        _until(lambda: site.ready() == {503}, "ready says no")
        assert httpx.get(f"{site.public}/livez").status_code == 200
        answers = [ursula.get("/api/home") for _ in range(4)]
        assert {answer.status_code for answer in answers} == {503}
        assert all(int(answer.headers["retry-after"]) > 0 for answer in answers)
    _until(lambda: site.ready() == {200}, "ready again")
    back = [browser.sit_down(user.room) for browser in (ursula, wim)]
    back[0].until(lambda: back[0].view["your_turn"])
    exchange(back[0], back[1])


def _until(happened: Callable[[], bool], what: str) -> None:
    ends = time.monotonic() + 20
    while not happened():
        assert time.monotonic() < ends, what
        time.sleep(0.1)
