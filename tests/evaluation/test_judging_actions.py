"""Agents judged by what they do: the tables have to end as the goal wants them."""

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Call, caller

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import (
    ArgumentValue,
    Goal,
    GoalType,
    Reference,
    SemanticTuple,
    WantedAction,
)
from crosstalk.evaluation.action_success import ActionCounts
from crosstalk.goals.goal_files import StoredGoal, write_goals
from crosstalk.simulation.run_folders import open_run

STAY: dict[str, ArgumentValue] = {"arrival": "2026-06-08", "nights": 2, "people": 2}
HOTEL = (
    SemanticTuple(1, "hotel", "name", "Laurel Hotel"),
    SemanticTuple(1, "hotel", "phone", ""),
)
LAUREL: dict[str, ArgumentValue] = {"entity": Reference(1, nearby=False), **STAY}
FULL: dict[str, ArgumentValue] = {
    "entity": "Grand Hotel Halmora",
    "arrival": "2026-06-03",
    "nights": 1,
    "people": 1,
}

AGENT = """
import json
import crosstalk
from crosstalk.dialogue.dialogues import Speaker, Turn

CALLS = {calls}

def make_agent(world):
    system = crosstalk.build_system(world)

    def agent(messages, session):
        assert "wait for a clear yes" in messages[0]["content"], "the policy is told"
        if messages[-1]["role"] == "tool":
            return "The system says: " + messages[-1]["content"]
        said = [each["content"] for each in messages if each["role"] == "user"]
        if not any(word in said[-1] for word in ("a room", "cancel", "Then", "instead")):
            state = system.begin()
            for text in said:
                reply, state = system.reply(Turn(Speaker.USER, text), state)
            return reply.turn.text
        if not said[-1].startswith("Yes."):
            return "Shall I do that?"
        done = sum(each["role"] == "tool" for each in messages)
        if done >= len(CALLS):
            return "I am sorry, that is not possible."
        name, arguments = CALLS[done]
        call = {"name": name, "arguments": json.dumps(arguments)}
        return {"content": "", "tool_calls": [{"id": "1", "function": call}]}

    return agent
"""


@pytest.fixture
def crosstalk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(monkeypatch, capsys)


def agent(folder: Path, *calls: tuple[str, dict[str, Any]]) -> str:
    """Our system, which also makes these calls, one for each yes of the user."""
    path = folder / "agent.py"
    path.write_text(textwrap.dedent(AGENT).replace("{calls}", repr(list(calls))))
    return f"python:{path}:make_agent"


def goals(folder: Path, wanted: WantedAction) -> Path:
    goal = Goal(HOTEL, GoalType.S, ("Laurel Hotel",), (wanted,))
    write_goals(folder / "goals.jsonl", [StoredGoal("one", "harbour", "en", goal)])
    return folder / "goals.jsonl"


def judged(
    crosstalk: Call,
    folder: Path,
    wanted: WantedAction,
    *calls: tuple[str, dict[str, Any]],
    max_turns: int = 15,
) -> tuple[dict[str, Any], Dialogue]:
    """What `judge` prints, and the only dialogue of its run."""
    code, printed, said = crosstalk(
        "judge", "--actions", "--agent", agent(folder, *calls), "--language", "en",
        "--goals", goals(folder, wanted), "--out", folder / "run", "--json",
        "--max-turns", max_turns,
    )  # fmt: skip
    assert code == 0, said
    (dialogue,) = open_run(folder / "run").dialogues()
    return json.loads(printed), dialogue


BOOKED = ("book_room", {"entity": "Laurel Hotel", **STAY})
WANTED = WantedAction("book_room", (LAUREL,))


def test_the_user_asks_and_confirms(tmp_path: Path, crosstalk: Call) -> None:
    found, dialogue = judged(crosstalk, tmp_path, WANTED, BOOKED)
    assert found["success"] == 100.0
    assert found["actions"] == {"needed": 1, "done": 1, "wrong": 0, "forbidden": 0}
    asked, question, confirmed, answer, thanks, _ = dialogue.turns[-6:]
    assert "a room" in asked.text
    assert question.text == "Shall I do that?"
    assert confirmed.text.startswith("Yes. ") and "at Laurel Hotel" in confirmed.text
    assert answer.extras["actions"][0]["gives"]["reference"] in answer.text
    assert "a room" not in thanks.text


def test_a_report_on_the_run_says_the_same(tmp_path: Path, crosstalk: Call) -> None:
    found, _ = judged(crosstalk, tmp_path, WANTED, BOOKED)
    _, printed, _ = crosstalk("report", tmp_path / "run", "--json")
    assert json.loads(printed)["actions"] == found["actions"]


@pytest.mark.parametrize(
    ("calls", "counts", "words"),
    [
        ([], (1, 0, 0, 0), "the system did not do what was wanted"),
        (
            [("book_room", BOOKED[1] | {"people": 3})],
            (1, 0, 1, 0),
            "the system did something else than was wanted",
        ),
    ],
    ids=["nothing", "for three"],
)
def test_what_the_tables_show_decides(
    tmp_path: Path,
    crosstalk: Call,
    calls: list[tuple[str, dict[str, Any]]],
    counts: tuple[int, ...],
    words: str,
) -> None:
    found, _ = judged(crosstalk, tmp_path, WANTED, *calls)
    assert found["success"] == 0.0 and found["blame"]["agent"] == 1
    assert tuple(found["actions"].values()) == counts
    assert found["reasons"] == {words: 1}


def test_turns_may_run_out(tmp_path: Path, crosstalk: Call) -> None:
    found, _ = judged(crosstalk, tmp_path, WANTED, BOOKED, max_turns=2)
    assert found["reasons"] == {"the turns ran out before it was done": 1}


def test_what_is_refused_is_asked_for_otherwise(tmp_path: Path, crosstalk: Call) -> None:
    wanted = WantedAction("book_room", (FULL, LAUREL))
    found, dialogue = judged(crosstalk, tmp_path, wanted, ("book_room", FULL), BOOKED)
    assert found["success"] == 100.0
    asked = [turn.text for turn in dialogue.user_turns if "asked_action" in turn.extras]
    assert "Grand Hotel Halmora" in asked[0] and "Laurel Hotel" in asked[-1]


def test_a_user_gives_up_on_what_must_be_refused(tmp_path: Path, crosstalk: Call) -> None:
    wanted = WantedAction("cancel_tickets", ({"reference": "KX2M7Q"},), forbidden=True)
    found, dialogue = judged(crosstalk, tmp_path, wanted)
    assert found["success"] == 100.0 and found["actions"]["needed"] == 0
    assert dialogue.extras["ending"] == "finished"


def test_the_library_judges_the_same_way(tmp_path: Path) -> None:
    import crosstalk

    name, file = agent(tmp_path, BOOKED), goals(tmp_path, WANTED)
    scores = crosstalk.judge_agent(name, goals=file, actions=True, language="en")
    assert scores.success == 100.0 and scores.actions == ActionCounts(1, 1, 0, 0)
