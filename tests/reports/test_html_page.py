"""The page: everything on it is text unless we wrote it, and nothing comes from elsewhere."""

import json
import re
from base64 import b64decode
from gzip import decompress
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from crosstalk.reports import html_page
from crosstalk.reports.html_page import WrittenPage, write_page
from crosstalk.reports.run_summary import summarise
from crosstalk.reports.run_tables import markdown
from crosstalk.simulation.build import Setup
from crosstalk.simulation.runner import simulate
from crosstalk.simulation.sessions import Plan, SessionRules

HOSTILE = "\"><script>alert(1)</script><img src=x onerror=alert(2)>'\u202e\x07 & </style>"


def run_in(folder: Path, language: str = "en") -> Path:
    setup = Setup("harbour", language, policy="rule")
    simulate(Plan(1, per_type=2), setup, SessionRules(1), folder)
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_in(tmp_path_factory.mktemp("runs") / "run")


@pytest.fixture(scope="module")
def page(run: Path) -> str:
    return write_page([run], run.parent / "page.html").path.read_text(encoding="utf-8")


def block(text: str, name: str) -> Any:
    """A compressed block of a page, or of a data file."""
    found = re.search(rf'{name}(?:">|",")([\w+/=]+)', text)
    assert found
    return json.loads(decompress(b64decode(found[1])))


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
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_stands_alone(page: str) -> None:
    elements = Elements(page)

    assert not elements.open
    assert not {"src", "onerror", "onclick", "style"} & {name for name, _ in elements.attributes}
    assert {value for name, value in elements.attributes if name == "href"} == {"#dialogues"}
    assert not re.search(r"https?://|url\(|@import", page)
    assert elements.names.count("script") - page.count('<script type="') == 1
    assert sum(value == "figure" for name, value in elements.attributes if name == "class") == 3
    assert "default-src 'none'" in page
    assert "unsafe" not in page


def test_the_page_lists_dialogues_that_can_be_filtered(page: str) -> None:
    rows = block(page, "data-rows")

    assert len(rows) == 10
    assert {row[4] for row in rows} == {"S", "M", "M+T", "CM", "CM+T"}
    assert {row[5] for row in rows} <= {"success", "failure"}
    assert ("data-value", "CM+T") in Elements(page).attributes


def test_the_goal_is_told_in_words_and_part_by_part(page: str) -> None:
    told = block(page, "data-block-0")[0]

    assert told["goal"][0].startswith(("You", "Your"))
    assert {part[1] for part in told["parts"]} <= {"met", "false", "open", "given up"}
    assert block(page, "data-raw-0")[0]["goal"]["description"] == told["goal"]


def hostile(folder: Path) -> Path:
    """The run with hostile texts wherever texts of others can stand."""
    path = folder / "dialogues" / "00000.jsonl"
    told = [json.loads(line) for line in path.read_text().splitlines()]
    for dialogue in told:
        dialogue["goal"]["description"] = [HOSTILE]
        for turn in dialogue["turns"]:
            turn["text"] = HOSTILE
            if turn["speaker"] == "system":
                act = {"domain": "hotel", "slot": "name", "value": HOSTILE}
                turn["acts"] = [{"intent": "Inform", **act}, {"intent": HOSTILE, **act}]
    told[0]["id"] = HOSTILE
    path.write_text("".join(json.dumps(dialogue) + "\n" for dialogue in told))
    return folder


def test_trials_of_a_goal_widen_the_interval(tmp_path: Path) -> None:
    simulate(Plan(3, count=2, repeat=4), Setup("harbour", "en"), SessionRules(3), tmp_path / "run")
    found = summarise(tmp_path / "run").rate("overall", "success")
    assert found and found.percent == 100.0
    assert found.low == pytest.approx(34.24, abs=0.01)  # Wilson's of two goals, not of eight trials


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    written = write_page([hostile(run_in(tmp_path / HOSTILE[2:10]))], tmp_path / "page.html")
    text = written.path.read_text(encoding="utf-8")
    elements = Elements(text)

    assert elements.names.count("script") - text.count('<script type="') == 1
    assert "img" not in elements.names
    assert "onerror" not in {name for name, _ in elements.attributes}
    assert "\u202e" not in text and "\x07" not in text
    assert "&lt;script&gt;" in text
    assert block(text, "data-words-0")[0].startswith(HOSTILE), "nothing is lost"


def test_right_to_left_where_the_language_is(tmp_path: Path) -> None:
    written = write_page([run_in(tmp_path / "run", "ar")], tmp_path / "page.html")
    view = re.search(r'id="view">(.*?)</script>', written.path.read_text(encoding="utf-8"))

    assert view
    assert json.loads(view[1])["runs"][0]["dir"] == "rtl"
    assert json.loads(view[1])["runs"][0]["lang"] == "ar"


def test_at_most_so_many_dialogues_failures_first(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    setup = Setup(policy="rule", dst="rule")  # not made for each other: most dialogues fail
    simulate(Plan(1, per_type=4), setup, SessionRules(1), folder)
    every = results(write_page([folder], tmp_path / "all.html"))
    failures = every.count("failure")
    assert 0 < failures < 20
    few = write_page([folder], tmp_path / "few.html", dialogues=failures + 1)

    assert results(few).count("failure") == failures
    assert len(results(few)) == failures + 1 == few.shown
    assert f"{failures + 1} of 20 dialogues" in few.path.read_text()


def test_parts_of_goals_agree_with_the_result(tmp_path: Path) -> None:
    setup = Setup(policy="rule", dst="rule")
    simulate(Plan(2, per_type=4), setup, SessionRules(2), tmp_path / "run")
    text = write_page([tmp_path / "run"], tmp_path / "page.html").path.read_text()
    told = block(text, "data-block-0")

    for row, dialogue in zip(block(text, "data-rows"), told, strict=True):
        fates = {(fate, tuple(note)) for _, fate, _, note in dialogue["parts"]}
        fine = {("met", ()), ("given up", ("nothing in the tables matched",))}
        assert (row[5] == "success") == (fates <= fine), row[1]
        assert (row[5] == "success") == (not dialogue["why"])


def results(page: WrittenPage) -> list[str]:
    return [row[5] for row in block(page.path.read_text(), "data-rows")]


def test_many_dialogues_stand_in_files_beside_the_page(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html_page, "SINGLE", 5)
    page = write_page([run], tmp_path / "site").path
    beside = sorted(path.name for path in (tmp_path / "site" / "index-data").iterdir())

    assert page == tmp_path / "site" / "index.html"
    assert beside == ["block-0.js", "raw-0.js", "words-0.js"]
    words = (tmp_path / "site" / "index-data" / "words-0.js").read_text()
    assert len(block(words, "words-0")) == 10
    assert "data-block-0" not in page.read_text()


def test_two_runs_stand_side_by_side(run: Path, tmp_path: Path) -> None:
    text = write_page([run, run], tmp_path / "page.html").path.read_text()

    assert "Runs side by side" in text
    assert "p = 1.000" in text
    goals = [row[2] for row in block(text, "data-rows")]
    assert goals[:10] == goals[10:]


def test_published_figures_stand_beside_runs_in_beijing(data_folder: Path, tmp_path: Path) -> None:
    setup = Setup("crosswoz", data=data_folder, policy="rule")
    simulate(Plan(1, per_type=2), setup, SessionRules(1), tmp_path / "run")
    told = markdown([summarise(tmp_path / "run", data=data_folder)])

    assert "| paper | 76.5 | 49.4 | 33.7 | 17.2 | 15.7 | 34.6 |" in told


def test_no_published_figures_about_an_invented_city(run: Path) -> None:
    told = markdown([summarise(run)])
    assert "| paper |" not in told
    assert "| ceiling | 100.0" in told
