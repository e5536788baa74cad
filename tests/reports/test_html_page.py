"""The page: everything on it is text unless we wrote it, and nothing comes from elsewhere."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from crosstalk.dialogue.acts import INFORM, Act
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.goals import Goal
from crosstalk.reports.html_page import page
from crosstalk.reports.run_summary import RunSummary, summarise
from crosstalk.reports.run_tables import markdown
from crosstalk.simulation.build import Setup
from crosstalk.simulation.runner import simulate
from crosstalk.simulation.sessions import Plan, SessionRules

HOSTILE = "\"><script>alert(1)</script><img src=x onerror=alert(2)>'\u202e\x07 & </style>"


def summary_of(folder: Path, language: str = "en", examples: int = 100) -> RunSummary:
    simulate(
        Plan(1, per_type=2), Setup("harbour", language, policy="rule"), SessionRules(1), folder
    )
    return summarise(folder, examples=examples)


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> RunSummary:
    return summary_of(tmp_path_factory.mktemp("runs") / "run")


class Elements(HTMLParser):
    """Names and attributes of all elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_stands_alone(summary: RunSummary) -> None:
    text = page([summary])
    elements = Elements(text)

    assert not elements.open
    assert not {"src", "href", "onerror", "onclick"} & {name for name, _ in elements.attributes}
    assert not re.search(r"https?://|url\(|@import", text)
    assert elements.names.count("script") == 1
    assert elements.names.count("svg") == 3
    assert "default-src 'none'" in text


def test_the_page_shows_dialogues_that_can_be_filtered(summary: RunSummary) -> None:
    elements = Elements(page([summary]))

    assert elements.names.count("details") == 10
    assert ("data-type", "CM+T") in elements.attributes
    assert ("data-outcome", "success") in elements.attributes
    assert elements.names.count("select") == 2


def test_the_goal_is_told_in_words(summary: RunSummary) -> None:
    goal = summary.examples[0][0].goal
    assert goal is not None
    assert goal.description[0].split("(")[0] in page([summary])


def hostile(dialogue: Dialogue) -> Dialogue:
    """The same dialogue with hostile texts wherever texts of others can stand."""

    def turn(each: Turn) -> Turn:
        acts = (Act(INFORM, "hotel", HOSTILE, HOSTILE), Act(HOSTILE, "hotel", "name", HOSTILE))
        state = each.user_state and tuple(
            replace(t, value=HOSTILE, expressed=not t.expressed) for t in each.user_state
        )
        return replace(each, text=HOSTILE, acts=acts, user_state=state)

    goal = dialogue.goal
    assert goal is not None
    told = Goal(goal.tuples, goal.type, (HOSTILE,))
    return replace(dialogue, id=HOSTILE, goal=told, turns=tuple(map(turn, dialogue.turns)))


def test_hostile_text_stays_text(summary: RunSummary) -> None:
    examples = tuple((hostile(dialogue), outcome) for dialogue, outcome in summary.examples)
    text = page([replace(summary, examples=examples)])
    elements = Elements(text)

    assert elements.names.count("script") == 1
    assert "img" not in elements.names
    assert "onerror" not in {name for name, _ in elements.attributes}
    assert "\u202e" not in text and "\x07" not in text
    assert "&lt;script&gt;" in text


def test_right_to_left_where_the_language_is(tmp_path: Path) -> None:
    attributes = Elements(page([summary_of(tmp_path / "run", "ar")])).attributes

    assert ("dir", "rtl") in attributes
    assert ("lang", "ar") in attributes


def test_at_most_so_many_dialogues_failures_first(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    setup = Setup(policy="rule", dst="rule")  # not made for each other: most dialogues fail
    simulate(Plan(1, per_type=4), setup, SessionRules(1), folder)
    every = summarise(folder, examples=100).examples
    failures = sum(not outcome.success for _, outcome in every)
    assert 0 < failures < 20
    few = summarise(folder, examples=failures + 1)

    assert sum(not outcome.success for _, outcome in few.examples) == failures
    assert len(few.examples) == failures + 1
    assert f"{failures + 1} of 20 dialogues" in page([few])


def test_published_figures_stand_beside_runs_in_beijing(data_folder: Path, tmp_path: Path) -> None:
    setup = Setup("crosswoz", data=data_folder, policy="rule")
    simulate(Plan(1, per_type=2), setup, SessionRules(1), tmp_path / "run")
    told = markdown([summarise(tmp_path / "run", data=data_folder)])

    assert "| paper | 76.5 | 49.4 | 33.7 | 17.2 | 15.7 | 34.6 |" in told


def test_no_published_figures_about_an_invented_city(summary: RunSummary) -> None:
    assert "| paper |" not in markdown([summary])
    assert "| ceiling | 100.0" in markdown([summary])
