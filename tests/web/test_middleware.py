"""Middleware: hosts, origins, forged requests, sizes, guessing, and what every answer carries."""

import pytest
from tests.web.running import PASSWORD, Running
from websockets.exceptions import ConnectionClosed, InvalidStatus

from crosstalk.web.accounts import Accounts
from crosstalk.web.middleware import HEADERS, LARGEST_BODY, local_hosts

EVIL = "https://evil.example"


def test_every_answer_is_dressed(server: Running) -> None:
    browser = server.browser()
    for path in ("/healthz", "/api/me", "/nowhere", "/api/admin/overview", "/login"):
        answer = browser.get(path)
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, path
    policy = HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy and "frame-ancestors 'none'" in policy


def test_cookies_are_out_of_reach(server: Running) -> None:
    browser = server.browser()
    answer = browser.http.get("/api/me", headers={"Cookie": ""})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=lax" in cookie


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "", "127.0.0.1.evil", "a b", "[::"]
)
def test_other_hosts_are_refused(server: Running, host: str) -> None:
    answer = server.browser().http.get("/healthz", headers={"Host": host})
    assert answer.status_code == 400


def test_addresses_are_welcome_only_on_open_servers() -> None:
    assert not local_hosts("127.0.0.1").welcome("192.168.1.5:8000")
    assert local_hosts("0.0.0.0").welcome("192.168.1.5:8000")
    assert not local_hosts("0.0.0.0").welcome("evil.example:8000")
    assert local_hosts("127.0.0.1", "collect.example.org").welcome("collect.example.org")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": EVIL},
        {"Origin": "null"},
        {"Origin": "file://"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_posts_from_elsewhere_are_refused(server: Running, headers: dict[str, str]) -> None:
    worker = server.worker("Ursula")
    refused = worker.post("/api/interface", {"interface": "zh"}, **headers)
    assert refused.status_code == 403 and refused.json()["code"] == "origin"
    assert worker.get("/api/me").json()["worker"]["interface"] == "en"


@pytest.mark.parametrize("token", ["", "x", "é", "0" * 64])
def test_forged_requests_are_refused(server: Running, token: str) -> None:
    worker = server.worker("Ursula")
    headers = {b"X-CSRF-Token": token.encode()}
    answer = worker.http.post("/api/interface", json={"interface": "zh"}, headers=headers)
    assert answer.status_code == 403 and answer.json()["code"] == "csrf"


def test_a_token_belongs_to_one_session(server: Running) -> None:
    ursula, eve = server.worker("Ursula"), server.worker("Eve")
    ursula.csrf = eve.csrf
    assert ursula.post("/api/interface", {"interface": "zh"}).status_code == 403


@pytest.mark.parametrize("origin", [EVIL, "http://127.0.0.1:1", "null"])
def test_sockets_from_elsewhere_are_refused(server: Running, origin: str) -> None:
    worker = server.worker("Ursula")
    with pytest.raises(InvalidStatus) as refused:
        worker.socket(origin=origin)
    assert refused.value.response.status_code == 403


def test_bodies_have_a_size(server: Running) -> None:
    worker = server.worker("Ursula")
    long = {"password": "x" * LARGEST_BODY}
    assert worker.post("/api/password", long).status_code == 413

    endless = (b"x" * 4096 for _ in range(100))
    headers = {"X-CSRF-Token": worker.csrf, "Content-Type": "application/json"}
    unannounced = worker.http.post("/api/password", content=endless, headers=headers)
    assert unannounced.status_code in (400, 413)


def test_guessing_passwords_is_slow(server: Running) -> None:
    known = server.worker("Ursula")
    assert known.worker
    name = known.worker["name"]
    guesses = [
        server.browser().post("/api/login", {"name": name, "password": f"guess {n}"})
        for n in range(12)
    ]
    assert [answer.status_code for answer in guesses] == [403] * 10 + [429] * 2
    right = server.browser().post("/api/login", {"name": name, "password": PASSWORD})
    assert right.status_code == 429, "not even the right one, for a while"
    other = server.worker("Wim")
    assert other.worker
    body = {"name": other.worker["name"].upper(), "password": PASSWORD}
    assert server.browser().post("/api/login", body).status_code == 200, "others notice nothing"


def test_names_and_passwords(server: Running) -> None:
    def join(name: str, password: str = PASSWORD, invitation: str | None = None) -> str:
        body = {
            "name": name,
            "password": password,
            "invitation": invitation or server.invitation(1),
        }
        answer = server.browser().post("/api/join", body).json()
        code: str = answer.get("code", "")
        return code

    assert join("Zoë") == ""
    assert join("ZOË") == "name_taken"
    assert join("\uff3a\uff4f\u00eb") == "name_taken", "full-width letters"
    assert join("Z\u043e\u00eb") == "name_taken", "a Cyrillic o"
    assert join("admin") == "name_taken"
    assert join("\u0430dm\u0456n") == "name_taken"
    assert join("Mei\u202e") == join("Mei\u200b") == "bad_name"
    assert join(" ") == "bad_name"
    assert join("a\x00b") == "bad_name"
    assert join("Short", password="short") == "weak_password"
    assert join("Uninvited", invitation="guess") == "bad_invitation"
    once = server.invitation(1)
    assert (join("First", invitation=once), join("Second", invitation=once)) == (
        "",
        "bad_invitation",
    )


def test_the_administrator_link_works_once(server: Running) -> None:
    link = Accounts(server.site.store).admin_link()
    first, second = server.browser(), server.browser()
    assert first.post("/api/enter", {"token": link}).status_code == 200
    assert second.post("/api/enter", {"token": link}).json()["code"] == "bad_invitation"


def test_a_new_password_ends_other_sessions(server: Running) -> None:
    worker = server.worker("Ursula")
    assert worker.worker
    elsewhere = server.browser()
    elsewhere.log_in("/api/login", {"name": worker.worker["name"], "password": PASSWORD})
    worker.log_in("/api/password", {"password": "another long one"})
    assert elsewhere.get("/api/home").status_code == 401
    assert worker.get("/api/home").status_code == 200
    assert worker.post("/api/logout", {}).status_code == 200
    assert worker.get("/api/home").status_code == 401


def test_sockets_end_with_their_session(server: Running) -> None:
    worker = server.worker("Ursula")
    page = worker.sit_down()
    assert worker.post("/api/logout", {}).status_code == 200
    with pytest.raises(ConnectionClosed) as closed:
        while True:
            page.hear()
    assert closed.value.rcvd and closed.value.rcvd.code == 1012, "come back with a session"
    again = worker.socket()
    with pytest.raises(ConnectionClosed) as refused:
        again.recv(timeout=60)
    assert refused.value.rcvd and refused.value.rcvd.code == 4401
