"""Whole conversations in words, with the understanding that ships."""

from dataclasses import replace

import pytest

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError
from crosstalk.simulation.build import Setup, Simulation, build, models_of
from crosstalk.simulation.sessions import Plan, SessionRules, hold, sessions
from crosstalk.system.build import WORDS
from crosstalk.system.text_adapters import understood_acts

SETUP = Setup("harbour", level=WORDS)


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    return build(SETUP)


@pytest.fixture(scope="module")
def dialogues(simulation: Simulation) -> list[Dialogue]:
    return [
        hold(session, simulation, SessionRules(3))
        for session in sessions(Plan(3, count=3), simulation.world)
    ]


def test_both_sides_speak_and_note_what_they_understood(dialogues: list[Dialogue]) -> None:
    for dialogue in dialogues:
        assert all(turn.text for turn in dialogue.turns)
        assert understood_acts(dialogue.turns[0]) is None, "nothing was said before"
        assert all(understood_acts(turn) is not None for turn in dialogue.turns[1:])


def test_most_is_understood_as_it_was_meant(dialogues: list[Dialogue]) -> None:
    pairs = [
        (set(said.acts), set(understood_acts(answer) or ()))
        for dialogue in dialogues
        for said, answer in zip(dialogue.turns, dialogue.turns[1:], strict=False)
    ]
    right = sum(len(meant & understood) for meant, understood in pairs)
    assert right > 0.7 * sum(len(meant) for meant, _ in pairs)


def test_the_same_seed_gives_the_same_words(
    simulation: Simulation, dialogues: list[Dialogue]
) -> None:
    again = [
        hold(session, simulation, SessionRules(3))
        for session in sessions(Plan(3, count=3), simulation.world)
    ]
    assert again == dialogues


def test_a_run_depends_on_the_understanding(simulation: Simulation) -> None:
    trained = build(replace(SETUP, nlu="trees", user_nlu="trees-practised"))
    assert set(models_of(trained.parts)) == {"nlu-harbour-en", "nlu-practised-harbour-en"}
    assert models_of(simulation.parts) == {}, "rules and sentences are not trained"
    assert models_of(build(replace(SETUP, level="acts")).parts) == {}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"level": "songs"}, "no level called 'songs'"),
        ({"nlg": "bard"}, "no generator called 'bard'"),
        ({"nlu": "oracle"}, "no NLU called 'oracle'"),
        ({"nlg": "sclstm"}, "no trained model called 'nlg-sclstm-harbour-system'"),
        ({"nlu": "bert"}, "no trained model called 'nlu-bert-harbour'"),
    ],
)
def test_names_nobody_knows(change: dict[str, str], words: str) -> None:
    with pytest.raises(InputError) as told:
        build(replace(SETUP, **change))  # type: ignore[arg-type]
    assert words in str(told.value) and told.value.remedy
