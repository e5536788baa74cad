"""A link to a new password: once, within a day, and only the newest one."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.web.running import PASSWORD, Browser, Running

from crosstalk.errors import Rejection
from crosstalk.web.accounts import Accounts
from crosstalk.web.collect.site import Site

NEW = "another long password"
DAY = 86400.0


def name_of(browser: Browser) -> str:
    assert browser.worker
    return str(browser.worker["name"])


def test_a_link_sets_a_password_once_and_ends_all_sessions(server: Running) -> None:
    mei = server.worker("Mei")
    accounts = Accounts(server.site.store, server.site.clock)
    token = accounts.reset_link(name_of(mei))
    elsewhere = server.browser()
    assert elsewhere.get(f"/reset/{token}").status_code == 200  # a look does not use it up
    assert elsewhere.post("/api/reset", {"token": token, "password": "short"}).status_code == 422
    elsewhere.log_in("/api/reset", {"token": token, "password": NEW})
    assert elsewhere.id == mei.id
    assert mei.get("/api/home").status_code == 401
    again = server.browser().post("/api/reset", {"token": token, "password": NEW})
    assert again.json()["code"] == "bad_invitation"
    server.browser().log_in("/api/login", {"name": name_of(mei), "password": NEW})
    old = server.browser().post("/api/login", {"name": name_of(mei), "password": PASSWORD})
    assert old.status_code == 403


def test_links_become_void(server: Running) -> None:
    """By a newer one, and by a changed password."""
    mei = server.worker("Mei")
    accounts = Accounts(server.site.store, server.site.clock)
    first, second = accounts.reset_link(name_of(mei)), accounts.reset_link(name_of(mei))
    with pytest.raises(Rejection):
        accounts.reset_password("", first, NEW)
    assert mei.post("/api/password", {"password": NEW}).status_code == 200
    with pytest.raises(Rejection):
        accounts.reset_password("", second, NEW)


def test_a_link_lasts_a_day(open_site: Callable[..., Site], tmp_path: Path) -> None:
    now = [1000.0]
    site = open_site(str(tmp_path / "site.db"), count=1, clock=lambda: now[0])
    accounts = Accounts(site.store, site.clock)
    accounts.enter("", accounts.admin_link(), "en")
    token = accounts.reset_link("admin")  # also the only administrator's
    now[0] += DAY + 1
    with pytest.raises(Rejection):
        accounts.reset_password("", token, NEW)
    with pytest.raises(Rejection, match="no worker named"):
        accounts.reset_link("Nobody")
