"""Offline verdicts in a world with timetables and taxis (`multiwoz`): written transcripts."""

import json
from pathlib import Path
from typing import Any

import pytest

from crosstalk.evaluation.offline import judge_offline
from crosstalk.evaluation.offline_verdicts import OfflineVerdict
from crosstalk.evaluation.told_answers import TrueAnswers
from crosstalk.reading.conversation import ConversationReader, SaidExchange

TRAIN = {
    "departure": "cambridge",
    "destination": "bishops stortford",
    "day": "friday",
}
TAXI = {
    "departure": "worth house",
    "destination": "jinling noodle bar",
    "leaveAt": "20:00",
}


@pytest.fixture
def data(data_folder: Path) -> Path:
    if not (data_folder / "multiwoz" / "db").exists():
        pytest.skip(f"real data: no {data_folder}/multiwoz/db")
    return data_folder


def verdict(tmp_path: Path, data: Path, goal: Any, messages: list[Any]) -> OfflineVerdict:
    path = tmp_path / "transcripts.jsonl"
    metadata = {"id": "1", "world": "multiwoz", "language": "en", "goal": json.dumps(goal)}
    path.write_text(json.dumps({"messages": messages, "metadata": metadata}) + "\n")
    (found,) = judge_offline(path, data=data)
    return found


def said(*texts: str) -> list[dict[str, str]]:
    roles = ("user", "assistant")
    return [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]


def test_a_departure_time_is_an_answer(data: Path, tmp_path: Path) -> None:
    tuples = [
        {"subgoal": 1, "domain": "train", "slot": slot, "value": value}
        for slot, value in {**TRAIN, "leaveAt": ""}.items()
    ]
    messages = said(
        "I need a train from cambridge to bishops stortford on friday.",
        "How about cambridge, bishops stortford, friday, 05:29?",
        "What is the departure time of the train?",
        "The departure time of the train: 05:29.",
    )
    made = verdict(tmp_path, data, {"type": "S", "tuples": tuples}, messages)
    assert not made.flaws


@pytest.mark.parametrize(
    ("answer", "is_told"),
    [
        ("It leaves at 05:29.", True),
        ("It leaves at 5:29 am.", True),
        ("It leaves at 6:29 am.", False),
        ("It costs 10.10 pounds.", False),
    ],
)
def test_times_in_a_reply(answer: str, is_told: bool, data: Path) -> None:
    reader = ConversationReader.of("multiwoz", "en", data)
    domain = reader.reader.check.truth.domain("train")
    row = {**TRAIN, "leaveAt": "05:29"}
    exchanges = reader.read([SaidExchange("What is the departure time of the train?", answer)])
    told = TrueAnswers(reader.reader).told(domain, row, "leaveAt", exchanges)
    assert (told is not None) is is_told


def test_the_phone_of_a_taxi_is_no_claim_about_a_place(data: Path, tmp_path: Path) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "book_taxi", "arguments": TAXI}}
    answer = {"done": "book_taxi", "car type": "black toyota", "phone": "07093838711"}
    wanted = {"subgoal": 1, "domain": "restaurant", "slot": "name", "value": "jinling noodle bar"}
    messages = [
        *said(
            "I am looking for the restaurant jinling noodle bar.",
            "How about jinling noodle bar?",
            "Please book a taxi from worth house to jinling noodle bar at 20:00.",
        ),
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": json.dumps(answer)},
        {
            "role": "assistant",
            "content": "Your taxi to jinling noodle bar is a black toyota. "
            "The contact number is 07093838711.",
        },
    ]
    made = verdict(tmp_path, data, {"type": "S", "tuples": [wanted]}, messages)
    assert "07093838711" not in {each["quote"] for each in made.false_claims}
