"""An Appendix A file edited in a real browser; the pages fit, and axe finds nothing serious."""

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, expect
from tests.translation.conftest import SEGMENTS
from tests.translation.serving import Serving, serving
from tests.translation.test_control import sample
from tests.web.browser.conftest import chromium
from tests.web.browser.test_accessibility import findings, in_both_themes

from crosstalk.translation.appendix_files import read_judgements, read_segments, write_segments
from crosstalk.translation.control import ControlQueue
from crosstalk.translation.post_editing import EditingQueue
from crosstalk.translation.translation_segments import Segment
from crosstalk.web.accounts import COORDINATOR

__all__ = ["chromium"]
WIDTHS = (1440, 390)


def enter(browser: Chromium, site: Serving, name: str, **options: Any) -> Page:
    page = browser.new_context(**options).new_page()
    page.goto(f"{site.url}/enter/{site.links[name]}")
    page.locator("button.primary").click()
    page.wait_for_url(f"{site.url}/")
    return page


def fits(page: Page) -> None:
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, page.url


def test_a_file_is_edited_by_hand(chromium: Chromium, work: Path) -> None:
    queue = EditingQueue(work, languages=("en", "de"), editors=["Ana"])
    with serving(queue) as site:
        page = enter(chromium, site, "Ana")
        page.get_by_role("link", name="MUL1").click()
        text = page.locator("textarea")
        expect(text).to_have_value(SEGMENTS[0].machine)
        expect(page.locator(".badge.found")).to_have_count(3)
        in_both_themes(page)

        text.fill("Ein Hotel im Süden für drei Nächte, freitags.")
        expect(page.locator(".machine del").first).to_have_text("Norden")
        expect(page.locator(".badge.missing")).to_have_count(1)
        expect(page.locator(".badge.inflected")).to_have_count(2)
        expect(page.locator(".findings")).to_contain_text("“Norden” is not in the utterance")
        page.get_by_label("hotel-area: north").fill("Süden")
        expect(page.locator(".badge.missing")).to_have_count(0)
        page.reload()
        expect(text).to_have_value("Ein Hotel im Süden für drei Nächte, freitags.")
        expect(page.locator(".badge.warning")).to_have_text("not saved yet")
        text.focus()
        page.keyboard.press("Control+Enter")
        expect(text).to_have_value(SEGMENTS[1].machine)
        expect(page.locator("#done")).to_have_text("1 of 2")
        fits(page)
        page.get_by_role("button", name="Save and next").click()
        expect(page.locator("#finished")).to_be_visible()
    first, second, _ = json.loads(work.read_text(encoding="utf-8"))
    assert first["fixTransUtterance"] == "Ein Hotel im Süden für drei Nächte, freitags."
    assert first["fixTransSlotValues"]["hotel-area"] == "Süden"
    assert (first["changedUtterance"], first["changedSlotValues"]) == (1, 1)
    assert second["fixTransUtterance"] == SEGMENTS[1].machine
    assert (second["changedUtterance"], second["changedSlotValues"]) == (0, 0)


ARABIC = Segment(
    "MUL1",
    0,
    "A table for 2 people on friday at 13:45.",
    (("restaurant-people", "2"), ("restaurant-day", "friday"), ("restaurant-time", "13:45")),
    ("restaurant",),
    "طاولة لشخصين يوم الجمعة الساعة 13:45.",
    (("restaurant-people", "2"), ("restaurant-day", "جمعة"), ("restaurant-time", "13:45")),
)


def test_arabic_is_written_from_right_to_left(chromium: Chromium, work: Path) -> None:
    write_segments([ARABIC], work)
    typed = "أريد طاولة لشخصين يوم الجمعة في الساعة 13:45."
    with serving(EditingQueue(work, languages=("en", "ar"), editors=["Ana"])) as site:
        page = enter(chromium, site, "Ana")
        page.goto(f"{site.url}/dialogue/0")
        text = page.locator("textarea")
        expect(text).to_have_css("direction", "rtl")
        expect(page.locator(".source-text")).to_have_css("direction", "ltr")
        expect(page.locator(".badge.inflected").last).to_have_text("inflected: الجمعة")
        expect(page.locator(".badge.missing")).to_have_count(0)
        text.fill(typed + "\u202e")
        expect(page.locator(".findings")).to_contain_text("RIGHT-TO-LEFT OVERRIDE")
        text.fill(typed)
        expect(page.locator(".findings")).to_have_count(0)
        fits(page)
        page.keyboard.press("Control+Enter")
        expect(page.locator("#finished")).to_be_visible()
    assert read_segments(work)[0].edited == typed


def test_the_other_pages(chromium: Chromium, work: Path, tmp_path: Path) -> None:
    with serving(EditingQueue(work, languages=("en", "de"), editors=["Ana"])) as site:
        page = enter(chromium, site, COORDINATOR, locale="zh-CN")
        for path in ("/", "/glossary", "/consistency"):
            page.goto(site.url + path)
            fits(page)
        page.goto(site.url)
        assert findings(page) == []
    with serving(ControlQueue(sample(tmp_path / "control"))) as site:
        page = enter(chromium, site, "cleo")
        page.goto(f"{site.url}/dialogue/0")
        first = page.locator("#turn-3")
        first.get_by_label("Yes").first.check()
        first.get_by_label("No", exact=True).last.check()
        expect(first.locator(".badge.finished")).to_be_visible()
        assert findings(page) == []
        fits(page)


def test_saving_what_lacks_a_value_asks(chromium: Chromium, work: Path) -> None:
    queue = EditingQueue(work, languages=("en", "de"), editors=["Ana"])
    with serving(queue) as site:
        page = enter(chromium, site, "Ana")
        page.get_by_role("link", name="MUL1").click()
        text = page.locator("textarea")
        text.fill("Ein Hotel.")
        page.keyboard.press("Control+Enter")
        expect(page.locator(".problem")).to_contain_text("Save it all the same?")
        expect(page.locator("#done")).to_have_text("0 of 2")
        in_both_themes(page)
        text.press("Control+Enter")  # once more means it
        expect(page.locator("#done")).to_have_text("1 of 2")
    assert read_segments(work)[0].edited == "Ein Hotel."


def test_judging_by_keys(chromium: Chromium, tmp_path: Path) -> None:
    with serving(ControlQueue(sample(tmp_path / "control"))) as site:
        page = enter(chromium, site, "cleo")
        page.goto(f"{site.url}/dialogue/0")
        expect(page.locator("#turns > li").first).to_be_visible()
        utterances = page.locator("#turns > li").count()
        questions = page.locator(".question").count()
        for _ in range(questions):
            page.keyboard.press("y")
        expect(page.locator("#done")).to_have_text(f"{utterances} of {utterances}")
        page.keyboard.press("k")
        page.keyboard.press("o")
        expect(page.locator("textarea:focus")).to_be_visible()
        page.keyboard.type("yes, no")  # letters in a note are letters
        page.keyboard.press("Escape")
        expect(page.locator("input:focus")).to_have_count(1)


def test_errors_are_marked_in_the_text(chromium: Chromium, tmp_path: Path) -> None:
    folder = sample(tmp_path / "control")
    with serving(ControlQueue(folder, marks=True)) as site:
        page = enter(chromium, site, "cleo")
        page.goto(f"{site.url}/dialogue/0")
        turn = page.locator("#turns > li").first
        expect(turn.locator(".marks")).to_contain_text("Nothing is marked.")
        turn.get_by_role("button", name="Mark", exact=True).click()
        expect(turn).to_contain_text("Select the words in the translation first.")
        turn.locator(".source-text").last.evaluate(
            "place => getSelection().setBaseAndExtent(place.firstChild, 0, place.firstChild, 2)"
        )
        turn.locator("select").first.select_option("terminology")
        turn.locator("select").last.select_option("major")
        turn.get_by_role("button", name="Mark", exact=True).click()
        expect(turn.locator("mark.major")).to_have_count(1)
        page.keyboard.press("y")
        page.keyboard.press("y")
        expect(turn.locator(".badge.finished")).to_be_visible()
        in_both_themes(page)
        fits(page)
        page.reload()
        expect(page.locator("#turns > li").first.locator("mark.major")).to_have_count(1)
    (kept, *_) = read_judgements(folder / "cleo.json")
    assert [(each.start, each.end, each.category) for each in kept.marks] == [(0, 2, "terminology")]
