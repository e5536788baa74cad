"""Roles and review: the queue, claims, verdicts with reasons, notes to one side, messages."""

import json
import uuid
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert
from tests.web.conftest import OpenSite
from tests.web.playing import finish
from tests.web.running import Browser, Running

from crosstalk.collection.export import EXTRAS, dialogue_of
from crosstalk.labels.findings import Finding
from crosstalk.web.annotate.expert_annotations import Panel, read_panel
from crosstalk.web.collect.corpus_export import store_records
from crosstalk.web.collect.review_queue import CLAIM, Waiting, in_order
from crosstalk.web.store.role_store import Permission, may
from crosstalk.web.store.sql_tables import SETTINGS
from crosstalk.web.store.store import is_shared, migrate, open_writer, sqlite_file, store_url
from crosstalk.web.store.worker_store import add_worker


def with_role(server: Running, role: str) -> Browser:
    person = server.worker(role.title())
    path = f"/api/admin/workers/{person.id}/role"
    assert server.admin().post(path, {"role": role, "given": True}).status_code == 200
    return person


@pytest.fixture
def server(open_site: OpenSite, tmp_path: Path) -> Iterator[Running]:
    """A site of its own for each test: the queue is the site's."""
    with Running(open_site(str(tmp_path / "site.db"))) as running:
        yield running


def finished(server: Running) -> tuple[int, Browser, Browser]:
    """A finished dialogue: its room, its user and its wizard."""
    talker, answerer = server.worker("Ursula"), server.worker("Wim")
    return finish(server.site, talker.id, answerer.id), talker, answerer


def queue(reviewer: Browser) -> str:
    """Where the queue leads."""
    answer = reviewer.http.get("/admin/review")
    return answer.headers.get("location", "") if answer.status_code == 303 else "empty"


def judge(reviewer: Browser, room: int, decision: str, **more: Any) -> int:
    body = {"decision": decision, **more}
    return reviewer.post(f"/api/admin/rooms/{room}/review", body).status_code


def test_a_claimed_dialogue_is_nobody_elses(server: Running) -> None:
    room, *_ = finished(server)
    one, other = with_role(server, "reviewer"), with_role(server, "reviewer")
    assert queue(one) == queue(other) == f"/admin/review/{room}"
    assert one.post(f"/api/admin/rooms/{room}/claim", {}).status_code == 200
    assert queue(other) == "empty"
    refused = other.post(f"/api/admin/rooms/{room}/claim", {})
    assert refused.json()["code"] == "claimed" and judge(other, room, "approved") == 409
    assert judge(one, room, "approved") == 200
    assert queue(one) == "empty"


def test_a_claim_lapses(open_site: OpenSite, tmp_path: Path) -> None:
    now = [1000.0]
    with Running(open_site(str(tmp_path / "later.db"), clock=lambda: now[0])) as server:
        room, *_ = finished(server)
        one, other = with_role(server, "reviewer"), with_role(server, "reviewer")
        one.post(f"/api/admin/rooms/{room}/claim", {})
        now[0] += CLAIM + 1
        assert queue(other) == f"/admin/review/{room}"
        assert other.post(f"/api/admin/rooms/{room}/claim", {}).status_code == 200


def test_a_second_look_is_somebody_elses(server: Running) -> None:
    room, talker, _ = finished(server)
    one, other = with_role(server, "reviewer"), with_role(server, "reviewer")
    assert judge(one, room, "second") == 200
    assert queue(one) == "empty" and queue(other) == f"/admin/review/{room}"
    (line,) = talker.get("/api/home").json()["dialogues"]
    assert line["review"] == "pending"  # workers are told of verdicts only


def test_doubtful_dialogues_come_first(server: Running) -> None:
    finished(server)
    room, talker, _ = finished(server)
    report = {"do": "report", "id": uuid.uuid4().hex, "room": room, "text": "They were rude"}
    assert talker.post(f"/api/rooms/{room}/messages", report).status_code == 200
    assert queue(with_role(server, "reviewer")) == f"/admin/review/{room}"


def test_a_note_to_one_side_and_the_returned_dialogue(server: Running) -> None:
    room, talker, answerer = finished(server)
    reviewer = with_role(server, "reviewer")
    note = {"note": "Please tick every value.", "note_for": "user", "reason": "ticks"}
    assert judge(reviewer, room, "returned", **note) == 200
    (mine,) = talker.get("/api/home").json()["dialogues"]
    (others,) = answerer.get("/api/home").json()["dialogues"]
    assert (mine["note"], mine["reason"]) == ("Please tick every value.", "ticks")
    assert (others["note"], others["reason"]) == ("", "ticks")
    page = talker.http.get(f"/own/{room}")
    assert page.status_code == 200 and "Please tick every value." in page.text
    assert "ticks or values are wrong" in page.text
    assert "Please tick every value." not in answerer.http.get(f"/own/{room}").text
    assert "Please tick every value." not in answerer.get(f"/api/rooms/{room}").text
    assert server.worker("Eve").http.get(f"/own/{room}").status_code == 404


def test_reviewers_see_numbers_not_names(server: Running) -> None:
    room, talker, answerer = finished(server)
    reviewer = with_role(server, "reviewer")
    assert talker.worker and answerer.worker
    names = talker.worker["name"], answerer.worker["name"]
    for path in ("/admin/rooms", f"/admin/rooms/{room}", f"/admin/review/{room}"):
        page = reviewer.http.get(path).text
        assert f"worker={talker.id}" in page and not any(name in page for name in names)
    told = reviewer.get(f"/api/admin/rooms/{room}").text
    assert not any(name in told for name in names)
    assert names[0] in server.admin().http.get(f"/admin/rooms/{room}").text


def test_nobody_judges_their_own_dialogue(server: Running) -> None:
    room, talker, _ = finished(server)
    path = f"/api/admin/workers/{talker.id}/role"
    server.admin().post(path, {"role": "reviewer", "given": True})
    assert queue(talker) == "empty" and judge(talker, room, "approved") == 403


def test_a_role_that_is_taken_away_is_gone(server: Running) -> None:
    payer = with_role(server, "payer")
    assert payer.http.get("/admin/study").status_code == 200
    assert "/admin/rooms" not in payer.http.get("/admin/study").text
    path = f"/api/admin/workers/{payer.id}/role"
    server.admin().post(path, {"role": "payer", "given": False})
    assert payer.http.get("/admin/study").status_code in (303, 403, 404)


def test_messages_to_one_and_to_all(server: Running) -> None:
    mei, eve, reviewer = server.worker("Mei"), server.worker("Eve"), with_role(server, "reviewer")
    for body in ({"text": "To you", "worker": mei.id}, {"text": "To all"}):
        assert reviewer.post("/api/admin/messages", body).status_code == 200
    lobby = mei.http.get("/lobby").text
    assert "To you" in lobby and "To all" in lobby
    assert "To you" not in eve.http.get("/lobby").text
    page = mei.sit_down()
    assert [each["text"] for each in page.lobby["notices"]] == ["To all", "To you"]
    for notice in page.lobby["notices"]:
        assert mei.post(f"/api/messages/{notice['id']}/read", {}).status_code == 200
        code = eve.post(f"/api/messages/{notice['id']}/read", {}).status_code
        assert code == (404 if notice["text"] == "To you" else 200)
    assert "To you" not in mei.http.get("/work").text
    assert "To all" not in server.worker("Newcomer").http.get("/lobby").text
    missing = reviewer.post("/api/admin/messages", {"text": "Hello", "worker": 99_999})
    assert missing.status_code == 404


def test_waiting_people_get_messages_at_once(server: Running) -> None:
    mei = server.worker("Mei")
    page = mei.sit_down()
    server.admin().post("/api/admin/messages", {"text": "We start at ten", "worker": mei.id})
    page.until(lambda: [each["text"] for each in page.lobby["notices"]] == ["We start at ten"])


def test_experts_of_earlier_stores_stay_experts(address: str) -> None:
    url = store_url(address)
    if not is_shared(url):
        sqlite_file(url).touch()
    writer = open_writer(url)
    with writer.begin() as connection:
        migrate(connection, "005")
        worker = add_worker(
            connection, name="Eva", password="", interface="en", now=1.0, admin=False
        )
        panel = json.dumps({"rooms": [1, 2], "experts": [worker.id, 99]})
        connection.execute(insert(SETTINGS).values(key="panel", value=panel))
    with writer.begin() as connection:
        migrate(connection)
        assert read_panel(connection) == Panel((1, 2), (worker.id,))
        assert may(connection, worker) == {Permission.ANNOTATE}
    writer.dispose()


def waits(room: int, **doubts: Any) -> Waiting:
    none = {"findings": 0, "reported": False, "hints": 0, "newcomer": False, "second": False}
    return Waiting(room, **{**none, **doubts})


def test_findings_order_the_queue_and_clean_dialogues_are_drawn() -> None:
    doubtful = [
        waits(9, reported=True),
        waits(8, findings=3),
        waits(2, findings=1, hints=1),
        waits(1, findings=1),
        waits(5, hints=2),
        waits(3, second=True),
    ]
    clean = [waits(room, newcomer=True) for room in range(100, 1100)]
    queue = in_order([*clean, *doubtful])
    assert queue[:6] == doubtful
    drawn = [each for each in queue if each.is_sampled]
    assert 70 < len(drawn) < 130 and queue[6 : 6 + len(drawn)] == drawn
    many = in_order([*clean, *(waits(room, hints=1) for room in range(30))])
    assert [number for number, each in enumerate(many[:33]) if each.is_clean] == [9, 19, 29]


def test_a_dialogue_with_a_wrong_label_comes_first(server: Running) -> None:
    first, *_ = finished(server)
    second, *_ = finished(server)
    reviewer = with_role(server, "reviewer")
    assert queue(reviewer) == f"/admin/review/{first}"
    log = server.site.log(second)
    assert log is not None
    dialogue = dialogue_of(second, log.room)
    finding = Finding("S3", 1, "hotel", "rating", "4 points or more").record()
    faulty = replace(dialogue, extras={EXTRAS: {"findings": [finding]}})
    keep = partial(store_records, room=second, seq=log.room.seq, dialogue=faulty)
    server.site.store.write(keep).result()
    assert queue(reviewer) == f"/admin/review/{second}"
    page = reviewer.http.get(f"/admin/review/{second}").text
    assert "1 label to look at" in page
    turns = page.split('<li class="step ')[1:]
    told = ["a wish is missing from the first search" in turn for turn in turns]
    assert told == [number == 1 for number in range(len(turns))]
    assert "4 points or more" in turns[1]
