"""A study from its link to the payment file: who may take part, what is asked, what is owed."""

import csv
import io
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.web.playing import finish
from tests.web.running import Browser, Running

from crosstalk.collection.study import Outcome, Study, read_study
from crosstalk.collection.study_scaffold import new_study
from crosstalk.web.clients import UNKNOWN, trusted_proxies
from crosstalk.web.collect.jobs import pass_time
from crosstalk.web.collect.site import Site
from crosstalk.web.collect.startup import remember_study
from crosstalk.web.store.attempts import AttemptLimit, count
from crosstalk.web.store.study_store import places_taken
from crosstalk.web.store.worker_store import add_worker

SATISFIED = {"reached": "yes", "understood": "4", "fitting": "5"}
PARTNER = {"easy": "5", "person": "person"}


@pytest.fixture
def study(tmp_path: Path) -> Study:
    folder = tmp_path / "pilot"
    new_study(folder, platform="prolific", world="harbour", language="en")
    file = folder / "study.toml"
    text = file.read_text("utf-8").replace("after = []", 'after = ["sus"]')
    file.write_text(text.replace("# people = 40", "people = 3"), "utf-8")
    return read_study(folder)


@pytest.fixture
def served(open_site: Callable[..., Site], address: str, study: Study) -> Iterator[Running]:
    site = open_site(address)
    site.study = study
    site.submit(lambda work: remember_study(work, study)).result()
    with Running(site) as running:
        yield running


def ids(number: int, visit: int = 0) -> dict[str, str]:
    return {"participant": f"{number:024x}", "submission": f"{visit or 1000 + number:024x}"}


def arrive(server: Running, number: int, visit: int = 0) -> Browser:
    """Somebody who has followed the study's link."""
    browser = server.browser()
    browser.log_in("/api/arrive", {"study": "pilot", **ids(number, visit)})
    return browser


def taking_part(server: Running, number: int) -> Browser:
    browser = arrive(server, number)
    assert browser.post("/api/consent", {"agreed": True}).status_code == 200
    return browser


def stage(browser: Browser) -> str:
    found: str = browser.get("/api/home").json()["stage"]
    return found


def answer(browser: Browser, name: str, moment: str, answers: Any, room: int = 0) -> Any:
    body = {"questionnaire": name, "moment": moment, "room": room, "answers": answers}
    return browser.post("/api/questionnaire", body)


def talk(server: Running, user: Browser, wizard: Browser) -> int:
    """A short dialogue, with both questionnaires after it."""
    room = finish(server.site, user.id, wizard.id)
    for browser, answers in ((user, SATISFIED), (wizard, {"wrong": "Nothing."})):
        assert stage(browser) == "questionnaire"
        assert answer(browser, "satisfaction", "after_room", answers, room).status_code == 200
        assert answer(browser, "partner", "after_room", PARTNER, room).status_code == 200
    return room


def sus(browser: Browser, study: Study) -> None:
    items = study.questionnaires["sus"].questions
    assert answer(browser, "sus", "after", {each.id: "3" for each in items}).status_code == 200


def test_from_the_link_to_the_code(served: Running, study: Study) -> None:
    user, wizard = taking_part(served, 1), taking_part(served, 2)
    code = study.table.codes[Outcome.COMPLETED]
    assert stage(user) == "lobby"
    assert code not in user.get("/lobby").text
    talk(served, user, wizard)
    assert stage(user) == "questionnaire"
    assert code not in user.get("/done", follow_redirects="true").text
    sus(user, study)
    assert stage(user) == "done"
    page = user.get("/done").text
    assert code in page
    assert f"https://app.prolific.com/submissions/complete?cc={code}" in page
    assert stage(wizard) == "questionnaire"  # the other one goes at their own pace


def test_who_answered_is_not_asked_how_the_answers_fitted(served: Running) -> None:
    user, wizard = taking_part(served, 1), taking_part(served, 2)
    room = finish(served.site, user.id, wizard.id)
    pages = [each.get("/questionnaire").text for each in (user, wizard)]
    assert ["Did you reach your goal?" in page for page in pages] == [True, False]
    assert all("Was anything wrong?" in page for page in pages)
    refused = answer(wizard, "satisfaction", "after_room", SATISFIED, room)
    assert (refused.status_code, refused.json()["code"]) == (422, "bad_answer")


def test_a_link_that_is_not_whole_says_so_in_the_language_of_the_page(served: Running) -> None:
    page = served.browser().get("/study/pilot", PROLIFIC_PID="x").text
    assert "Researchers: the study&#39;s link ends with PROLIFIC_PID={{%PROLIFIC_PID%}}" in page
    german = served.browser()
    german.http.headers["Accept-Language"] = "de"
    assert "Für Forschende" in german.get("/study/pilot").text


def test_nobody_who_is_not_ready_waits_in_the_lobby(served: Running) -> None:
    user, wizard = taking_part(served, 1), taking_part(served, 2)
    finish(served.site, user.id, wizard.id)
    refused = user.sit_down().do("wait", role="user")
    assert refused["code"] == "not_ready"


def test_the_first_step_of_a_study_is_its_link(served: Running) -> None:
    page = served.admin().get("/admin").text
    assert "Participants come by the study" in page
    assert 'class="button primary" href="/admin/study"' in page


def test_the_same_person_does_not_take_part_twice(served: Running, study: Study) -> None:
    user, wizard = taking_part(served, 1), taking_part(served, 2)
    assert arrive(served, 1).id == user.id  # the same link, in another browser
    stranger = served.browser()
    guess = stranger.post("/api/arrive", {"study": "pilot", **ids(1, visit=77)})
    assert (guess.status_code, guess.json()["code"]) == (409, "been_here")
    talk(served, user, wizard)
    sus(user, study)
    user.get("/done")
    again = user.post("/api/arrive", {"study": "pilot", **ids(1, visit=78)})
    assert again.json()["code"] == "been_here"


@pytest.mark.parametrize(
    "wrong",
    [
        {"participant": "{{%PROLIFIC_PID%}}"},
        {"participant": "x"},
        {"submission": ""},
        {"study": "another"},
    ],
)
def test_links_that_are_not_whole(served: Running, wrong: dict[str, str]) -> None:
    browser = served.browser()
    answer = browser.post("/api/arrive", {"study": "pilot", **ids(1), **wrong})
    assert answer.status_code in (400, 404, 422)
    assert browser.get("/api/me").json()["worker"] is None


def test_a_full_study_says_so_with_a_code(served: Running, study: Study) -> None:
    for number in (1, 2, 3):
        assert stage(arrive(served, number)) == "consent"
    late = arrive(served, 4)
    assert stage(late) == "done"
    page = late.get("/done").text
    assert study.table.codes[Outcome.FULL] in page
    assert study.table.codes[Outcome.COMPLETED] not in page


def test_one_client_does_not_fill_a_study_with_invented_ids(
    open_site: Callable[..., Site], tmp_path: Path, study: Study
) -> None:
    site = open_site(str(tmp_path / "site.db"))
    file = tmp_path / "pilot" / "study.toml"
    file.write_text(file.read_text("utf-8").replace("people = 3", "people = 40"), "utf-8")
    site.study = read_study(file.parent)
    with Running(site, clients=trusted_proxies(["127.0.0.1"])) as server:

        def follow_link(number: int, client: str) -> tuple[int, str]:
            header = {"X-Forwarded-For": client}
            body = {"study": "pilot", **ids(number)}
            answered = server.browser().post("/api/arrive", body, **header)
            return answered.status_code, answered.headers.get("Retry-After", "")

        codes = [follow_link(number, "192.0.2.66")[0] for number in range(1, 31)]
        assert codes == [200] * 20 + [429] * 10
        assert int(follow_link(31, "192.0.2.66")[1]) > 3000
        assert follow_link(1, "192.0.2.66")[0] == 200, "who is known comes again"
        assert follow_link(32, "192.0.2.7")[0] == 200
    taken = site.store.read(lambda reading: places_taken(reading, "pilot"))
    assert taken == 21 < 40


def test_how_many_a_client_brings_is_a_setting(served: Running) -> None:
    """A classroom follows the link together; clients that cannot be told apart bring ten times."""
    served.site.rules = replace(served.site.rules, newcomers=1)
    nobody = [(AttemptLimit("newcomers", 10, 3600), UNKNOWN)]
    for _ in range(9):
        served.site.store.write(partial(count, places=nobody, now=time.time())).result()
    arrive(served, 1)
    late = served.browser().post("/api/arrive", {"study": "pilot", **ids(2)})
    assert late.status_code == 429


def test_who_declines_leaves_a_place_to_somebody_else(served: Running, study: Study) -> None:
    first = arrive(served, 1)
    assert first.post("/api/decline", {}).status_code == 200
    assert study.table.codes[Outcome.NO_CONSENT] in first.get("/done").text
    for number in (2, 3, 4):
        assert stage(arrive(served, number)) == "consent"


def test_who_leaves_gets_a_code_and_goes_on_no_more(served: Running, study: Study) -> None:
    browser = taking_part(served, 1)
    assert browser.post("/api/leave-study", {}).status_code == 200
    assert study.table.codes[Outcome.WITHDREW] in browser.get("/done").text
    assert browser.sit_down().do("wait", role="user")["code"] == "study_over"


def test_a_new_text_asks_for_consent_again(served: Running, study: Study) -> None:
    browser = taking_part(served, 1)
    file = study.folder / "texts" / "consent.en.md"
    file.write_text(file.read_text("utf-8") + "\nWe also keep the weather.\n", "utf-8")
    served.site.study = read_study(study.folder)
    assert stage(browser) == "consent"
    assert "We also keep the weather." in browser.get("/consent").text
    assert browser.post("/api/consent", {"agreed": True}).status_code == 200
    assert stage(browser) == "lobby"


def test_an_answer_counts_once_and_only_when_it_is_asked(served: Running) -> None:
    user, wizard = taking_part(served, 1), taking_part(served, 2)
    assert answer(user, "satisfaction", "before", SATISFIED).json()["code"] == "not_asked"
    room = finish(served.site, user.id, wizard.id)
    missing = answer(user, "satisfaction", "after_room", {"reached": "yes"}, room)
    assert missing.json()["code"] == "unanswered"
    assert answer(user, "satisfaction", "after_room", SATISFIED, room).status_code == 200
    again = answer(user, "satisfaction", "after_room", SATISFIED, room)
    assert again.json()["code"] == "not_asked"


def test_everybody_is_paid_once(served: Running, study: Study) -> None:
    """A dialogue 150, a turn 4; the user had two turns, the wizard two."""
    user, wizard = taking_part(served, 1), taking_part(served, 2)
    talk(served, user, wizard)
    admin = served.admin()
    drawn = admin.post("/api/admin/study/pay", {}).json()
    file = admin.get(f"/api/admin/study/batches/{drawn['batch']}").text
    paid = {row[0]: row[1] for row in csv.reader(io.StringIO(file))}
    assert paid == {ids(1)["submission"]: "1.58", ids(2)["submission"]: "1.58"}
    assert admin.post("/api/admin/study/pay", {}).json() == {"batch": 0, "lines": 0, "minor": 0}
    assert admin.get(f"/api/admin/study/batches/{drawn['batch']}").text == file
    bonus = {"worker": user.id, "minor": 50, "reason": "patient with us"}
    assert admin.post("/api/admin/study/bonus", bonus).status_code == 200
    assert admin.post("/api/admin/study/pay", {}).json()["minor"] == 50
    failed = admin.post(f"/api/admin/study/batches/{drawn['batch']}", {"state": "failed"})
    assert failed.status_code == 200
    assert admin.post("/api/admin/study/pay", {}).json()["minor"] == 316
    assert admin.get("/admin/study").status_code == 200


def test_the_last_page_tells_what_was_earned(served: Running, study: Study) -> None:
    """A dialogue 150, two turns of 4 each; what stands in a file is said to, a bonus is added."""
    user, wizard = taking_part(served, 1), taking_part(served, 2)
    talk(served, user, wizard)
    sus(user, study)
    page = user.get("/done").text
    assert "Earned so far: 1.58 USD." in page and page.count(" USD") == 1
    admin = served.admin()
    admin.post("/api/admin/study/pay", {})
    bonus = {"worker": user.id, "minor": 50, "reason": "patient with us"}
    admin.post("/api/admin/study/bonus", bonus)
    page = user.get("/done").text
    assert "Earned so far: 2.08 USD. Of this, 1.58 USD already stands in a payment file." in page
    user.http.headers["Accept-Language"] = "de"
    user.post("/api/interface", {"interface": "de"})
    assert "Bisher verdient: 2.08 USD." in user.get("/done").text


def test_who_has_earned_nothing_reads_of_no_money(served: Running) -> None:
    browser = arrive(served, 1)
    assert browser.post("/api/decline", {}).status_code == 200
    assert "USD" not in browser.get("/done").text


def test_what_the_platform_pays_by_itself_is_part_of_what_is_earned(
    open_site: Callable[..., Site], tmp_path: Path, study: Study
) -> None:
    file = tmp_path / "pilot" / "study.toml"
    file.write_text(file.read_text("utf-8").replace("reward = 0 ", "reward = 100 "), "utf-8")
    site = open_site(str(tmp_path / "site.db"))
    site.study = read_study(file.parent)
    site.submit(partial(remember_study, study=site.study)).result()
    with Running(site) as server:
        user, wizard = taking_part(server, 1), taking_part(server, 2)
        talk(server, user, wizard)
        sus(user, study)
        page = user.get("/done").text
    assert "Earned so far: 1.58 USD. Of this, 1.00 USD is what the platform itself pays." in page


def test_only_administrators_pay(served: Running) -> None:
    browser = taking_part(served, 1)
    assert browser.post("/api/admin/study/pay", {}).status_code == 403
    assert browser.get("/api/admin/study/batches/1").status_code == 403


def test_who_closes_the_page_for_long_leaves_a_place(
    served: Running, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three may take part; whoever has a page open or is in a room is not away."""
    site = served.site
    gone, here = taking_part(served, 1), taking_part(served, 2)
    page = here.sit_down()
    arrive(served, 3)
    assert "full" in stage_of(arrive(served, 4), study)
    later = time.time() + site.rules.absence + 60
    monkeypatch.setattr(site, "clock", lambda: later)
    site.submit(pass_time).result()
    assert stage(gone) == "done" and stage(here) != "done"
    assert study.table.codes[Outcome.TIMED_OUT] in gone.http.get("/done").text
    page.close()
    assert "full" not in stage_of(arrive(served, 5), study)


def stage_of(browser: Browser, study: Study) -> str:
    """Where somebody is; `full` if that is what their code says."""
    text = browser.http.get("/done").text if stage(browser) == "done" else ""
    return "full" if text and study.table.codes[Outcome.FULL] in text else stage(browser)


def test_exercises_failed_too_often_end_the_visit(served: Running, study: Study) -> None:
    served.site.rules = replace(served.site.rules, training=True, tries=2)
    person = taking_part(served, 1)
    item = person.get("/api/training").json()["items"][0]["item"]
    wrong = {"answer": "surely not this"}
    assert person.post(f"/api/training/{item}", wrong).json()["ended"] is False
    assert stage(person) == "training"
    assert person.post(f"/api/training/{item}", wrong).json()["ended"] is True
    assert stage(person) == "done"
    assert study.table.codes[Outcome.NOT_TRAINED] in person.http.get("/done").text
    assert served.site.rules.tries and stage(arrive(served, 2)) == "consent"


def test_my_data_is_what_is_kept_of_me(served: Running) -> None:
    user, wizard = taking_part(served, 1), taking_part(served, 2)
    talk(served, user, wizard)
    data = user.get("/api/my-data").json()
    assert data["study"]["participant"] == ids(1)["participant"]
    assert [each["questionnaire"] for each in data["answers"]] == ["satisfaction", "partner"]
    assert data["dialogues"][0]["said"] == ["Hello", "Thanks"]
    assert ids(2)["participant"] not in str(data)


def test_a_name_that_somebody_has_chosen_keeps_nobody_out(served: Running) -> None:
    """As in stores from before such names were refused."""
    earlier: Any = {"name": "pilot 1", "password": "", "interface": "en", "admin": False}
    served.site.submit(
        lambda work: add_worker(work.connection, **earlier, now=work.now).id
    ).result()
    arrived = arrive(served, 1)
    assert arrived.worker and arrived.worker["name"] == "pilot 2"
