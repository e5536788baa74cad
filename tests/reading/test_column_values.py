"""What agents say of columns that users do not search by: money, yes and no, weights, shelves."""
# ruff: noqa: E501 -- one reply a line

from pathlib import Path

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.reading.prose_nlu import ProseNLU

WORLDS = Path(__file__).parent.parent / "worlds"
ABOUT_YUE = (
    Act("Inform", "dentist", "name", "Dr. Lin Yue"),
    Act("Request", "dentist", "children", ""),
    Act("Request", "dentist", "checkup", ""),
)
ABOUT_SAW = (
    Act("Inform", "tool", "name", "Circular Saw"),
    Act("Request", "tool", "electric", ""),
    Act("Request", "tool", "shelf", ""),
)


@pytest.fixture(scope="module")
def nlu() -> ProseNLU:
    return ProseNLU(str(WORLDS / "quarter"), "en")


def heard(nlu: ProseNLU, asked: tuple[Act, ...], reply: str) -> dict[str, str]:
    name, *questions = asked
    user = f"I know {name.value}. What is its {' and its '.join(act.slot for act in questions)}?"
    acts = nlu.understand(Turn(Speaker.SYSTEM, reply), [Turn(Speaker.USER, user, asked)])
    return {act.slot: act.value for act in acts}


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("Dr. Lin Yue's phone number is 555-0133.", {"phone": "555-0133"}),
        ("Dr. Lin Yue charges 48 dollars for a check-up.", {"checkup": "48 dollars"}),
        ("A check-up with her is $48.", {"checkup": "48 dollars"}),
        ("The price of a check-up is 50 dollars.", {"checkup": "50"}),
        ("Yes, Dr. Lin Yue treats children.", {"children": "yes"}),
        ("No, she does not treat children.", {"children": "no"}),
        ("Treats children: no. Price of a check-up: $48", {"children": "no", "checkup": "48 dollars"}),
        ("Yes.", {"children": "yes"}),
        ("She is open Monday to Saturday from 8 am to 1 pm.", {"hours": "Mon-Sat 8:00-13:00"}),
    ],
)  # fmt: skip
def test_money_yes_and_no(nlu: ProseNLU, reply: str, told: dict[str, str]) -> None:
    assert heard(nlu, ABOUT_YUE, reply) == told


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("It weighs 5 kg and is on shelf A4.", {"weight": "5 kg", "shelf": "A4"}),
        ("Weight: 5 kg; electric: yes; shelf: B9", {"weight": "5 kg", "electric": "yes", "shelf": "B9"}),
        ("It is not electric.", {"electric": "no"}),
        ("You find it at A4.", {"shelf": "A4"}),
    ],
)  # fmt: skip
def test_weights_and_shelves(nlu: ProseNLU, reply: str, told: dict[str, str]) -> None:
    assert heard(nlu, ABOUT_SAW, reply) == told


def test_an_amount_of_money_is_no_time_of_day() -> None:
    bicycles = ProseNLU(str(WORLDS / "bicycles"), "en")
    asked = (Act("Inform", "shop", "name", "Spoke House"), Act("Request", "shop", "hours", ""))
    assert heard(bicycles, asked, "They charge 11.50 crowns a day.") == {"rate": "11.50 crowns"}
