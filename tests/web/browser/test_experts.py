"""An expert annotates again; the administrator compares and settles, in a real browser."""

import re

from playwright.sync_api import expect
from tests.web.browser.conftest import Enter
from tests.web.browser.people import Person
from tests.web.browser.test_accessibility import in_both_themes
from tests.web.playing import played
from tests.web.running import Running


def test_a_second_opinion_is_given_compared_and_settled(simple: Running, enter: Enter) -> None:
    room = played(simple.site)
    admin, expert = simple.admin(), simple.worker("Eva")
    assert admin.post("/api/admin/experts/sample", {"share": 1, "seed": 0}).status_code == 200
    path = f"/api/admin/experts/appoint/{expert.id}"
    assert admin.post(path, {"appointed": True}).status_code == 200

    eva = enter(simple, "Eva").as_browser(expert, "/expert")
    eva.find(f'a[href="/expert/{room}"]').click()
    expect(eva.find("#cells .cell").first).to_be_visible()
    expect(eva.find("body")).not_to_contain_text("Maritime")  # blind: no searches, no cells
    keys = eva.page.keyboard
    keys.press("Control+Enter")
    eva.sees("This turn has not been looked at")  # unfinished work cannot be finished
    eva.find("#cells input[type=checkbox]").first.focus()
    keys.press("a")
    expect(eva.find("#cells input[type=checkbox]").first).to_be_checked()
    keys.press("u")
    expect(eva.find("#cells input[type=checkbox]").first).not_to_be_checked()
    keys.press("a")
    keys.press("Enter")
    expect(eva.find(".turns .said")).to_have_count(1)
    expect(eva.find(".selection .chip").first).to_be_visible()
    keys.press("1")
    expect(eva.find('.selection .chip[aria-pressed="true"]')).to_have_count(1)
    keys.press("/")
    expect(eva.find("details.domain[open] input").first).to_be_focused()
    keys.press("Escape")
    keys.press("Enter")
    expect(eva.find("#cells .cell.said")).to_have_count(1)  # carried on
    keys.press("0")
    expect(eva.find(".turns .nothing")).to_have_count(1)
    keys.press("0")
    eva.sees("Every turn has been looked at")
    keys.press("Control+Enter")
    eva.page.wait_for_timeout(500)
    if "/expert/" in eva.page.url:  # a script is faster than two seconds a turn
        keys.press("Control+Enter")
    eva.page.wait_for_url("**/expert")

    anna = enter(simple, "Anna").as_browser(admin, f"/admin/experts/{room}")
    anna.sees("Keys: a, b, or e")
    first = anna.find(".difference").first
    expect(first).to_be_focused()
    anna.page.keyboard.press("b")
    anna.page.keyboard.press("2")  # a slip
    assert first.locator(".cause").input_value() == "slip"
    anna.page.keyboard.press("Enter")
    expect(anna.find(".difference").nth(1)).to_be_focused()
    anna.find("#settle button[type=submit]").click()
    anna.sees("Decide this first")
    anna.find("#all-left").click()
    anna.find("#settle button[type=submit]").click()
    anna.sees("Settled and saved")
    settled = admin.get("/api/admin/experts/settled").text
    assert "Campus Hostel" in settled


def test_the_pages_of_experts_are_accessible_and_fit(simple: Running, enter: Enter) -> None:
    room = played(simple.site)
    admin, expert = simple.admin(), simple.worker("Eva")
    admin.post("/api/admin/experts/sample", {"share": 1, "seed": 0})
    admin.post(f"/api/admin/experts/appoint/{expert.id}", {"appointed": True})
    ticked = {"state": "said", "ticks": [0, 1]}
    turns = [ticked, {"state": "said", "selected": {}}, ticked, {"state": "nothing"}]
    assert expert.post(f"/api/expert/{room}", {"turns": turns, "done": True}).status_code == 200

    eva = enter(simple, "Eva").as_browser(expert, f"/expert/{room}")
    expect(eva.find("#cells .cell").first).to_be_visible()
    in_both_themes(eva.page)
    fits(eva)
    eva.page.keyboard.press("j")
    expect(eva.find(".selection .chip").first).to_be_visible()
    eva.page.keyboard.press("/")
    eva.page.keyboard.insert_text("Campus Hostel")
    expect(eva.find(".found")).to_contain_text(re.compile("found|Nothing"))  # what the search finds
    in_both_themes(eva.page)
    fits(eva)
    anna = enter(simple, "Anna").as_browser(admin, f"/admin/experts/{room}")
    for path in (f"/admin/experts/{room}", "/admin/experts"):
        anna.page.goto(simple.url + path)
        in_both_themes(anna.page)
        fits(anna)


def fits(person: Person) -> None:
    """Nothing is wider than the window."""
    for width in (1366, 390):
        person.page.set_viewport_size({"width": width, "height": 650})
        assert person.state("document.documentElement.scrollWidth") <= width, person.page.url
