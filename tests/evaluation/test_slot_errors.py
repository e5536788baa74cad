import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.evaluation.nlg_scores import SlotErrors, slot_errors
from crosstalk.system.nlg.act_keys import SpokenAct


def spoken(*values: str) -> list[SpokenAct]:
    return [SpokenAct(Act("Inform", "hotel", "name", value), "key", value) for value in values]


@pytest.mark.parametrize(
    ("text", "values", "errors"),
    [
        ("Take the Inn.", ["Inn"], SlotErrors(1, 0, 0)),
        ("Take it.", ["Inn"], SlotErrors(1, 1, 0)),
        ("The Inn, yes, the Inn.", ["Inn"], SlotErrors(1, 0, 1)),
        ("The Inn Blue.", ["Inn", "Inn Blue"], SlotErrors(2, 1, 0)),
        ("The Inn Blue or the Inn.", ["Inn", "Inn Blue"], SlotErrors(2, 0, 0)),
        ("90 here, 90 there.", ["90", "90"], SlotErrors(2, 0, 0)),
        ("Hello.", [""], SlotErrors()),
    ],
)
def test_values_are_to_be_said_once(text: str, values: list[str], errors: SlotErrors) -> None:
    assert slot_errors(text, spoken(*values)) == errors


def test_rates() -> None:
    assert SlotErrors().rate == 0
    assert (SlotErrors(3, 1, 0) + SlotErrors(1, 0, 1)).rate == 0.5
