"""Whatever people write is text: in rooms, tables, lists, replays, on every page."""

from playwright.sync_api import Page, expect
from tests.web.browser.conftest import Enter
from tests.web.browser.hostile import hostile_texts
from tests.web.running import Running, paired

MOST = 6
"""Texts a message, so that all of them are seen in few turns."""


def test_more_than_a_hundred_hostile_texts_execute_nowhere(simple: Running, enter: Enter) -> None:
    texts = list(hostile_texts())
    assert len(set(texts)) >= 200
    users, wizards, user, wizard = paired(simple)
    messages = ["\n".join(texts[start : start + MOST]) for start in range(0, len(texts), MOST)]
    for number, message in enumerate(messages):
        speaker = (user, wizard)[number % 2]
        speaker.until(lambda speaker=speaker: speaker.view["your_turn"])
        speaker.must("say", text=message, sure=True)
    cells = [cell["cell"] for cell in user.view["cells"] if not cell["constraint"]]
    user.must("fill", cell=cells[0], value=texts[3], sure=True)
    user.must("report", text=texts[3])
    user.close()
    wizard.close()

    for browser in (users, wizards):
        page = enter(simple, "").as_browser(browser, f"/room/{user.room}").page
        expect(page.locator(".turn")).to_have_count(len(messages))
        shown = page.locator(".turn .bubble").all_text_contents()
        assert [text.strip() for text in shown] == [text.strip() for text in messages]
        unharmed(page)
    look_at_lists(enter, simple, texts[3], user.room or 0)


def look_at_lists(enter: Enter, simple: Running, text: str, room: int) -> None:
    admin = simple.admin()
    admin.post("/api/admin/invitations", {"label": text[:100], "uses": 3})
    simple.worker(text[:30])
    for worker in admin.get("/api/admin/workers").json()["workers"]:
        admin.post(f"/api/admin/workers/{worker['id']}", {"note": text})
    admin.post(f"/api/admin/rooms/{room}/close", {"note": text})
    for path in (
        f"/admin/rooms/{room}",
        "/admin/rooms",
        "/admin/workers",
        "/admin/invitations",
        "/admin",
    ):
        page = enter(simple, "").as_browser(admin, path).page
        unharmed(page)
    page.goto(f"{simple.url}/login?next={text}")
    unharmed(page)
    page.goto(f"{simple.url}/join/{'%3Cscript%3Ewindow.hit=1%3C%2Fscript%3E'}")
    unharmed(page)


def unharmed(page: Page) -> None:
    page.wait_for_load_state("networkidle")
    assert page.evaluate("typeof window.hit") == "undefined"
    assert (
        page.locator("iframe, object, embed, marquee, base, svg script, audio, video").count() == 0
    )
    assert page.locator("script:not([type='module'], [type='application/json'])").count() == 0
