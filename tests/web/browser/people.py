"""What people do at the pages, by keyboard wherever it says so."""

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect
from tests.web.running import PASSWORD, Browser, Running


class Person:
    """Somebody at a browser."""

    def __init__(self, page: Page, url: str, name: str) -> None:
        self.page = page
        self.url = url
        self.name = name

    def find(self, selector: str) -> Locator:
        return self.page.locator(selector)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self.page.keyboard.insert_text(text)

    def tab_to(self, wanted: Locator, *, most: int = 120, key: str = "Tab") -> None:
        """Tab until the element has the focus, as somebody without a mouse does."""
        for _ in range(most):
            if wanted.evaluate("element => element === document.activeElement"):
                return
            self.press(key)
        raise AssertionError(f"{wanted} cannot be reached by keyboard")

    def sees(self, text: str | re.Pattern[str]) -> None:
        expect(self.page.locator("body")).to_contain_text(text)

    def join(self, server: Running) -> "Person":
        """From the invitation to the lobby, by keyboard."""
        self.page.goto(f"{self.url}/join/{server.invitation(1)}")
        self.type(self.name)
        self.press("Tab")
        self.type(PASSWORD)
        self.press("Enter")
        self.page.wait_for_url("**/consent")
        self.tab_to(self.find("input[name=agreed]"))
        self.press("Space", "Enter")
        self.page.wait_for_url(re.compile("/(lobby|training)"))
        return self

    def arrive(self, server: Running) -> "Person":
        """In the lobby, with an account made elsewhere: quicker than joining."""
        return self.as_browser(server.worker(self.name), "/lobby")

    def as_browser(self, browser: Browser, path: str) -> "Person":
        """Whoever is logged in there, at this page."""
        cookies = [
            {"name": name, "value": value, "url": self.url}
            for name, value in browser.http.cookies.items()
        ]
        self.page.context.add_cookies(cookies)  # type: ignore[arg-type]
        self.page.goto(self.url + path)
        return self

    def wait_as(self, role: str) -> None:
        button = self.find(f'[data-wait="{role}"]')
        expect(button).to_be_enabled()
        self.tab_to(button)
        self.press("Enter")

    def in_room(self) -> None:
        self.page.wait_for_url("**/room/*")
        expect(self.find("#turn-state")).not_to_be_empty()

    def state(self, expression: str) -> Any:
        return self.page.evaluate(expression)


def pair(user: Person, wizard: Person) -> None:
    user.wait_as("user")
    wizard.wait_as("wizard")
    user.in_room()
    wizard.in_room()


def say(person: Person, text: str, *, sure: bool = True) -> None:
    """Write, send, and confirm where the page has doubts; keyboard only."""
    before = person.find(".turn.mine").count()
    expect(person.find("body.my-turn")).to_be_attached()
    person.press("Alt+m")
    person.type(text)
    person.press("Enter")
    if sure:
        expect(person.find("#hints:not([hidden]), .turn.mine").nth(before)).to_be_attached()
        if person.find("#hints").is_visible():
            person.tab_to(person.find("#hints-sure"))
            person.press("Enter")
    expect(person.find(".turn.mine")).to_have_count(before + 1)


def hears(person: Person, text: str) -> None:
    expect(person.find(".turn.theirs .bubble").last).to_have_text(text)
