"""A whole dialogue over real sockets, and what happens when something goes wrong on the way."""

import contextlib
import json
import socket
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from tests.web.running import PATIENCE, Page, Running, paired
from websockets.exceptions import ConnectionClosed

from crosstalk.collection.export import dialogue_of
from crosstalk.web.collect.site import Site, SiteRules


def test_two_people_play_a_dialogue(server: Running) -> None:
    _, _, user, wizard = paired(server)
    assert user.view["your_turn"] and not wizard.view["your_turn"]
    assert user.view["goal"]["description"] and "cells" not in wizard.view

    refused = user.do("say", text="Hello, something to see, please.", ticks=[0])
    assert refused["code"] == "hints", "the value that is ticked is not in the text"
    user.must("say", text="Hello, something to see, please.", ticks=[0], sure=True)
    wizard.until(lambda: wizard.view["your_turn"])
    assert wizard.events[-1]["text"] == "Hello, something to see, please."

    found = wizard.must("query", domain="hotel", slots={"price": {"low": 100, "high": 300}})
    assert found["result"]["count"] > 0
    name = found["result"]["rows"][0]["name"]
    wizard.must("select", domain="hotel", names=[name])
    refused = wizard.do("say", text=f"How about {name}?")
    assert {hint["code"] for hint in refused["hints"]} == {"searched_not_said", "wish_not_searched"}
    wizard.must("say", text=f"How about {name}?", sure=True)
    user.until(lambda: user.view["your_turn"])
    assert name in user.events[-1]["text"]

    for cell in user.view["missing"]:
        several = user.view["cells"][cell]["several"]
        number = user.view["cells"][cell]["kind"] in ("number", "rating")
        value: Any = [name] if several else "5" if number else "none"
        user.must("fill", cell=cell, value=value, sure=True)
    user.must("say", text="Thanks, that is all.", done=True, sure=True)
    wizard.until(lambda: wizard.view["your_turn"])
    wizard.must("say", text="You are welcome.")
    user.until(lambda: user.view["status"] == "finished")
    assert user.room is not None
    log = server.site.log(user.room)
    assert log and [turn.text for turn in dialogue_of(1, log.room).turns][-1] == "You are welcome."
    assert wizard.do("say", text="Hello?")["code"] == "over"


def test_a_message_sent_twice_counts_once(server: Running) -> None:
    _, _, user, _ = paired(server)
    id = uuid.uuid4().hex
    first = user.must("say", id=id, text="Hello", ticks=[], sure=True)
    again = user.must("say", id=id, text="Hello", ticks=[], sure=True)
    assert first["seq"] == again["seq"]
    assert [event["kind"] for event in user.events].count("turn") == 1


def test_coming_back_brings_the_gap(server: Running) -> None:
    ursula, _, user, wizard = paired(server)
    user.must("say", text="Hello", sure=True)
    user.until(lambda: user.seq >= 2)
    seen = user.seq
    user.close()
    wizard.until(lambda: wizard.view["partner"]["state"] == "away")
    wizard.must("say", text="Hello yourself", sure=True)
    again = ursula.sit_down(user.room, seen)
    texts = [event["text"] for event in again.events if event["kind"] == "turn"]
    assert texts == ["Hello yourself"] and min(event["seq"] for event in again.events) > seen
    wizard.until(lambda: wizard.view["partner"]["state"] == "present")


def test_the_newest_window_counts(server: Running) -> None:
    ursula, _, user, _ = paired(server)
    newer = ursula.sit_down(user.room)
    with pytest.raises(ConnectionClosed) as closed:
        user.hear()
        user.hear()
    assert closed.value.rcvd and closed.value.rcvd.code == 4409
    newer.must("say", text="Hello", sure=True)


def test_typing_is_told_to_the_partner_only(server: Running) -> None:
    _, _, user, wizard = paired(server)
    user.socket.send(json.dumps({"do": "typing", "room": user.room}))
    message = wizard.hear()
    while message["type"] != "presence":
        message = wizard.hear()
    assert message["typing"]


def test_who_is_gone_can_be_replaced_or_waited_for(open_site: Any, tmp_path: Any) -> None:
    site = open_site(str(tmp_path / "site.db"), rules=SiteRules(training=False, grace=0.5))
    with Running(site) as server:
        _, _, user, wizard = paired(server)
        wizard.close()
        user.until(lambda: user.view["choices"])
        assert user.view["partner"]["state"] == "gone"
        assert user.view["choices"] == ["wait", "requeue"], "there are no machines here"
        assert user.do("choose", choice="machine")["code"] == "no_machine"
        user.must("choose", choice="requeue")
        user.until(lambda: user.view["status"] == "closed")
        user.hello(None)
        user.until(lambda: user.lobby.get("you"))
        assert user.lobby["you"]["role"] == "user" and user.lobby["waiting"]["user"] == 1


def test_leaving_frees_and_pays(server: Running) -> None:
    ursula, _, user, wizard = paired(server)
    user.must("say", text="Hello", sure=True)
    user.must("leave", text="sorry")
    wizard.until(lambda: wizard.view["choices"])
    home = ursula.get("/api/home").json()
    assert home["stage"] == "lobby"
    assert home["worker"]["credit"] == {"turns": 1, "dialogues": 1, "waits": 0}


def test_waiting_in_vain_is_paid(open_site: Any, tmp_path: Any) -> None:
    site = open_site(str(tmp_path / "site.db"), rules=SiteRules(training=False, patience=0.2))
    with Running(site) as server:
        browser = server.worker("Ursula")
        page = browser.sit_down()
        assert page.do("way_out")["code"] == "not_waiting"
        page.must("wait", role="user")
        page.until(lambda: page.lobby["you"])
        while page.do("way_out").get("code") == "too_early":
            time.sleep(0.05)
        assert browser.get("/api/me").json()["worker"]["credit"]["waits"] == 1


def test_the_last_goal_is_gone(open_site: Callable[..., Site], tmp_path: Any) -> None:
    site = open_site(str(tmp_path / "site.db"), count=1)
    with Running(site) as server:
        paired(server)
        late = server.worker("Late").sit_down()
        assert not late.lobby["goals_left"]
        assert late.do("wait", role="user")["code"] == "no_goals"


def test_exercises_come_first(open_site: Callable[..., Site], tmp_path: Any) -> None:
    site = open_site(str(tmp_path / "site.db"), rules=SiteRules())
    with Running(site) as server:
        browser = server.worker("Novice")
        assert browser.get("/api/home").json()["stage"] == "training"
        assert browser.sit_down().do("wait", role="user")["code"] == "not_ready"
        items = browser.get("/api/training").json()["items"]
        wrong = browser.post(f"/api/training/{items[0]['item']}", {"answer": []}).json()
        assert not wrong["right"] and not wrong["passed"]
        for item in items:
            expected = browser.post(f"/api/training/{item['item']}", {"answer": ""}).json()
            answer = {"answer": expected["expected"]}
            assert browser.post(f"/api/training/{item['item']}", answer).json()["right"]
        assert browser.get("/api/home").json()["stage"] == "lobby"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        '{"do": "say"}',
        '{"do": "fly", "id": "12345678"}',
        '{"do": "say", "id": "12345678", "room": 1, "text": "x", "extra": 1}',
        '{"do": "say", "id": "12345678", "room": "one", "text": "x"}',
        '{"do": "say", "id": "short", "room": 1, "text": "x"}',
        "[" * 10_000,
        '{"do": "say", "id": "12345678", "room": 1, "text": "\\ud800"}',
        '{"do": "say", "id": "12345678", "room": 99999999999999999999, "text": "x"}',
    ],
)
def test_nonsense_is_refused_in_words(server: Running, text: str) -> None:
    page = server.worker("Mallory").sit_down()
    page.socket.send(text)
    while (message := page.hear())["type"] != "refused":
        pass
    assert message["code"] == "bad_message" and message["message"]
    page.must("wait", role="user")


def test_a_frame_that_is_too_large_ends_the_socket(server: Running) -> None:
    page = server.worker("Mallory").sit_down()
    page.socket.send(json.dumps({"do": "hello", "room": None, "x": "y" * 70_000}))
    with pytest.raises(ConnectionClosed) as closed:
        while True:
            page.hear()
    assert closed.value.rcvd and closed.value.rcvd.code == 1009


def test_too_many_messages_end_the_socket(server: Running) -> None:
    page = server.worker("Mallory").sit_down()
    with pytest.raises(ConnectionClosed) as closed:
        for _ in range(400):
            page.socket.send(json.dumps({"do": "typing", "room": 1}))
        while True:
            page.hear()
    told = closed.value.rcvd
    assert told is None or told.code == 4429, "unread messages may cut off the last word"


def test_rooms_of_others_stay_closed(server: Running) -> None:
    _, _, user, _ = paired(server)
    stranger = server.worker("Eve").sit_down()
    stranger.room = user.room
    for do, fields in (
        ("say", {"text": "Hello"}),
        ("leave", {"text": ""}),
        ("peek", {"domain": "hotel", "slots": {}}),
        ("report", {"text": "hm"}),
    ):
        assert stranger.do(do, **fields)["code"] == "not_yours"


def test_no_session_no_talk(server: Running) -> None:
    socket = server.browser().socket()
    with pytest.raises(ConnectionClosed) as closed:
        socket.recv(timeout=10)
    assert closed.value.rcvd and closed.value.rcvd.code == 4401


def test_requests_do_what_sockets_do(server: Running) -> None:
    ursula, wim, user, _ = paired(server)
    path = f"/api/rooms/{user.room}/messages"
    say = {"do": "say", "id": uuid.uuid4().hex, "room": user.room, "text": "Hi", "sure": True}
    ack = ursula.post(path, say).json()
    assert ack["type"] == "ack"
    assert ursula.post(path, say).json() == ack
    query = {"do": "query", "id": uuid.uuid4().hex, "room": user.room, "domain": "hotel"}
    assert wim.post(path, {**query, "slots": {}}).json()["result"]["count"] > 0
    assert wim.post(path, {**query, "slots": {"price": 5}}).status_code == 422
    update = wim.get(f"/api/rooms/{user.room}", after=1).json()
    assert update["view"]["role"] == "wizard" and update["events"]
    name = "Campus Hostel"
    card = wim.get(f"/api/rooms/{user.room}/entity", domain="hotel", name=name).json()
    assert card["name"] == name and card["nearby"]
    assert (
        ursula.get(f"/api/rooms/{user.room}/entity", domain="hotel", name=name).status_code == 403
    )


def test_a_site_without_parts_has_no_machines(server: Running) -> None:
    page = server.worker("Lonely").sit_down()
    assert page.lobby["machines"] == []
    assert page.do("machine", role="user")["code"] == "no_machine"


def handshake(server: Running) -> bytes:
    lines = (
        "GET /ws HTTP/1.1", f"Host: 127.0.0.1:{server.port}", f"Origin: {server.url}",
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", "",
    )  # fmt: skip
    return "\r\n".join(lines).encode()


def test_nonsense_before_the_handshake_is_answered(
    server: Running, caplog: pytest.LogCaptureFixture
) -> None:
    """The connection ends, and the log has nothing."""
    for number in range(8):
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            line.sendall(handshake(server))
            time.sleep(number % 4 / 2000)  # before, or after, the answer
            with contextlib.suppress(ConnectionError):
                line.sendall(b"\x81\xff" + b"\xff" * 12)
                while line.recv(65536):
                    pass
    assert not [each for each in caplog.records if each.exc_info]


def test_clients_that_are_gone_before_they_are_let_in(
    server: Running, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(30):
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as line:
            line.sendall(handshake(server))
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    assert server.browser().get("/livez").status_code == 200
    time.sleep(0.5)
    assert not [each for each in caplog.records if each.exc_info]


def test_a_reviewer_is_told_what_changes_and_takes_no_part(server: Running) -> None:
    _, _, user, wizard = paired(server)
    admin = server.admin()
    follows, elsewhere = admin.socket(), admin.socket()
    follows.send(json.dumps({"do": "hello", "room": user.room, "watch": True}))
    elsewhere.send(json.dumps({"do": "hello", "room": 99, "watch": True}))
    for line in (follows, elsewhere):
        assert json.loads(line.recv(timeout=PATIENCE)) == {"type": "watching"}
    user.must("say", text="Hello", sure=True)
    assert json.loads(follows.recv(timeout=PATIENCE)) == {"type": "changed"}
    follows.send(json.dumps({"do": "say", "id": "x" * 8, "room": user.room, "text": "I am both"}))
    assert json.loads(follows.recv(timeout=PATIENCE)) == {"type": "watching"}
    wizard.must("say", text="Good morning", sure=True)
    assert [each["text"] for each in wizard.events if each["kind"] == "turn"] == [
        "Hello",
        "Good morning",
    ]
    elsewhere.send(json.dumps({"do": "hello", "room": 99, "watch": True}))
    assert json.loads(elsewhere.recv(timeout=PATIENCE)) == {"type": "watching"}  # nothing between


def test_workers_do_not_follow_others(server: Running) -> None:
    line = server.worker("Ada").socket()
    line.send(json.dumps({"do": "hello", "room": 1, "watch": True}))
    with pytest.raises(ConnectionClosed) as closed:
        line.recv(timeout=PATIENCE)
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4403


def test_a_message_of_the_staff_reaches_a_room_and_is_no_part_of_it(server: Running) -> None:
    _, wim, user, wizard = paired(server)
    admin = server.admin()
    admin.post("/api/admin/messages", {"text": "Please come to an end.", "worker": wim.id})
    assert heard(wizard, "notices")["notices"][0]["text"] == "Please come to an end."
    assert wizard.room is not None
    assert "come to an end" not in admin.get(f"/api/admin/rooms/{wizard.room}").text
    user.must("say", text="Hello", sure=True)  # who it was not for is told nothing
    wizard.hello(wizard.room)
    assert heard(wizard, "notices")  # until it is read, at every arrival


def heard(page: Page, kind: str) -> dict[str, Any]:
    """The next message of a kind."""
    while (message := page.hear())["type"] != kind:
        pass
    return message
