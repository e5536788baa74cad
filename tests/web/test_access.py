"""Who may ask for what: every route, as a stranger, another worker, a partner, and each role.

The table is the declaration. A route that is missing from it fails the test.
"""

import re
import uuid
from typing import Any, Literal

import pytest
from fastapi import FastAPI, routing
from tests.web.running import Browser, Running, paired
from websockets.exceptions import ConnectionClosed

Access = Literal["all", "worker", "partner", "expert", "reviewer", "payer", "admin"]
"""`partner`: the two people of the room, and administrators. Administrators may what others may."""
ACCESS: dict[str, Access] = {
    "GET /healthz": "all",
    "GET /livez": "all",
    "GET /readyz": "all",
    "GET /metrics": "admin",
    "GET /api/openapi.json": "all",
    "GET /api/me": "all",
    "POST /api/join": "all",
    "POST /api/enter": "all",
    "POST /api/login": "all",
    "POST /api/logout": "worker",
    "POST /api/password": "worker",
    "POST /api/interface": "worker",
    "POST /api/consent": "worker",
    "POST /api/arrive": "all",
    "POST /api/reset": "all",
    "GET /reset/{token}": "all",
    "POST /api/questionnaire": "worker",
    "POST /api/decline": "worker",
    "POST /api/leave-study": "worker",
    "GET /api/my-data": "worker",
    "GET /api/training": "worker",
    "POST /api/training/{item}": "worker",
    "GET /api/home": "worker",
    "GET /api/world": "worker",
    "GET /api/rooms/{room}": "partner",
    "GET /api/rooms/{room}/entity": "partner",
    "GET /api/rooms/{room}/aid": "partner",
    "GET /": "all",
    "GET /login": "all",
    "GET /join/{token}": "all",
    "GET /enter/{token}": "all",
    "GET /consent": "worker",
    "GET /study/{key}": "all",
    "GET /questionnaire": "worker",
    "GET /done": "worker",
    "GET /training": "worker",
    "GET /lobby": "worker",
    "GET /work": "worker",
    "GET /room/{room}": "partner",
    "GET /own/{room}": "partner",
    "POST /api/messages/{message}/read": "worker",
    "GET /expert": "expert",
    "GET /expert/{room}": "expert",
    "POST /api/expert/{room}": "expert",
    "POST /api/expert/{room}/turn/{number}": "expert",
}
STAFF: list[tuple[str, Access]] = [
    (r"GET (/api)?/admin/rooms(/\{room\})?", "reviewer"),
    (r"POST /api/admin/rooms/\{room\}/(review|claim)", "reviewer"),
    (r"GET /admin/review(/\{room\})?", "reviewer"),
    (r"\w+ (/api)?/admin/messages", "reviewer"),
    (r"GET /admin/experts(/\{room\})?", "reviewer"),
    (r"POST /api/admin/experts/\{room\}/settle", "reviewer"),
    (r"\w+ (/api)?/admin/study(/.*)?", "payer"),
    (r"\w+ (/api)?/admin(/.*)?", "admin"),
]
"""The first that fits holds."""
PARTNERS_ONLY = {"POST /api/rooms/{room}/messages"}
"""Not even administrators speak for others."""
NEEDS_STUDY = {"GET /study/{key}"}
"""There is none on this site; `test_studies.py` follows its link."""
LAST_WORDS = {"POST /api/logout", "POST /api/password", "POST /api/admin/rooms/{room}/close"}
"""Tried here by those who may not only; after them nothing else could be tried."""
BODIES: dict[str, dict[str, Any]] = {
    "POST /api/join": {"invitation": "x", "name": "n", "password": "long enough"},
    "POST /api/enter": {"token": "x"},
    "POST /api/login": {"name": "n", "password": "x"},
    "POST /api/password": {"password": "long enough"},
    "POST /api/interface": {"interface": "en"},
    "POST /api/consent": {"agreed": True},
    "POST /api/training/{item}": {"answer": ""},
    "POST /api/questionnaire": {"questionnaire": "x", "moment": "before", "answers": {}},
    "POST /api/admin/rooms/{room}/review": {"decision": "pending"},
    "POST /api/admin/messages": {"text": "Hello"},
    "POST /api/admin/workers/{worker}/role": {"role": "payer", "given": False},
    "POST /api/admin/study/batches/{number}": {"state": "sent"},
    "POST /api/admin/study/bonus": {"worker": 1, "minor": 1, "reason": "good"},
    "POST /api/expert/{room}": {"turns": []},
    "POST /api/expert/{room}/turn/{number}": {"turns": []},
    "POST /api/admin/experts/appoint/{worker}": {"appointed": False},
    "POST /api/admin/experts/{room}/settle": {"left": "collected", "right": "1", "verdicts": []},
    "POST /api/admin/goals": {"count": 1},
    "POST /api/admin/settings": {"name": "grace", "value": "120"},
    "POST /api/admin/invitations": {"label": "x"},
}
DENIED = (401, 403)
iter_routes: Any = getattr(routing, "iter_route_contexts", iter)
"""Older versions of FastAPI list the routes of included routers in `app.routes` itself."""


def routes(app: Any) -> list[str]:
    assert isinstance(app, FastAPI)
    return sorted(
        f"{method} {route.path}"
        for route in iter_routes(app.routes)
        for method in (getattr(route, "methods", None) or set()) - {"HEAD"}
    )


def declared(route: str) -> Access:
    """Of the staff's routes, the pattern that fits; everything else stands in the table."""
    staff = next((access for pattern, access in STAFF if re.fullmatch(pattern, route)), None)
    return staff or ACCESS[route]


def ask(browser: Browser, route: str, room: int, worker: int) -> int:
    method, path = route.split(" ")
    values = {"room": room, "worker": worker, "item": "tick", "token": "x", "invitation": 999}
    path = re.sub(r"\{(\w+)[^}]*\}", lambda found: str(values.get(found[1], 1)), path)
    if method == "GET":
        params = {"domain": "hotel", "name": "Campus Hostel"} if "entity" in path else {}
        return browser.get(path, **params).status_code
    return browser.post(path, BODIES.get(route, {})).status_code


def may(status: int, page: bool) -> bool:
    """Pages send strangers elsewhere instead of refusing."""
    return status not in DENIED and not (page and status in (303, 404))


def test_every_route_is_declared(server: Running) -> None:
    known = routes(server.app.app)
    assert {"GET /api/admin/overview", *PARTNERS_ONLY, *ACCESS} <= set(known)
    for route in known:
        assert route in PARTNERS_ONLY or declared(route)


def test_access_matrix(server: Running) -> None:
    _, partner, user, _ = paired(server)
    assert user.room is not None
    people = {"anonymous": server.browser(), "other": server.worker("Eve"), "partner": partner}
    people["admin"] = server.admin()
    roles = ("expert", "reviewer", "payer")
    for role in roles:
        people[role] = server.worker(role.title())
        path = f"/api/admin/workers/{people[role].id}/role"
        assert people["admin"].post(path, {"role": role, "given": True}).status_code == 200
    allowed = {
        "all": set(people),
        "worker": set(people) - {"anonymous"},
        "partner": {"partner", "admin"},
        "admin": {"admin"},
        **{role: {role, "admin"} for role in roles},
    }
    wrong = list[str]()
    for route in routes(server.app.app):
        if route in PARTNERS_ONLY | NEEDS_STUDY:
            continue
        if route.startswith("POST") and declared(route) == "all":
            continue
        for name, browser in people.items():
            welcome = name in allowed[declared(route)]
            if welcome and route in LAST_WORDS:
                continue
            page = not route.split(" ")[1].startswith("/api")
            status = ask(browser, route, user.room, partner.id)
            led_elsewhere = page and welcome and status == 303  # where they are in the process
            if status >= 500 or (may(status, page) != welcome and not led_elsewhere):
                wrong.append(f"{route} as {name}: {status}")
    assert not wrong, "\n".join(wrong)


def test_nobody_speaks_for_others(server: Running) -> None:
    partner, _, user, _ = paired(server)
    path = f"/api/rooms/{user.room}/messages"
    say = {"do": "say", "id": uuid.uuid4().hex, "room": user.room, "text": "Hi", "sure": True}
    for browser in (server.browser(), server.worker("Eve"), server.admin()):
        assert browser.post(path, say).status_code in DENIED
    assert partner.post(path, say).status_code == 200


def test_rooms_cannot_be_guessed(server: Running) -> None:
    eve = server.worker("Eve")
    there, nowhere = (eve.get(f"/api/rooms/{room}") for room in (1, 999_999))
    assert there.status_code == nowhere.status_code == 403


@pytest.mark.parametrize("path", ["/api/admin/overview", "/api/admin/export", "/api/home"])
def test_the_blocked_are_out(server: Running, path: str) -> None:
    browser, admin = server.worker("Mallory"), server.admin()
    page = browser.sit_down()
    assert admin.post(f"/api/admin/workers/{browser.id}", {"blocked": True}).status_code == 200
    assert browser.get(path).status_code == 403
    with pytest.raises(ConnectionClosed) as closed:
        while True:
            page.hear()
    assert closed.value.rcvd and closed.value.rcvd.code == 4403
