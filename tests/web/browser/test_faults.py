"""Servers that die, windows that close, partners who leave: nothing written is lost."""

import os
import signal

from benchmarks.killable_server import killable
from playwright.sync_api import expect
from tests.web.browser.conftest import Enter, OpenSite
from tests.web.browser.people import hears, pair, say
from tests.web.running import Running

from crosstalk.web.collect.site import SiteRules

QUICK = SiteRules(training=False, grace=4, patience=1)


def test_both_browsers_go_on_when_the_server_is_killed(
    open_simple_site: OpenSite, enter: Enter
) -> None:
    with Running(open_simple_site()) as first:
        user, wizard = enter(first, "Ursula").arrive(first), enter(first, "Wim").arrive(first)
        pair(user, wizard)
        say(user, "Hello!")
        hears(wizard, "Hello!")
    first.site.store.close()  # stopped as it should be, and started again as another process
    address = first.site.store.url.render_as_string(hide_password=False)
    with killable(address, first.port) as start:
        server = start()
        say(wizard, "Good day!")
        hears(user, "Good day!")
        user.press("Alt+m")
        user.type("I am looking")
        os.kill(server, signal.SIGKILL)
        for person in (user, wizard):
            expect(person.find("#connection")).to_contain_text("connection is lost")
        user.type(" for something to see.")
        user.press("Enter")  # sent into the void: kept, and sent again under the same id
        server = start()
        expect(user.find("#hints")).to_contain_text("Nothing is ticked")
        user.tab_to(user.find("#hints-sure"))
        user.press("Enter")
        hears(wizard, "I am looking for something to see.")
        expect(user.find("#text")).to_have_value("")
        assert wizard.find(".turn").count() == 3
        os.kill(server, signal.SIGKILL)


def test_a_draft_survives_a_reload_and_another_window(simple: Running, enter: Enter) -> None:
    user, wizard = enter(simple, "Ursula").arrive(simple), enter(simple, "Wim").arrive(simple)
    pair(user, wizard)
    user.press("Alt+g", "Space", "Alt+m")
    user.type("Not sent yet")
    user.page.reload()
    user.in_room()
    expect(user.find("#text")).to_have_value("Not sent yet")
    expect(user.find("#says-list")).to_contain_text("visit length")

    other = user.page.context.new_page()
    other.goto(user.page.url)
    expect(user.find("#connection")).to_contain_text("another window")
    user.page.get_by_role("button", name="Use it here").click()
    expect(user.find("#connection")).to_be_hidden()
    say(user, "")
    hears(wizard, "Not sent yet")


def test_a_partner_is_away_then_gone_and_back_and_leaves(
    open_simple_site: OpenSite, enter: Enter
) -> None:
    with Running(open_simple_site(QUICK)) as server:
        user, wizard = enter(server, "Ursula").arrive(server), enter(server, "Wim").arrive(server)
        pair(user, wizard)
        wizard.page.goto("about:blank")
        expect(user.find("#choices")).to_contain_text("has not come back")
        wizard.page.go_back()
        expect(user.find("#choices")).to_be_hidden()
        expect(user.find("#partner")).to_have_text("Your partner is here")

        wizard.find("#show-leave").focus()
        wizard.press("Enter")
        wizard.tab_to(wizard.find('#leave button[value="leave"]'))
        wizard.press("Enter")
        wizard.page.wait_for_url("**/work")
        expect(user.find("#choices")).to_contain_text("has left")
        user.tab_to(user.page.get_by_role("button", name="Find somebody else"), key="Shift+Tab")
        user.press("Enter")
        user.page.wait_for_url("**/lobby")
        expect(user.find("#offer")).to_be_visible()
        user.page.get_by_role("button", name="Stop waiting, paid").click()
        expect(user.find("#choosing")).to_be_visible()
