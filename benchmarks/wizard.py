"""What a turn costs a wizard: `python -m benchmarks.wizard [WAY...] [--world W] [--actions]`.

A scripted user talks over a socket, and a wizard answers at a real browser of 1366x650, in one of
these ways, each a dialogue of its own:

    form-mouse         fields are clicked and typed into, results ticked, values clicked
    form-keys          the same without a mouse
    offered-mouse      what the page offers is taken: recognised wishes, the drafted answer
    offered-keys       the same without a mouse

Told are the clicks, keys that command something, typed characters and scrolls of a turn, and motor
seconds by the keystroke-level model (Card, Moran and Newell 1983): 0.28 s a key, 1.3 s to point and
click, 0.4 s from mouse to keyboard or back; a scroll counts as a second. Thinking is not counted.
An element that is wholly or partly outside of the window, or of the list it is in, needs a scroll.
"""

import argparse
import asyncio
import json
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect, sync_playwright

from benchmarks.collection_server import served
from benchmarks.killable_server import free_port
from benchmarks.players import Player, Tally, prepare
from crosstalk.collection.wizard_form import card, written_tab
from crosstalk.collection.world_context import WorldContext
from crosstalk.worlds.world import load_world

WINDOW = {"width": 1366, "height": 650}
KEY, CLICK, HOMING, SCROLL = 0.28, 1.3, 0.4, 1.0
"""Seconds of the keystroke-level model."""
DRAFTED = 2000
"""Milliseconds until a draft is there, if there will be one."""
SEEN = """element => {
  const box = element.getBoundingClientRect();
  let [top, bottom] = [0, innerHeight];
  for (let outer = element.parentElement; outer; outer = outer.parentElement) {
    if (getComputedStyle(outer).overflowY === "visible") continue;
    const edge = outer.getBoundingClientRect();
    [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
  }
  return box.top >= top - 1 && box.bottom <= bottom + 1;
}"""
"""Whether all of an element can be seen."""


@dataclass(frozen=True)
class Exchange:
    """What the user says, and what the wizard does and answers."""

    says: str
    answers: str
    """`{}` stands for a value that the page can put into the message, in this order: `values`."""
    domain: str = ""
    """Searched; empty: nothing is."""
    fields: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Slot -> what is typed into its controls; a range has two."""
    values: tuple[str, ...] = ()


def script_of(context: WorldContext) -> list[Exchange]:
    """The scripted dialogue of a world; each place is the first that is found."""
    scripts = {"harbour": harbour_script, "crosswoz": crosswoz_script, "multiwoz": multiwoz_script}
    return scripts[context.world.name](context)


def crosswoz_script(context: WorldContext) -> list[Exchange]:
    """Two places, and questions about the first."""
    hotel = _first(context, "酒店", {"评分": {"low": 4.5}, "价格": {"low": 300, "high": 400}})
    night = _facts(context, "酒店", hotel)
    sight = _first(context, "景点", {"周边酒店": hotel, "评分": {"low": 4.5}})
    return [
        Exchange(
            "你好，我想找一家评分4.5分以上、价格300-400元的酒店。",
            "推荐您去{}。",
            "酒店",
            (("评分", ("4.5",)), ("价格", ("300", "400"))),
            (hotel,),
        ),
        Exchange(
            "它的电话和地址是什么？",
            "电话是{}，地址是{}。",
            values=(night["电话"], night["地址"]),
        ),
        Exchange(
            f"我还想去{hotel}附近的景点玩，评分要4.5分以上。",
            "推荐您去{}。",
            "景点",
            (("评分", ("4.5",)), ("周边酒店", (hotel,))),
            (sight,),
        ),
        Exchange("谢谢，再见！", "不客气，再见！"),
    ]


def multiwoz_script(context: WorldContext) -> list[Exchange]:
    """Two places, and questions about the first."""
    wish = {"area": "centre", "food": "chinese", "pricerange": "expensive"}
    table = _first(context, "restaurant", wish)
    facts = _facts(context, "restaurant", table)
    sight = _first(context, "attraction", {"area": "centre", "type": "museum"})
    return [
        Exchange(
            "Hello, I am looking for an expensive chinese restaurant in the centre.",
            "How about {}?",
            "restaurant",
            (("area", ("centre",)), ("food", ("chinese",)), ("pricerange", ("expensive",))),
            (table,),
        ),
        Exchange(
            "What is its phone number and address?",
            "The phone number is {}, the address {}.",
            values=(facts["phone"], facts["address"]),
        ),
        Exchange(
            "I would also like to visit a museum in the centre.",
            "How about {}?",
            "attraction",
            (("area", ("centre",)), ("type", ("museum",))),
            (sight,),
        ),
        Exchange("Thank you, that is all. Goodbye!", "You are welcome, goodbye!"),
    ]


def _facts(context: WorldContext, domain: str, name: str) -> dict[str, str]:
    """The first text of each slot of a place, as its card has it."""
    rows = card(context, domain, name)["rows"]
    return {row["slot"]: row["texts"][0] for row in rows if row["texts"]}


def harbour_script(context: WorldContext) -> list[Exchange]:
    """A dialogue about three places."""
    sight = _first(context, "attraction", {"duration": "1 to 2 hours", "rating": {"low": 4.5}})
    wish = {"nearby_attractions": sight, "rating": {"low": 4}}
    hotel = _first(context, "hotel", wish)
    facts, night = _facts(context, "attraction", sight), _facts(context, "hotel", hotel)
    table = {"nearby_attractions": sight, "cost": {"low": 100, "high": 200}}
    restaurant = _first(context, "restaurant", table)
    return [
        Exchange(
            "Hello! I am looking for an attraction for 1 to 2 hours, rated at least 4.5, please.",
            "How about {}?",
            "attraction",
            (("duration", ("1 to 2 hours",)), ("rating", ("4.5",))),
            (sight,),
        ),
        Exchange(
            "What is its phone number and address?",
            "The phone number is {}, the address {}.",
            values=(facts["phone"], facts["address"]),
        ),
        Exchange(
            f"Then I need a hotel near {sight}, rated at least 4.",
            "How about {}?",
            "hotel",
            (("rating", ("4",)), ("nearby_attractions", (sight,))),
            (hotel,),
        ),
        Exchange("How much is a room there?", "A room costs {}.", values=(night["price"],)),
        Exchange(
            f"And a restaurant near {sight}, 100 to 200 crowns per person.",
            "How about {}?",
            "restaurant",
            (("cost", ("100", "200")), ("nearby_attractions", (sight,))),
            (restaurant,),
        ),
        Exchange("Thank you, that is all. Goodbye!", "You are welcome, goodbye!"),
    ]


def _first(context: WorldContext, domain: str, slots: dict[str, Any]) -> str:
    return context.search(domain, written_tab(context, domain, slots)).names[0]


@dataclass
class Turn:
    """What one turn took."""

    clicks: int = 0
    keys: int = 0
    """Key presses that command something, such as Enter and Alt+S."""
    characters: int = 0
    scrolls: int = 0
    moves: int = 0
    """Changes between mouse and keyboard."""

    @property
    def seconds(self) -> float:
        keyed = KEY * (self.keys + self.characters)
        return keyed + CLICK * self.clicks + HOMING * self.moves + SCROLL * self.scrolls


@dataclass
class Wizard:
    """Somebody at the page, whose actions are counted."""

    page: Page
    turns: list[Turn] = field(default_factory=list)
    at_mouse: bool = False

    def find(self, selector: str) -> Locator:
        return self.page.locator(selector)

    def _move(self, to_mouse: bool) -> None:
        if to_mouse is not self.at_mouse:
            self.at_mouse = to_mouse
            self.turns[-1].moves += 1

    def look(self, place: Locator) -> None:
        """Scroll to what cannot be seen."""
        expect(place).to_be_visible()  # what the server is asked for may take a moment
        if not place.evaluate(SEEN):
            self.turns[-1].scrolls += 1
            place.scroll_into_view_if_needed()

    def click(self, place: Locator) -> None:
        self.look(place)
        self._move(True)
        self.turns[-1].clicks += 1
        place.click()

    def press(self, *keys: str) -> None:
        self._move(False)
        for key in keys:
            self.turns[-1].keys += 1
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self._move(False)
        self.turns[-1].characters += len(text)
        self.page.keyboard.type(text)

    def tab_to(self, place: Locator) -> None:
        for _ in range(120):
            if place.evaluate("element => element === document.activeElement"):
                return
            self.press("Tab")
        raise AssertionError(f"{place} cannot be reached by keyboard")

    def answered(self) -> None:
        """Send, and insist where the page has doubts."""
        before = self.find(".turn.mine").count()
        self.press("Enter")
        sent = self.find("#hints:not([hidden]), .turn.mine").nth(before)
        expect(sent).to_be_attached()
        if self.find("#hints").is_visible():
            raise AssertionError(f"doubted: {self.find('#hints').inner_text()}")


def by_form_and_mouse(wizard: Wizard, exchange: Exchange) -> None:
    """Fields, results and values by mouse; words are typed."""
    if exchange.domain:
        tab = wizard.find(f'[role="tab"][data-domain="{exchange.domain}"]')
        if tab.get_attribute("aria-selected") != "true":
            wizard.click(tab)
        for slot, parts in exchange.fields:
            for place, part in _filled(wizard, exchange.domain, slot, parts):
                wizard.click(place)
                _enter(wizard, place, part)
        wizard.click(wizard.find("#search"))
        wizard.click(_row(wizard, exchange.values[0]).locator(".tick"))
        wizard.look(_row(wizard, exchange.values[0]))
    else:
        _open_card(wizard, exchange, lambda place: wizard.click(place))
    wizard.click(wizard.find("#text"))
    for number, words in enumerate(exchange.answers.split("{}")):
        if number:
            value = exchange.values[number - 1]
            wizard.click(_value(wizard, value, in_card=not exchange.domain))
            words = words.lstrip(" ") if words.startswith(" ") else words
        if words:
            wizard.page.keyboard.press("End")
            wizard.type(words)
    wizard.answered()


def by_form_and_keys(wizard: Wizard, exchange: Exchange) -> None:
    """The same without a mouse; names and values are typed."""
    if exchange.domain:
        keys = [tab.get_attribute("data-domain") for tab in wizard.find('[role="tab"]').all()]
        wizard.press(f"Alt+{keys.index(exchange.domain) + 1}")
        for slot, parts in exchange.fields:
            for place, part in _filled(wizard, exchange.domain, slot, parts):
                wizard.tab_to(place)
                _enter(wizard, place, part)
        wizard.press("Enter")
        row = _row(wizard, exchange.values[0])
        expect(row).to_be_attached()
        wizard.look(row)
        wizard.press("Alt+r", "Space")
        expect(wizard.find("#results li.selected")).to_have_count(1)
    elif exchange.values:
        if not wizard.find("#card").is_visible():
            wizard.press("Alt+r", "Enter")
        expect(wizard.find("#card dd").first).to_be_visible()
        for value in exchange.values:
            wizard.look(_value(wizard, value, in_card=True))
    wizard.press("Alt+m")
    wizard.type(exchange.answers.format(*exchange.values))
    wizard.answered()


def by_offers_and_mouse(wizard: Wizard, exchange: Exchange) -> None:
    """What is offered is clicked; the draft is sent as it is."""
    if exchange.domain:
        wizard.click(wizard.find("#take-all"))
        wizard.click(_row(wizard, exchange.values[0]).locator(".tick"))
    if not _sent_draft(wizard, exchange):
        by_form_and_mouse(wizard, exchange)


def by_offers_and_keys(wizard: Wizard, exchange: Exchange) -> None:
    """One key for the wishes, one for the search, one for the place, one for the draft."""
    if exchange.domain:
        expect(wizard.find("#take-all")).to_be_visible()
        wizard.press("Alt+f", "Enter")
        row = _row(wizard, exchange.values[0])
        expect(row.locator(".result-name")).to_be_focused()
        wizard.look(row)
        wizard.press("1")
    if not _sent_draft(wizard, exchange):
        by_form_and_keys(wizard, exchange)


def _sent_draft(wizard: Wizard, exchange: Exchange) -> bool:
    """Whether there is a draft that says what is wanted; it is sent as it is."""
    draft = wizard.find("#draft-text")
    try:
        said = exchange.values[-1] if exchange.values else re.compile(".")
        expect(draft).to_contain_text(said, timeout=DRAFTED)
    except AssertionError:
        return False
    wizard.look(draft)
    wizard.press("Alt+d")
    expect(wizard.find("#text")).not_to_have_value("")
    wizard.answered()
    return True


WAYS: dict[str, Callable[[Wizard, Exchange], None]] = {
    "form-mouse": by_form_and_mouse,
    "form-keys": by_form_and_keys,
    "offered-mouse": by_offers_and_mouse,
    "offered-keys": by_offers_and_keys,
}


def _inputs(wizard: Wizard, domain: str, slot: str) -> list[Locator]:
    """The controls of a field, found by its place in the form."""
    fields = wizard.page.evaluate(
        "JSON.parse(document.getElementById('for-script').textContent).world.domains"
    )
    slots = next(
        [each["slot"] for each in found["fields"]] for found in fields if found["key"] == domain
    )
    whole = wizard.find("#fields > .field").nth(slots.index(slot))
    return whole.locator("input, select").all()


def _filled(
    wizard: Wizard, domain: str, slot: str, parts: tuple[str, ...]
) -> Iterator[tuple[Locator, str]]:
    """The controls of a field and what goes into them."""
    yield from zip(_inputs(wizard, domain, slot), parts, strict=False)


def _enter(wizard: Wizard, place: Locator, value: str) -> None:
    if place.evaluate("element => element.tagName") == "SELECT":
        place.select_option(value)
        wizard.turns[-1].keys += 1  # its first letter
        wizard._move(False)
    else:
        wizard.type(value)


def _row(wizard: Wizard, name: str) -> Locator:
    return wizard.find(f'#results li[data-name="{name}"]')


def _open_card(wizard: Wizard, exchange: Exchange, act: Callable[[Locator], None]) -> None:
    """The card of the selected place, if values of it are asked for."""
    if exchange.values and not wizard.find("#card").is_visible():
        act(wizard.find("#results li.selected .result-name"))
    elif exchange.values:
        shown = wizard.find("#card h3").inner_text()
        chosen = wizard.find("#results li.selected strong").inner_text()
        if shown != chosen:
            act(wizard.find("#results li.selected .result-name"))


def _value(wizard: Wizard, value: str, *, in_card: bool) -> Locator:
    place = "#card dd .value" if in_card else "#says-list .link"
    return wizard.find(place).filter(has_text=value).first


class ScriptedUser(Player):
    """Says the next sentence as soon as it is the user's turn."""

    sentences: Iterator[str]

    def _turn(self) -> list[dict[str, Any]]:
        text = next(self.sentences, None)
        return [{"do": "say", "text": text, "ticks": [], "sure": True}] if text else []


@contextmanager
def _talking(user: ScriptedUser) -> Iterator[None]:
    stop, loop = asyncio.Event(), asyncio.new_event_loop()
    thread = threading.Thread(target=lambda: loop.run_until_complete(user.play(stop)))
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


def measured(way: str, world: str = "harbour", *, actions: bool = False) -> list[Turn]:
    """The turns of one scripted dialogue, at a server as users start it."""
    loaded = load_world(world)
    context = WorldContext(loaded)
    exchanges = script_of(context)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        store, port = str(Path(folder) / "site.db"), free_port()
        (talks, answers) = prepare(store, people=2, goals=1, context=context)
        with served(store, port, "--world", world, *(["--actions"] if actions else [])):
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            window = browser.new_context(viewport=WINDOW, locale="en")  # type: ignore[arg-type]
            address = f"http://127.0.0.1:{port}"
            name = f"crosstalk_{port}"
            window.add_cookies([{"name": name, "value": answers, "url": address}])
            user = ScriptedUser(port=port, session=talks, role="user", tally=Tally())
            user.sentences = iter([each.says for each in exchanges])
            page = window.new_page()
            page.goto(f"{address}/lobby")
            page.locator('[data-wait="wizard"]').click()
            with _talking(user):
                page.wait_for_url("**/room/*")
                turns = _answer_all(Wizard(page), exchanges, WAYS[way])
            browser.close()
    return turns


def _answer_all(
    wizard: Wizard, exchanges: list[Exchange], way: Callable[[Wizard, Exchange], None]
) -> list[Turn]:
    for number, exchange in enumerate(exchanges):
        expect(wizard.find(".turn.theirs")).to_have_count(number + 1)
        expect(wizard.find("body.my-turn")).to_be_attached()
        wizard.turns.append(Turn())
        way(wizard, exchange)
        expect(wizard.find(".turn.mine")).to_have_count(number + 1)
    return wizard.turns


def told(turns: list[Turn]) -> dict[str, Any]:
    """Means a turn, and the worst turn's clicks and scrolls."""
    names = list(asdict(Turn()))
    total = {name: sum(getattr(turn, name) for turn in turns) for name in names}
    means = {name: round(total[name] / len(turns), 1) for name in names}
    return {
        **means,
        "seconds": round(sum(turn.seconds for turn in turns) / len(turns), 1),
        "most_clicks": max(turn.clicks for turn in turns),
        "all_scrolls": total["scrolls"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ways", nargs="*", metavar="WAY", help=", ".join(WAYS))
    parser.add_argument("--world", default="harbour", help="harbour, crosswoz or multiwoz")
    parser.add_argument("--actions", action="store_true", help="wizards also see the actions")
    options = parser.parse_args()
    for way in options.ways or WAYS:
        figures = told(measured(way, options.world, actions=options.actions))
        print(json.dumps({"world": options.world, "way": way, **figures}), flush=True)


if __name__ == "__main__":
    main()
