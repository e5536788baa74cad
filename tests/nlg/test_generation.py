"""Grouped-reference BLEU."""

from collections.abc import Sequence
from random import Random

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.evaluation.nlg_scores import fill_values, open_values, score_generation
from crosstalk.system.nlg.act_keys import ActKeys


def dialogue(*said: tuple[str, str]) -> Dialogue:
    turns = [
        Turn(Speaker.SYSTEM, text, (Act("Inform", "hotel", "name", name),)) for text, name in said
    ]
    return Dialogue("1", tuple(turns))


def test_what_others_said_counts_with_the_values_of_the_turn(system: ActKeys) -> None:
    corpus = [dialogue(("I suggest Pilot House to you.", "Pilot House"), ("Go to Inn A!", "Inn A"))]

    def swapped(acts: Sequence[Act]) -> str:
        name = acts[0].value
        return f"Go to {name}!" if name == "Pilot House" else f"I suggest {name} to you."

    score = score_generation(swapped, corpus, system, language="en")
    assert score.bleu.score == 1
    assert (score.groups, score.bleu.sentences) == (1, 2)


def test_other_acts_are_other_groups(system: ActKeys) -> None:
    other = Turn(Speaker.SYSTEM, "Bye now, bye now!", (Act("General", "bye"),))
    corpus = [dialogue(("Go to Inn A right now!", "Inn A")), Dialogue("2", (other,))]
    score = score_generation(lambda acts: "Bye now, bye now!", corpus, system, language="en")
    assert score.groups == 2
    assert score.bleu.matches[0] == 6 + 2  # in the first group, only "now" and "!" are right


def test_turns_of_the_other_side_do_not_count(user: ActKeys) -> None:
    score = score_generation(lambda acts: "x", [dialogue(("a", "b"))], user, language="en")
    assert score.bleu.sentences == 0 and score.bleu.score == 0


def test_values_that_are_not_said_are_let_be(system: ActKeys) -> None:
    acts = [
        Act("Inform", "hotel", "name", "Inn A"),
        Act("Inform", "hotel", "nearby_restaurants", "Salt Shed"),
        Act("Inform", "hotel", "nearby_restaurants", "The Goat Path"),
        Act("Inform", "hotel", "phone", "none"),
    ]
    spoken = [system.spoken(act) for act in acts]
    near = "Inform+hotel+nearby_restaurants"
    opened = open_values("Near the inn: Salt Shed, The Goat Path.", spoken)
    assert opened == f"Near the inn: [{near}1], [{near}2]."
    assert fill_values(opened, spoken) == "Near the inn: Salt Shed, The Goat Path."


def test_what_stays_open_is_blank(system: ActKeys) -> None:
    assert fill_values("Call [Inform+hotel+phone] now", []) == "Call   now"


@pytest.mark.parametrize("seed", range(3))
def test_scores_do_not_depend_on_the_order_of_dialogues(
    toy_corpus: list[Dialogue], system: ActKeys, seed: int
) -> None:
    def first_value(acts: Sequence[Act]) -> str:
        return f"There are {acts[0].value}."

    shuffled = Random(seed).sample(toy_corpus, len(toy_corpus))
    scores = [
        score_generation(first_value, corpus, system, language="en")
        for corpus in (toy_corpus, shuffled)
    ]
    assert scores[0] == scores[1]
