"""Five languages in a browser: chosen, from right to left, and with texts much longer than ours."""

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from tests.web.browser.conftest import Enter
from tests.web.browser.people import Person, hears, pair, say
from tests.web.running import PASSWORD, Running

from crosstalk.web import page as pages
from crosstalk.web.interface_words import InterfaceWords, Text, words

LONGER = 0.4
SIZES = ((1366, 650), (360, 640))
PHONE = {"width": 390, "height": 800}
ADMIN = ("", "/rooms", "/rooms/1", "/workers", "/goals", "/invitations", "/statistics", "/settings")
OUTSIDE = """() => {
  const width = document.documentElement.clientWidth;
  const seen = [...document.querySelectorAll("body *")].filter((each) => each.checkVisibility()
    && !each.closest(".scroll, .hidden, .skip, .top nav, .chart"));
  const holders = seen.filter((each) => each.matches("button, h1, h2, summary, label"));
  const cut = holders.filter((each) => each.clientWidth && !each.querySelector(".hidden")
    && each.scrollWidth > each.clientWidth + 1);
  const out = seen.filter((each) => {
    const box = each.getBoundingClientRect();
    return box.width && (box.right > width + 1 || box.left < -1);
  });
  return [...cut, ...out].slice(0, 5).map((each) => each.outerHTML.slice(0, 150));
}"""
"""What stands outside the window, or is wider than its own button, heading or label."""


def longer(text: Text) -> Text:
    """A text whose words are 40 % longer: as those of German, Russian and Arabic may be."""
    if not isinstance(text, str):
        return {category: str(longer(form)) for category, form in text.items()}
    return re.sub(
        r"\{\w+\}|\w+",
        lambda word: (
            word[0] if word[0][0] == "{" else word[0] + "o" * math.ceil(LONGER * len(word[0]))
        ),
        text,
    )


@pytest.fixture
def pseudo_language(monkeypatch: pytest.MonkeyPatch) -> Iterator[InterfaceWords]:
    english = words("en")
    sections = {
        name: {key: longer(text) for key, text in each.items()}
        for name, each in english.sections.items()
    }
    stretched = replace(english, sections=sections)
    monkeypatch.setattr(pages, "words_for", lambda request, visitor: stretched)
    yield stretched


def fits(page: Page) -> None:
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        found: Any = page.evaluate(OUTSIDE)
        assert found == [], f"{page.url} at {width}x{height}: {found}"


def test_texts_that_are_longer_have_room(
    pseudo_language: InterfaceWords, simple: Running, enter: Enter
) -> None:
    visitor = enter(simple, "")
    for path in ("/login", f"/join/{simple.invitation()}", "/enter/token", "/nowhere"):
        visitor.page.goto(simple.url + path)
        fits(visitor.page)
    user, wizard = enter(simple, "Ursula").arrive(simple), enter(simple, "Wim").arrive(simple)
    for path in ("/consent", "/work", "/training", "/lobby"):
        user.page.goto(simple.url + path)
        if path == "/training":
            expect(user.find("#exercise form")).to_be_visible()
        fits(user.page)
    pair(user, wizard)
    say(user, "Tell me about the Maritime Museum")
    hears(wizard, "Tell me about the Maritime Museum")
    wizard.find("#heard .mark").click()
    expect(wizard.find("#card h3")).to_be_visible()
    for person in (user, wizard):
        fits(person.page)
        person.find('.panes-tabs [data-pane="task"]').click()
        fits(person.page)
    admin = enter(simple, "").as_browser(simple.admin(), "/admin").page
    for path in ADMIN:
        admin.goto(f"{simple.url}/admin{path}")
        fits(admin)


def choose(person: Person, language: str) -> None:
    """By keyboard, from the menu in the header."""
    person.find(".languages summary").focus()
    person.press("Enter")
    person.tab_to(person.find(f'[data-language="{language}"]'))
    with person.page.expect_navigation():
        person.press("Enter")


def test_a_language_is_chosen_on_a_telephone_and_stays(simple: Running, enter: Enter) -> None:
    person = enter(simple, "Ursula", viewport=PHONE, language="de-AT").arrive(simple)
    person.page.goto(simple.url + "/work")
    choose(person, "ru")
    expect(person.find("h1")).to_have_text("Моя работа")
    choose(person, "ar")
    expect(person.find("html")).to_have_attribute("dir", "rtl")
    person.page.context.clear_cookies(name="crosstalk_language")  # another browser of hers
    person.page.reload()
    expect(person.find("h1")).to_have_text("عملي")
    person.find(".languages summary").click()
    expect(person.find(".languages .menu")).to_be_visible()
    assert person.page.evaluate(OUTSIDE) == []
    person.press("Escape")
    expect(person.find(".languages .menu")).to_be_hidden()
    expect(person.find(".languages summary")).to_be_focused()


def test_a_visitor_reads_the_language_of_the_browser(simple: Running, enter: Enter) -> None:
    visitor = enter(simple, "", language="de-CH")
    visitor.page.goto(simple.url + "/login")
    expect(visitor.find("h1")).to_have_text("Anmelden")


def test_a_room_from_right_to_left(simple: Running, enter: Enter) -> None:
    user, wizard = enter(simple, "Ursula").arrive(simple), enter(simple, "Wim").arrive(simple)
    for person in (user, wizard):
        choose(person, "ar")
    pair(user, wizard)
    say(user, "Tell me about the Maritime Museum")
    hears(wizard, "Tell me about the Maritime Museum")
    expect(wizard.find("#heard-text")).to_have_js_property("dir", "auto")
    talk, task = (wizard.find(each).bounding_box() for each in (".talk", ".task"))
    assert talk and task and talk["x"] > task["x"], "the conversation is on the right"
    first, second = (wizard.find(f"#tab-{number}") for number in (0, 1))
    for direction, forward in (("ltr", "ArrowRight"), ("rtl", "ArrowLeft")):
        wizard.find("#tabs").evaluate("(tabs, dir) => (tabs.dir = dir)", direction)  # a world's
        first.focus()
        wizard.press(forward)
        expect(second).to_be_focused()
    expect(user.find("#missing")).to_contain_text("خانتان")  # the dual


def test_a_button_that_cannot_be_pressed_looks_the_same_under_the_mouse(
    simple: Running, enter: Enter
) -> None:
    user, wizard = enter(simple, "Ursula").arrive(simple), enter(simple, "Wim").arrive(simple)
    pair(user, wizard)
    send = wizard.find("#send")
    expect(send).to_be_disabled()
    before = send.evaluate("each => getComputedStyle(each).backgroundColor")
    send.hover(force=True)
    assert send.evaluate("each => each.matches(':hover')")
    assert send.evaluate("each => getComputedStyle(each).backgroundColor") == before
    # Rooms say where they are, and the logo what it is, also where there is no room for its name.
    wizard.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    expect(wizard.page.get_by_role("heading", level=1, name="You are the wizard")).to_be_visible()
    expect(wizard.page.get_by_role("link", name="Crosstalk")).to_be_visible()
    expect(user.find(".goal-line").first).to_contain_text("①")
    expect(user.find("#cells")).not_to_contain_text("id=")


def test_an_invitation_that_is_used_up_is_refused_at_once(simple: Running, enter: Enter) -> None:
    link = f"/join/{simple.invitation(1)}"
    first = enter(simple, "Ursula")
    first.page.goto(simple.url + link)
    first.type("Ursula")
    first.press("Tab")
    first.type(PASSWORD)
    first.press("Enter")
    first.page.wait_for_url("**/consent")
    late = enter(simple, "Wim")
    late.page.goto(simple.url + link)
    expect(late.find("h1")).to_have_text("This invitation does not work any more")
    expect(late.find("input")).to_have_count(0)


def test_a_wish_is_dropped_and_taken_up_again(simple: Running, enter: Enter) -> None:
    user, wizard = enter(simple, "Ursula").arrive(simple), enter(simple, "Wim").arrive(simple)
    pair(user, wizard)
    row = user.find(".cell.wish").first
    wanted = row.locator(".told").inner_text()
    row.locator("input[type=checkbox]").check()
    row.get_by_role("button", name=re.compile("Drop the wish")).click()
    expect(row.locator(".told ins")).to_have_text("does not matter")
    expect(row.locator(".told del")).to_have_text(wanted)
    expect(row.locator("input[type=checkbox]")).to_be_disabled()
    expect(user.find("#says-list")).to_have_text("nothing ticked yet")
    row.get_by_role("button", name="Undo").click()
    expect(row.locator(".told")).to_have_text(wanted)
    expect(row.locator("input[type=checkbox]")).to_be_enabled()
