"""Wrong guesses: who is slowed down, and who is not. Proxies: whose word counts."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2 as httpx
import pytest
from starlette.datastructures import Headers
from tests.web.commands import serving
from tests.web.running import PASSWORD, Browser

from crosstalk.errors import InputError, Rejection
from crosstalk.web.accounts import Accounts
from crosstalk.web.app import bind
from crosstalk.web.clients import UNKNOWN, trusted_proxies
from crosstalk.web.rate_limits import TooFast
from crosstalk.web.store.store import Store, store_url
from crosstalk.web.store.worker_store import INVITATION, add_link

DOCS = Path(__file__).parents[2] / "docs" / "collecting.md"


@pytest.fixture
def accounts(tmp_path: Path) -> Iterator[Accounts]:
    store = Store(store_url(str(tmp_path / "site.db")))
    yield Accounts(store)
    store.close()


def join(accounts: Accounts, name: str, client: str = "192.0.2.1", invitation: str = "") -> None:
    token = (
        invitation
        or accounts.store.write(lambda work: add_link(work, INVITATION, "", 1, 0.0)).result()[1]
    )
    accounts.join(client, invitation=token, name=name, password=PASSWORD, interface="en")


def guess(accounts: Accounts, client: str, name: str, password: str = "a guess") -> str:
    try:
        accounts.log_in(client, name, password)
    except Rejection as rejection:
        return rejection.code
    return "in"


def test_parallel_guesses_do_not_overtake_the_limit(accounts: Accounts) -> None:
    join(accounts, "Mei")
    with ThreadPoolExecutor(40) as people:
        codes = list(people.map(lambda _: guess(accounts, "192.0.2.7", "Mei"), range(120)))
    assert codes.count("wrong_password") <= 10
    assert set(codes) == {"wrong_password", "too_fast"}


def test_others_behind_the_same_proxy_notice_nothing(accounts: Accounts) -> None:
    join(accounts, "Mei")
    for number in range(60):
        guess(accounts, UNKNOWN, "admin")
        guess(accounts, UNKNOWN, f"nobody {number}")
    assert guess(accounts, UNKNOWN, "Mei", PASSWORD) == "in"


def test_strangers_cannot_lock_an_account(accounts: Accounts) -> None:
    join(accounts, "Mei")
    assert guess(accounts, "192.0.2.1", "Mei", PASSWORD) == "in"
    for number in range(150):
        guess(accounts, f"198.51.100.{number}", "Mei")
    assert guess(accounts, "198.51.100.200", "Mei") == "too_fast", "a network of machines guesses"
    assert guess(accounts, "192.0.2.1", "Mei", PASSWORD) == "in"


def test_only_wrong_invitations_count(accounts: Accounts) -> None:
    for number in range(100):
        with pytest.raises(Rejection, match="name"):
            join(accounts, "", invitation=f"guess {number}")
    join(accounts, "Mei")
    for number in range(30):
        with pytest.raises(Rejection, match="not valid"):
            join(accounts, "Eve", invitation=f"guess {number}")
    with pytest.raises(TooFast) as refused:
        join(accounts, "Eve", invitation="guess")
    assert 0 < refused.value.wait <= 300
    join(accounts, "Wim", client="192.0.2.2")


@pytest.mark.parametrize(
    ("peer", "header", "client"),
    [
        ("10.0.0.2", "198.51.100.9", "198.51.100.9"),
        ("10.0.0.2", "8.8.8.8, 198.51.100.9", "198.51.100.9"),  # the left one is forged
        ("10.0.0.2", "198.51.100.9, 10.0.0.7", "198.51.100.9"),
        ("10.0.0.2", "198.51.100.9:4711", "198.51.100.9"),
        ("10.0.0.2", "[2001:db8:1:2::5]:4711", "2001:db8:1:2::/64"),
        ("10.0.0.2", "::ffff:198.51.100.9", "198.51.100.9"),
        ("10.0.0.2", "nonsense", UNKNOWN),
        ("198.51.100.9", "8.8.8.8", "198.51.100.9"),  # no proxy of ours
    ],
)
def test_the_client_behind_a_proxy(peer: str, header: str, client: str) -> None:
    clients = trusted_proxies(["10.0.0.0/8"])
    assert clients.address(peer, Headers({"X-Forwarded-For": header})) == client


def test_other_headers_and_no_proxy() -> None:
    forwarded = Headers({"Forwarded": 'for=8.8.8.8, for="[2001:db8::1]:80";proto=https'})
    assert trusted_proxies(["::1"], "Forwarded").address("::1", forwarded) == "2001:db8::/64"
    real = Headers({"X-Real-IP": "198.51.100.9"})
    assert trusted_proxies(["127.0.0.1"], "X-Real-IP").address("127.0.0.1", real) == "198.51.100.9"
    assert trusted_proxies([]).address("127.0.0.1", real) == UNKNOWN
    for words in (["10.0.0.0/99"], ["everybody"], ["0.0.0.0/0"]):
        with pytest.raises(InputError, match="--trusted-proxy"):
            trusted_proxies(words)
    with pytest.raises(InputError, match="--client-header"):
        trusted_proxies([], "X Forwarded")


def nginx_of_the_docs(folder: Path, port: int, upstream: str) -> Path:
    """The example of the documentation, with ports of this machine and without certificates."""
    [text] = [part.split("```")[0] for part in DOCS.read_text().split("```nginx\n")[1:]]
    lines = [line for line in text.splitlines() if "ssl_certificate" not in line]
    site = "\n".join(lines).replace("listen 443 ssl", f"listen 127.0.0.1:{port}")
    site = site.replace("http://127.0.0.1:8000", upstream)
    temporary = "\n".join(
        f"{kind}_temp_path {folder}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off;\n{temporary}\n{site}\n}}\n"
    )
    return file


def test_behind_nginx_as_documented(tmp_path: Path) -> None:
    """Two clients behind one proxy: one guesses until it is stopped, the other logs in."""
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if nginx is None:
        pytest.skip("nginx is not installed (Debian: apt-get install nginx-light)")
    with bind("127.0.0.1", 0) as free:
        port: int = free.getsockname()[1]
    public = f"http://127.0.0.1:{port}"
    words = ("--goals", "1", "--no-machines", "--address", public, "--trusted-proxy", "127.0.0.1")
    with serving(tmp_path, *words) as (process, _, link):
        upstream = f"http://127.0.0.1:{listening_port(process.pid)}"
        config = nginx_of_the_docs(tmp_path, port, upstream)
        with subprocess.Popen([nginx, "-p", tmp_path, "-c", config]) as proxy:
            try:
                until_answering(public)
                guessed = [wrong_login(public, "127.0.0.2", f"n{n}") for n in range(32)]
                assert guessed[:30] == [403] * 30 and guessed[30:] == [429] * 2
                assert wrong_login(public, "127.0.0.2", "x", forged="8.8.8.8") == 429
                assert wrong_login(public, "127.0.0.3", "x") == 403
                with Browser(public) as admin:
                    admin.log_in("/api/enter", {"token": link.split("/")[-1]})
                    assert admin.sit_down().lobby["type"] == "lobby", "sockets pass, too"
            finally:
                proxy.terminate()


def listening_port(process: int) -> int:
    """The port of a server whose printed address is the proxy's."""
    inodes = {
        link.readlink().name.removeprefix("socket:[").rstrip("]")
        for link in Path(f"/proc/{process}/fd").iterdir()
        if "socket" in str(link.readlink())
    }
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    [port] = {int(row[1].split(":")[1], 16) for row in rows if row[9] in inodes and row[3] == "0A"}
    return port


def until_answering(address: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            httpx.get(f"{address}/healthz").raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the proxy does not answer")


def wrong_login(address: str, source: str, name: str, forged: str = "") -> int:
    transport = httpx.HTTPTransport(local_address=source)
    headers = {"X-Forwarded-For": forged} if forged else {}
    with httpx.Client(base_url=address, transport=transport, headers=headers) as client:
        token = {"X-CSRF-Token": client.get("/api/me").json()["csrf"]}
        body = {"name": name, "password": "a guess"}
        return client.post("/api/login", json=body, headers=token).status_code
