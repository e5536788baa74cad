"""Second opinions: a blind sample, two annotations side by side, one version of them."""

import html
import json
import re
from typing import Any

from tests.web.running import Browser, Page, Running, paired

from crosstalk.corpora.record_encoding import decode_dialogue

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
    return {
        "turns": [{"ticks": ticks}, {"first": {"hotel": {"rating": {"low": 4.5}}}}],
        "done": True,
    }


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
    assert labels(admin) == {"agreed", "settled", "open"}
    decision["verdicts"] = verdicts
    assert admin.post(f"/api/admin/experts/{room}/settle", decision).json()["open"] == 0
    assert labels(admin) == {"agreed", "settled"}
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
    assert not any(cell["said"] for cell in data["cells"])
    assert all(cell["value"] == cell["wanted"] for cell in data["cells"])
    assert data["opinion"] == []
