"""Labels that people get wrong: hinted at or refused, mended by keys, right in the export."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.web.browser.conftest import Enter
from tests.web.browser.people import Person, hears, pair, say
from tests.web.browser.test_dialogue import fill, tick
from tests.web.running import Running
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.goals import Goal, GoalType, SemanticTuple
from crosstalk.goals.goal_files import StoredGoal
from crosstalk.web.collect.corpus_export import annotation, exported
from crosstalk.web.collect.site import Site, SiteRules
from crosstalk.web.collect.startup import missing_goals, remember_world
from crosstalk.web.store.store import Store, store_url

HOT_WATER = "round-the-clock hot water"
GOAL = Goal(
    (
        SemanticTuple(1, "hotel", "type", "comfort"),
        SemanticTuple(1, "hotel", "services-breakfast", "yes"),
        SemanticTuple(1, "hotel", f"services-{HOT_WATER}", "yes"),
        SemanticTuple(1, "hotel", "name", ""),
        SemanticTuple(1, "hotel", "phone", ""),
    ),
    GoalType.S,
    ("You need a comfort hotel with breakfast and hot water around the clock.",),
)


@pytest.fixture
def hotels(context: WorldContext, tmp_path: Path) -> Iterator[Running]:
    site = Site(
        Store(store_url(str(tmp_path / "hotels.db"))),
        context,
        SiteRules(training=False, exchanges=3),
    )
    site.submit(remember_world).result()
    missing_goals(site, [StoredGoal("hotel", "harbour", "en", GOAL)])
    with Running(site) as running:
        yield running
    site.store.close()


def write(person: Person, text: str) -> None:
    """Typed and sent; the page has doubts."""
    expect(person.find("body.my-turn")).to_be_attached()
    person.press("Alt+m")
    person.type(text)
    person.press("Enter")
    expect(person.find("#hints")).to_be_visible()


def mend(person: Person, *hints: str) -> None:
    """Each hint by its number; then the message goes out."""
    for words in hints:
        lines = person.find("#hints-list li")
        texts = lines.all_inner_texts()
        at = next(number for number, text in enumerate(texts, 1) if words in text)
        expect(person.find("#hints")).to_be_focused()
        person.press(str(at))
        expect(lines.filter(has_text=words)).to_have_count(0)
    expect(person.find("#hints")).to_be_hidden()


def send(person: Person) -> None:
    before = person.find(".turn.mine").count()
    person.press("Alt+m", "Enter")
    expect(person.find(".turn.mine")).to_have_count(before + 1)


def test_faults_are_mended_by_keys(
    hotels: Running, enter: Enter, context: WorldContext, tmp_path: Path
) -> None:
    user, wizard = enter(hotels, "Ursula").arrive(hotels), enter(hotels, "Wim").arrive(hotels)
    pair(user, wizard)
    wished = (("type", "comfort"), ("services", ("breakfast", HOT_WATER)))
    one, other = context.search("hotel", wished).rows[:2]

    # A wish and a question without their ticks.
    tick(user, "name")
    tick(user, "class")
    wish = f"I need a comfort hotel with breakfast and {HOT_WATER}. What is it called?"
    write(user, wish)
    expect(user.find("#hints")).to_contain_text("is not ticked")
    mend(user, "breakfast", HOT_WATER)
    send(user)
    hears(wizard, wish)

    # `breakf` is completed; `hot` is no word until one of the nearest is chosen.
    wizard.press("Alt+3")
    services = wizard.find('#fields label:has-text("services") input')
    wizard.tab_to(services)
    for typed in ("breakf", "hot"):
        wizard.type(typed)
        wizard.press("Enter")
    wizard.tab_to(wizard.find("#search"))
    wizard.press("Enter")
    expect(wizard.find("#count")).to_contain_text("There is no word “hot” here.")
    expect(wizard.find("#queries li")).to_have_count(0)
    wizard.tab_to(wizard.find("#count").get_by_role("button", name=HOT_WATER))
    wizard.press("Enter")
    expect(wizard.find("#queries li")).to_have_count(1)
    expect(wizard.find("#queries")).to_contain_text(f"breakfast, {HOT_WATER}")

    # A place named without having been selected; a wish that the first search lacks.
    write(wizard, f"How about {one['name']}?")
    expect(wizard.find("#hints")).to_contain_text("“comfort” is wished for and missing")
    mend(wizard, "comfort", str(one["name"]))
    expect(wizard.find("#queries li")).to_have_count(1)
    expect(wizard.find("#says-list")).to_contain_text(str(one["name"]))
    send(wizard)
    hears(user, f"How about {one['name']}?")

    # A cut value; a question without its tick.
    name = user.find('.cell:has(.slot-name:text-is("name"))')
    user.press("Alt+g")
    user.tab_to(name.locator(".cell-value input"))
    user.type(str(one["name"])[:-1])
    user.press("Enter")
    expect(name.locator(".cell-note")).to_contain_text("There is no place called")
    user.tab_to(name.locator(f'.chip:text-is("{one["name"]}")'))
    user.press("Enter")
    expect(name.locator(".cell-value.filled")).to_be_visible()
    write(user, f"What is the phone number of {one['name']}?")
    expect(user.find("#hints")).to_contain_text("Your message asks for")
    mend(user, "Your message asks for")
    send(user)

    # A place named without any search of this turn.
    told = f"It is {one['phone']}. {other['name']} has breakfast, too."
    write(wizard, told)
    expect(wizard.find("#hints")).to_contain_text("without having selected it")
    wizard.tab_to(wizard.find("#hints-back"))
    wizard.press("Enter")
    wizard.press("Control+a")
    wizard.type(f"Its phone number is {one['phone']}.")
    send(wizard)
    fill(user, "phone number", str(one["phone"]))
    user.press("Alt+m", "Alt+f")
    say(user, "Thank you, goodbye!", sure=False)
    say(wizard, "You are welcome, goodbye!", sure=False)
    expect(user.find("#done")).to_contain_text("Thank you")

    file = tmp_path / "export.jsonl"
    file.write_text("".join(exported(hotels.site.store, "native", annotation("harbour", "en"))))
    checked = CliRunner().invoke(app, ["data", "check", str(file), "--labels", "--json"])
    assert checked.exit_code == 0, checked.output
    assert json.loads(checked.stdout)["findings"] == []
