"""Rules broken and false words about actions, as `judge` and `judge --offline` report them."""

import json
import re
from base64 import b64decode
from gzip import decompress
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Call, caller
from tests.evaluation.test_judging_actions import BOOKED, HOTEL, STAY, WANTED, agent, goals

from crosstalk.dialogue.goals import Goal, GoalType
from crosstalk.evaluation.offline import judge_offline
from crosstalk.evaluation.offline_verdicts import OfflineVerdict
from crosstalk.goals.goal_files import StoredGoal, write_goals


@pytest.fixture
def crosstalk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(monkeypatch, capsys)


def run(crosstalk: Call, folder: Path, name: str) -> dict[str, Any]:
    """What `judge` prints about an agent that a file of the folder makes."""
    code, printed, said = crosstalk(
        "judge", "--actions", "--agent", name, "--language", "en", "--json",
        "--goals", goals(folder, WANTED), "--out", folder / "run",
    )  # fmt: skip
    assert code == 0, said
    found: dict[str, Any] = json.loads(printed)
    return found


def altered(folder: Path, before: str, after: str) -> str:
    """The agent of `test_judging_actions` with one line of it changed."""
    name = agent(folder, BOOKED)
    path = folder / "agent.py"
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))
    return name


def shown_in(page: str) -> Any:
    """The dialogues of a viewer's page."""
    found = re.findall(r">([A-Za-z0-9+/=]{200,})<", page)
    return [json.loads(decompress(b64decode(each))) for each in found]


def test_a_breach_is_reported_and_fails_nothing(tmp_path: Path, crosstalk: Call) -> None:
    hasty = altered(tmp_path, 'not said[-1].startswith("Yes.")', "False")
    found = run(crosstalk, tmp_path, hasty)
    assert found["success"] == 100.0
    assert found["breaches"] == {"confirm": 1} and found["false_action_claims"] == {}
    (finding,) = found["findings"]
    assert (finding["kind"], finding["rule"], finding["action"]) == (
        "breach",
        "confirm",
        "book_room",
    )
    _, printed, _ = crosstalk("report", tmp_path / "run", "--json")
    assert json.loads(printed)["findings"] == found["findings"]
    crosstalk("report", tmp_path / "run", "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "Rules broken: confirm 1" in page
    assert "done without asking the user for a yes" in json.dumps(shown_in(page))
    verdict = next(judge_offline(tmp_path / "run"))
    assert verdict.success and [b["rule"] for b in verdict.breaches] == ["confirm"]
    assert verdict.breaches[0]["turn"] == finding["turn"] // 2


def test_a_wrong_code_fails_the_conversation(tmp_path: Path, crosstalk: Call) -> None:
    line = 'return "The system says: " + messages[-1]["content"]'
    found = run(crosstalk, tmp_path, altered(tmp_path, line, 'return "Booked, code 7QZKM3WD."'))
    assert found["success"] == 0.0 and found["blame"]["agent"] == 1
    assert found["false_action_claims"] == {"wrong_reference": 1}
    assert found["reasons"] == {"the agent told a wrong reference": 1}
    assert found["findings"][0]["quote"] == "Booked, code 7QZKM3WD"


def transcript(folder: Path, reply: str, *calls: tuple[str, dict[str, Any], Any]) -> OfflineVerdict:
    """The verdict on a conversation in which calls, with their answers, come before a reply."""
    goal = Goal(HOTEL, GoalType.S, ("Laurel Hotel",), (WANTED,))
    write_goals(folder / "goal.jsonl", [StoredGoal("g", "harbour", "en", goal)])
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "The phone of the Laurel Hotel, please?"},
        {"role": "assistant", "content": phone()},
        {"role": "user", "content": "Book a room there from June 8, two nights, for two."},
        {"role": "assistant", "content": "Two nights from June 8 for two people. Shall I book it?"},
        {"role": "user", "content": "Yes."},
    ]
    for number, (name, arguments, answer) in enumerate(calls):
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": str(number), "type": "function", "function": function}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": str(number), "content": json.dumps(answer)},
        ]
    messages.append({"role": "assistant", "content": reply})
    record = {
        "id": "t", "world": "harbour", "language": "en", "messages": messages,
        "goal": json.loads((folder / "goal.jsonl").read_text()),
    }  # fmt: skip
    path = folder / "transcripts.jsonl"
    path.write_text(json.dumps(record) + "\n")
    return next(judge_offline(path))


def phone() -> str:
    from crosstalk.worlds.queries import Database
    from crosstalk.worlds.world import load_world

    row = Database(load_world("harbour")).find("hotel", "Laurel Hotel")
    assert row
    return f"The phone number of the Laurel Hotel is {row['phone']}."


ROOM = {"entity": "Laurel Hotel", **STAY}
GIVEN = {"done": "book_room", "reference": "QW12ER34", "total": 1320}


def test_calls_of_a_transcript_are_replayed(tmp_path: Path) -> None:
    said = "Your room is booked, code QW12ER34, 1320 crowns in total."
    verdict = transcript(tmp_path, said, ("book_room", ROOM, GIVEN))
    assert verdict.success and not verdict.false_claims and not verdict.breaches
    assert verdict.actions and verdict.actions.done == 1


def test_codes_of_a_transcript_lead_to_its_rows(tmp_path: Path) -> None:
    cancelled = ("cancel_room", {"reference": "QW12ER34"}, {"done": "cancel_room"})
    verdict = transcript(tmp_path, "It is cancelled.", ("book_room", ROOM, GIVEN), cancelled)
    assert verdict.success is False and verdict.blame == "agent"
    assert {flaw.slot for flaw in verdict.flaws} == {"room_bookings", "rooms"}


def test_a_refused_call_does_nothing(tmp_path: Path) -> None:
    refused = ("book_room", ROOM, {"refused": "no_room", "message": "There is no room left."})
    verdict = transcript(tmp_path, "Your room is booked!", refused)
    assert verdict.success is False
    claim = next(each for each in verdict.false_claims if each.get("rule") == "said_done")
    assert (claim["turn"], claim["quote"]) == (2, "Your room is booked")


def test_without_calls_nobody_knows(tmp_path: Path) -> None:
    verdict = transcript(tmp_path, "Your room is booked, code QW12ER34.")
    assert verdict.success is None and verdict.blame == "reader"


def test_forbidden_actions_count_as_breaches(tmp_path: Path) -> None:
    done = ("cancel_tickets", {"reference": "V49AEEWA"}, {"done": "cancel_tickets"})
    verdict = transcript(tmp_path, "Cancelled.", ("book_room", ROOM, GIVEN), done)
    assert "tickets_final" in [each["rule"] for each in verdict.breaches]


def test_lines_name_breaches_and_flaws(tmp_path: Path, crosstalk: Call) -> None:
    done = ("cancel_tickets", {"reference": "V49AEEWA"}, {"done": "cancel_tickets"})
    transcript(tmp_path, "Cancelled.", ("book_room", ROOM, GIVEN), done)
    _, printed, _ = crosstalk("judge", "--offline", tmp_path / "transcripts.jsonl")
    assert "cancel_tickets: breach of tickets_final" in printed
    assert "ticket_bookings: done though forbidden" in printed
    _, printed, _ = crosstalk("judge", "--offline", tmp_path / "transcripts.jsonl", "--json")
    assert json.loads(printed)["counts"]["breaches"]["tickets_final"] == 1
