"""Second opinions: a blind sample, two annotations side by side, one version of them."""

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.commands import caller
from tests.web.running import Browser, Page, Running, paired

from crosstalk.annotation.decisions import decisions
from crosstalk.corpora.corpus import read_corpus
from crosstalk.corpora.record_encoding import decode_dialogue
from crosstalk.web.annotate.expert_annotations import all_versions
from crosstalk.web.collect.corpus_export import annotation

Plain = dict[str, Any]


def finish_dialogue(server: Running) -> tuple[int, Browser]:
    """A short dialogue about whatever the goal is; its room, and its user."""
    browser, _, user, wizard = paired(server)
    answered(user, "Hello", wizard)
    user.until(lambda: user.view["your_turn"])
    for cell in user.view["cells"]:
        if cell["cell"] in user.view["missing"]:
            value = "yes" if cell["kind"] == "services" else "none"
            user.must("fill", cell=cell["cell"], value=value, sure=True)
    answered(user, "Goodbye", wizard, done=True)
    return user.room or 0, browser


def answered(user: Page, text: str, wizard: Page, **fields: Any) -> None:
    user.must("say", text=text, sure=True, **fields)
    wizard.until(lambda: wizard.view["your_turn"])
    wizard.must("say", text="All right", sure=True)


def opinion(ticks: list[int]) -> Plain:
    """A tick, a search, and nothing in the two turns that follow."""
    said: list[Plain] = [{"ticks": ticks}, {"first": {"hotel": {"rating": {"low": 4.5}}}}]
    turns: list[Plain] = [{"state": "said", **each} for each in said]
    turns += 2 * [{"state": "nothing"}]
    return {"turns": turns, "done": True}


def test_an_opinion_is_given_compared_and_settled(server: Running) -> None:
    room, user = finish_dialogue(server)
    admin, expert = server.admin(), server.worker("Ada")
    assert expert.post(f"/api/expert/{room}", opinion([0])).status_code == 403

    assert admin.post("/api/admin/experts/sample", {"share": 1}).json() == {"rooms": 1}
    for person in (expert, user):
        admin.post(f"/api/admin/experts/appoint/{person.id}", {"appointed": True})
    own = user.post(f"/api/expert/{room}", opinion([0]))
    assert own.json()["code"] == "not_yours"  # nobody judges their own dialogue
    assert expert.post(f"/api/expert/{room}", opinion([0])).status_code == 200
    assert expert.post(f"/api/expert/{room}", opinion([999])).json()["code"] == "unknown_cell"

    page = admin.get(f"/admin/experts/{room}").text
    assert "4.5 points or more" in page
    places = [json.loads(html.unescape(each)) for each in re.findall(r'data-place="(.*?)"', page)]
    verdicts = [{**place, "choice": "b", "cause": "slip"} for place in places]
    verdicts[0]["mend"] = "Tick wishes only"
    decision: Plain = {"left": "collected", "right": str(expert.id), "verdicts": verdicts[1:]}
    undecided = admin.post(f"/api/admin/experts/{room}/settle", decision)
    assert undecided.json()["code"] == "undecided"
    partly = admin.post(f"/api/admin/experts/{room}/settle", {**decision, "finished": False})
    assert partly.json() == {"room": room, "open": 1}
    assert labels(admin) == {"settled", "open"}
    decision["verdicts"] = verdicts
    assert admin.post(f"/api/admin/experts/{room}/settle", decision).json()["open"] == 0
    assert labels(admin) == {"settled"}
    figures = admin.get("/admin/experts").text
    assert "Kappa, states" in figures and "AC1" in figures and "Tick wishes only" in figures

    settled = decode_dialogue(json.loads(admin.get("/api/admin/experts/settled").text))
    assert settled.turns[0].user_state is not None
    assert [cell.expressed for cell in settled.turns[0].user_state][:2] == [True, False]
    assert settled.turns[1].last_query is not None
    assert settled.turns[1].last_query.get("hotel").get("rating") == "4.5 points or more"


def labels(admin: Browser) -> set[str]:
    """How the labels of what is settled came about."""
    settled = decode_dialogue(json.loads(admin.get("/api/admin/experts/settled").text))
    return {each["state"] for turn in settled.turns for each in turn.extras.get("labels", ())}


def test_experts_see_words_and_goal_only(server: Running) -> None:
    room, _ = finish_dialogue(server)
    admin, expert = server.admin(), server.worker("Ada")
    admin.post("/api/admin/experts/sample", {"share": 1})
    admin.post(f"/api/admin/experts/appoint/{expert.id}", {"appointed": True})
    page = expert.get(f"/expert/{room}").text
    data = json.loads(page.split('id="for-script">')[1].split("</script>")[0])
    assert [turn["text"] for turn in data["turns"]] == [
        "Hello",
        "All right",
        "Goodbye",
        "All right",
    ]
    assert data["opinion"] == []
    first = expert.post(f"/api/expert/{room}/turn/0", {"turns": []}).json()
    assert not any(cell["said"] for cell in first["cells"])
    assert all(cell["value"] == cell["wanted"] for cell in first["cells"])


def test_turns_that_nobody_has_looked_at_cannot_be_done(server: Running) -> None:
    room, _ = finish_dialogue(server)
    admin, expert = server.admin(), server.worker("Ada")
    admin.post("/api/admin/experts/sample", {"share": 1})
    admin.post(f"/api/admin/experts/appoint/{expert.id}", {"appointed": True})
    whole = opinion([0])
    short = {**whole, "turns": whole["turns"][:3]}
    assert expert.post(f"/api/expert/{room}", short).json()["code"] == "unseen_turns"
    unseen = {**whole, "turns": [*whole["turns"][:3], {"state": "unseen"}]}
    assert expert.post(f"/api/expert/{room}", unseen).json()["code"] == "unseen_turns"
    assert expert.post(f"/api/expert/{room}", {**unseen, "done": False}).json()["done"] is False
    nothing = {"turns": 4 * [{"state": "nothing", "seconds": 1}], "done": True}
    told = expert.post(f"/api/expert/{room}", nothing).json()
    assert told["doubts"] == ["many_empty_user", "many_empty_wizard", "very_fast"]


def test_what_a_search_of_an_expert_finds_is_shown(server: Running) -> None:
    room, _ = finish_dialogue(server)
    admin, expert = server.admin(), server.worker("Ada")
    admin.post("/api/admin/experts/sample", {"share": 1})
    admin.post(f"/api/admin/experts/appoint/{expert.id}", {"appointed": True})
    rare = {"hotel": {"rating": {"low": 4.5}, "services": ["sauna facilities"]}}
    said = {"turns": [{"ticks": [0]}, {"state": "said", "first": rare, "last": {}}]}
    first, last = expert.post(f"/api/expert/{room}/turn/1", said).json()["searches"]
    context = server.site.context
    query = (("services", ("sauna facilities",)), ("rating", "4.5 points or more"))
    names = context.search("hotel", query).names
    assert first["found"] == {"hotel": {"count": len(names), "names": list(names[:12])}}
    assert last["found"] == {}


def test_a_turn_carries_on_what_was_annotated_before(server: Running) -> None:
    room, _ = finish_dialogue(server)
    admin, expert = server.admin(), server.worker("Ada")
    admin.post("/api/admin/experts/sample", {"share": 1})
    admin.post(f"/api/admin/experts/appoint/{expert.id}", {"appointed": True})
    body = {**opinion([0]), "done": False}
    first, last = expert.post(f"/api/expert/{room}/turn/3", body).json()["searches"]
    assert first == last and first["form"]["hotel"] == {"rating": "4.5 points or more"}
    told = expert.post(f"/api/expert/{room}/turn/1", body).json()["hints"]
    assert ("searched_not_said", "4.5 points or more") in {(h["code"], h["value"]) for h in told}
    later = expert.post(f"/api/expert/{room}/turn/2", body).json()
    assert [cell["said"] for cell in later["cells"]][:2] == [True, False]


def test_dialogues_of_a_run_are_brought_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the corpus has is the annotation that experts are compared with; twice adds nothing."""
    monkeypatch.chdir(tmp_path)
    simulated = caller(monkeypatch, capsys, "simulate")
    assert simulated("-n", "3", "--policy", "rule", "--words", "--out", "run")[0] == 0
    start = caller(monkeypatch, capsys, "annotate")
    asked = ("start", "run", "--store", "experts.db", "--json")
    assert json.loads(start(*asked)[1])["dialogues"] == 3
    again = json.loads(start(*asked)[1])
    assert (again["dialogues"], again["known"]) == (0, 3)

    export = caller(monkeypatch, capsys, "collect")
    told = export("export", "--store", "experts.db", "--to", "native", "--out", "out.jsonl")
    assert told[0] == 0, told
    for given, kept in zip(
        read_corpus(Path("run/dialogues")), read_corpus(Path("out.jsonl")), strict=True
    ):
        assert kept.extras["collection"]["imported"] == given.id
        assert decisions(given, kept, acts=False) == []
        assert [turn.text for turn in kept.turns] == [turn.text for turn in given.turns]


def test_only_finished_opinions_count(server: Running) -> None:
    room, _ = finish_dialogue(server)
    admin, expert = server.admin(), server.worker("Ada")
    admin.post("/api/admin/experts/sample", {"share": 1})
    admin.post(f"/api/admin/experts/appoint/{expert.id}", {"appointed": True})
    site = server.site
    annotate = annotation("harbour", "en", None)
    expert.post(f"/api/expert/{room}", {**opinion([0]), "done": False})
    assert str(expert.id) not in all_versions(site, annotate)  # it is not finished
    expert.post(f"/api/expert/{room}", opinion([0]))
    found = all_versions(site, annotate)
    assert [each.id for each in found[str(expert.id)]] == [str(room)]
    assert str(room) in [each.id for each in found["collected"]]
