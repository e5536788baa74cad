"""Hard users: other words, the same goals."""

from random import Random

import pytest

from crosstalk.errors import InputError
from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.sessions import Plan, SessionRules, hold, sessions
from crosstalk.users.hard_users import BEHAVIOURS
from crosstalk.users.perturbations import PERTURBATIONS, behaviours, perturbation

SAID = {
    "en": "I am looking for a hotel with a pool, at most 500 crowns, please.",
    "de": "Ich suche ein Hotel mit Schwimmbad für höchstens 500 Kronen, bitte.",
    "zh": "我想找一家有游泳池的酒店，价格在500克朗以下。",
    "ar": "أريد فندق فيه مسبح، لا يزيد عن 500 كرونة.",
    "ru": "Мне нужен отель с бассейном, не дороже 500 крон, пожалуйста.",
}


@pytest.mark.parametrize("code", SAID)
@pytest.mark.parametrize("name", PERTURBATIONS)
def test_the_same_seed_gives_the_same_words_and_numbers_stay(name: str, code: str) -> None:
    perturb = perturbation(name, code)
    texts = [perturb(SAID[code], Random(seed)) for seed in (1, 1, 2, 3, 4)]
    assert texts[0] == texts[1]
    assert all("500" in text for text in texts)


@pytest.mark.parametrize(
    ("name", "code", "expected"),
    [
        ("plain", "en", "i am looking for a hotel with a pool at most 500 crowns please"),
        ("fragments", "de", "Hotel Schwimmbad höchstens 500 Kronen,"),
        ("romanised", "ru", "Mne nuzhen otel s basseynom, ne dorozhe 500 kron, pozhaluysta."),
        (
            "romanised",
            "zh",
            "wo xiang zhao yi jia you you yong chi de jiu dian， jia ge zai500 ke lang yi xia。",
        ),
    ],
)
def test_examples(name: str, code: str, expected: str) -> None:
    assert perturbation(name, code)(SAID[code], Random(1)) == expected


@pytest.mark.parametrize("name", [*BEHAVIOURS, "typos+all-at-once"])
def test_hard_users_pursue_the_goal_they_have(name: str) -> None:
    simulation = build(Setup(language="en", level="words", perturbation=name))
    for session in sessions(Plan(2, count=3), simulation.world):
        dialogue = hold(session, simulation, SessionRules(2))
        keys = [(each.subgoal, each.domain, each.slot) for each in session.goal.tuples]
        final = dialogue.final_goal or ()
        assert [(each.subgoal, each.domain, each.slot) for each in final] == keys


def test_all_wishes_of_a_sub_goal_are_said_at_once() -> None:
    lengths = {}
    for name in ("one-by-one", "", "all-at-once"):
        simulation = build(Setup(language="en", perturbation=name))
        planned = sessions(Plan(2, count=5), simulation.world)
        held = [hold(each, simulation, SessionRules(2, 40)) for each in planned]
        lengths[name] = sum(len(dialogue.turns) for dialogue in held)
    assert lengths["all-at-once"] < lengths[""] < lengths["one-by-one"]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(InputError, match="no perturbation called 'angry'"):
        behaviours("typos+angry")
