"""axe-core finds nothing on any page, light or dark, in either language."""

from importlib.resources import files
from typing import Any

from playwright.sync_api import Page, expect
from tests.web.browser.conftest import Enter
from tests.web.browser.people import Person, hears, pair, say
from tests.web.running import Running

AXE = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
CONTRAST = {"runOnly": ["color-contrast"]}
ADMIN = ("", "/rooms", "/rooms/1", "/workers", "/goals", "/invitations", "/statistics", "/experts")


def findings(page: Page, rules: dict[str, list[str]] = RULES) -> list[Any]:
    page.evaluate(AXE)
    found = page.evaluate("options => axe.run(document, options)", rules)["violations"]
    return [(each["id"], [node["html"][:160] for node in each["nodes"]][:3]) for each in found]


def in_both_themes(page: Page) -> None:
    """Only colours differ between the two."""
    for theme, rules in (("light", RULES), ("dark", CONTRAST)):
        page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
        assert findings(page, rules) == [], f"{page.url}, {theme}"


def test_pages_before_the_room(simple: Running, enter: Enter) -> None:
    visitor = enter(simple, "Ursula", language="zh")
    for path in ("/login", f"/join/{simple.invitation()}", "/enter/token", "/nowhere"):
        visitor.page.goto(simple.url + path)
        in_both_themes(visitor.page)
    worker = enter(simple, "Ursula").arrive(simple)
    for path in ("/consent", "/training", "/work", "/lobby"):
        worker.page.goto(simple.url + path)
        if path == "/training":
            expect(worker.find("#exercise form")).to_be_visible()
        in_both_themes(worker.page)


def test_rooms(simple: Running, enter: Enter) -> None:
    user, wizard = enter(simple, "Ursula").arrive(simple), enter(simple, "Wim").arrive(simple)
    pair(user, wizard)
    say(user, "Tell me about the Maritime Museum")
    hears(wizard, "Tell me about the Maritime Museum")
    wizard.find("#heard .mark").click()
    expect(wizard.find("#card h3")).to_have_text("Maritime Museum")
    for person in (user, wizard):
        in_both_themes(person.page)
        person.press("Alt+h")
        assert findings(person.page) == []
    admin = enter(simple, "").as_browser(simple.admin(), "/admin").page
    for path in ADMIN:
        admin.goto(f"{simple.url}/admin{path}")
        in_both_themes(admin)


def test_nothing_is_wider_than_the_window(simple: Running, enter: Enter) -> None:
    people = enter(simple, "Ursula").arrive(simple), enter(simple, "Wim").arrive(simple)
    pair(*people)
    for person in people:
        _fits(person)
    for path in ("/login", "/lobby", "/work", "/training", "/consent"):
        people[0].page.goto(simple.url + path)
        _fits(people[0])


def _fits(person: Person) -> None:
    for width in (1440, 1024, 390):
        person.page.set_viewport_size({"width": width, "height": 800})
        assert person.state("document.documentElement.scrollWidth") <= width, person.page.url
