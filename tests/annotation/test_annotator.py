"""Acts from states, on a dialogue written by hand and on simulated ones in five languages."""

from dataclasses import replace

import pytest

from crosstalk.annotation.annotator import Annotator
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.evaluation.annotation_scores import score_annotation
from crosstalk.simulation.build import Setup, build
from crosstalk.simulation.sessions import Plan, SessionRules, hold, sessions
from crosstalk.worlds.world import find_world

GREET, THANK, WELCOME = (Act("General", kind) for kind in ("greet", "thank", "welcome"))
NAME = Act("Inform", "hotel", "name", "Ferry Inn")


def test_a_whole_dialogue(annotator: Annotator, dialogue: Dialogue) -> None:
    derived = [set(turn.acts) for turn in annotator.annotate(dialogue).turns]
    assert derived == [
        {GREET, Act("Inform", "hotel", "rating", "5 points"), Act("Request", "hotel", "name", "")},
        {Act("NoOffer", "hotel"), NAME, Act("Inform", "hotel", "rating", "4.5 points")},
        {NAME, Act("Request", "hotel", "price", "")},
        {Act("Inform", "hotel", "price", "none"), Act("Inform", "hotel", "type", "comfort")},
        {THANK},
        {WELCOME},
    ]


def test_every_act_has_its_reasons(annotator: Annotator, dialogue: Dialogue) -> None:
    _, refusal, *_ = annotator.reasons(dialogue)
    assert refusal[Act("NoOffer", "hotel")] == ("refused",)
    assert refusal[Act("Inform", "hotel", "rating", "4.5 points")] == ("corrected",)
    assert refusal[NAME] == ("offered",)


def test_acts_of_the_file_are_not_looked_at(annotator: Annotator, dialogue: Dialogue) -> None:
    lies = (Act("Inform", "taxi", "car", "a lie"),)
    lying = replace(dialogue, turns=tuple(replace(turn, acts=lies) for turn in dialogue.turns))
    assert annotator.annotate(lying).turns == annotator.annotate(dialogue).turns


def test_acts_are_sorted_and_unique(annotator: Annotator, dialogue: Dialogue) -> None:
    for turn in annotator.annotate(dialogue).turns:
        assert list(turn.acts) == sorted(set(turn.acts))


def test_without_states_the_words_still_say_something(annotator: Annotator) -> None:
    bare = Dialogue(
        "1", tuple(Turn(Speaker.USER, each) for each in ("Good morning!", "Thanks, bye!"))
    )
    assert [set(turn.acts) for turn in annotator.annotate(bare).turns] == [
        {GREET},
        {THANK, Act("General", "bye")},
    ]


@pytest.mark.parametrize("language", ["en", "zh", "de", "ar", "ru"])
def test_simulated_dialogues_in_words(language: str) -> None:
    """The acts that were put into words are found again."""
    stage = build(Setup(language=language, policy="rule", words=True))
    annotator = Annotator.of(stage.world, find_world("harbour"))
    held = [
        hold(each, stage, SessionRules(1)) for each in sessions(Plan(seed=1, count=12), stage.world)
    ]
    score = score_annotation(annotator, held)
    for side in Speaker:
        f1 = score.acts.by_side[side].f1
        assert f1 is not None and f1 > 98, (side, f1)
