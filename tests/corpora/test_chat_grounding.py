"""Which values of the system stand in a message before them."""

import json
from typing import Any

import pytest

from crosstalk.corpora.chat import chat_record
from crosstalk.corpora.chat_grounding import Evidence, Grounding, grounding_of, stated
from crosstalk.corpora.multiwoz_labels import SAID
from crosstalk.dialogue.acts import INFORM, NO_OFFER, RECOMMEND, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn

ROW = {
    "name": "The Anchor",
    "phone": "010-5551, 010-5552",
    "rating": "4.5 points",
    "price": "1250.5",
    "hours": "周一至周日 全天",
    "services": ["sauna", "wifi in all rooms"],
}


@pytest.mark.parametrize(
    ("slot", "value", "stands"),
    [
        ("name", "the anchor", True),
        ("name", "The Anchorage", False),
        ("phone", "010-5552、010-5551", True),
        ("phone", "010 - 5551", True),
        ("phone", "010-555", False),
        ("rating", "4.5", True),
        ("rating", "5", False),
        ("price", "$1,250.5", True),
        ("hours", "周一至周日全天", True),
        ("fee", "4.5 points", True),
        ("services-sauna", "yes", True),
        ("services-pool", "yes", False),
        ("services-pool", "no", True),
        ("services-sauna", "no", False),
    ],
)
def test_values_of_results(slot: str, value: str, stands: bool) -> None:
    evidence = Evidence()
    evidence.found(json.dumps({"count": 1, "results": [ROW]}))
    assert evidence.supports(Act(INFORM, "hotel", slot, value)) is stands


def test_what_the_user_said_is_known() -> None:
    evidence = Evidence()
    evidence.heard("Something at 20 crowns, please")
    assert evidence.supports(Act(INFORM, "hotel", "price", "20 crowns"))
    assert not evidence.supports(Act(INFORM, "hotel", "price", "0 crowns"))


def test_a_name_that_a_call_brings_up_is_not_grounded() -> None:
    name, rating = (
        Act(RECOMMEND, "hotel", "name", "The Anchor"),
        Act(INFORM, "hotel", "rating", "4.5"),
    )
    evidence = Evidence()
    evidence.found(json.dumps({"result": ROW}), "The Anchor")
    assert not evidence.supports(name) and evidence.supports(rating)
    evidence.found(json.dumps({"count": 1, "results": [ROW]}))
    assert evidence.supports(name)


def test_what_was_said_without_a_query_is_marked() -> None:
    call: dict[str, Any] = {"name": "find", "arguments": "{}", "result": json.dumps([ROW])}
    name, price = (
        Act(RECOMMEND, "hotel", "name", "The Anchor"),
        Act(INFORM, "hotel", "price", "9"),
    )
    turns = (
        Turn(Speaker.USER, "A hotel?"),
        Turn(Speaker.SYSTEM, "9", acts=(price, Act(NO_OFFER, "hotel"))),
        Turn(
            Speaker.SYSTEM,
            "The Anchor, 9.",
            acts=(name, price),
            extras={"agent": {"tool_calls": [call]}},
        ),
    )
    record = chat_record(Dialogue("1", turns))
    marked = record["metadata"]["ungrounded"]
    assert [(each["message"], each["act"][3]) for each in marked] == [(1, "9"), (4, "9")]
    assert record["messages"][4]["content"] == "The Anchor, 9."
    assert grounding_of([record, record]) == Grounding(stated=6, grounded=2)


@pytest.mark.parametrize(
    ("slot", "value", "stands"),
    [
        ("Type", "the colleges", True),
        ("Type", "museums", False),
        ("Area", "center of town", True),
        ("Area", "north part of town", False),
        ("Leave", "5:40 pm", True),
        ("Leave", "6:40 pm", False),
        ("Ticket", "71.59 GBP", True),
        ("Ticket", "72.6 GBP", False),
        ("Fee", "free admission", True),
        ("Name", "the Christs Colege", True),
        ("Name", "Kings College", False),
        ("Choice", "several", True),
        ("Choice", "lots", False),
        ("Choice", "two", True),
    ],
)
def test_values_as_people_said_them(slot: str, value: str, stands: bool) -> None:
    """Acts of MultiWOZ keep the words; they are compared as joint goal accuracy compares labels."""
    row = {
        "name": "christ's college",
        "type": "college",
        "area": "centre",
        "leaveAt": "17:40",
        "price": "71.60 pounds",
        "entrance fee": "free",
    }
    evidence = Evidence(language="en", said=SAID)
    evidence.found(json.dumps({"count": 2, "results": [row, {**row, "name": "clare hall"}]}))
    assert evidence.supports(Act(INFORM, "Attraction", slot, value)) is stands


def test_rows_of_a_kind_can_be_counted() -> None:
    rows = [
        {"name": name, "type": kind}
        for name, kind in (("a", "hotel"), ("b", "hotel"), ("c", "inn"))
    ]
    evidence = Evidence(language="en", said=SAID)
    evidence.found(json.dumps({"count": 3, "results": rows}))
    two, hotels = Act(INFORM, "Hotel", "Choice", "2"), Act(INFORM, "Hotel", "Type", "hotels")
    assert evidence.supports(two, (two, hotels))
    assert not evidence.supports(two, (two,))


@pytest.mark.parametrize("value", ["do n't have any information listed", "either", "every hour"])
def test_words_that_name_no_value_state_none(value: str) -> None:
    turn = Turn(Speaker.SYSTEM, "", acts=(Act(INFORM, "Attraction", "Fee", value),))
    assert stated(turn) and not stated(turn, said=SAID)
