"""A language model reads what the rules left unread, and nothing it says is taken on trust."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.agents.scripted_endpoint import Answer, Json, endpoint, says

from crosstalk.errors import InputError
from crosstalk.evaluation.model_reader import model_reader
from crosstalk.reading.claims import Verdict
from crosstalk.reading.conversation import ConversationReader, Exchange, SaidExchange
from crosstalk.reports.run_summary import summarise, summary_record
from crosstalk.simulation.build import Setup
from crosstalk.simulation.runner import simulate
from crosstalk.simulation.sessions import Plan, SessionRules

READER = ConversationReader.of("harbour", "en")
NAME = "Grand Hotel Halmora"
TRUE = f"At {NAME} you sleep for 2030."
FALSE = f"At {NAME} you sleep for 777."


def exchange(reply: str) -> Exchange:
    (found,) = READER.read([SaidExchange(f"What does {NAME} cost?", reply)])
    return found


def claim(**more: str) -> dict[str, str]:
    said = {"domain": "hotel", "place": NAME, "slot": "price", "value": "2030", "quote": "for 2030"}
    return {**said, **more}


def read(reply: str, answer: Any, folder: Path) -> tuple[Exchange, list[Json]]:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    with endpoint(lambda body, number: says(text)) as server:
        reader = model_reader(f"openai:scripted@{server.url}", folder)
        return reader.read(exchange(reply), READER.reader), server.requests


def test_a_claim_of_an_unread_stretch_is_taken_and_marked(tmp_path: Path) -> None:
    assert exchange(TRUE).reading.unread
    found, (request,) = read(TRUE, {"claims": [claim()]}, tmp_path)
    (told,) = [each for each in found.reading.claims if each.read_by]
    assert (told.entity, told.slot, told.verdict) == (NAME, "price", Verdict.TRUE)
    assert TRUE[told.start : told.end] == told.quote == "for 2030"
    assert told.read_by.startswith("openai:scripted@") and not found.reading.unread
    assert "tools" not in request and request["response_format"]["type"] == "json_schema"
    assert json.loads(request["messages"][1]["content"])["stretches"] == ["2030"]


def test_a_false_number_is_false(tmp_path: Path) -> None:
    found, _ = read(FALSE, {"claims": [claim(value="777", quote="for 777")]}, tmp_path)
    assert [each.verdict for each in found.reading.claims if each.read_by] == [Verdict.FALSE]


@pytest.mark.parametrize(
    "answer",
    [
        {"claims": [claim(quote="costs 2030 crowns")]},  # does not stand in the reply
        {"claims": [claim(quote=NAME)]},  # no unread stretch
        {"claims": [claim(value="2031")]},  # does not stand in the quote
        {"claims": [claim(place="Palace of Dreams")]},
        {"claims": [claim(slot="charm")]},
        {"claims": [claim(slot="type")]},  # no table can tell
        {"claims": [claim(domain="museum")]},
        {"claims": ["2030", None, {}]},
        {"claims": "2030"},
        {"claims": []},
        "It costs 2030 crowns.",
        "",
    ],
)
def test_what_cannot_be_checked_stays_unread(tmp_path: Path, answer: Any) -> None:
    found, _ = read(TRUE, answer, tmp_path)
    assert found == exchange(TRUE)


def test_nobody_is_asked_about_what_was_read(tmp_path: Path) -> None:
    found, requests = read(f"{NAME} costs 2030 crowns a night.", {"claims": []}, tmp_path)
    assert not requests and found.reading.claims


def test_a_second_judgement_stands_beside_the_first(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(f"def answer(messages): return {TRUE!r}")
    run = tmp_path / "run"
    setup = Setup(language="en", agent=f"python:{mine}:answer")
    simulate(Plan(1, count=2), setup, SessionRules(1, exchanges=2), run)
    first = summary_record(summarise(run))
    asked: list[Json] = []

    def script(body: Json, number: int) -> Answer:
        asked.append(body)
        return says(json.dumps({"claims": [claim()]}))

    with endpoint(script) as server:
        name = f"openai:scripted@{server.url}"
        second = summary_record(summarise(run, reader=name))
    assert asked and second["reader"]["model"] == name and "reader" not in first
    assert summary_record(summarise(run, reader=name)) == second, "the endpoint is gone"
    assert summary_record(summarise(run)) == first
    (kept,) = (run / "readers").glob("*.json")
    assert json.loads(kept.read_text()) == second


@pytest.mark.parametrize("name", ["openai:", "system", "openai:@http://localhost"])
def test_only_language_models_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="names no language model"):
        model_reader(name, tmp_path)
