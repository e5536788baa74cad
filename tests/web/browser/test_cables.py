"""Networks that fail, pages that are left and loaded anew, texts that are too long."""

from playwright.sync_api import expect
from tests.web.browser.conftest import Enter
from tests.web.browser.people import Person, hears, pair, say
from tests.web.running import Running

from crosstalk.collection.commands import LONGEST_TEXT

LOST = "connection is lost"
WAITING = """() => {
  const key = Object.keys(localStorage).find((each) => each.includes("draft:"));
  const room = Number(location.pathname.split("/").pop());
  const text = "Anything to see?";
  const say = { do: "say", id: crypto.randomUUID(), room, text, ticks: [], sure: false };
  localStorage.setItem(key.replace("draft:", "outbox:"), JSON.stringify([say]));
}"""


def cut(person: Person, *, off: bool) -> None:
    person.page.context.set_offline(off)
    if off:  # the browser tells pages at once; a cable in the wall would be noticed later
        expect(person.find("#connection")).to_contain_text(LOST)


def test_what_was_sent_without_a_network_arrives_once(simple: Running, enter: Enter) -> None:
    user, wizard = enter(simple, "Ursula").arrive(simple), enter(simple, "Wim").arrive(simple)
    pair(user, wizard)

    cut(user, off=True)
    expect(wizard.find("#partner")).to_contain_text("away")
    user.press("Alt+m")
    user.type("Sent into the void")
    user.press("Enter")
    expect(user.find("#turn-state")).to_have_text("Sending …")
    cut(user, off=False)
    expect(user.find("#hints")).to_contain_text("Nothing is ticked")
    user.find("#hints-sure").click()
    hears(wizard, "Sent into the void")
    expect(user.find(".turn")).to_have_count(1)

    cut(wizard, off=True)
    wizard.press("Alt+m")
    wizard.type("Sorry, I was cut off")
    wizard.press("Enter")
    expect(wizard.find("#turn-state")).to_have_text("Sending …")
    cut(wizard, off=False)
    wizard.page.reload()  # perhaps before it was acknowledged, perhaps after
    wizard.in_room()
    hears(user, "Sorry, I was cut off")
    expect(wizard.find(".turn")).to_have_count(2)


def test_going_back_loading_anew_and_very_long_texts(simple: Running, enter: Enter) -> None:
    user, wizard = enter(simple, "Ursula").arrive(simple), enter(simple, "Wim").arrive(simple)
    pair(user, wizard)
    room = user.page.url
    user.page.go_back()
    user.page.wait_for_url(room)  # who sits in a room is shown to it
    user.in_room()

    user.press("Alt+m")
    user.type("Anything to see?")
    user.state(WAITING)  # as if the page had been loaded anew in the midst of sending
    user.page.reload()
    expect(user.find("#hints")).to_contain_text("Nothing is ticked")
    expect(user.find("#text")).to_have_value("Anything to see?")
    user.find("#hints-sure").click()
    hears(wizard, "Anything to see?")

    wizard.find("#text").fill("w" * 3 * LONGEST_TEXT)
    expect(wizard.find("#text")).to_have_value("w" * LONGEST_TEXT)
    say(wizard, "")
    hears(user, "w" * LONGEST_TEXT)
    for person in (user, wizard):
        for width in (1440, 390):
            person.page.set_viewport_size({"width": width, "height": 800})
            assert person.state("document.querySelector('#log').scrollWidth") <= width
