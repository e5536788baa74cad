"""The wizard books by a form; both sides see the code; the export and the judge know of it."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.web.browser.conftest import Enter
from tests.web.browser.people import Person, pair, say
from tests.web.running import Running

from crosstalk.collection.export import dialogue_of
from crosstalk.corpora.native import write_native
from crosstalk.dialogue.goals import (
    ArgumentValue,
    Goal,
    GoalType,
    Reference,
    SemanticTuple,
    WantedAction,
)
from crosstalk.evaluation.offline import judge_offline
from crosstalk.goals.describe import describe
from crosstalk.goals.goal_files import StoredGoal
from crosstalk.web.collect.room_records import steps
from crosstalk.web.collect.settings import Settings
from crosstalk.web.collect.startup import missing_goals, open_site
from crosstalk.worlds.world import load_world

LAPTOP = {"width": 1366, "height": 650}
PHONE = {"width": 390, "height": 780}
NAMES = {"en": ("Laurel Hotel", "Grand Hotel Halmora"), "ar": ("فندق الغار", "فندق هالمورا الكبير")}
PICTURES = os.environ.get("CROSSTALK_PICTURES")
"""A folder to write screenshots to, for somebody who wants to look."""


def picture(person: Person, name: str) -> None:
    if PICTURES:
        person.page.screenshot(path=Path(PICTURES) / f"{name}.png")


def fits(person: Person) -> bool:
    """Whether nothing sticks out to the side."""
    return bool(person.state("document.documentElement.scrollWidth <= innerWidth"))


def perform(wizard: Person, entity: str, arrival: str) -> None:
    wizard.find("#action").select_option("book_room")
    fields = wizard.find("#action-fields input")
    for at, value in enumerate((entity, arrival, "2", "2")):
        fields.nth(at).fill(value)
    wizard.find("#perform").click()


@pytest.mark.parametrize(("code", "viewport"), [("en", LAPTOP), ("en", PHONE), ("ar", PHONE)])
def test_a_wizard_books_a_room(
    tmp_path: Path, enter: Enter, code: str, viewport: dict[str, int]
) -> None:
    world = load_world("harbour", language=code)
    name, full = NAMES[code]
    stay: dict[str, ArgumentValue] = {"arrival": "2026-06-08", "nights": 2, "people": 2}
    stay["entity"] = Reference(1, nearby=False)
    tuples = (SemanticTuple(1, "hotel", "name", name), SemanticTuple(1, "hotel", "phone", ""))
    goal = Goal(tuples, GoalType.S, (), (WantedAction("book_room", (stay,)),))
    told = describe(goal.tuples, world, goal.actions)
    goal = Goal(goal.tuples, goal.type, told, goal.actions)
    untrained = Settings(flags={"training": "false"})
    site = open_site(str(tmp_path / "talk.db"), world, untrained, actions=True)
    missing_goals(site, [StoredGoal("one", "harbour", code, goal)])
    phone = site.context.database.find("hotel", name)["phone"]  # type: ignore[index]
    size = f"{code}-{viewport['width']}"
    with Running(site) as server:
        user = enter(server, "Ursula", viewport=viewport).arrive(server)
        wizard = enter(server, "Wim", viewport=viewport).arrive(server)
        pair(user, wizard)
        user.sees("2026-06-08")
        picture(user, f"user-goal-{size}")
        say(user, f"{name}? 2026-06-08")
        if viewport is PHONE:
            wizard.find('[data-pane="task"]').first.click()
        wizard.find("#actions summary").click()
        perform(wizard, full, "2026-06-03")
        expect(wizard.find("#action-result.refused-action")).not_to_be_empty()
        wizard.find("#action-result").scroll_into_view_if_needed()
        picture(wizard, f"wizard-refused-{size}")
        perform(wizard, name, "2026-06-08")
        expect(wizard.find("#action-result.done-action")).not_to_be_empty()
        picture(wizard, f"wizard-done-{size}")
        assert fits(wizard) and fits(user)
        expect(user.find(".acted")).to_have_count(1)
        message = user.find(".acted span").inner_text()
        picture(user, f"user-done-{size}")
        if viewport is PHONE:
            wizard.find('[data-pane="talk"]').first.click()
        expect(wizard.find(".acted")).to_have_count(2)
        say(wizard, f"{name}: {phone}")
        picture(wizard, f"wizard-log-{size}")
        log = site.log(1)
    assert log
    (_, step) = steps(site.context, log)
    assert [note["kind"] for note in step.notes] == ["refused", "acted"]
    dialogue = dialogue_of(1, log.room)
    (refused, done) = dialogue.turns[1].extras["actions"]
    assert refused["refused"]["reason"] == "no_room"
    assert done["gives"]["reference"] in message
    write_native([dialogue], tmp_path / "dialogues.jsonl")
    (verdict,) = judge_offline(tmp_path / "dialogues.jsonl")
    assert verdict.actions and (verdict.actions.needed, verdict.actions.done) == (1, 1)
