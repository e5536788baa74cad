"""Language models that speak for users: what is accepted, said instead, and kept."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.agents.scripted_endpoint import Answer, Json, calls, endpoint, fails, says

import crosstalk
from crosstalk.agents.build import AgentOptions
from crosstalk.dialogue.conversation import Ending
from crosstalk.dialogue.dialogues import Turn
from crosstalk.errors import BudgetSpent, InputError
from crosstalk.simulation.build import Setup
from crosstalk.simulation.run_folders import Run
from crosstalk.simulation.runner import Engine, simulate
from crosstalk.simulation.sessions import Plan, SessionRules

KEY = "sk-canary-1234567890"


def asked(body: Json) -> Json:
    """The turn that a request asks to phrase."""
    turn: Json = json.loads(body["messages"][1]["content"].partition("\n")[0])
    return turn


def plainly(body: Json) -> str:
    return str(asked(body)["plainly"])


def held(out: Path, count: int = 1, **more: Any) -> Run:
    concurrency = more.pop("concurrency", 1)
    resume = more.pop("resume", False)
    options = AgentOptions(**more.pop("options", {}))
    setup = Setup(**{"language": "en", **more}, agent_options=options)
    rules = SessionRules(1, exchanges=4, patience=20)
    engine = Engine(concurrency=concurrency)
    return simulate(Plan(1, count=count), setup, rules, out, engine=engine, resume=resume)


def turns(run: Run) -> list[Turn]:
    return [turn for dialogue in run.dialogues() for turn in dialogue.user_turns]


def how(run: Run) -> set[str]:
    return {turn.extras["voice"]["how"] for turn in turns(run)}


def test_a_good_phrasing_is_said(tmp_path: Path) -> None:
    with endpoint(lambda body, number: says(f"Okay. {plainly(body)}")) as server:
        run = held(tmp_path / "run", user_voice=f"openai:scripted@{server.url}")
    said = turns(run)
    assert how(run) == {"phrased"}
    assert all(turn.text.startswith("Okay. ") for turn in said)
    assert all(turn.acts and turn.user_state for turn in said)
    assert said[0].extras["voice"]["usage"]["prompt_tokens"] == 10
    assert run.card.setup["user_voice"] == f"openai:scripted@{server.url}"
    assert run.card.setup["level"] == "words" and "user's prompt" in run.card.digests


def test_what_the_model_gets(tmp_path: Path) -> None:
    with endpoint(lambda body, number: says(plainly(body))) as server:
        run = held(tmp_path / "run", user_voice=f"openai:scripted@{server.url}")
    first, second = asked(server.requests[0]), asked(server.requests[1])
    assert first["last_reply"] == "" and first["acts"] and first["register"] == second["register"]
    assert second["last_reply"] == next(next(iter(run.dialogues())).system_turns).text
    assert "tools" not in server.requests[0]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("", "empty"),
        ("Hello, how can I help you today?", "agent"),
        ("<think>I am the user.</think> Hello", "reasoning"),
        ("###STOP###", "marker"),
        ('{"name": "search_hotel"}', "tool"),
        ("Ich suche bitte ein schönes Hotel für die nächste Nacht.", "language"),
        ("please " * 80, "long"),
        ("I would like to see Glass Pier Hotel.", "other_value"),
        ("Hello there!", "missing"),
    ],
)
def test_what_is_rejected_is_asked_again_and_then_said_by_the_template(
    tmp_path: Path, words: str, problem: str
) -> None:
    with endpoint(lambda body, number: says(words)) as server:
        run = held(tmp_path / "run", user_voice=f"openai:scripted@{server.url}")
    with endpoint(lambda body, number: says(words)):
        plain = held(tmp_path / "plain", level="words")
    first = turns(run)[0]
    assert first.extras["voice"]["how"] == "template"
    assert [problem in each for each in first.extras["voice"]["rejected"]] == [True] * 3
    assert first.text == turns(plain)[0].text


def test_a_value_of_the_goal_that_is_not_to_be_said_yet_is_a_leak(tmp_path: Path) -> None:
    def leaking(body: Json, number: int) -> Answer:
        return says(f"{plainly(body)} I want a rating of 4.5 points or more, 5 points, 4 points.")

    with endpoint(leaking) as server:
        run = held(tmp_path / "run", count=4, user_voice=f"openai:scripted@{server.url}")
    problems = [set(each) for turn in turns(run) for each in turn.extras["voice"]["rejected"]]
    assert all(each & {"leak", "other_value"} for each in problems)
    assert how(run) == {"template"}


def test_the_second_try_counts_as_rephrased(tmp_path: Path) -> None:
    def script(body: Json, number: int) -> Answer:
        return says("How may I assist you?" if len(body["messages"]) == 2 else plainly(body))

    with endpoint(script) as server:
        run = held(tmp_path / "run", user_voice=f"openai:scripted@{server.url}")
    assert how(run) == {"rephrased"}
    again = server.requests[1]["messages"]
    assert again[2]["content"] == "How may I assist you?"
    assert "You are the person who asks" in again[3]["content"]


def test_tool_calls_are_no_words(tmp_path: Path) -> None:
    with endpoint(lambda body, number: calls("search_hotel", "{}")) as server:
        run = held(tmp_path / "run", user_voice=f"openai:scripted@{server.url}")
    assert how(run) == {"template"}


def test_reruns_from_the_cache_are_byte_identical(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CROSSTALK_AGENT_KEY", KEY)

    def script(body: Json, number: int) -> Answer:
        return says(plainly(body) if number % 3 else "How can I help?")

    with endpoint(script) as server:
        model = f"openai:scripted@{server.url}"
        held(tmp_path / "one", count=3, user_voice=model)
        requests = len(server.requests)
        cached = {"cache": tmp_path / "one", "cache_mode": "replay"}
        held(tmp_path / "two", count=3, user_voice=model, concurrency=3, options=cached)
        assert len(server.requests) == requests
    one, two = (
        b"".join(file.read_bytes() for file in sorted((tmp_path / name).rglob("*.jsonl")))
        for name in ("one", "two")
    )
    assert one == two and one
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert not any(KEY.encode() in file.read_bytes() for file in kept)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_a_budget_stops_the_run_before_the_request(tmp_path: Path) -> None:
    with endpoint(lambda body, number: says(plainly(body))) as server:
        model = f"openai:scripted@{server.url}"
        with pytest.raises(BudgetSpent):
            held(tmp_path / "run", user_voice=model, options={"budget_tokens": 100})
        assert not server.requests


def test_a_dead_endpoint_is_nobodys_fault(tmp_path: Path) -> None:
    with endpoint(lambda body, number: fails(429, "", retry_after="300")) as server:
        run = held(tmp_path / "run", user_voice=f"openai:scripted@{server.url}")
    assert [each.extras["ending"] for each in run.dialogues()] == [Ending.INFRASTRUCTURE]


def test_hard_users_are_perturbed_after_the_checks(tmp_path: Path) -> None:
    with endpoint(lambda body, number: says(plainly(body))) as server:
        model = f"openai:scripted@{server.url}"
        run = held(tmp_path / "run", user_voice=model, perturbation="plain")
    assert how(run) == {"phrased"}
    assert all(turn.text == turn.text.lower() for turn in turns(run))


@pytest.mark.parametrize("name", ["system", "openai:", "python:mine.py:answer"])
def test_only_language_models_have_a_voice(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="names no language model"):
        held(tmp_path / "run", user_voice=name)


def test_words_are_needed_where_a_model_speaks() -> None:
    with pytest.raises(InputError, match="speaks words"):
        crosstalk.simulate(goals=1, user="openai:scripted@http://localhost:1/v1")
