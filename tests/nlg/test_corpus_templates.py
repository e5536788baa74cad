from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlg.corpus_templates import extract, open_holes


def test_values_leave_holes(toy_corpus: list[Dialogue], user: ActKeys) -> None:
    assert extract(toy_corpus, user) == {
        "General+thank+none": ["Thanks."],
        "Inform+hotel+price*Inform+hotel+rating": [
            "A hotel for [Inform+hotel+price], rated [Inform+hotel+rating], please."
        ],
    }  # the second user does not say the values: no template


def test_repeated_keys_are_numbered_in_the_order_of_acts(
    toy_corpus: list[Dialogue], system: ActKeys
) -> None:
    key = "Recommend+hotel+name"
    assert extract(toy_corpus, system)[f"{key}*{key}*{key}"] == [
        f"There are [{key}3], [{key}1] and [{key}2]."
    ]


def test_a_name_inside_another(system: ActKeys) -> None:
    acts = [
        Act("Recommend", "hotel", "name", "Pilot House"),
        Act("Recommend", "hotel", "name", "Pilot House Annexe"),
    ]
    key = "Recommend+hotel+name"
    text = "Pilot House Annexe, or Pilot House."
    assert open_holes(text, system.in_order(acts)) == f"[{key}2], or [{key}1]."


def test_values_are_not_looked_for_in_holes(system: ActKeys) -> None:
    acts = [
        Act("Inform", "hotel", "name", "The hotel by the sea"),
        Act("Inform", "hotel", "type", "hotel"),
    ]
    text = "The hotel by the sea is a hotel."
    assert open_holes(text, system.in_order(acts)) == (
        "[Inform+hotel+name] is a [Inform+hotel+type]."
    )
