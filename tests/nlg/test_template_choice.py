from random import Random

from crosstalk.system.nlg.template_bank import parse
from crosstalk.system.nlg.template_nlg import AnyTemplate, MostCentral

KEY = "Inform+hotel+price"


def test_the_most_central_template_shares_most_with_the_others() -> None:
    said = ["It costs [K] a night.", "It costs [K].", "It costs [K] a night, I think.", "[K]!"]
    templates = [parse(text.replace("K", KEY), [KEY]) for text in said]
    chosen = MostCentral("en").choose("any", templates, Random(0))
    assert chosen.fill({KEY: ["90 crowns"]}) == "It costs 90 crowns a night."


def test_what_is_said_often_wins_over_what_was_said_once() -> None:
    said = ["You are welcome."] * 5 + ["My pleasure, any time you like."]
    templates = [parse(text, []) for text in said]
    assert MostCentral("en").choose("any", templates, Random(0)) == templates[0]


def test_hand_written_templates_take_turns() -> None:
    templates = [parse(text, []) for text in ("Hello!", "Hi!")]
    rng = Random(1)
    assert {AnyTemplate().choose("any", templates, rng) for _ in range(20)} == set(templates)
