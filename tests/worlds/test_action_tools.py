"""Actions as tools: JSON Schema, results in words, and tables that belong to one conversation."""

from collections.abc import Sequence
from typing import Any

import pytest

from crosstalk.agents.chat_agent import ChatAgent
from crosstalk.agents.chat_client import ChatReply, ToolCall
from crosstalk.agents.prompts import agent_prompt
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.worlds.policy_rules import CONFIRMATION, Breach, actions_of, breaches
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tools import WorldTools
from crosstalk.worlds.world import load_world

STAY = {"entity": "Laurel Hotel", "arrival": "2026-06-08", "nights": 2, "people": 2}


@pytest.fixture(scope="module")
def tools() -> WorldTools:
    return WorldTools(Database(load_world("harbour", language="en")), actions=True)


def test_actions_are_offered_only_where_asked_for(tools: WorldTools) -> None:
    plain = WorldTools(tools.database)
    assert set(tools.tools) - set(plain.tools) == {a.key for a in tools.world.schema.actions}


def test_arguments_have_types_and_limits(tools: WorldTools) -> None:
    schema = tools.tools["book_room"].parameters
    assert schema["required"] == ["entity", "arrival", "nights", "people"]
    assert schema["properties"]["people"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 4,
        "description": "number of people",
    }
    assert "YYYY-MM-DD" in schema["properties"]["arrival"]["description"]
    assert tools.tools["change_room"].parameters["required"] == ["reference"]


def test_calls_change_the_tables_of_the_conversation(tools: WorldTools) -> None:
    start = tools.executor.begin("goal")
    booked = tools.call("book_room", STAY, start)
    assert booked.result["done"] == "book_room" and booked.event and booked.event.done
    cancel = {"reference": booked.result["reference"]}
    assert "refused" in tools.call("cancel_room", cancel, start).result
    assert "done" in tools.call("cancel_room", cancel, booked.state).result


def test_refusals_are_said_in_the_language_of_the_world() -> None:
    german = WorldTools(Database(load_world("harbour", language="de")), actions=True)
    result = german.run("cancel_room", {"reference": "NONE0000"})
    assert result == {
        "refused": "no_booking",
        "message": "Es gibt keine Buchung mit diesem Code.",
    }
    limit = german.run("cancel_room", {"reference": ""})
    assert limit["message"] == "Es fehlt noch eine Angabe: Buchungscode."


def test_wrong_arguments_are_errors(tools: WorldTools) -> None:
    assert "needs people" in tools.run("book_room", {**STAY, "people": None})["error"]
    assert "should be of type integer" in tools.run("book_room", {**STAY, "people": "two"})["error"]


def test_an_agent_that_books(tools: WorldTools) -> None:
    """The event stands in the turn, and a later turn finds the booking."""

    def complete(messages: Sequence[Any], *, session: str, tools: Sequence[Any]) -> ChatReply:
        last = messages[-1]
        if last["role"] == "tool":
            return ChatReply(last["content"])
        if last["content"].startswith("book"):
            import json

            return ChatReply("", (ToolCall("1", "book_room", json.dumps(STAY)),))
        code = next(m["content"] for m in messages if m["role"] == "tool").split('"')[7]
        return ChatReply("", (ToolCall("2", "cancel_room", f'{{"reference": "{code}"}}'),))

    agent = ChatAgent(complete, tools, session="goal")
    heard = [Turn(Speaker.USER, "book it"), Turn(Speaker.USER, "cancel it")]
    first, state = agent.reply(heard[0], agent.begin())
    second, state = agent.reply(heard[1], state)
    assert [event.action for event in actions_of(first.turn)] == ["book_room"]
    assert actions_of(second.turn)[0].done
    turns = [heard[0], first.turn, heard[1], second.turn]
    assert breaches(tools.executor, turns) == [
        Breach(1, "book_room", CONFIRMATION),
        Breach(3, "cancel_room", CONFIRMATION),
    ]
    assert agent.after([(heard[0], first.turn), (heard[1], second.turn)]).tables == state.tables


def test_the_policy_is_told_to_agents_that_can_act(tools: WorldTools) -> None:
    assert "wait for a clear yes" in agent_prompt(tools.world, actions=True)
    assert "wait for a clear yes" not in agent_prompt(tools.world)
