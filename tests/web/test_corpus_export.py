"""What was collected, in every format, by command and by one click."""

import csv
import io
import json
from pathlib import Path

import pytest
from tests.web.playing import Pair, played
from tests.web.running import Running

from crosstalk.collection.export import safe
from crosstalk.collection.world_context import WorldContext
from crosstalk.corpora.corpus import read_corpus
from crosstalk.corpora.corpus_check import check
from crosstalk.labels.checker import LabelChecker
from crosstalk.web.collect import corpus_export
from crosstalk.web.collect.corpus_export import (
    KINDS,
    annotation,
    archive,
    collected,
    exported,
    unarchived,
)
from crosstalk.web.collect.live_statistics import LiveStatistics
from crosstalk.web.collect.site import Site
from crosstalk.web.collect.startup import build_parts
from crosstalk.worlds.world import load_world

FORMULA = '=HYPERLINK("http://evil.example","x")'


@pytest.fixture
def collecting(server: Running) -> Site:
    if not list(collected(server.site.store)):
        played(server.site, FORMULA)
        played(server.site, "Привет 你好 مرحبا")
        Pair(server.site)
    return server.site


@pytest.mark.parametrize("to", ["crosswoz", "native"])
def test_our_readers_read_it_back(collecting: Site, to: str, tmp_path: Path) -> None:
    dialogues = list(collected(collecting.store))
    file = tmp_path / ("out.json" if to == "crosswoz" else "out.jsonl")
    file.write_text("".join(exported(collecting.store, to)), encoding="utf-8")
    assert list(read_corpus(file)) == dialogues
    assert len(dialogues) == 2 and dialogues[0].workers and dialogues[0].goal


def test_the_shape_is_that_of_crosswoz(collecting: Site) -> None:
    raw = json.loads("".join(exported(collecting.store, "crosswoz")))
    dialogue = next(iter(raw.values()))
    assert list(dialogue)[:6] == [
        "sys-usr",
        "goal",
        "messages",
        "final_goal",
        "task description",
        "type",
    ]
    user, system = dialogue["messages"][:2]
    assert list(user) == ["content", "role", "dialog_act", "user_state"]
    assert list(system)[:5] == ["content", "role", "dialog_act", "sys_state", "sys_state_init"]
    assert dialogue["final_goal"] == dialogue["messages"][-2]["user_state"]


@pytest.mark.parametrize("to", KINDS)
def test_what_was_kept_is_what_would_be_made_now(collecting: Site, to: str) -> None:
    annotate = annotation("harbour", "en")
    made = "".join(exported(collecting.store, to, annotate))
    for room in collecting.store.read(unarchived):
        log = collecting.log(room)
        assert log
        archive(collecting.store, log, annotate)
    assert collecting.store.read(unarchived) == []
    assert "".join(exported(collecting.store, to, annotate)) == made


def test_acts_are_derived_from_states(collecting: Site) -> None:
    dialogues = list(collected(collecting.store, annotation("harbour", "en")))
    assert all(any(turn.acts for turn in dialogue.turns) for dialogue in dialogues)
    assert list(check(dialogues, schema_of=lambda _: collecting.context.world.schema)) == []


def test_spreadsheets_are_not_programmed(collecting: Site) -> None:
    text = "".join(exported(collecting.store, "csv"))
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
    assert len(rows) == 1 + 8
    assert rows[1][4] == "'" + FORMULA
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]
    for risky in ("=1", "+1", "-1", "@x", "\t=1", "\r=1", "\0", "＝1"):
        assert safe(risky) == "'" + risky
    assert safe("a=1") == "a=1"


@pytest.mark.parametrize("to", KINDS)
def test_one_click(server: Running, collecting: Site, to: str) -> None:
    answer = server.admin().get("/api/admin/export", to=to)
    assert answer.status_code == 200 and answer.content
    assert "attachment" in answer.headers["content-disposition"]
    assert answer.text == "".join(exported(collecting.store, to))


def test_administrators_see_everything(server: Running, collecting: Site) -> None:
    admin = server.admin()
    seen = admin.get("/api/admin/overview").json()
    assert (seen["finished"], seen["open"], seen["unreviewed"]) == (2, 1, 2)
    rooms = admin.get("/api/admin/rooms", status="finished", limit=1).json()
    assert len(rooms["rooms"]) == 1 and rooms["next"]
    room = rooms["rooms"][0]["room"]
    replay = admin.get(f"/api/admin/rooms/{room}").json()
    assert replay["events"][0]["kind"] == "opened" and replay["views"]["user"]["cells"]
    workers = admin.get("/api/admin/workers").json()["workers"]
    worker = rooms["rooms"][0]["user"]["worker"]
    line = next(each for each in workers if each["id"] == worker)
    assert line["credit"]["turns"] == 2 and line["hints"] > 0
    own = admin.get("/api/admin/rooms", worker=worker).json()["rooms"]
    assert [each["room"] for each in own] == [room]
    decision = {"decision": "approved", "note": "good"}
    assert admin.post(f"/api/admin/rooms/{room}/review", decision).status_code == 200
    approved = admin.get("/api/admin/rooms", review="approved").json()["rooms"]
    assert [each["room"] for each in approved] == [room] and approved[0]["note"] == "good"
    exported = admin.get("/api/admin/export", to="native", review="approved").text
    assert len(exported.splitlines()) == 1


def test_goals_can_be_added(server: Running) -> None:
    admin = server.admin()
    before = admin.get("/api/admin/overview").json()["goals"]["pool"]
    assert admin.post("/api/admin/goals", {"count": 3, "seed": 9}).json() == {"added": 3}
    assert admin.post("/api/admin/goals", {"count": 3, "seed": 9}).json() == {"added": 0}
    assert admin.get("/api/admin/overview").json()["goals"]["pool"] == before + 3
    broken = admin.post("/api/admin/goals", {"lines": '{"id": 1}'})
    assert broken.status_code == 422 and broken.json()["code"] == "bad_input"
    page = admin.get("/api/admin/goals", limit=2).json()
    assert len(page["goals"]) == 2 and page["goals"][0]["description"]


def test_statistics_count_once(collecting: Site) -> None:
    counting = LiveStatistics(collecting.store, None)
    for _ in range(100):
        told = counting.told()
        if not told["counting"]:
            break
    assert told["summary"]["dialogues"] == 2
    assert told["tables"][0]["title"].startswith("Size (Table 6")
    played(collecting, "One more")
    while (told := counting.told())["counting"]:
        pass
    assert told["summary"]["dialogues"] == 3
    assert counting.figure().startswith(b"<?xml")


def test_a_site_loads_its_world_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The export's acts and findings come from the tables and the checker of the rooms."""
    context = WorldContext(load_world("harbour"))
    checker = context.checker
    monkeypatch.setattr(corpus_export, "load_world", None)
    monkeypatch.setattr(LabelChecker, "of", None)
    parts, missing = build_parts("harbour", context.world, machines=False, checker=checker)
    assert parts.annotate and not missing
