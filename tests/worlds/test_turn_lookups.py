"""Dialogues as tool calls: the tools that agents get, and every fact told stands in a result."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from crosstalk.corpora.chat import chat_record
from crosstalk.corpora.chat_grounding import grounding_of
from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.acts import INFORM, RECOMMEND, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.evaluation.corpus_world import WorldLookUps
from crosstalk.simulation.build import Setup
from crosstalk.simulation.sessions import Plan, simulated_dialogues
from crosstalk.worlds.policy_rules import with_actions
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tools import MOST_ROWS, WorldTools
from crosstalk.worlds.turn_lookups import TurnLookUps
from crosstalk.worlds.world import load_world


@pytest.fixture(scope="module")
def dialogues() -> list[Dialogue]:
    return list(simulated_dialogues(Plan(seed=4, count=25), Setup(language="de", level="words")))


@pytest.fixture(scope="module")
def tools() -> WorldTools:
    return WorldTools(Database(load_world("harbour", language="de")))


def seen_before(dialogue: Dialogue, lookups: WorldLookUps) -> Iterator[tuple[Turn, str]]:
    """Each turn of the system with all results before it."""
    messages = iter(chat_record(dialogue, lookups(dialogue))["messages"])
    assert next(messages)["role"] == "system"
    seen = ""
    for turn in dialogue.turns:
        message = next(messages)
        while message["role"] == "tool" or message.get("tool_calls"):
            seen += message["content"]
            message = next(messages)
        assert message["content"] == turn.text
        if turn.speaker is Speaker.SYSTEM:
            yield turn, seen


def test_every_fact_stands_in_a_result(dialogues: list[Dialogue]) -> None:
    lookups = WorldLookUps()
    told = 0
    for dialogue in dialogues:
        for turn, seen in seen_before(dialogue, lookups):
            facts = [act for act in turn.acts if act.intent in (INFORM, RECOMMEND)]
            for act in facts:
                if act.value and "services-" not in act.slot and act.value != "keine Angabe":
                    told += 1
                    assert json.dumps(act.value, ensure_ascii=False)[1:-1] in seen, act
    assert told > 150 and not lookups.missing


def test_calls_are_those_of_the_tools(dialogues: list[Dialogue], tools: WorldTools) -> None:
    lookups, used = WorldLookUps(), set()
    for dialogue in dialogues:
        record = chat_record(dialogue, lookups(dialogue))
        assert record["tools"] == tools.definitions()
        messages = record["messages"]
        results = {m["tool_call_id"]: m["content"] for m in messages if m["role"] == "tool"}
        for call in (each for m in messages for each in m.get("tool_calls", ())):
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            answer, expected = json.loads(results.pop(call["id"])), tools.run(name, arguments)
            assert answer.get("count") == expected.get("count")
            if answer.get("count", 0) <= MOST_ROWS:  # else the match that was chosen is shown
                assert answer == expected
            used.add(name)
        assert not results
    assert used >= {"search_hotel", "get_restaurant", "ride"}


def test_almost_every_value_is_grounded(dialogues: list[Dialogue]) -> None:
    lookups = WorldLookUps()
    found = grounding_of(chat_record(dialogue, lookups(dialogue)) for dialogue in dialogues)
    assert found.stated > 300 and found.share >= 0.99


def test_almost_every_value_of_people_is_grounded(data_folder: Path) -> None:
    lookups = WorldLookUps(data=data_folder)
    val = islice(read_corpus(data_folder / "crosswoz" / "val.json.zip"), 200)
    records = [chat_record(dialogue, lookups(dialogue)) for dialogue in val]
    assert not lookups.missing and grounding_of(records).share >= 0.99
    for record in records:
        assert record["messages"][0]["role"] == "system"
        answers: dict[str, str] = {}
        calls = [call for m in record["messages"] for call in m.get("tool_calls", ())]
        results = [m["content"] for m in record["messages"] if m["role"] == "tool"]
        for call, result in zip(calls, results, strict=True):
            asked = json.dumps(call["function"], sort_keys=True)
            assert answers.setdefault(asked, result) == result


def test_actions_are_calls(tools: WorldTools) -> None:
    hotel = tools.database.search("hotel", {})[0]["name"]
    stay = {"entity": hotel, "arrival": "2026-06-08", "nights": 2, "people": 2}
    able = WorldTools(tools.database, actions=True)
    event = able.call("book_room", stay, able.executor.begin()).event
    assert event is not None
    turn = with_actions(Turn(Speaker.SYSTEM, "Gebucht."), [event])
    dialogue = Dialogue("1", (turn,), language="de", world="harbour")
    record = chat_record(dialogue, WorldLookUps()(dialogue))
    system, asked, answer, _ = record["messages"]
    assert tools.world.policy in system["content"] and record["tools"] == able.definitions()
    assert asked["tool_calls"][0]["function"] == {"name": "book_room", "arguments": stay}
    assert json.loads(answer["content"]) == able.run("book_room", stay)


def test_only_fields_of_the_search_are_asked_for(tools: WorldTools) -> None:
    lookups = TurnLookUps(tools)
    turn = Turn(Speaker.SYSTEM, "")
    rated = DomainState("hotel", (("rating", "mindestens 4 Punkte"), ("stay", "")))
    booked = rated.with_slot("stay", "2")
    assert len(lookups.of_turn(turn, [rated])) == 1
    assert not lookups.of_turn(turn, [booked])
    assert not lookups.of_turn(turn, [DomainState("hotel", (("stay", "2"),))])


def test_chosen_matches_are_shown(tools: WorldTools) -> None:
    domain = tools.database.domain("restaurant")
    last = tools.database.search("restaurant", {})[-1]["name"]
    result = tools.search(domain, {}, {str(last)})
    assert result["count"] > len(result["results"]) == 5
    assert [row["name"] for row in result["results"]].index(last) == 4


def test_calls_of_an_agent_are_kept() -> None:
    call = {"name": "get_hotel", "arguments": '{"name": "X"}', "result": '{"error": "no"}'}
    turns = (
        Turn(Speaker.USER, "Hello"),
        Turn(Speaker.SYSTEM, "Hi", extras={"agent": {"tool_calls": [call]}}),
    )
    record = chat_record(Dialogue("1", turns))
    assert [message["role"] for message in record["messages"]] == [
        "user", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert record["messages"][2]["content"] == call["result"]


def test_a_world_without_tables_is_named() -> None:
    lookups = WorldLookUps()
    form = SystemState((DomainState("hotel", (("stars", "4"),)),))
    asked = Turn(Speaker.SYSTEM, "", first_query=form, last_query=form)
    assert lookups(Dialogue("1", (asked,), world="nowhere")) is None
    for language in ("fr", "ko"):
        lookups(Dialogue("1", (asked,), world="nowhere", language=language))
    assert list(lookups.missing) == ["the world nowhere"]
    assert "nowhere" in lookups.missing["the world nowhere"]


def test_nothing_is_missed_where_nobody_asked_or_a_service_answered() -> None:
    lookups = WorldLookUps()
    call = {"name": "find", "arguments": "{}", "result": "[]"}
    answered = Turn(Speaker.SYSTEM, "", extras={"agent": {"tool_calls": [call]}})
    for turns in ((), (answered,)):
        assert lookups(Dialogue("1", turns, world="nowhere")) is None
    assert not lookups.missing


@pytest.fixture
def guessing(tools: WorldTools) -> TurnLookUps:
    """As for a corpus that records no queries."""
    return TurnLookUps(tools, inferred=True)


def asked_for(**slots: str) -> DomainState:
    return DomainState("restaurant", tuple(slots.items()))


def telling(slot: str, value: str) -> Turn:
    return Turn(Speaker.SYSTEM, "", (Act(INFORM, "restaurant", slot, value),))


def test_wishes_that_a_place_does_not_meet_are_left_out(
    tools: WorldTools, guessing: TurnLookUps
) -> None:
    row = tools.world.tables["restaurant"].rows[0]
    name, cost = str(row["name"]), float(row["cost"])  # type: ignore[arg-type]
    query = asked_for(cost=f"höchstens {cost / 2:.0f} Kronen", dishes=str(row["dishes"][0]))  # type: ignore[index]
    calls = guessing.of_turn(telling("name", name), [query])
    assert [(tool, sorted(given)) for tool, given, _ in calls] == [
        ("search_restaurant", ["cost_max", "dishes"]),
        ("search_restaurant", ["dishes"]),
    ]
    assert name in [found["name"] for found in calls[-1][2]["results"]]


def test_a_place_is_known_by_its_phone_number(tools: WorldTools, guessing: TurnLookUps) -> None:
    row = next(row for row in tools.world.tables["restaurant"].rows if row["phone"])
    ((_, _, answer),) = guessing.of_turn(telling("phone", str(row["phone"])), [])
    assert row["name"] in [found["name"] for found in answer["results"]]
