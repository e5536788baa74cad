"""An expert annotates again; the administrator compares and settles, in a real browser."""

from playwright.sync_api import expect
from tests.web.browser.conftest import Enter
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
    expect(eva.find("#form h2, #form h3").first).to_be_visible()
    expect(eva.find("body")).not_to_contain_text("Maritime")  # blind: no searches, no cells
    eva.find("#form input[type=checkbox]").first.check()
    for _ in range(3):
        eva.find("#next").click()
    eva.find("#finish").click()
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
