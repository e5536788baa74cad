"""Pages with hints, in Arabic: in words, wide and narrow, light and dark, no findings of axe."""

from playwright.sync_api import expect
from tests.web.browser.conftest import Enter
from tests.web.browser.people import Person, hears, pair, say
from tests.web.browser.test_accessibility import in_both_themes
from tests.web.browser.test_label_faults import hotels, write
from tests.web.browser.test_languages import fits
from tests.web.running import Running

__all__ = ["hotels"]  # a fixture
SIZE = {"width": 1366, "height": 650}
UNTICKED, DENIED, UNTOLD = "لا علامة على", "وليس هذا ما في الجدول", "لم يخبرك أحد"


def looks_right(person: Person, words: str) -> None:
    """Hints are shown in words of the page's language, and wherever they are looked at."""
    expect(person.find("#hints-list")).to_contain_text(words)
    expect(person.find("body")).not_to_contain_text("hints.")
    in_both_themes(person.page)
    fits(person.page)
    person.page.set_viewport_size(SIZE)  # type: ignore[arg-type]


def test_hints_are_read_from_right_to_left(hotels: Running, enter: Enter) -> None:
    user = enter(hotels, "Ursula", language="ar", viewport=SIZE).arrive(hotels)
    wizard = enter(hotels, "Wim", language="ar", viewport=SIZE).arrive(hotels)
    for person in (user, wizard):
        person.page.context.add_cookies(
            [{"name": "crosstalk_language", "value": "ar", "url": hotels.url}]
        )
        person.page.reload()
    pair(user, wizard)
    write(user, "I need a comfort hotel with breakfast.")
    looks_right(user, UNTICKED)
    say(user, " Please.")
    wizard.press("Alt+3")
    wizard.tab_to(wizard.find("#search"))
    wizard.press("Enter")
    expect(wizard.find("#results li").first).to_be_visible()
    wizard.press("1")
    expect(wizard.find("#says-list li")).to_have_count(1)
    write(wizard, "Its phone number is 0482-0000000.")
    looks_right(wizard, DENIED)
    say(wizard, "")
    hears(user, "Its phone number is 0482-0000000.")

    # What nobody told is hinted at where it is written down; another choice puts the hint away.
    phone = user.find(".cell").last
    user.press("Alt+g")
    user.tab_to(phone.locator(".cell-value input"))
    user.type("0482-1111111")
    user.press("Enter")
    expect(phone.locator(".cell-note")).to_contain_text(UNTOLD)
    in_both_themes(user.page)
    fits(user.page)
    user.page.set_viewport_size(SIZE)  # type: ignore[arg-type]
    phone.locator(".choices .chip").last.click()
    expect(phone.locator(".cell-value.filled")).to_be_visible()
    expect(phone.locator(".cell-note")).to_be_hidden()
