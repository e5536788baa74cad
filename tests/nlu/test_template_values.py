"""Free words in a world that has templates and no everyday words."""

from pathlib import Path

import pytest

from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.system.nlu.rules.nlu import RulesNLU
from crosstalk.worlds.world import find_world, load_world


@pytest.fixture(scope="module")
def nlu(data_folder: Path) -> RulesNLU:
    if not (data_folder / "multiwoz" / "db").is_dir():
        pytest.skip("no tables of MultiWOZ")
    return RulesNLU(load_world("multiwoz", data=data_folder), find_world("multiwoz"))


def wishes(nlu: RulesNLU, text: str) -> dict[str, str]:
    acts = nlu.understand(Turn(Speaker.USER, text), ())
    return {act.slot: act.value for act in acts if act.intent == "Inform"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "a train from cambridge to ely on friday leaving after 10:00",
            {"departure": "cambridge", "destination": "ely", "day": "friday", "leaveAt": "10:00"},
        ),
        (
            "train to ely from cambridge arriving by 9:15",
            {"departure": "cambridge", "destination": "ely", "arriveBy": "09:15"},
        ),
        (
            "is there a 4 star hotel in the east with free parking and wifi?",
            {"stars": "4", "area": "east", "parking": "yes", "internet": "yes"},
        ),
        ("are there any museums in the centre?", {"type": "museum", "area": "centre"}),
        ("I am looking for wandlebury country park", {"name": "wandlebury country park"}),
    ],
)
def test_wishes_by_values_and_the_words_around_them(
    nlu: RulesNLU, text: str, expected: dict[str, str]
) -> None:
    assert wishes(nlu, text) == expected


def test_a_question_about_a_place_is_no_wish(nlu: RulesNLU) -> None:
    asked = nlu.understand(Turn(Speaker.USER, "Does the hotel have parking?"), ())
    assert [(act.intent, act.slot) for act in asked] == [("Request", "parking")]
