"""Reviewers judge by keys; workers open what came back; a running dialogue is followed live."""

import re
from functools import partial

from playwright.sync_api import expect
from tests.web.browser.conftest import Enter
from tests.web.browser.people import hears, pair, say
from tests.web.browser.test_accessibility import in_both_themes
from tests.web.playing import finish
from tests.web.running import Browser, Running

from crosstalk.web.collect.review_queue import waiting


def finished(server: Running, name: str) -> tuple[int, Browser]:
    user, wizard = server.worker(name), server.worker(f"{name}'s wizard")
    return finish(server.site, user.id, wizard.id), user


def test_a_key_judges_and_goes_on(simple: Running, enter: Enter) -> None:
    users = dict(finished(simple, name) for name in ("Ada", "Ben", "Cem", "Dan"))
    reviewer = simple.worker("Rita")
    path = f"/api/admin/workers/{reviewer.id}/role"
    assert simple.admin().post(path, {"role": "reviewer", "given": True}).status_code == 200
    rita = enter(simple, "Rita").as_browser(reviewer, "/admin/review")
    queue = simple.site.store.read(partial(waiting, reviewer=reviewer.id, now=0))
    first, second, third, fourth = order = [each.room for each in queue]
    rita.page.wait_for_url(f"**/admin/review/{first}")
    expect(rita.find(".step")).not_to_have_count(0)
    in_both_themes(rita.page)
    rita.press("a")
    rita.page.wait_for_url(f"**/admin/review/{second}")
    rita.press("n")
    rita.type("Please read the goal again.")
    rita.press("Escape", "r")
    expect(rita.find("#why")).to_be_visible()
    in_both_themes(rita.page)
    rita.press("1")
    rita.page.wait_for_url(f"**/admin/review/{third}")
    rita.press("j")
    rita.page.wait_for_url(f"**/admin/review/{fourth}")
    rita.press("k")
    rita.page.wait_for_url(f"**/admin/review/{third}")
    rita.press("s")
    rita.page.wait_for_url(f"**/admin/review/{fourth}")
    rita.press("a")
    expect(rita.find("main")).to_contain_text("Nothing waits")
    verdicts = [simple.site.log(room).room.review for room in order]  # type: ignore[union-attr]
    assert verdicts == ["approved", "returned", "second", "approved"]

    worker = enter(simple, "Ben").as_browser(users[second], "/work")
    worker.sees("the goal was not followed")
    worker.find(f'a[href="/own/{second}"]').click()
    worker.sees("Please read the goal again.")
    in_both_themes(worker.page)
    enter(simple, "Ada").as_browser(users[first], f"/own/{first}").sees("approved")


def test_a_running_dialogue_is_followed_without_reloading(simple: Running, enter: Enter) -> None:
    user, wizard = enter(simple, "Ursula").arrive(simple), enter(simple, "Wim").arrive(simple)
    pair(user, wizard)
    room = re.search(r"\d+$", user.page.url)
    assert room
    admin = enter(simple, "").as_browser(simple.admin(), f"/admin/rooms/{room[0]}")
    admin.state("window.stayed = true")
    say(user, "Is anybody following this?")
    hears(wizard, "Is anybody following this?")
    expect(admin.find("#steps")).to_contain_text("Is anybody following this?")
    say(wizard, "Yes, somebody is.")
    expect(admin.find("#steps")).to_contain_text("Yes, somebody is.")
    assert admin.state("window.stayed") is True


def test_a_message_is_read_over_a_room(simple: Running, enter: Enter) -> None:
    user, wizard = enter(simple, "Ursula").arrive(simple), enter(simple, "Wim").arrive(simple)
    pair(user, wizard)
    simple.admin().post("/api/admin/messages", {"text": "Lunch is at noon."})
    expect(wizard.find("#notices")).to_contain_text("Lunch is at noon.")
    in_both_themes(wizard.page)
    wizard.tab_to(wizard.find("#notices button"))
    wizard.press("Enter")
    expect(wizard.find("#notices")).to_be_hidden()
    expect(user.find("#notices")).to_contain_text("Lunch is at noon.")


def test_messages_are_read_in_the_lobby(simple: Running, enter: Enter) -> None:
    person = simple.worker("Mei")
    mei = enter(simple, "Mei").as_browser(person, "/lobby")
    admin = enter(simple, "").as_browser(simple.admin(), "/admin/messages")
    admin.find("textarea[name=text]").fill("We begin at ten.")
    admin.find("main button[type=submit]").click()
    expect(admin.find(".messages")).to_contain_text("We begin at ten.")
    expect(mei.find("#notices")).to_contain_text("We begin at ten.")
    in_both_themes(mei.page)
    mei.tab_to(mei.find("#notices button"))
    mei.press("Enter")
    expect(mei.find("#notices")).to_be_hidden()
    for path in ("/admin/messages", "/admin/workers"):
        admin.page.goto(simple.url + path)
        in_both_themes(admin.page)
