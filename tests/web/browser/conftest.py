"""Real browsers on Debian's Chromium, at a site of single-domain goals."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, expect, sync_playwright
from tests.web.browser.people import Person
from tests.web.running import Running

from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.goals import GoalType
from crosstalk.goals.goal_files import sample_stored_goals
from crosstalk.goals.goal_options import GoalOptions
from crosstalk.goals.sampler import goal_sampler
from crosstalk.web.collect.site import Site, SiteRules
from crosstalk.web.collect.startup import missing_goals, remember_world
from crosstalk.web.store.store import Store, store_url

PROGRAM = shutil.which("chromium")
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-renderer-backgrounding",  # of two people, one is always in the background
    "--disable-background-timer-throttling",
)
PATIENCE = 60_000
"""Milliseconds that something may take on a busy machine."""
COMPLAINTS = re.compile("Content Security Policy|no words for")
"""What a page says in its console when something is wrong with it."""
DESKTOP = {"width": 1280, "height": 800}
OpenSite = Callable[..., Site]
Enter = Callable[..., Person]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    """Not for the whole session: playwright's event loop would stay in the way of other tests'."""
    if PROGRAM is None:
        pytest.skip("Chromium is not installed: apt install chromium")
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE)
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=list(OPTIONS))
        yield browser
        browser.close()


@pytest.fixture
def open_simple_site(context: WorldContext, tmp_path: Path) -> Iterator[OpenSite]:
    """Opens the same store again and again; its goals are about one place each."""
    opened: list[Site] = []

    def open_one(rules: SiteRules | None = None) -> Site:
        site = Site(
            Store(store_url(str(tmp_path / "simple.db"))),
            context,
            rules or SiteRules(training=False),
        )
        opened.append(site)
        site.submit(remember_world).result()
        sampler = goal_sampler(context.world, GoalOptions(only=frozenset({GoalType.S})))
        missing_goals(site, sample_stored_goals(sampler, 5, seed=0))
        return site

    yield open_one
    for site in opened:
        site.store.close()


@pytest.fixture
def simple(open_simple_site: OpenSite) -> Iterator[Running]:
    with Running(open_simple_site()) as running:
        yield running


@pytest.fixture
def enter(chromium: Chromium) -> Iterator[Enter]:
    """People at their own browsers; a page that complains in its console fails the test."""
    contexts, problems = [], list[str]()

    def enter_one(server: Running, name: str, *, language: str = "en", **options: object) -> Person:
        settings = {"viewport": DESKTOP, "locale": language, **options}
        context = chromium.new_context(**settings)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        watch(page, problems)
        return Person(page, server.url, name)

    yield enter_one
    for context in contexts:
        context.close()
    assert not problems


def watch(page: Page, problems: list[str]) -> None:
    page.on("pageerror", lambda error: problems.append(f"error: {error}"))
    page.on("dialog", lambda dialog: problems.append(f"dialog: {dialog.message}"))
    page.on(
        "console",
        lambda said: problems.append(said.text) if COMPLAINTS.search(said.text) else None,
    )
