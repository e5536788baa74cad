"""The viewer in a real browser: search, filters, keyboard, claims, hostile text, many dialogues."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browser.conftest import DESKTOP, PATIENCE, chromium, watch
from tests.web.browser.test_accessibility import CONTRAST, findings

from crosstalk.reports.html_page import write_page, write_views
from crosstalk.reports.run_views import spooling, view_run
from crosstalk.simulation.build import Setup
from crosstalk.simulation.runner import simulate
from crosstalk.simulation.sessions import Plan, SessionRules

__all__ = ["chromium"]
HOSTILE = "<img src=x onerror=alert(1)> \u202egnp.exe\u202c \x07 [a](javascript:alert(2)) "
HOSTILE += "</script> \u20660482-1\u2069 \u2067egnp\u2069"
Open = Callable[..., Page]

AGENT = '''
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.participants import Reply
from crosstalk.library import build_system


class WordsOnly:
    """Our system without its acts; its replies add something to the first number."""

    def __init__(self, added):
        self.within, self.added = build_system("harbour", language="en", level="words"), added

    def begin(self):
        return self.within.begin()

    def reply(self, heard, state):
        reply, after = self.within.reply(Turn(heard.speaker, heard.text), state)
        text = reply.turn.text
        digits = "".join(each if each.isdigit() else " " for each in text).split()
        if self.added and digits:
            text = text.replace(digits[0], str(int(digits[0]) + self.added), 1)
        result = '{"error": "no such tool"}' if self.added else "[]"
        call = {"name": "search", "arguments": "{}", "result": result}
        used = {"prompt_tokens": 100, "completion_tokens": 20}
        extras = {"agent": {"tool_calls": [call], "usage": used}}
        return Reply(Turn(reply.turn.speaker, text, extras=extras)), after


def wrong():
    return WordsOnly(3)


def right():
    return WordsOnly(0)
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("viewer")


@pytest.fixture(scope="module")
def runs(folder: Path) -> list[Path]:
    """The same goals with an agent that is wrong about numbers and with one that is not."""
    (folder / "agents.py").write_text(AGENT)
    made = []
    for name in ("wrong", "right"):
        setup = Setup("harbour", "en", level="words", agent=f"python:{folder / 'agents.py'}:{name}")
        simulate(Plan(3, count=12), setup, SessionRules(3), folder / name)
        made.append(folder / name)
    return made


@pytest.fixture(scope="module")
def page_of_one(runs: list[Path], folder: Path) -> Path:
    return write_page(runs[:1], folder / "one.html").path


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Open]:
    """Opens pages; one that complains in its console or asks the network fails the test."""
    contexts, problems = [], list[str]()

    def visit_one(path: Path, at: str = "", **options: object) -> Page:
        context = chromium.new_context(**{"viewport": DESKTOP, **options})  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        watch(page, problems)
        page.on("request", lambda sent: problems.extend(_elsewhere(sent.url)))
        page.goto(path.as_uri() + at)
        expect(page.locator("html[data-ready]")).to_be_attached()
        return page

    yield visit_one
    for context in contexts:
        context.close()
    assert not problems


def _elsewhere(url: str) -> list[str]:
    return [] if url.startswith("file:") else [url]


def rows(page: Page) -> int:
    return page.locator("#rows a").count()


def test_summary_says_what_matters(page_of_one: Path, visit: Open) -> None:
    page = visit(page_of_one)
    summary = page.locator("#overview")

    for words in ("Verified success", "95 % interval", "undecided", "tokens", "latency"):
        expect(summary).to_contain_text(words)
    expect(summary).to_contain_text("places near each other")
    height = page.locator(".run.card").bounding_box()
    assert height and height["height"] < DESKTOP["height"], "one screen"


def test_search_and_filters(page_of_one: Path, visit: Open) -> None:
    page = visit(page_of_one)
    assert rows(page) == 12
    page.locator("#search").fill("hotel")
    expect(page.locator("#count")).to_contain_text(" of 12 dialogues")
    assert 0 < rows(page) < 12
    page.locator("#search").fill("no such words at all")
    expect(page.locator("#rows")).to_contain_text("No dialogue is like that")
    page.locator("#clear").click()
    expect(page.locator("#rows a")).to_have_count(12)
    page.locator("#filter-result").select_option("failure")
    assert 0 < rows(page) < 12
    expect(page.locator("#rows a.success")).to_have_count(0)
    page.locator("#clear").click()
    page.locator(".by-type [data-value='M']").click()
    expect(page.locator("#filter-type")).to_have_value("M")


def test_failures_stand_first(page_of_one: Path, visit: Open) -> None:
    page = visit(page_of_one)
    kinds = page.locator("#rows a").evaluate_all("all => all.map(each => each.className)")
    assert kinds == sorted(kinds), "row failure, row success, row undecided"


def test_keyboard(page_of_one: Path, visit: Open) -> None:
    page = visit(page_of_one)
    page.keyboard.press("j")
    expect(page.locator("#rows a").nth(0)).to_have_attribute("aria-current", "true")
    page.keyboard.press("j")
    expect(page.locator("#rows a").nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("k")
    expect(page.locator("#rows a").nth(0)).to_have_attribute("aria-current", "true")
    page.locator("#rows a").nth(0).focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#rows a").nth(1)).to_be_focused()
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#search")).not_to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".dialogue")).to_have_count(0)


def test_a_dialogue_has_its_goal_its_claims_and_its_fault(page_of_one: Path, visit: Open) -> None:
    page = visit(page_of_one)
    page.locator("#rows a.failure").first.click()
    dialogue = page.locator(".dialogue")

    expect(dialogue.locator(".part.false").first).to_contain_text("the table says")
    expect(dialogue.locator(".turn.faulty .faults").first).to_contain_text("system fault")
    claim = dialogue.locator(".turn.faulty .claim.false").first
    claim.focus()
    expect(page.locator("#tip")).to_contain_text("The table says")
    page.keyboard.press("Escape")
    expect(page.locator("#tip")).to_be_hidden()
    dialogue.locator("details.call summary").first.click()
    expect(dialogue.locator("details.call pre").first).to_be_visible()
    dialogue.locator("details.raw summary").click()
    expect(dialogue.locator("details.raw pre")).to_contain_text('"final_goal"')


def test_flaws_of_replies_are_counted_found_and_shown(page_of_one: Path, visit: Open) -> None:
    page = visit(page_of_one)
    page.locator("[data-filter='flaws'][data-value='wrong tool call']").click()
    assert rows(page) == 12
    page.locator("#rows a").first.click()
    expect(page.locator(".dialogue .turn .flaws").first).to_have_text(
        "wrong tool call: no such tool"
    )
    expect(page.locator("#filter-flaws option:checked")).to_have_text("wrong tool call (12)")


def test_the_address_opens_a_dialogue(page_of_one: Path, visit: Open) -> None:
    page = visit(page_of_one, "#harbour-3-2")
    expect(page.locator(".dialogue h2")).to_contain_text("harbour-3-2")
    expect(page.locator(".dialogue h2")).to_be_in_viewport()


def test_two_runs_beside_each_other(runs: list[Path], folder: Path, visit: Open) -> None:
    page = visit(write_page(runs, folder / "two.html").path)
    expect(page.locator(".compare")).to_contain_text("B is better by")
    page.locator("[data-filter='change'][data-value='won']").click()
    page.keyboard.press("j")
    expect(page.locator(".dialogue")).to_have_count(2)
    expect(page.locator(".dialogue").nth(0)).to_contain_text("failed")
    expect(page.locator(".dialogue").nth(1)).to_contain_text("succeeded")
    page.keyboard.press("b")
    expect(page.locator(".dialogue")).to_have_count(1)


def test_light_and_dark(page_of_one: Path, visit: Open) -> None:
    page = visit(page_of_one, color_scheme="dark")
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    dark = page.evaluate(paper)
    page.locator("#theme").click()
    assert page.evaluate(paper) != dark
    page.reload()
    assert page.evaluate(paper) != dark, "the choice is kept"


def test_accessibility(runs: list[Path], folder: Path, visit: Open) -> None:
    page = visit(write_page(runs, folder / "axe.html").path, "#A/harbour-3-2")
    expect(page.locator(".dialogue")).to_have_count(2)
    assert findings(page) == []
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert findings(page, CONTRAST) == []
    page.keyboard.press("?")
    assert findings(page) == []


def test_phone(page_of_one: Path, visit: Open) -> None:
    page = visit(page_of_one, viewport={"width": 360, "height": 800})
    wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert page.evaluate(wide)
    page.locator("#rows a").first.click()
    expect(page.locator("#list")).to_be_hidden()
    assert page.evaluate(wide)
    page.get_by_role("button", name="All dialogues").click()
    expect(page.locator("#list")).to_be_visible()


def test_arabic(folder: Path, visit: Open) -> None:
    setup = Setup("harbour", "ar", policy="rule", level="words")
    simulate(Plan(1, count=3), setup, SessionRules(1), folder / "ar")
    page = visit(write_page([folder / "ar"], folder / "ar.html").path)
    page.keyboard.press("j")
    turns = page.locator(".turns")
    expect(turns).to_have_attribute("dir", "rtl")
    user, agent = turns.locator(".user").first, turns.locator(".system").first
    left, right = user.bounding_box(), agent.bounding_box()
    assert left and right and left["x"] < right["x"], "the user stands at the end of the line"
    assert findings(page) == []


def test_hostile_text(runs: list[Path], folder: Path, visit: Open) -> None:
    hostile = folder / "hostile"
    (hostile / "dialogues").mkdir(parents=True)
    (hostile / "run.json").write_text((runs[0] / "run.json").read_text())
    lines = (runs[0] / "dialogues" / "00000.jsonl").read_text().splitlines()
    told = [json.loads(line) for line in lines]
    for dialogue in told:
        for turn in dialogue["turns"]:
            turn["text"] = HOSTILE
            turn["extras"] = {"agent": {"tool_calls": [{"name": HOSTILE, "arguments": HOSTILE}]}}
    text = "".join(json.dumps(dialogue) + "\n" for dialogue in told)
    (hostile / "dialogues" / "00000.jsonl").write_text(text)
    page = visit(write_page([hostile], folder / "hostile.html").path)
    page.keyboard.press("j")

    expect(page.locator(".bubble").first).to_contain_text("<img src=x onerror=alert(1)>")
    expect(page.locator(".bubble").first).to_contain_text("U+202E")
    expect(page.locator(".bubble").first).to_contain_text("U+2067")
    expect(page.locator(".bubble").first).not_to_contain_text("U+2066")
    assert page.locator(".dialogue img, .dialogue iframe, .dialogue [onerror]").count() == 0
    links = page.locator("a").evaluate_all("all => all.map(each => each.getAttribute('href'))")
    assert all(link.startswith("#") for link in links)
    assert page.evaluate("document.scripts.length") == page.locator("script").count()


def test_injected_code_does_not_run(page_of_one: Path, chromium: Browser) -> None:
    page = chromium.new_page()
    page.goto(page_of_one.as_uri())
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.hit = 1';"
        "document.body.append(s); document.body.insertAdjacentHTML('beforeend',"
        "'<b style=color:red onclick=window.hit=1>x</b>') }"
    )
    page.locator("body > b").click()
    assert page.evaluate("window.hit") is None
    page.close()


def test_ten_thousand_dialogues(runs: list[Path], folder: Path, visit: Open) -> None:
    with spooling() as spool:
        view = view_run(runs[0], spool)
        many = [replace(view.rows[n % 12], id=f"many-{n}") for n in range(10_000)]
        written = write_views([replace(view, rows=many)], spool, folder / "many.html", None)
    assert written.shown == 10_000
    assert (folder / "many-data" / "block-499.js").exists()
    assert written.path.stat().st_size < 1_000_000
    began = time.monotonic()
    page = visit(written.path)
    expect(page.locator("#count")).to_have_text("10,000 dialogues")
    assert time.monotonic() - began < 10
    assert rows(page) < 1_000
    began = time.monotonic()
    page.locator("#search").fill("many-9999")
    expect(page.locator("#count")).to_have_text("1 of 10,000 dialogues")
    assert time.monotonic() - began < 15
    page.locator("#rows a").click()
    expect(page.locator(".dialogue h2")).to_contain_text("many-9999")
    page.locator("#clear").click()
    page.evaluate("document.getElementById('list').scrollTo(0, 1e6)")
    page.wait_for_function("document.querySelectorAll('#rows a').length > 150")
