"""Simulated users have our own system book, change and cancel; the tables decide."""

import json
from pathlib import Path

import pytest
from tests.commands import Call, caller

from crosstalk.agents.build import AgentOptions
from crosstalk.dialogue.acts import AFFIRM, CONFIRM, DENY, DO, INFORM, REFUSE, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Goal, SemanticTuple, WantedAction
from crosstalk.dialogue.participants import Reply, Scripted
from crosstalk.evaluation.action_success import dialogue_outcome
from crosstalk.evaluation.user_fidelity import user_fidelity
from crosstalk.simulation.build import Setup
from crosstalk.simulation.run_folders import open_run
from crosstalk.simulation.runner import Engine, simulate
from crosstalk.simulation.sessions import Plan, session_rules
from crosstalk.users.action_user import ActionUser
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import load_world

STAY = {"entity": "Laurel Hotel", "arrival": "2026-06-08", "nights": 2, "people": 2}


@pytest.fixture
def crosstalk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(monkeypatch, capsys)


def test_in_acts_everything_is_done_and_nothing_else(tmp_path: Path, crosstalk: Call) -> None:
    code, _, said = crosstalk(
        "simulate", "--actions", "--level", "acts", "-n", "30", "--out", tmp_path / "run"
    )
    assert code == 0, said
    _, printed, _ = crosstalk("report", tmp_path / "run", "--json")
    found = json.loads(printed)
    needed = found["actions"]["needed"]
    assert found["success"]["overall"] == 100.0 and needed >= 25
    assert found["actions"] == {"needed": needed, "done": needed, "wrong": 0, "forbidden": 0}


def test_nothing_is_done_before_the_user_agrees(tmp_path: Path) -> None:
    setup = Setup(language="de", level="words", agent_options=AgentOptions(actions=True))
    rules = session_rules(3, None, 30, actions=True)
    run = simulate(Plan(seed=3, count=6, actions=True), setup, rules, tmp_path / "run")
    executor = Executor(Database(load_world("harbour", language="de")))
    for dialogue in run.dialogues():
        outcome = dialogue_outcome(executor, dialogue)
        assert outcome.success and not outcome.breaches
        assert user_fidelity(dialogue).faithful, "what is to be booked stands in the goal"
        assert all(turn.text and "{" not in turn.text for turn in dialogue.turns)


def test_the_same_bytes_with_two_workers(tmp_path: Path) -> None:
    setup = Setup(level="acts", words=True, agent_options=AgentOptions(actions=True))
    plan, rules = Plan(seed=1, count=12, actions=True), session_rules(1, None, 30, actions=True)
    one = simulate(plan, setup, rules, tmp_path / "one")
    two = simulate(plan, setup, rules, tmp_path / "two", engine=Engine(workers=2))
    assert list(one.dialogues()) == list(two.dialogues())
    files = sorted(path.relative_to(one.folder) for path in one.folder.rglob("*.jsonl"))
    assert files
    for file in files:
        assert (one.folder / file).read_bytes() == (two.folder / file).read_bytes()


def test_our_system_is_judged_like_any_agent(tmp_path: Path, crosstalk: Call) -> None:
    code, printed, said = crosstalk(
        "judge", "--agent", "system", "--actions", "-n", "3", "--seed", "2", "--language", "en",
        "--out", tmp_path / "run", "--json",
    )  # fmt: skip
    assert code == 0, said
    found = json.loads(printed)
    assert found["success"] == 100.0 and found["actions"]["wrong"] == 0
    assert open_run(tmp_path / "run").card.rules["exchanges"] == 25


def user(*wishes: dict[str, object], forbidden: bool = False) -> ActionUser:
    """A user who has found everything and wants a room."""
    goal = Goal(
        (SemanticTuple(1, "hotel", "name", "Laurel Hotel"),),
        actions=(WantedAction("book_room", wishes, forbidden),),  # type: ignore[arg-type]
    )
    bye = Turn(Speaker.USER, "", (Act("General", "bye"),), user_state=goal.tuples)
    return ActionUser(Scripted([Reply(bye, done=True)]), goal, load_world("harbour"), "seed")


def heard(*acts: Act) -> Turn:
    return Turn(Speaker.SYSTEM, "", acts)


def test_a_user_says_no_to_what_was_read_back_wrongly() -> None:
    wanting = user(STAY)
    asked, state = wanting.reply(None, wanting.begin())
    assert Act(DO, "book_room") in asked.turn.acts
    wrong = {**STAY, "nights": 3}
    read_back = [Act(CONFIRM, "book_room", key, str(value)) for key, value in wrong.items()]
    answer, state = wanting.reply(heard(*read_back), state)
    assert set(answer.turn.acts) == {
        Act(DENY, "book_room"),
        Act(INFORM, "book_room", "nights", "2"),
    }
    right = [Act(CONFIRM, "book_room", key, str(value)) for key, value in STAY.items()]
    answer, _ = wanting.reply(heard(*right), state)
    assert answer.turn.acts == (Act(AFFIRM, "book_room"),)


def test_a_user_takes_something_else_and_accepts_a_no() -> None:
    wanting = user(STAY, {**STAY, "nights": 1})
    _, state = wanting.reply(None, wanting.begin())
    full = heard(Act(REFUSE, "book_room", value="no_room"))
    instead, state = wanting.reply(full, state)
    assert Act(INFORM, "book_room", "nights", "1") in instead.turn.acts
    assert len(instead.turn.acts) == 2, "only what is otherwise"
    end, _ = wanting.reply(full, state)
    assert end.done
