"""A world written by hand from the docs alone: bicycles to rent, tours to join, in two languages.

Its arguments are of kinds that harbour has none of: one of several values, yes or no, numbers of
things with a name of their own; its tours are rows of a timetable with places that run out.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import crosstalk
from crosstalk.dialogue.actions import ENTITY
from crosstalk.system.build import build_system
from crosstalk.system.chat import Answer, reply
from crosstalk.system.pipeline import System
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tools import WorldTools
from crosstalk.worlds.world import load_world

WORLD = Path(__file__).parent.parent / "worlds" / "bicycles"
Talk = Callable[..., list[Answer]]


@pytest.fixture(scope="module")
def talk() -> Talk:
    systems: dict[str, System] = {}

    def said(code: str, *texts: str) -> list[Answer]:
        if code not in systems:
            world = load_world(WORLD, language=code)
            systems[code] = build_system(world, actions=True)
        answers, session = list[Answer](), systems[code].begin()
        for text in texts:
            answer, session = reply(systems[code], text, session)
            answers.append(answer)
        return answers

    return said


def done(answers: list[Answer]) -> list[tuple[str, dict[str, object]]]:
    events = [event for answer in answers for event in answer.actions if event.done]
    return [(event.action, dict(event.arguments)) for event in events]


def test_nothing_is_wrong() -> None:
    assert crosstalk.check_world(WORLD) == []


def test_a_change_of_mind_and_what_is_paid_stays(talk: Talk) -> None:
    answers = talk(
        "en",
        "I need a shop with e-bikes in the old town",
        "rent two e-bikes there from Thursday for 3 days with insurance",
        "yes",
        "can you make it 3 bikes?",
        "yes",
        "pay for it",
        "what did I book?",
        "cancel it please",
    )
    (rent, wanted), (change, more), (pay, _) = done(answers)
    assert (rent, change, pay) == ("rent_bikes", "extend_rental", "pay_rental")
    assert wanted == {
        ENTITY: "The Red Saddle",
        "kind": "e-bike",
        "from": "2026-07-09",
        "days": 3,
        "bikes": 2,
        "insured": "yes",
    }
    assert more["bikes"] == 3
    assert "The Red Saddle" in answers[6].text and "number of bikes: 3" in answers[6].text
    assert answers[7].text.endswith("What is paid cannot be changed.")


def test_what_is_not_rented_and_something_else_instead(talk: Talk) -> None:
    first, second, third = talk(
        "en",
        "I'd like to rent a tandem at Chain and Bell tomorrow for one day, one bike",
        "then an ordinary bike",
        "yes",
    )
    assert first.text.endswith("Tandems are only rented on the spot.")
    assert "city bike" in second.text
    assert done([third])[0][1]["kind"] == "city bike"


def test_in_german(talk: Talk) -> None:
    answers = talk(
        "de",
        "Ich brauche einen Verleih mit Lastenrädern",
        "Miete eins ab Donnerstag für 2 Tage, ohne Versicherung",
        "Lastenrad",
        "ja",
        "stornieren",
        "ja",
        "Gibt es am Mittwoch eine Tour durch die Weinberge?",
        "buch die für drei Personen",
        "ja",
    )
    calls = done(answers)
    assert [name for name, _ in calls] == ["rent_bikes", "return_rental", "join_tour"]
    assert calls[0][1]["insured"] == "nein" and calls[0][1]["bikes"] == 1
    assert calls[2][1] == {ENTITY: "Weinberge, Mittwoch, 13:00", "persons": 3}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("which tours are there on Saturday?", "Saturday"),
        ("a tour of the castles on Sunday", "castles, Sunday"),
        ("a bike shop that is open on Sunday at 7:30", "Chain and Bell"),
        ("a rental shop open at 21:00", "Chain and Bell"),
        ("is Hill Riders open on Monday at nine?", "No. It is open Wed-Sun"),
    ],
)
def test_days_times_and_opening_hours_in_free_words(talk: Talk, text: str, told: str) -> None:
    assert told in talk("en", text)[0].text


def test_the_same_without_everyday_words(tmp_path: Path) -> None:
    folder = tmp_path / "bicycles"
    shutil.copytree(WORLD, folder, ignore=shutil.ignore_patterns("assistant"))
    system = build_system(load_world(folder), actions=True)
    session = system.begin()
    found = []
    for text in (
        "which tours are there on Saturday?",
        "I need a shop with e-bikes in the old town",
        "when is it open?",
    ):
        answer, session = reply(system, text, session)
        found.append(answer.text)
    assert "Saturday" in found[0] and "The Red Saddle" in found[1] and "Mon-Fri" in found[2]


def test_rows_of_a_timetable_are_called_as_the_language_calls_them() -> None:
    german = Executor(Database(load_world(WORLD, language="de")))
    wanted = {ENTITY: "Schlösser, Sonntag, 09:00", "persons": 3}
    _, event = german.perform(german.begin(), "join_tour", wanted)
    assert event.refusal and event.refusal.reason == "tour_full"


def test_goals_of_one_seed_are_parallel() -> None:
    drawn = []
    for code in ("en", "de"):
        world = load_world(WORLD, language=code)
        goals = crosstalk.sample_goals(world, 40, seed=1, actions=True)
        drawn.append(
            [
                (each.action, each.forbidden, [wish.get("bikes") for wish in each.wishes])
                for goal in goals
                for each in goal.actions
            ]
        )
    assert drawn[0] == drawn[1] and any(forbidden for _, forbidden, _ in drawn[0])


def test_what_a_sentence_leaves_out_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "bicycles"
    shutil.copytree(WORLD, folder)
    file = folder / "languages" / "en.toml"
    file.write_text(file.read_text().replace(" the tour {entity}", " it"))
    hours = folder / "languages" / "de.values.json"
    hours.write_text(hours.read_text().replace("Mo-Sa 9:00", "Mo-So 9:00"))
    shops = folder / "tables" / "shops.jsonl"
    shops.write_text(shops.read_text().replace("Wed-Sun 9:00-17:00", "when the sun shines"))
    found = [problem.message for problem in crosstalk.check_world(folder)]
    assert any("leaves out {entity}" in each for each in found)
    assert any("is read as other hours than 'Mon-Sat 9:00-18:00'" in each for each in found)
    assert any("says no hours that could be searched" in each for each in found)


def test_tools_say_how_days_and_times_are_written() -> None:
    tools = {
        tool.name: tool.properties
        for tool in WorldTools(Database(load_world(WORLD))).tools.values()
    }
    tours, shops = tools["search_tour"], tools["search_shop"]
    assert tours["start"]["description"] == "start (HH:MM, this or later)"
    assert tours["end"]["description"] == "end (HH:MM, this or earlier)"
    assert tours["weekday"]["description"].startswith("day (Monday, Tuesday")
    assert shops["helmets"]["description"] == "helmets (yes or no)"
    assert shops["hours"]["description"].endswith("or both: Monday 09:00)")
