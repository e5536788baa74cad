"""The published generator, with its quirks."""

from random import Random

from crosstalk.dialogue.acts import Act
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlg.generator import PublishedTemplateNLG

NAME, PHONE = "Inform+hotel+name", "Inform+hotel+phone"


def test_a_random_template_with_values_in_lower_case(system: ActKeys) -> None:
    generator = PublishedTemplateNLG(system, {NAME: [f"Take [{NAME}].", f"[{NAME}]!"]}, {})
    acts = (Act("Inform", "hotel", "name", "Old Mint Hotel"),)
    said = {generator.say(acts, Random(seed)) for seed in range(9)}
    assert said == {"Take old mint hotel.", "old mint hotel!"}


def test_unknown_groups_are_said_act_by_act(system: ActKeys) -> None:
    manual = {NAME: [f"Take [{NAME}]."], PHONE: [f"Call [{PHONE}]."]}
    acts = (Act("Inform", "hotel", "name", "Inn"), Act("Inform", "hotel", "phone", "0482-1"))
    assert (
        PublishedTemplateNLG(system, {}, manual).say(acts, Random(0)) == "Take inn.，Call 0482-1."
    )


def test_repeated_acts_get_the_value_of_the_first(system: ActKeys) -> None:
    acts = (Act("Inform", "hotel", "name", "Inn A"), Act("Inform", "hotel", "name", "Inn B"))
    said = PublishedTemplateNLG(system, {}, {NAME: [f"Take [{NAME}]."]}).say(acts, Random(0))
    assert said == "Take inn a.，Take inn a."
