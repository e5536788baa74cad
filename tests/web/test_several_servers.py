"""Several servers on one PostgreSQL: people of one room sit at different ones."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.web.commands import serving
from tests.web.running import PASSWORD, Browser, Page, Running, in_a_room
from websockets.exceptions import ConnectionClosed

from crosstalk.web.collect.site import Site


def talk(user: Page, wizard: Page, exchanges: int) -> None:
    before = sum(event["kind"] == "turn" for event in user.events)
    for number in range(exchanges):
        user.must("say", text=f"Question {number}", sure=True)
        wizard.until(lambda: wizard.view["your_turn"])
        wizard.must("query", domain="hotel", slots={})
        wizard.must("say", text=f"Answer {number}", sure=True)
        user.until(lambda: user.view["your_turn"])
    texts = [event["text"] for event in user.events if event["kind"] == "turn"]
    assert texts == [event["text"] for event in wizard.events if event["kind"] == "turn"]
    assert len(texts) == before + 2 * exchanges


def test_a_room_across_two_servers(fresh_postgres: str, open_site: Callable[..., Site]) -> None:
    first, second = open_site(fresh_postgres), open_site(fresh_postgres)
    with Running(first) as here, Running(second) as there:
        ursula, wim = here.worker("Ursula"), there.worker("Wim")
        user, wizard = in_a_room(ursula.sit_down(), wim.sit_down())
        talk(user, wizard, 3)
        wizard.close()
        user.until(lambda: user.view["partner"]["state"] == "away")
        back = wim.sit_down(wizard.room, wizard.seq)
        user.until(lambda: user.view["partner"]["state"] == "present")
        assert back.view["status"] == "open"


def test_logging_out_at_one_server_closes_sockets_at_the_other(
    fresh_postgres: str, open_site: Callable[..., Site]
) -> None:
    first, second = open_site(fresh_postgres), open_site(fresh_postgres)
    with Running(first) as here, Running(second) as there:
        ursula = here.worker("Ursula")
        assert ursula.worker
        elsewhere = there.browser()
        elsewhere.log_in("/api/login", {"name": ursula.worker["name"], "password": PASSWORD})
        page = elsewhere.sit_down()
        ursula.log_in("/api/password", {"password": "another long one"})
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                page.hear()
        assert closed.value.rcvd and closed.value.rcvd.code == 1012
        assert elsewhere.get("/api/home").status_code == 401


def test_two_processes_share_a_store(fresh_postgres: str, tmp_path: Path) -> None:
    """As people start them. One is killed; its worker comes back at the other one."""
    words = ("--store", fresh_postgres, "--goals", "3", "--no-training", "--no-machines")
    with (
        serving(tmp_path, *words) as (first, here, _),
        serving(tmp_path, *words) as (_, there, link),
        Browser(here) as admin,
        Browser(here) as ursula,
        Browser(there) as wim,
        Browser(there) as ursula_again,
    ):
        admin.log_in("/api/enter", {"token": link.split("/")[-1]})
        invited = admin.post("/api/admin/invitations", {"label": "", "uses": 2}).json()["token"]
        for browser, name in ((ursula, "Ursula"), (wim, "Wim")):
            account = {"invitation": invited, "name": name, "password": PASSWORD}
            browser.log_in("/api/join", account)
            browser.post("/api/consent", {"agreed": True})
        user, wizard = in_a_room(ursula.sit_down(), wim.sit_down())
        talk(user, wizard, 2)
        first.kill()
        first.wait(60)
        ursula_again.log_in("/api/login", {"name": "Ursula", "password": PASSWORD})
        back = ursula_again.sit_down(user.room)
        talk(back, wizard, 1)
