"""Running a site: alive, ready, measured, logged; a store that goes away and comes back."""

import json
import logging
import re
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from fastapi import FastAPI
from tests.web.commands import CROSSTALK
from tests.web.postgres import outage, running_postgres
from tests.web.running import Browser, Page, Running, paired

from crosstalk.web.accounts import Accounts
from crosstalk.web.collect.site import Site
from crosstalk.web.metrics import Metrics, Sample
from crosstalk.web.request_log import JsonLines

OpenSite = Callable[..., Site]
SOON = 10.0


def until(happened: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SOON
    while not happened():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def ready(browser: Browser) -> int:
    return browser.get("/readyz").status_code


def test_alive_and_ready(server: Running) -> None:
    browser = server.browser()
    assert browser.get("/livez").json() == browser.get("/healthz").json()
    assert browser.get("/livez").json()["status"] == "ok"
    until(lambda: ready(browser) == 200, "the store is not read back")


def test_metrics_are_for_administrators(server: Running) -> None:
    stranger, worker, admin = server.browser(), server.worker("Ursula"), server.admin()
    assert stranger.get("/metrics").status_code == 401
    assert worker.get("/metrics").status_code == 403
    assert admin.get("/metrics").status_code == 200
    token = Accounts(server.site.store).admin_link()
    for given, status in ((token, 200), ("guess", 401), ("a b", 401)):
        headers = {"Authorization": f"Bearer {given}"}
        assert stranger.http.get("/metrics", headers=headers).status_code == status
    assert stranger.post("/api/enter", {"token": token}).status_code == 200
    bearer = {"Authorization": f"Bearer {token}"}
    assert server.browser().http.get("/metrics", headers=bearer).status_code == 200


def test_what_is_measured(server: Running) -> None:
    _, _, user, _ = paired(server)
    user.must("say", text="Hello", sure=True)
    text = server.admin().get("/metrics").text
    assert re.search(r'crosstalk_messages_total\{kind="say",outcome="done"\} [1-9]', text)
    assert re.search(r'crosstalk_ack_seconds_bucket\{le="\+Inf"\} [1-9]', text)
    assert "crosstalk_ready 1\n" in text and 'crosstalk_rooms{status="open"}' in text
    for line in text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? [-+\d.e]+", line), line


def test_the_text_of_metrics() -> None:
    metrics = Metrics()
    metrics.count("crosstalk_requests_total", method="GET", status='2"0\n')
    metrics.observe("crosstalk_ack_seconds", 0.02)
    lines = metrics.text([Sample("crosstalk_sockets", 3)]).splitlines()
    assert 'crosstalk_requests_total{method="GET",status="2\\"0\\n"} 1' in lines
    assert 'crosstalk_ack_seconds_bucket{le="0.01"} 0' in lines
    assert 'crosstalk_ack_seconds_bucket{le="0.025"} 1' in lines
    assert "crosstalk_ack_seconds_count 1" in lines and "crosstalk_sockets 3" in lines
    assert lines.index("# TYPE crosstalk_sockets gauge") + 1 == lines.index("crosstalk_sockets 3")


@contextmanager
def gone(path: Path) -> Iterator[None]:
    path.rename(path.with_name("elsewhere"))
    yield
    assert not path.exists(), "nobody makes an empty one"
    path.with_name("elsewhere").rename(path)


@contextmanager
def replaced(path: Path) -> Iterator[None]:
    before = path.with_name("elsewhere")
    path.rename(before)
    path.write_bytes(before.read_bytes())
    other = path.read_bytes()
    yield
    assert path.read_bytes() == other, "another file is left alone"
    before.rename(path)


@contextmanager
def full(path: Path) -> Iterator[None]:
    """The disk has no room: not for one page more."""
    filler = path.with_name("filler")
    with filler.open("wb", buffering=0) as file:
        for size in (65536, 4096, 512):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue
    yield
    filler.unlink()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", disk], capture_output=True
    )
    if made.returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


@pytest.mark.parametrize("trouble", [gone, replaced])
def test_a_file_that_goes_away_and_comes_back(
    open_site: OpenSite, tmp_path: Path, trouble: Callable[[Path], AbstractContextManager[None]]
) -> None:
    path = tmp_path / "site.db"
    with Running(open_site(str(path))) as server:
        _goes_on(server, trouble(path))


def test_a_store_replaced_by_a_copy_wants_a_restart(open_site: OpenSite, tmp_path: Path) -> None:
    path = tmp_path / "site.db"
    with Running(open_site(str(path))) as server:
        browser = server.browser()
        until(lambda: ready(browser) == 200, "ready before")
        with replaced(path):
            until(lambda: "Restart the site" in browser.get("/readyz").json()["store"], "in words")
            answer = browser.get("/readyz")
            assert answer.status_code == 503
            assert "another file has the store's name" in answer.json()["store"]
            assert str(tmp_path) not in answer.text, "paths are for the log"
        with gone(path):
            until(lambda: "is gone" in browser.get("/readyz").json()["store"], "in words")
        until(lambda: browser.get("/readyz").json()["store"] == "ok", "ready again")


def test_postgresql_goes_away_and_comes_back(open_site: OpenSite) -> None:
    with running_postgres() as address:
        site = open_site(address)
        with Running(site) as server:
            _goes_on(server, outage(address))
        site.store.close()


def _goes_on(server: Running, trouble: AbstractContextManager[None]) -> None:
    """503 and never 500 meanwhile; afterwards the same people go on in the same room."""
    stranger, admin = server.browser(), server.admin()
    ursula, wim, user, wizard = paired(server)
    user.must("say", text="Before", sure=True)
    until(lambda: ready(stranger) == 200, "ready before")
    with trouble:
        until(lambda: ready(stranger) == 503, "ready says no")
        assert stranger.get("/livez").status_code == 200
        _all_unavailable(ursula, admin, user.room or 0)
    until(lambda: ready(stranger) == 200, "ready again")
    for page, browser in ((user, ursula), (wizard, wim)):
        page.close()
        again = browser.sit_down(page.room, page.seq)
        if page is wizard:
            again.until(lambda again=again: again.view["your_turn"])
            again.must("say", text="Afterwards", sure=True)
    log = server.site.log(user.room or 0)
    assert log
    assert [turn.text for turn in log.room.conversation.turns] == ["Before", "Afterwards"]


def _all_unavailable(browser: Browser, admin: Browser, room: int) -> None:
    say = {"do": "say", "id": uuid.uuid4().hex, "room": room, "text": "Lost?", "sure": True}
    answers = [
        browser.get("/api/home"),
        browser.get("/api/me"),
        browser.post(f"/api/rooms/{room}/messages", say),
        browser.post("/api/login", {"name": "n", "password": "a password"}),
        admin.get("/api/admin/overview"),
        browser.http.get("/lobby", headers={"Accept": "text/html"}),
        browser.http.get("/nowhere", headers={"Accept": "text/html"}),
    ]
    assert [answer.status_code for answer in answers] == [503] * len(answers)
    assert all(int(answer.headers["retry-after"]) > 0 for answer in answers)
    assert "again in some seconds" in answers[-1].text


def test_a_full_disk(open_site: OpenSite, small_disk: Path) -> None:
    path = small_disk / "site.db"
    with Running(open_site(str(path))) as server:
        stranger = server.browser()
        _, _, user, wizard = paired(server)
        with full(path):
            statuses = [_said(page, number) for number in range(60) for page in (user, wizard)]
            assert "unavailable" in statuses and set(statuses) <= {"ack", "unavailable"}
            assert statuses.index("unavailable") == statuses.count("ack")
            assert stranger.get("/livez").status_code == 200
        until(lambda: ready(stranger) == 200, "ready again")
        page = user if statuses.count("ack") % 2 == 0 else wizard
        page.must("say", text="It works again", sure=True)
        log = server.site.log(user.room or 0)
        assert log and len(log.room.conversation.turns) == statuses.count("ack") + 1
    server.site.store.close()


def _said(page: Page, number: int) -> str:
    """What became of a long turn; `not_your_turn` stands for the failure before it."""
    answer = page.do("say", text=f"{number} " + "x" * 1900, sure=True)
    if answer["type"] == "ack":
        return "ack"
    code: str = answer["code"]
    return "unavailable" if code == "not_your_turn" else code


def test_failures_are_logged_with_the_request(
    open_site: OpenSite, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "site.db"
    with Running(open_site(str(path))) as server, caplog.at_level(logging.INFO):
        browser = server.worker("Ursula")
        with gone(path):
            answer = browser.get("/join/a-secret-token")
            assert answer.status_code == 503
        numbers = {browser.get("/livez").headers["x-request-id"] for _ in range(3)}
        assert len(numbers) == 3
    [record] = [each for each in caplog.records if getattr(each, "facts", {}).get("status") == 503]
    line = json.loads(JsonLines().format(record))
    assert (line["level"], line["route"], line["method"]) == ("error", "/join/{token}", "GET")
    assert "the store is gone" in line["reason"]
    ours = [each.getMessage() for each in caplog.records if each.name.startswith("crosstalk")]
    assert "a-secret-token" not in " ".join(ours)


def test_an_unexpected_failure(server: Running, caplog: pytest.LogCaptureFixture) -> None:
    """A bug of ours: an answer without its details, and all of them in the log."""
    app = server.app.app
    assert isinstance(app, FastAPI)

    def bug() -> None:
        raise ZeroDivisionError("details for us only")

    app.add_api_route("/bug", bug)
    try:
        answer = server.browser().get("/bug")
        assert (answer.status_code, answer.json()["code"]) == (500, "internal")
        assert "details for us" not in answer.text and "details for us" in caplog.text
    finally:
        app.router.routes.pop()


def test_logs_of_the_command_are_json(tmp_path: Path) -> None:
    command = [*CROSSTALK, "collect", "--port", "0", "--goals", "1", "--no-machines"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.readline()
        process.stdout.readline()
        (tmp_path / "crosstalk.db").rename(tmp_path / "elsewhere.db")
        line = json.loads(process.stderr.readline())
        (tmp_path / "elsewhere.db").rename(tmp_path / "crosstalk.db")
        process.terminate()
        process.communicate(timeout=60)
    assert line["level"] == "error" and "the store is gone" in line["message"]
