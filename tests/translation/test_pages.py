"""The website of stages 2 and 3: who may do what, what is kept, what is harmless."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.translation.conftest import SEGMENTS
from tests.translation.serving import serving
from tests.translation.test_control import sample

from crosstalk.translation.appendix_files import read_judgements, read_segments, write_segments
from crosstalk.translation.control import ControlQueue
from crosstalk.translation.post_editing import EditingQueue
from crosstalk.web.interface_words import languages, words

VALUES = [list(pair) for pair in SEGMENTS[0].machine_values]


def opened(path: Path) -> EditingQueue:
    return EditingQueue(path, languages=("en", "de"), editors=["Ana", "Ben"])


def body(text: str = "Ein Hotel im Norden.", **more: Any) -> dict[str, Any]:
    return {"dialogue": 0, "turn": 0, "text": text, "values": VALUES, "revision": 0, **more}


def test_an_editor_edits_and_the_coordinator_sees_it(work: Path) -> None:
    with serving(opened(work)) as site:
        ana, ben, coordinator = site.person("Ana"), site.person("Ben"), site.coordinator()
        assert "MUL1" in ana.page("/") and "MUL1" not in ben.page("/")
        assert "A hotel in the north" in ana.page("/dialogue/0")

        live = ana.post("/api/check", {k: v for k, v in body("Nichts.").items() if k != "revision"})
        found = {each["slot"]: each["found"] for each in live.json()["alignments"]}
        assert found == {"hotel-area": "missing", "hotel-stay": "missing", "hotel-day": "missing"}
        assert {each["code"] for each in live.json()["findings"]} == {"figures", "missing"}

        asked = ana.post("/api/save", body(seconds=36.0))  # the nights and the day are gone
        assert asked.json()["code"] == "doubtful" and "Freitag" in asked.json()["message"]
        saved = ana.post("/api/save", body(seconds=36.0, sure=True))
        assert saved.json()["revision"] == 1 and saved.json()["changed"]["utterance"]
        assert not saved.json()["changed"]["values"]
        assert ana.post("/api/save", body("older")).status_code == 409
        assert ben.post("/api/save", body("not mine", revision=1)).status_code == 403

        assert "Warnings</dt><dd>1</dd>" in coordinator.page("/")
        assert "1 of 3" in coordinator.page("/") and "0.16" in coordinator.page("/")
        everything = json.loads(coordinator.http.get("/download").text)
        assert everything[0]["fixTransUtterance"] == "Ein Hotel im Norden."
        assert len(everything) == 3
    assert read_segments(work)[0].edited == "Ein Hotel im Norden."


def test_forms_are_for_everybody_and_unifying_for_the_coordinator(work: Path) -> None:
    with serving(opened(work)) as site:
        ana, coordinator = site.person("Ana"), site.coordinator()
        ana.post("/api/save", body(sure=True))
        form = {"slot": "hotel-day", "source": "friday", "form": "Freitags"}
        assert ana.post("/api/term", form).json() == {"form": "Freitags"}
        assert "Freitags" in ana.page("/glossary")
        assert ana.post("/api/unify", form).status_code == 403
        assert "hotel-day" in coordinator.page("/consistency")
        assert coordinator.post("/api/unify", form).json() == {"changed": 1}
        assert coordinator.post("/api/unify", {**form, "form": " "}).status_code == 422
        assert "hotel-day" not in coordinator.page("/consistency")


def test_strangers_and_forged_requests_stay_outside(work: Path) -> None:
    with serving(opened(work)) as site:
        stranger, ana = site.person(None), site.person("Ana")
        assert stranger.http.get("/", headers={"Accept": "text/html"}).status_code == 401
        for path in ("/dialogue/0", "/download", "/glossary", "/consistency"):
            assert stranger.http.get(path).status_code == 401
        assert stranger.http.post("/api/save", json=body()).status_code == 401
        assert stranger.http.post("/api/enter", json={"token": "guess"}).status_code == 403
        assert stranger.http.get("/enter/guess").status_code == 403
        assert ana.http.post("/api/save", json=body()).json()["code"] == "csrf"
        other = ana.post("/api/save", body(), Origin="http://evil.example")
        assert (other.status_code, other.json()["code"]) == (403, "origin")
        assert ana.http.get("/", headers={"Host": "evil.example"}).status_code == 400
        assert ana.http.get("/consistency").status_code == 403
        assert ana.http.get("/download").status_code == 403
        assert "Content-Security-Policy" in ana.http.get("/").headers
        cookie = stranger.http.post("/api/enter", json={"token": site.links["Ben"]})
        said = cookie.headers["set-cookie"].lower()
        assert "httponly" in said and "samesite=lax" in said
        assert ana.post("/api/logout", {}).status_code == 200
        assert ana.http.get("/").status_code == 401
    assert not any(segment.finished for segment in read_segments(work))


@pytest.mark.parametrize(
    "wrong",
    [
        {"dialogue": 99},
        {"turn": 99},
        {"turn": -1},
        {"values": []},
        {"values": [["hotel-area"]]},
        {"text": ""},
        {"text": "\x00"},
        {"text": "x" * 9001},
        {"revision": "first"},
        {"surprise": 1},
    ],
)
def test_unreadable_requests_change_nothing(work: Path, wrong: dict[str, Any]) -> None:
    with serving(opened(work)) as site:
        answer = site.person("Ana").post("/api/save", {**body(), **wrong})
        assert answer.status_code in (404, 422) and answer.json()["message"]
    assert not any(segment.finished for segment in read_segments(work))


HOSTILE = "</script><script>window.hit=1</script><img src=x onerror=alert(1)>\"'{{7*7}}"


def test_hostile_text_is_text(tmp_path: Path) -> None:
    path = tmp_path / f"{'x' * 10}.json"
    values = ((f"a-{HOSTILE}", HOSTILE),)
    segment = replace(
        SEGMENTS[0],
        dialogue=HOSTILE,
        utterance=HOSTILE,
        values=values,
        services=(HOSTILE,),
        machine=HOSTILE,
        machine_values=values,
        extras={"speaker": HOSTILE, "provenance": {"untranslated": [HOSTILE]}},
    )
    write_segments([segment], path)
    queue = EditingQueue(path, languages=("en", "de"), editors=["Ana"])
    with serving(queue) as site:
        ana, coordinator = site.person("Ana"), site.coordinator()
        saved = ana.post(
            "/api/save", body(HOSTILE, values=[list(pair) for pair in values], sure=True)
        )
        assert saved.status_code == 200
        ana.post("/api/term", {"slot": HOSTILE, "source": HOSTILE, "form": HOSTILE})
        for person, where in (
            (ana, "/"),
            (ana, "/dialogue/0"),
            (ana, "/glossary"),
            (coordinator, "/"),
        ):
            page = person.page(where)
            assert "<script>window" not in page and "<img src=x" not in page and "{{7*7}}" in page
    assert read_segments(path)[0].edited == HOSTILE


def test_annotators_are_blind_to_each_other(tmp_path: Path) -> None:
    folder = sample(tmp_path / "control")
    with serving(ControlQueue(folder)) as site:
        cleo, dan, coordinator = site.person("cleo"), site.person("dan"), site.coordinator()
        answer = {"dialogue": 0, "turn": 3, "acceptable": False, "values_match": True}
        assert cleo.post("/api/answer", {**answer, "note": "seen by me"}).json()["finished"]
        assert cleo.post("/api/answer", {**answer, "values_match": None}).status_code == 422
        assert coordinator.post("/api/answer", answer).status_code == 403
        assert "seen by me" in cleo.page("/dialogue/0")
        assert "seen by me" not in dan.page("/dialogue/0")
        assert "1 of 4" in coordinator.page("/")
        assert json.loads(cleo.http.get("/download").text)[0]["NOTE"] == "seen by me"
    assert read_judgements(folder / "cleo.json")[0].acceptable is False
    assert read_judgements(folder / "dan.json")[0].acceptable is None


def test_every_language_of_the_pages_says_everything(work: Path) -> None:
    said = [words(code).sections for code in languages()]
    for section in ("translate", "problems", "common"):
        assert len({frozenset(each[section]) for each in said}) == 1
    with serving(opened(work)) as site:
        ana = site.person("Ana")
        ana.http.cookies.set("crosstalk_language", "zh")
        assert "我的对话" in ana.page("/")


def test_a_person_without_a_link_learns_what_to_do(work: Path) -> None:
    with serving(opened(work)) as site:
        page = site.person(None).http.get("/", headers={"Accept": "text/html"})
        assert "link of their own" in page.text
        known = site.person("Ana").http.get("/nowhere", headers={"Accept": "text/html"})
        assert known.status_code == 404 and "There is nothing here" in known.text


def test_sessions_end_on_the_server(work: Path) -> None:
    with serving(opened(work)) as site:
        ana = site.person("Ana")
        session = dict(ana.http.cookies)
        assert ana.post("/api/logout", {}).status_code == 200
        ana.http.cookies.update(session)  # a copy of the cookie is worth nothing
        assert ana.http.get("/").status_code == 401
        assert site.person("Ana").http.get("/").status_code == 200, "the link stays good"


def test_links_and_sessions_outlive_a_restart_unless_they_are_renewed(work: Path) -> None:
    with serving(opened(work)) as site:
        links, session = site.links, site.person("Ana").http.cookies.jar
    ours = {cookie.name.rsplit("_", 1)[0]: cookie.value for cookie in session}

    def status(queue: EditingQueue, **options: bool) -> tuple[bool, int]:
        with serving(queue, **options) as site:
            person = site.person(None)
            port = site.url.rsplit(":", 1)[1]
            person.http.cookies.set(f"crosstalk_{port}", ours["crosstalk"] or "")
            return site.links == links, person.http.get("/").status_code

    assert status(opened(work)) == (True, 200)
    assert status(opened(work), new_links=True) == (False, 401)


def test_whoever_is_withdrawn_is_logged_out(work: Path) -> None:
    with serving(opened(work)) as site:
        (session,) = (c for c in site.person("Ben").http.cookies.jar if "visit" not in c.name)
    queue = EditingQueue(work, languages=("en", "de"), without=["Ben"])
    with serving(queue) as site:
        port = site.url.rsplit(":", 1)[1]
        person = site.person(None)
        person.http.cookies.set(f"crosstalk_{port}", session.value or "")
        assert person.http.get("/").status_code == 401
