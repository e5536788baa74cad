"""A wizard takes over what the page offers: no mouse, no scrolling, five keys."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect
from tests.web.browser.conftest import Enter, OpenSite
from tests.web.browser.people import hears, pair, say
from tests.web.running import Running

from crosstalk.web.collect.corpus_export import collected
from crosstalk.web.collect.site import SiteRules
from crosstalk.web.collect.startup import build_parts
from crosstalk.worlds.world import load_world

WISH = "Hello, is there an attraction for 1 to 2 hours, rated at least 4.5?"
SCROLLED = (
    "[document.scrollingElement, ...document.querySelectorAll('.task, .findings, .detail')]"
    ".every(each => each.scrollTop === 0)"
)


@pytest.fixture
def aided(open_simple_site: OpenSite) -> Iterator[Running]:
    parts, _ = build_parts("harbour", load_world("harbour"), machines=False)
    with Running(open_simple_site(), parts) as running:
        yield running


def test_a_turn_takes_five_keys(aided: Running, enter: Enter) -> None:
    window = {"viewport": {"width": 1366, "height": 650}}
    user, wizard = (enter(aided, name, **window).arrive(aided) for name in ("Ursula", "Wim"))
    pair(user, wizard)
    say(user, WISH)
    hears(wizard, WISH)
    expect(wizard.find("#offers-list li")).to_have_count(2)
    wizard.press("Alt+f", "Enter")
    expect(wizard.find("#results li").first.locator(".result-name")).to_be_focused()
    wizard.press("1")
    expect(wizard.find("#text")).to_be_focused()
    name = wizard.find("#results li.selected strong").inner_text()
    expect(wizard.find("#draft-text")).to_contain_text(name)
    wizard.press("Alt+d", "Enter")
    expect(wizard.find(".turn.mine .bubble")).to_contain_text(name)
    assert wizard.state(SCROLLED)
    assert wizard.find("#search").is_visible() and wizard.find("#results li").nth(4).is_visible()

    log = aided.site.log(1)
    assert log is not None
    (turn,) = (each for each in log.room.conversation.turns if "draft" in each.extras)
    assert turn.text == turn.extras["draft"]
    assert log.room.all_queries[0][0].suggested == ("duration", "rating")
    assert not list(collected(aided.site.store))


def test_one_wish_by_one_key_and_back(aided: Running, enter: Enter) -> None:
    user, wizard = enter(aided, "Ursula").arrive(aided), enter(aided, "Wim").arrive(aided)
    pair(user, wizard)
    say(user, WISH)
    chips = wizard.find("#offers-list button")
    expect(chips).to_have_count(2)
    wizard.press("Alt+Shift+1")
    expect(chips.first).to_have_attribute("aria-pressed", "true")
    expect(wizard.find('#fields label:has-text("visit length") select')).to_have_value(
        "1 to 2 hours"
    )
    wizard.press("Alt+Shift+1")
    expect(chips.first).to_have_attribute("aria-pressed", "false")
    expect(wizard.find('#fields label:has-text("visit length") select')).to_have_value("")


def test_offers_can_be_turned_off(open_simple_site: OpenSite, enter: Enter) -> None:
    parts, _ = build_parts("harbour", load_world("harbour"), machines=False)
    site = open_simple_site(SiteRules(training=False, offers=False, drafts=False))
    with Running(site, parts) as running:
        user, wizard = (
            enter(running, "Ursula").arrive(running),
            enter(running, "Wim").arrive(running),
        )
        pair(user, wizard)
        say(user, WISH)
        hears(wizard, WISH)
        wizard.press("Alt+s", "Enter")
        expect(wizard.find("#results li").first).to_be_visible()
        wizard.press("1")
        expect(wizard.find("#says-list li")).to_have_count(1)
        assert wizard.find("#offers").is_hidden() and wizard.find("#draft").is_hidden()
        for person in (user, wizard):
            person.page.close()
