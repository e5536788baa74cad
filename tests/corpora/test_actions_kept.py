"""What goals want done, and what was done in turns, through every format that we write."""

import json
from pathlib import Path

import polars as pl
import pytest

from crosstalk.corpora.chat import chat_record
from crosstalk.corpora.formats import find_format
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import (
    ArgumentValue,
    Goal,
    GoalType,
    Reference,
    Scenario,
    SemanticTuple,
    WantedAction,
)
from crosstalk.evaluation.corpus_world import WorldLookUps
from crosstalk.evaluation.offline import judge_offline
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.policy_rules import actions_of, with_actions
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import load_world

STAY: dict[str, ArgumentValue] = {"arrival": "2026-06-08", "nights": 2, "people": 2}
WANTED = WantedAction("book_room", ({"entity": Reference(1, nearby=False), **STAY},))
FIRST = (SemanticTuple(1, "hotel", "name", "Pilot House"),)
TAKEN: Scenario = {"rooms": ({"entity": "Pilot House", "date": "2026-06-08", "left": 0},)}
FORBIDDEN = WantedAction("cancel_tickets", ({"reference": "V49AEEWA"},), forbidden=True)


@pytest.fixture(scope="module")
def dialogue() -> Dialogue:
    executor = Executor(Database(load_world("harbour")))
    call = {"entity": "Laurel Hotel", **STAY}
    state, done = executor.perform(executor.begin("g"), "book_room", call)
    _, refused = executor.perform(state, "cancel_room", {"reference": "ZZZZ9999"})
    tuples = (SemanticTuple(1, "hotel", "name", "Laurel Hotel"),)
    code = done.gives["reference"]
    reply = Turn(Speaker.SYSTEM, f"Your room at the Laurel Hotel is booked: {code}.")
    return Dialogue(
        "1",
        (Turn(Speaker.USER, "Book the Laurel Hotel."), with_actions(reply, [done, refused])),
        Goal(tuples, GoalType.S, ("Book it.",), (WANTED, FORBIDDEN), FIRST, TAKEN),
        language="en",
        world="harbour",
    )


@pytest.mark.parametrize("name", ["native", "parquet", "convlab", "crosswoz", "multiwoz"])
def test_nothing_is_lost(dialogue: Dialogue, name: str, tmp_path: Path) -> None:
    format = find_format(name)
    assert format.write
    path = tmp_path / f"corpus{format.suffix}"
    format.write([dialogue], path)
    (read,) = format.read(path)
    assert read.goal == dialogue.goal
    assert actions_of(read.turns[1]) == actions_of(dialogue.turns[1])


def test_parquet_files_from_before_are_read(dialogue: Dialogue, tmp_path: Path) -> None:
    from crosstalk.corpora.parquet import read_parquet, write_parquet

    write_parquet([dialogue], tmp_path / "new.parquet")
    pl.read_parquet(tmp_path / "new.parquet").drop("goal_actions", "goal_scenario").write_parquet(
        tmp_path / "old.parquet"
    )
    (read,) = read_parquet(tmp_path / "old.parquet")
    assert read.goal and read.goal.tuples and not read.goal.actions


@pytest.mark.parametrize("with_tables", [True, False])
def test_chat_shows_calls_with_results(
    dialogue: Dialogue, with_tables: bool, tmp_path: Path
) -> None:
    lookups = WorldLookUps()(dialogue) if with_tables else None
    record = chat_record(dialogue, lookups)
    calls = [call for m in record["messages"] for call in m.get("tool_calls", ())]
    answers = [json.loads(m["content"]) for m in record["messages"] if m["role"] == "tool"]
    assert [call["function"]["name"] for call in calls][-2:] == ["book_room", "cancel_room"]
    assert answers[-2]["reference"] in record["messages"][-1]["content"]
    assert answers[-1]["refused"] == "no_booking"
    assert {"book_room", "cancel_room"} <= {each["function"]["name"] for each in record["tools"]}
    path = tmp_path / "chat.jsonl"
    path.write_text(json.dumps(record) + "\n")
    (verdict,) = judge_offline(path)
    assert verdict.actions and (verdict.actions.needed, verdict.actions.done) == (1, 1)
    assert [each["rule"] for each in verdict.breaches] == ["confirm"]
