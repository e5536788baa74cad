"""Responses of the most similar training turns, without annotated spans."""

from crosstalk.evaluation.multiwoz.delexicalise import Delexicaliser
from crosstalk.evaluation.multiwoz.nearest_responses import ResponseBank
from crosstalk.evaluation.multiwoz.venue_tables import VenueTables
from crosstalk.transfer.states.state_dialogues import StateTurn, state_dialogue

ROW = {
    "id": "1", "name": "the gonville hotel", "area": "centre", "phone": "01223366611",
    "address": "gonville place", "postcode": "cb11ly", "pricerange": "expensive", "type": "hotel",
}  # fmt: skip
TRAIN = {
    "trainid": "TR1234", "departure": "ely", "destination": "cambridge", "day": "monday",
    "leave": "05:35", "arrive": "05:52", "price": "4.40 pounds", "duration": "17 minutes",
}  # fmt: skip
TABLES = VenueTables(
    {"hotel": (ROW,), "restaurant": (ROW,), "attraction": (ROW,), "train": (TRAIN,)}
)


def test_values_become_slots() -> None:
    words = Delexicaliser.of(TABLES)
    said = "The Gonville Hotel is in the centre. Booked, reference is 7GAWK763. Call 01223366611!"
    assert words.text(said) == (
        "[name] is in the [area]. booked, reference is [reference]. call [phone]!"
    )
    assert words.text("TR1234 leaves at 05:35 for 4.40 pounds") == (
        "[trainid] leaves at [time] for [price]"
    )


def test_what_is_asked_for_is_answered_and_gold_answers_are_not_read() -> None:
    area = {"hotel-area": "centre"}
    talk = [
        StateTurn("", "i want a hotel in the centre", area),
        StateTurn("The Gonville Hotel is in the centre.", "what is the phone number", area),
        StateTurn("Its phone is 01223366611.", "thanks and what is the postcode", area),
        StateTurn("Its postcode is cb11ly.", "i want a hotel and a phone number", area),
    ]
    bank = ResponseBank.of([state_dialogue(str(n), "en", talk) for n in range(3)], TABLES)
    asked = [StateTurn("", "i want a hotel", area), StateTurn("?", "what is the postcode", area)]
    first, second = bank.responses(state_dialogue("test", "en", asked))
    assert first.text == "[name] is in the [area]."
    assert second.text == "its postcode is [postcode]."
    assert second.state == {"hotel": {"area": "centre"}}
    assert bank.size == 12
