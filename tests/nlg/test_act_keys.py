import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.system.nlg.act_keys import ActKeys, group_key
from crosstalk.worlds.world import load_schema


@pytest.mark.parametrize(
    ("act", "key", "value"),
    [
        (Act("Inform", "hotel", "price", "90 crowns"), "Inform+hotel+price", "90 crowns"),
        (Act("Inform", "attraction", "fee", "free"), "Inform+attraction+fee+free", "free"),
        (Act("Inform", "hotel", "phone", "none"), "Inform+hotel+phone+none", ""),
        (Act("Inform", "hotel", "services-sauna", "yes"), "Inform+hotel+services+yes", "sauna"),
        (Act("Request", "hotel", "services-sauna", ""), "Request+hotel+services", "sauna"),
        (Act("Request", "hotel", "phone", ""), "Request+hotel+phone", ""),
        (Act("Select", "hotel", "source", "restaurant"), "Select+hotel+source+restaurant", ""),
        (Act("NoOffer", "hotel"), "NoOffer+hotel+none", ""),
        (Act("General", "thank"), "General+thank+none", ""),
    ],
)
def test_a_key_is_an_act_without_its_value(user: ActKeys, act: Act, key: str, value: str) -> None:
    spoken = user.spoken(act)
    assert (spoken.key, spoken.value) == (key, value)
    assert user.has_hole(key) is bool(value)


def test_users_greet_inform_select_ask_thank_and_leave(user: ActKeys) -> None:
    acts = [
        Act("General", "bye"),
        Act("General", "greet"),
        Act("General", "thank"),
        Act("Inform", "hotel", "rating", "5 points"),
        Act("Inform", "hotel", "name", "Old Mint Hotel"),
        Act("Request", "hotel", "phone", ""),
        Act("Select", "hotel", "source", "attraction"),
    ]
    assert group_key(user.in_order(acts)) == (
        "General+greet+none*Inform+hotel+name*Inform+hotel+rating*Select+hotel+source+attraction"
        "*Request+hotel+phone*General+thank+none*General+bye+none"
    )


def test_systems_regret_before_they_inform(system: ActKeys) -> None:
    acts = [
        Act("General", "reqmore"),
        Act("General", "welcome"),
        Act("Inform", "hotel", "address", "1 Pier Street"),
        Act("Inform", "hotel", "phone", "none"),
        Act("NoOffer", "hotel"),
        Act("Recommend", "hotel", "name", "Old Mint Hotel"),
    ]
    assert group_key(system.in_order(acts)) == (
        "General+welcome+none*NoOffer+hotel+none*Inform+hotel+phone+none*Inform+hotel+address"
        "*Recommend+hotel+name*General+reqmore+none"
    )


def test_the_words_of_other_languages_stay_in_keys_too() -> None:
    schema, chinese = load_schema("crosswoz")
    keys = ActKeys.of(schema, chinese, Speaker.SYSTEM)
    assert keys.spoken(Act("Inform", "景点", "门票", "免费")).key == "Inform+景点+门票+免费"
    assert keys.spoken(Act("Inform", "景点", "电话", "无")).key == "Inform+景点+电话+无"
