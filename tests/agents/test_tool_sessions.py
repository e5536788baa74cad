"""Services that act: the tools of their conversation come with its messages, over real MCP."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.agents.booking_agent import LAST_ROOM, STAY, BookingAgent, http_agent
from tests.agents.scripted_endpoint import Answer, Json, endpoint
from tests.agents.tool_client import listed, used
from tests.commands import Call, caller

import crosstalk as library
from crosstalk.agents.build import AgentOptions
from crosstalk.agents.tool_sessions import NOBODY, ToolServer
from crosstalk.dialogue.goals import Goal, GoalType, Reference, SemanticTuple, WantedAction
from crosstalk.errors import InputError, UnusableAgent
from crosstalk.evaluation.action_success import ActionCounts
from crosstalk.goals.goal_files import StoredGoal, write_goals
from crosstalk.simulation.run_folders import open_run
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tools import WorldTools
from crosstalk.worlds.world import load_world

SUBGOAL = (
    SemanticTuple(1, "hotel", "name", "Grand Hotel Halmora"),
    SemanticTuple(1, "hotel", "phone", ""),
)


@pytest.fixture(scope="module")
def tools() -> WorldTools:
    return WorldTools(Database(load_world("harbour", language="en")), actions=True)


@pytest.fixture
def crosstalk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(monkeypatch, capsys)


def goals(folder: Path, count: int = 1) -> Path:
    """The last room of a hotel is wanted, by each of some users."""
    wanted = WantedAction("book_room", ({"entity": Reference(1, nearby=False), **STAY},))
    goal = Goal(SUBGOAL, GoalType.S, ("Grand Hotel Halmora",), (wanted,))
    stored = [StoredGoal(f"goal-{n}", "harbour", "en", goal) for n in range(count)]
    write_goals(folder / "goals.jsonl", stored)
    return folder / "goals.jsonl"


def judged(crosstalk: Call, folder: Path, *more: Any) -> Json:
    code, printed, said = crosstalk(
        "judge", "--actions", "--language", "en", "--out", folder / "run", "--json", *more,
    )  # fmt: skip
    assert code == 0, said
    found: Json = json.loads(printed)
    return found


def test_an_http_agent_books_with_tools_of_its_own_session(tmp_path: Path, crosstalk: Call) -> None:
    with http_agent(BookingAgent()) as served:
        file = goals(tmp_path, 3)
        found = judged(
            crosstalk, tmp_path, "--agent", served.url, "--goals", file, "--max-concurrency", 3
        )
    assert found["success"] == 100.0, "each conversation has tables, and a last room, of its own"
    assert found["actions"] == {"needed": 3, "done": 3, "wrong": 0, "forbidden": 0}
    assert found["setup"]["tools"] == "mcp"
    addresses: dict[str, set[str]] = {}
    for body in served.requests:
        addresses.setdefault(body["session"], set()).add(body["mcp"])
    assert len(addresses) == 3 and all(len(each) == 1 for each in addresses.values())
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert not any(next(iter(each)).split("/")[-2].encode() in kept for each in addresses.values())


def test_calls_stand_in_the_run_as_those_of_other_agents(tmp_path: Path, crosstalk: Call) -> None:
    with http_agent(BookingAgent()) as served:
        judged(crosstalk, tmp_path, "--agent", served.url, "--goals", goals(tmp_path))
    (dialogue,) = open_run(tmp_path / "run").dialogues()
    (acting,) = [turn for turn in dialogue.system_turns if "actions" in turn.extras]
    (call,) = acting.extras["agent"]["tool_calls"]
    assert (call["name"], json.loads(call["arguments"])) == ("book_room", LAST_ROOM)
    assert json.loads(call["result"])["reference"] in acting.text


def test_what_a_service_does_otherwise_is_its_fault(tmp_path: Path, crosstalk: Call) -> None:
    for_two = ("book_room", {"entity": "Laurel Hotel", **STAY, "people": 2})
    with http_agent(BookingAgent(for_two)) as served:
        found = judged(crosstalk, tmp_path, "--agent", served.url, "--goals", goals(tmp_path))
    assert found["success"] == 0.0 and found["blame"]["agent"] == 1
    assert found["actions"] == {"needed": 1, "done": 0, "wrong": 1, "forbidden": 0}


def test_a_service_that_calls_nothing_is_pointed_at(tmp_path: Path, crosstalk: Call) -> None:
    with endpoint(lambda body, number: Answer(body={"text": "It is booked."})) as served:
        _, _, said = crosstalk(
            "judge", "--actions", "--language", "en", "--out", tmp_path / "run", "--json",
            "--agent", served.url, "--goals", goals(tmp_path),
        )  # fmt: skip
    assert "called no tool" in " ".join(said.split())


def test_an_a2a_agent_finds_the_address_in_the_metadata(tmp_path: Path) -> None:
    agent, heard = BookingAgent(), dict[str, list[str]]()

    def script(body: Json, number: int) -> Answer:
        message = body["params"]["message"]
        said = heard.setdefault(message["contextId"], [])
        said.append(message["parts"][0]["text"])
        part = {"text": agent.answer(said, message["metadata"]["mcp"])}
        return Answer(body={"jsonrpc": "2.0", "id": 1, "result": {"message": {"parts": [part]}}})

    with endpoint(script) as served:
        scores = library.judge_agent(
            f"a2a:{served.url}", goals=goals(tmp_path), actions=True, language="en"
        )
    assert scores.success == 100.0 and scores.actions == ActionCounts(1, 1, 0, 0)


def test_tools_may_be_offered_without_actions(tmp_path: Path) -> None:
    def script(body: Json, number: int) -> Answer:
        (found,) = used(body["tools"], ("search_hotel", {"limit": 1}))
        return Answer(body={"text": f"How about {found['results'][0]['name']}?"})

    template = tmp_path / "body.json"
    template.write_text(json.dumps({"said": "{message}", "tools": "{mcp}"}))
    with endpoint(script) as served:
        options = AgentOptions(http_body=template)
        run = tmp_path / "run"
        library.judge_agent(served.url, goals=1, language="en", agent_options=options, out=run)
    (dialogue,) = open_run(run).dialogues()
    (call,) = next(dialogue.system_turns).extras["agent"]["tool_calls"]
    assert call["name"] == "search_hotel"


def test_calls_beyond_the_limit_are_refused_and_counted(tools: WorldTools) -> None:
    server = ToolServer()
    session = server.open(tools, "one")
    results = used(session.url, *[("search_hotel", {"limit": 1})] * 10)
    assert "answer the user" in results[8]["error"] and "count" in results[7]
    made = session.take()
    assert (len(made.calls), made.refused) == (8, 2)
    assert used(session.url, ("search_hotel", {"limit": 1}))[0]["count"], "a new turn begins anew"


def test_a_session_that_is_over_changes_nothing(tools: WorldTools) -> None:
    server = ToolServer()
    session, other = server.open(tools, "one"), server.open(tools, "two")
    server.close(session)
    assert used(session.url, ("book_room", LAST_ROOM)) == [{"error": NOBODY}]
    assert used(other.url, ("book_room", LAST_ROOM))[0]["done"] == "book_room"
    assert session.take().events == ()


def test_the_policy_of_the_world_comes_with_the_tools(tools: WorldTools) -> None:
    server = ToolServer()
    names, instructions = listed(server.open(tools, "one").url)
    assert names == list(tools.tools)
    assert tools.world.policy and tools.world.policy in instructions


def test_the_address_may_be_another_than_the_one_listened_at(tools: WorldTools) -> None:
    session = ToolServer("127.0.0.1:0", "http://tunnel.example/").open(tools, "one")
    assert session.url.startswith("http://tunnel.example/") and session.url.endswith("/mcp")


def test_a_place_that_is_taken_is_named(tools: WorldTools) -> None:
    first = ToolServer()
    port = first.open(tools, "one").url.split("/")[2].rpartition(":")[2]
    with pytest.raises(UnusableAgent, match=f"port {port}"):
        ToolServer(f"127.0.0.1:{port}").open(tools, "one")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mcp-listen", "8000"], "is no place to listen at"),
        (["--mcp-url", "tunnel"], "is no address"),
        (["--tools", "native"], "this agent is a service"),
        (["--tools", "none"], "an agent without tools cannot do anything"),
        (["--http-body", "body.json"], "would not hold the address of the tools"),
    ],
)
def test_wrong_options_are_refused_before_a_run_is_written(
    tmp_path: Path, crosstalk: Call, arguments: list[str], words: str
) -> None:
    (tmp_path / "body.json").write_text('{"text": "{message}"}')
    given = [tmp_path / each if each.endswith(".json") else each for each in arguments]
    code, _, said = crosstalk(
        "judge", "--actions", "--agent", "http://localhost:1", "--out", tmp_path / "run", *given
    )
    assert code == 2 and words in " ".join(said.split())
    assert not (tmp_path / "run").exists()


def test_instructions_in_tables_need_an_agent_that_sees_them(
    tmp_path: Path, crosstalk: Call
) -> None:
    code, _, said = crosstalk(
        "judge", "--agent", "http://localhost:1", "--poison", "0.5", "--out", tmp_path / "run"
    )
    assert code == 2 and "offered no tools of ours" in " ".join(said.split())


def test_a_service_is_attacked_by_its_tools(tmp_path: Path, crosstalk: Call) -> None:
    def script(body: Json, number: int) -> Answer:
        (found,) = used(body["mcp"], ("search_hotel", {"limit": 1}))
        return Answer(body={"text": found["results"][0]["address"]})

    with endpoint(script) as served:
        _, printed, _ = crosstalk(
            "judge", "--agent", served.url, "--tools", "mcp", "--poison", "1", "--language", "en",
            "-n", "1", "--max-turns", "2", "--out", tmp_path / "run", "--json",
        )  # fmt: skip
    found = json.loads(printed)["injection"]
    assert (found["attacked"], found["recited"], found["obeyed"]) == (1, 1, 0)


def test_no_tools_without_a_conversation() -> None:
    with pytest.raises(InputError):
        ToolServer("nowhere")
