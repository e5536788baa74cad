"""Agents of every kind hold conversations about goals of harbour."""

import json
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.agents.scripted_endpoint import Answer, calls, endpoint, fails, says

from crosstalk.agents.build import AgentOptions, build_agents, parse_agent
from crosstalk.dialogue.conversation import Ending
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.errors import InfrastructureError, InputError, UnusableAgent
from crosstalk.evaluation.run_comparison import compare_runs
from crosstalk.simulation.build import Setup
from crosstalk.simulation.run_folders import Run, open_run
from crosstalk.simulation.runner import Engine, simulate
from crosstalk.simulation.sessions import Plan, SessionRules
from crosstalk.system.parts import PartContext, context_of


@pytest.fixture(scope="module")
def context() -> PartContext:
    return context_of("harbour", language="en")


def held(agent: str, out: Path, count: int = 2, **options: Any) -> Run:
    engine = Engine(concurrency=options.pop("concurrency", 1))
    resume = options.pop("resume", False)
    setup = Setup(language="en", agent=agent, agent_options=AgentOptions(**options))
    rules = SessionRules(1, exchanges=3, patience=5)
    return simulate(Plan(1, count=count), setup, rules, out, engine=engine, resume=resume)


def texts(run: Run) -> list[str]:
    return [turn.text for dialogue in run.dialogues() for turn in dialogue.system_turns]


def endings(run: Run) -> list[str]:
    return [dialogue.extras["ending"] for dialogue in run.dialogues()]


def file(folder: Path, code: str) -> str:
    path = folder / "mine.py"
    path.write_text(textwrap.dedent(code))
    return str(path)


def test_a_function_of_messages(tmp_path: Path) -> None:
    mine = file(
        tmp_path,
        """
        def answer(messages, session):
            return f"{session}: {len(messages)}"
        """,
    )
    run = held(f"python:{mine}:answer", tmp_path / "run", count=1)
    assert texts(run) == [f"session 1:0:0: {n}" for n in (1, 3, 5)]


@pytest.mark.parametrize(
    "code",
    [
        "def make_agent(): return lambda messages: 'hello'",
        "def make_agent(world):\n    async def answer(messages): return 'hello'\n    return answer",
        "class make_agent:\n    def begin(self): return 0\n    def reply(self, heard, state):"
        "\n        return 'hello', state + 1",
        "def make_agent(messages): return {'role': 'assistant', 'content': 'hello'}",
        "def make_agent(history, key): return 'hello'",
    ],
)
def test_other_shapes_of_python_agents(tmp_path: Path, code: str) -> None:
    run = held(f"python:{file(tmp_path, code)}:make_agent", tmp_path / "run", count=1)
    assert set(texts(run)) == {"hello"}


def test_a_factory_that_asks_for_the_unknown_is_told_what_agents_look_like(tmp_path: Path) -> None:
    mine = file(tmp_path, "def make_agent(wrold): return 1")
    with pytest.raises(InputError, match="needs wrold") as refused:
        held(f"python:{mine}:make_agent", tmp_path / "run", count=1)
    assert "(messages, session)" in str(refused.value)


def test_a_factory_may_hand_on_the_language_it_is_offered(tmp_path: Path) -> None:
    mine = file(
        tmp_path,
        """
        import crosstalk
        def make_agent(world, language):
            return crosstalk.build_system(world, language=language)
        """,
    )
    assert all(texts(held(f"python:{mine}:make_agent", tmp_path / "run", count=1)))


def test_a_python_agent_may_call_tools(tmp_path: Path) -> None:
    mine = file(
        tmp_path,
        """
        import json
        def answer(messages):
            if messages[-1]["role"] == "tool":
                return json.loads(messages[-1]["content"])["results"][0]["name"]
            call = {"name": "search_hotel", "arguments": {"limit": 1}}
            return {"tool_calls": [{"id": "1", "function": call}]}
        """,
    )
    run = held(f"python:{mine}:answer", tmp_path / "run", count=1)
    turn = next(next(iter(run.dialogues())).system_turns)
    (call,) = turn.extras["agent"]["tool_calls"]
    assert turn.text == json.loads(call["result"])["results"][0]["name"]


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("def answer(messages): raise ValueError('broken')", "broken"),
        ("def answer(messages): return 7", "answered int; expected text"),
        ("def answer(messages): return {'reply': 'hi'}", "a message with reply; expected one of"),
        ("import time\ndef answer(messages): time.sleep(60)", "longer than"),
    ],
)
def test_what_a_python_agent_does_wrong_is_its_fault(tmp_path: Path, code: str, fault: str) -> None:
    setup = Setup(language="en", agent=f"python:{file(tmp_path, code)}:answer")
    rules = SessionRules(1, exchanges=3, patience=3.0)
    for concurrency in (1, 2):
        out = tmp_path / f"run{concurrency}"
        engine = Engine(concurrency=concurrency)
        run = simulate(Plan(1, count=1), setup, rules, out, engine=engine)
        (dialogue,) = run.dialogues()
        assert dialogue.extras["ending"] == Ending.SYSTEM_FAULT
        assert fault in dialogue.extras["fault"]


def test_a_program(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        """
        import json, sys
        for line in sys.stdin:
            given = json.loads(line)
            if given["type"] == "user":
                call = {"type": "tool", "name": "search_hotel", "arguments": {"limit": 1}}
                print(json.dumps(call), flush=True)
                found = json.loads(sys.stdin.readline())["content"]["results"][0]["name"]
                print(json.dumps({"type": "say", "text": f"Try {found}."}), flush=True)
        """,
    )
    run = held(f"cmd:{sys.executable} {path}", tmp_path / "run", count=1)
    assert all(text.startswith("Try ") for text in texts(run))


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("raise SystemExit(3)", "the program ended (exit code 3)"),
        ("raise ValueError('no key')", "the program ended (exit code 1: ValueError: no key)"),
        ("print('hi', flush=True); input()", "the program wrote 'hi', which is no JSON object"),
        ("print('h' * 2**21, flush=True); input()", "a line of more than 1,048,576 bytes"),
    ],
)
def test_a_program_that_fails_is_the_agents_fault(tmp_path: Path, code: str, fault: str) -> None:
    path = file(tmp_path, f"import sys\nsys.stdin.readline()\n{code}\nimport time; time.sleep(9)")
    run = held(f"cmd:{sys.executable} {path}", tmp_path / "run", count=1)
    (dialogue,) = run.dialogues()
    assert dialogue.extras["ending"] == Ending.SYSTEM_FAULT
    assert dialogue.extras["fault"].endswith(fault)


def test_a_program_that_does_not_start_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(UnusableAgent, match="does not start"):
        held("cmd:/nowhere/at/all", tmp_path / "run")


def test_an_http_service(tmp_path: Path) -> None:
    with endpoint(
        lambda body, number: Answer(body={"reply": f"{len(body['messages'])}"})
    ) as served:
        run = held(f"http:{served.url}", tmp_path / "run", count=1)
    assert texts(run) == ["1", "3", "5"]


def test_an_http_service_gets_the_request_it_wants(tmp_path: Path) -> None:
    body = tmp_path / "body.json"
    body.write_text(
        '{"input": [{"text": "{message}"}], "user": "u-{session}", "log": "{messages}"}'
    )
    with endpoint(lambda body, number: Answer(body={"out": [{"text": "Hello."}]})) as served:
        asked = {"http_body": body, "answer": "/out/0/text"}
        run = held(f"http:{served.url}", tmp_path / "run", count=1, **asked)
    turns = next(run.dialogues()).turns
    assert turns[1].text == "Hello."
    second = served.requests[1]
    assert second["input"] == [{"text": turns[2].text}]
    assert second["user"].startswith("u-session")
    assert [each["content"] for each in second["log"]] == [turn.text for turn in turns[:3]]


def test_a_request_without_the_users_words_is_refused(tmp_path: Path, context: PartContext) -> None:
    body = tmp_path / "body.json"
    body.write_text('{"input": "{text}"}')
    with pytest.raises(InputError, match="would not hold what the user said"):
        build_agents("http://127.0.0.1:1", context, AgentOptions(http_body=body))


@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_pause_that_a_service_asks_for_is_off_the_clock(tmp_path: Path, concurrency: int) -> None:
    pause = fails(429, retry_after="2")
    answers = [pause, Answer(body={"text": "Hello."})]
    with endpoint(lambda body, number: answers[min(number, 1)]) as served:
        setup = Setup(language="en", level="words", agent=f"http:{served.url}")
        rules, engine = SessionRules(exchanges=1, patience=1.5), Engine(concurrency=concurrency)
        run = simulate(Plan(count=1), setup, rules, tmp_path / "run", engine=engine)
    assert next(run.dialogues()).turns[1].text == "Hello."


def test_a_model_without_room_for_tools_is_no_crash(context: PartContext) -> None:
    with endpoint(lambda body, number: fails(400, "context_length_exceeded")) as served:
        built = build_agents(f"openai:m@{served.url}", context, AgentOptions())
    assert built.card["tools"] == "text"


def test_a_reply_missing_in_the_cache_stops_the_run(tmp_path: Path) -> None:
    asked = {"tools": "native", "cache": tmp_path / "none.sqlite", "cache_mode": "replay"}
    with pytest.raises(UnusableAgent, match="a reply is missing"):
        held("openai:m@http://127.0.0.1:1", tmp_path / "run", count=1, **asked)


def test_an_a2a_service(tmp_path: Path) -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        sent = body["params"]["message"]
        part = {"text": f"{sent['parts'][0]['text'][:5]} {sent['contextId'][:4]}"}
        return Answer(body={"jsonrpc": "2.0", "id": 1, "result": {"message": {"parts": [part]}}})

    with endpoint(answer) as served:
        run = held(f"a2a:{served.url}", tmp_path / "run", count=1)
    assert len({text[-4:] for text in texts(run)}) == 1
    assert len(texts(run)) == 3


def a2a_task(state: str, text: str = "") -> dict[str, Any]:
    status = {"state": state, **({"message": {"parts": [{"text": text}]}} if text else {})}
    return {"id": "t1", "contextId": "c", "status": status}


def test_a_task_that_an_a2a_service_works_on_is_asked_for_again(tmp_path: Path) -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        if body["method"] == "SendMessage":
            return a2a({"task": a2a_task("TASK_STATE_SUBMITTED")})
        assert body["params"] == {"id": "t1"}
        working = number % 3 == 1
        done = a2a_task("TASK_STATE_COMPLETED", "Done.")
        return a2a(a2a_task("TASK_STATE_WORKING") if working else done)

    with endpoint(answer) as served:
        run = held(f"a2a:{served.url}", tmp_path / "run", count=1)
    assert texts(run) == ["Done."] * 3
    assert [body["method"] for body in served.requests[:3]] == ["SendMessage", "GetTask", "GetTask"]


def test_a_task_that_waits_for_the_user_is_named_again(tmp_path: Path) -> None:
    asks = a2a_task("TASK_STATE_INPUT_REQUIRED", "Where to?")
    with endpoint(lambda body, number: a2a({"task": asks})) as served:
        held(f"a2a:{served.url}", tmp_path / "run", count=1)
    named = [body["params"]["message"].get("taskId") for body in served.requests]
    assert named == [None, "t1", "t1"]


@pytest.mark.parametrize(
    ("result", "fault"),
    [
        ({"result": {"task": {"id": "t", "status": {"state": "TASK_STATE_WORKING"}}}}, "not done"),
        ({"result": {"task": {"id": "t", "status": {"state": "TASK_STATE_FAILED"}}}}, "FAILED"),
        ({"error": {"code": -32603, "message": "Internal error"}}, "-32603 Internal error"),
        ({"result": 7}, "no result"),
    ],
)
def test_what_an_a2a_service_does_wrong_is_its_fault(
    tmp_path: Path, result: dict[str, Any], fault: str
) -> None:
    with endpoint(lambda body, number: Answer(body={"jsonrpc": "2.0", **result})) as served:
        run = held(f"a2a:{served.url}", tmp_path / "run", count=1, timeout=0.5)
    (dialogue,) = run.dialogues()
    assert dialogue.extras["ending"] == Ending.SYSTEM_FAULT
    assert fault in dialogue.extras["fault"]


def a2a(result: dict[str, Any]) -> Answer:
    return Answer(body={"jsonrpc": "2.0", "id": 1, "result": result})


# Who is at fault where something takes too long


def slow_run(agent: str, out: Path, concurrency: int, **options: Any) -> Run:
    """One conversation; the turn and each request may take 0.5 s."""
    setup = Setup(language="en", agent=agent, agent_options=AgentOptions(timeout=0.5, **options))
    rules = SessionRules(1, exchanges=2, patience=0.5)
    return simulate(Plan(1, count=1), setup, rules, out, engine=Engine(concurrency=concurrency))


@pytest.mark.parametrize("concurrency", [1, 2])
def test_an_endpoint_that_hangs_is_infrastructure(tmp_path: Path, concurrency: int) -> None:
    with endpoint(lambda body, number: replace(says("late"), wait=2)) as served:
        agent = f"openai:m@{served.url}"
        run = slow_run(agent, tmp_path / "run", concurrency, tools="native")
    (dialogue,) = run.dialogues()
    assert dialogue.extras["ending"] == Ending.INFRASTRUCTURE
    assert "it said nothing for 0.5 s" in dialogue.extras["fault"]
    assert len(served.requests) == 4


@pytest.mark.parametrize("concurrency", [1, 2])
def test_an_endpoint_that_hangs_once_is_asked_again(tmp_path: Path, concurrency: int) -> None:
    with endpoint(lambda body, n: replace(says("hello"), wait=0 if n else 2)) as served:
        agent = f"openai:m@{served.url}"
        run = slow_run(agent, tmp_path / "run", concurrency, tools="native")
    assert texts(run) == ["hello"] * 2


@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_model_that_takes_too_long_over_many_calls_is_at_fault(
    tmp_path: Path, concurrency: int
) -> None:
    with endpoint(lambda body, n: replace(calls("search_hotel", "{}"), wait=0.2)) as served:
        agent = f"openai:m@{served.url}"
        run = slow_run(agent, tmp_path / "run", concurrency, tools="native")
    (dialogue,) = run.dialogues()
    assert dialogue.extras["ending"] == Ending.SYSTEM_FAULT
    assert "longer than 0.5 s" in dialogue.extras["fault"]


@pytest.mark.parametrize("kind", ["http", "a2a"])
def test_a_service_that_is_the_agent_and_hangs_is_at_fault(tmp_path: Path, kind: str) -> None:
    with endpoint(lambda body, number: replace(says("late"), wait=2)) as served:
        agent = served.url if kind == "http" else f"a2a:{served.url}"
        run = slow_run(agent, tmp_path / "run", 1)
    assert endings(run) == [Ending.SYSTEM_FAULT]


def test_a_language_model_with_native_calls(tmp_path: Path) -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        if body.get("tool_choice") == "required":
            return calls("get_place", '{"name": "Pier"}')
        if body["messages"][-1]["role"] == "user":
            return calls("search_hotel", '{"limit": 1}')
        return says("I found one.")

    with endpoint(answer) as served:
        run = held(f"openai:scripted@{served.url}", tmp_path / "run", count=1)
    assert run.card.setup["tools"] == "native"
    turn = next(next(iter(run.dialogues())).system_turns)
    assert turn.text == "I found one."
    assert turn.extras["agent"]["tool_calls"][0]["name"] == "search_hotel"
    assert turn.extras["agent"]["usage"] == {"prompt_tokens": 20, "completion_tokens": 10}


@pytest.mark.parametrize("mode", ["json", "text"])
def test_a_language_model_that_writes_its_calls(tmp_path: Path, mode: str) -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        if body["messages"][-1]["content"].startswith("RESULT"):
            return says('```json\n{"say": "Found."}\n```')
        return says('{"call": "search_hotel", "arguments": {"limit": 1}}')

    with endpoint(answer) as served:
        run = held(f"openai:scripted@{served.url}", tmp_path / "run", count=1, tools=mode)
    assert set(texts(run)) == {"Found."}
    asked = [body for body in served.requests if "response_format" in body]
    assert bool(asked) == (mode == "json")


def test_endless_calls_end_after_eight(tmp_path: Path) -> None:
    with endpoint(lambda body, number: calls("search_hotel", "{}")) as served:
        run = held(f"openai:m@{served.url}", tmp_path / "run", count=1, tools="native")
    turn = next(next(iter(run.dialogues())).system_turns)
    assert len(turn.extras["agent"]["tool_calls"]) == 8
    assert "more than 8 tool calls in one turn" in turn.extras["agent"]["problems"]


def test_models_that_write_calls_for_ever_have_to_speak_after_three(tmp_path: Path) -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        allowed = json.dumps(body["response_format"])
        return says('{"call": "search_hotel", "arguments": {}}' if "search_hotel" in allowed else
                    '{"say": "Sorry."}')  # fmt: skip

    with endpoint(answer) as served:
        run = held(f"openai:m@{served.url}", tmp_path / "run", count=1, tools="json")
    turn = next(next(iter(run.dialogues())).system_turns)
    assert turn.text == "Sorry." and len(turn.extras["agent"]["tool_calls"]) == 3


def test_two_runs_of_one_cache_are_equal_byte_for_byte(tmp_path: Path) -> None:
    with endpoint(lambda body, number: says(f"reply {number}")) as served:
        first = held(f"openai:m@{served.url}", tmp_path / "a", tools="native")
        agent = f"openai:m@{served.url}"
    cache = tmp_path / "a" / "replies.sqlite"
    second = held(agent, tmp_path / "b", tools="native", cache=cache, cache_mode="replay")
    shards = [folder / "dialogues" / "00000.jsonl" for folder in (first.folder, second.folder)]
    assert shards[0].read_bytes() == shards[1].read_bytes()


def test_a_service_that_fails_half_way_is_nobodys_fault_and_resumes(tmp_path: Path) -> None:
    broken = True

    def answer(body: dict[str, Any], number: int) -> Answer:
        return fails(500, retry_after="0") if broken and number >= 5 else says("hello")

    with endpoint(answer) as served:
        agent = f"openai:m@{served.url}"
        with pytest.raises(InfrastructureError, match="in a row"):
            held(agent, tmp_path / "run", count=8, tools="native")
        assert Ending.INFRASTRUCTURE in endings(open_run(tmp_path / "run"))
        broken = False
        resumed = held(agent, tmp_path / "run", count=8, tools="native", resume=True)
        whole = held(agent, tmp_path / "whole", count=8, tools="native")
    assert resumed.is_complete and Ending.INFRASTRUCTURE not in endings(resumed)
    assert texts(resumed) == texts(whole)


def test_a_spent_budget_stops_the_run_which_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    with endpoint(lambda body, number: says("hello")) as served:
        agent = f"openai:m@{served.url}"
        with pytest.raises(InfrastructureError, match="tokens"):
            held(agent, tmp_path / "run", count=4, tools="native", budget_tokens=1100)
        resumed = held(agent, tmp_path / "run", count=4, tools="native", resume=True)
        whole = held(agent, tmp_path / "whole", count=4, tools="native", concurrency=4)
    shards = [run.folder / "dialogues" / "00000.jsonl" for run in (resumed, whole)]
    assert shards[0].read_bytes() == shards[1].read_bytes()


def test_conversations_wait_for_a_slow_endpoint_at_the_same_time(tmp_path: Path) -> None:
    with endpoint(lambda body, number: Answer(body=says("hi").body, wait=0.2)) as served:
        agent = f"openai:m@{served.url}"
        run = held(agent, tmp_path / "run", count=20, tools="native", concurrency=20)
    assert len(list(run.dialogues())) == 20


@pytest.mark.parametrize("name", ["", "gpt", "openai:", "ftp:x", "cmd:"])
def test_names_that_are_no_agents_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="names no agent"):
        parse_agent(name)


def test_addresses_on_cards_have_no_secrets(context: PartContext) -> None:
    agent = "openai:m@http://me:secret@127.0.0.1:1/v1?key=secret"
    built = build_agents(agent, context, AgentOptions(tools="native"))
    assert "secret" not in str(built.card)


def test_the_prompt_speaks_the_language_of_the_world() -> None:
    from crosstalk.agents.prompts import agent_prompt
    from crosstalk.worlds.world import load_world

    prompts = {code: agent_prompt(load_world("harbour", language=code)) for code in ("en", "zh")}
    assert "tools" in prompts["en"] and "工具" in prompts["zh"]


def test_an_agent_is_a_participant(context: PartContext) -> None:
    with endpoint(lambda body, number: says("hello")) as served:
        agents = build_agents(f"openai:m@{served.url}", context, AgentOptions(tools="none"))
        agent = agents.of_session("s")
        reply, _ = agent.reply(Turn(Speaker.USER, "hi"), agent.begin())
    assert reply.turn.text == "hello"
    assert [message["role"] for message in served.requests[0]["messages"]] == ["system", "user"]


def test_runs_in_two_languages_are_not_compared_and_say_so(tmp_path: Path) -> None:
    mine = file(tmp_path, "def answer(messages): return 'hello'")
    folders = [tmp_path / language for language in ("en", "ar")]
    for folder in folders:
        setup = Setup(language=folder.name, agent=f"python:{mine}:answer")
        simulate(Plan(1, count=1), setup, SessionRules(1, exchanges=1), folder)
    with pytest.raises(InputError, match="language: en and ar"):
        compare_runs(*folders)
