"""Two people talk at the pages, their dialogue becomes a run, and machines talk about its goal."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.commands import caller
from tests.web.browser.conftest import Enter
from tests.web.browser.people import Person, pair, say
from tests.web.browser.test_dialogue import fill, tick
from tests.web.running import Running

from crosstalk.goals.goal_files import StoredGoal, write_goals
from crosstalk.web.collect.corpus_export import collected


def looked_up(wizard: Person) -> tuple[str, str]:
    """Name and phone number of the first place that fits, as the pages show them."""
    wizard.press("Alt+1")
    wizard.tab_to(wizard.find('#fields label:has-text("visit length") select'))
    wizard.press("1")
    expect(wizard.find("#count")).to_contain_text("would be found")
    wizard.press("Alt+s", "Enter")
    expect(wizard.find("#queries")).to_contain_text("first and last")
    wizard.press("Alt+r", "ArrowDown", "Space", "Enter")
    expect(wizard.find("#results li.selected")).to_have_count(1)
    name = wizard.find("#results li.selected strong").inner_text()
    return name, wizard.find('#card dt:text-is("phone number") + dd').inner_text()


def conversation(site: Running, enter: Enter, *, lies: bool) -> None:
    """Two people settle a goal; a wizard that lies tells another telephone number."""
    user, wizard = (enter(site, name).arrive(site) for name in ("Ursula", "Wim"))
    pair(user, wizard)
    for slot in ("visit length", "admission fee", "rating", "name", "phone number"):
        tick(user, slot)
    say(
        user,
        "Is there something to see for 1 to 2 hours, not free, 4 points or more? And its phone?",
    )
    name, phone = looked_up(wizard)
    told = phone[:-1] + str((int(phone[-1]) + 1) % 10) if lies else phone
    say(wizard, f"How about {name}? Its phone number is {told}.")
    user.press("Alt+g")
    user.tab_to(user.find(f'.chip:text-is("{name}")'))
    user.press("Enter")
    fill(user, "phone number", told)
    user.press("Alt+m")
    user.press("Alt+f")
    say(user, "Thank you, that is all. Goodbye!")
    say(wizard, "You are welcome, goodbye!")


@pytest.mark.parametrize(("lies", "success"), [(False, 100.0), (True, 0.0)])
def test_people_are_judged_and_compared_with_machines(
    lies: bool,
    success: float,
    simple: Running,
    enter: Enter,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    conversation(simple, enter, lies=lies)
    (held,) = collected(simple.site.store)
    assert held.goal is not None
    store, people, machines = (tmp_path / name for name in ("simple.db", "people", "machines"))
    goals = tmp_path / "goals.jsonl"
    write_goals(goals, [StoredGoal("first", "harbour", "en", held.goal)])
    crosstalk = caller(monkeypatch, capsys)

    made = crosstalk("collect", "export", "--store", store, "--to", "run", "--out", people)
    assert made[0] == 0, made
    judged = json.loads(crosstalk("report", people, "--json")[1])
    assert judged["setup"]["user"] == "people" and judged["success"]["overall"] == success
    crosstalk(
        "simulate", "--goals", goals, "--level", "words", "--language", "en", "--out", machines
    )
    code, printed, said = crosstalk("compare", people, machines, "--json")
    found = json.loads(printed)
    assert (code, found["goals"], found["a"], found["b"]) == (0, 1, success, 100.0), said
    assert found["users"]["distances"]["words"] > 0
