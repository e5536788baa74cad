"""Bookings by form in a world written from the docs alone: bicycles, in two languages.

Its forms have what harbour's have not: choices, yes or no, rows of a timetable.
"""

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
from crosstalk.web.collect.settings import Settings
from crosstalk.web.collect.startup import missing_goals, open_site
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

WORLD = Path(__file__).parents[2] / "worlds" / "bicycles"
SHOPS = {"en": "Chain and Bell", "de": "Kette und Klingel"}
SOLD_OUT = {"en": "Spoke House", "de": "Speichenhaus"}
KINDS = {"en": "city bike", "de": "Stadtrad"}


def goal_of(world: World, shop: str, kind: str, tour: str) -> StoredGoal:
    """Two bikes for two days, and then a tour for two."""
    rental: dict[str, ArgumentValue] = {"entity": Reference(1, nearby=False), "kind": kind}
    rental |= {"from": "2026-07-08", "days": 2, "bikes": 2, "insured": world.language.yes}
    join: dict[str, ArgumentValue] = {"entity": Reference(2, nearby=False), "persons": 2}
    tuples = (
        SemanticTuple(1, "shop", "name", shop),
        SemanticTuple(1, "shop", "phone", ""),
        SemanticTuple(2, "tour", "name", tour),
        SemanticTuple(2, "tour", "guide", ""),
    )
    actions = (WantedAction("rent_bikes", (rental,)), WantedAction("join_tour", (join,)))
    told = describe(tuples, world, actions)
    code = world.language.code
    return StoredGoal("one", "bicycles", code, Goal(tuples, GoalType.M, told, actions))


def perform(wizard: Person, action: str, *values: str) -> None:
    """Fill in the form of an action and send it; an empty value leaves what is there."""
    wizard.find("#action").select_option(action)
    controls = wizard.find("#action-fields input, #action-fields select")
    for at, value in enumerate(values):
        control = controls.nth(at)
        if value and control.evaluate("each => each.tagName") == "SELECT":
            control.select_option(value)
        elif value:
            control.fill(value)
    wizard.find("#perform").click()


def select(wizard: Person, tab: int, name: str) -> None:
    """Search a domain without wishes, and select one of what is found."""
    wizard.find(f"#tab-{tab}").click()
    wizard.find("#search").click()
    row = wizard.find(f'#results li:has(strong:text-is("{name}"))')
    row.locator("input").check()
    expect(wizard.find("#results li.selected")).to_have_count(1)


@pytest.mark.parametrize("code", ["en", "de"])
def test_bikes_are_rented_and_a_tour_is_booked(tmp_path: Path, enter: Enter, code: str) -> None:
    world = load_world(WORLD, language=code)
    shop, kind, yes = SHOPS[code], KINDS[code], world.language.yes
    tour = str(world.tables["tour"].rows[0]["name"])
    untrained = Settings(flags={"training": "false"})
    site = open_site(str(tmp_path / "talk.db"), world, untrained, actions=True)
    missing_goals(site, [goal_of(world, shop, kind, tour)])
    refused, done = ("#action-result.refused-action", "#action-result.done-action")
    with Running(site) as server:
        user, wizard = (enter(server, each).arrive(server) for each in ("Ursula", "Wim"))
        pair(user, wizard)
        user.sees(kind)
        say(user, f"{shop}? 2026-07-08, 2, 2, {kind}")
        select(wizard, 0, shop)
        wizard.find("#actions summary").click()
        perform(wizard, "rent_bikes", SOLD_OUT[code], kind, "2026-07-10", "2", "2")
        expect(wizard.find(refused)).not_to_be_empty()
        assert user.find(".acted").count() == 0
        perform(wizard, "rent_bikes", shop, kind, "2026-07-08", "2", "2", yes)
        expect(wizard.find(done)).not_to_be_empty()
        expect(user.find(".acted")).to_have_count(1)
        rental = user.find(".acted span").inner_text()
        say(wizard, rental)
        say(user, f"{tour}, 2?")
        select(wizard, 1, tour)
        wizard.find("#action").select_option("join_tour")
        expect(wizard.find("#action-fields input").first).to_have_value(tour)
        perform(wizard, "join_tour", "", "2")
        expect(user.find(".acted")).to_have_count(2)
        say(wizard, user.find(".acted span").last.inner_text())
        log = site.log(1)
    assert log
    dialogue = dialogue_of(1, log.room)
    no, rented = dialogue.turns[1].extras["actions"]
    assert no["refused"]["reason"] == "all_out" and rented["gives"]["number"] in rental
    assert [each["action"] for each in dialogue.turns[3].extras["actions"]] == ["join_tour"]
    write_native([dialogue], tmp_path / "dialogues.jsonl")
    (verdict,) = judge_offline(tmp_path / "dialogues.jsonl", world=str(WORLD))
    assert verdict.actions and (verdict.actions.needed, verdict.actions.done) == (2, 2)
