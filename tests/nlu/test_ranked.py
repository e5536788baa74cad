from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import InputError
from crosstalk.evaluation.nlu_scores import score_understanding, turn_by_turn
from crosstalk.system.nlu.augmentation import NLUTrainingData
from crosstalk.system.nlu.ranked import RankedNLU
from crosstalk.system.nlu.ranked_training import train_ranked_nlu
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world


def heard(understanding: RankedNLU, *said: tuple[Speaker, str]) -> tuple[Act, ...]:
    """What is understood of the last utterance."""
    return turn_by_turn(understanding)([Turn(*each) for each in said])[-1]


def test_the_domain_of_an_elliptical_question_comes_from_what_went_before(
    understanding: RankedNLU, harbour: World
) -> None:
    question = (Speaker.USER, "What is the phone number?")
    wishes = {"hotel": "I want a luxury hotel.", "restaurant": "I would like to eat garlic naan."}
    for domain, wish in wishes.items():
        name = str(harbour.tables[domain].rows[60]["name"])
        before = ((Speaker.USER, wish), (Speaker.SYSTEM, f"How about {name}?"))
        acts = heard(understanding, *before, question)
        assert acts == (Act("Request", domain, "phone", ""),)


def test_values_come_from_the_words(understanding: RankedNLU) -> None:
    acts = heard(understanding, (Speaker.USER, "I want a luxury hotel."))
    assert acts == (Act("Inform", "hotel", "type", "luxury"),)


def test_a_dialogue_at_once_is_the_same_as_turn_by_turn(
    understanding: RankedNLU, dialogues: list[Dialogue]
) -> None:
    for dialogue in dialogues[:6]:
        bare = [Turn(turn.speaker, turn.text) for turn in dialogue.turns]
        assert understanding.understand_all(bare) == turn_by_turn(understanding)(bare)
    assert understanding.understand_all([]) == []


def test_it_has_learned_what_it_was_shown(
    understanding: RankedNLU, dialogues: list[Dialogue]
) -> None:
    score = score_understanding(turn_by_turn(understanding), dialogues)
    assert score.overall.f1 is not None
    assert score.overall.f1 > 95


def test_a_model_comes_back_from_its_folder(
    understanding: RankedNLU, dialogues: list[Dialogue], harbour: World, tmp_path: Path
) -> None:
    understanding.save(tmp_path)
    again = RankedNLU.load(tmp_path, harbour)
    for dialogue in dialogues[:4]:
        told = turn_by_turn(again)(dialogue.turns)
        assert told == turn_by_turn(understanding)(dialogue.turns)


def test_a_damaged_model_is_refused_in_words(
    understanding: RankedNLU, harbour: World, tmp_path: Path
) -> None:
    understanding.save(tmp_path)
    weights = tmp_path / "reader.safetensors"
    weights.write_bytes(weights.read_bytes()[:2000])
    with pytest.raises(InputError, match="not a whole model"):
        RankedNLU.load(tmp_path, harbour)


def test_a_model_of_another_world_is_refused(
    understanding: RankedNLU, tmp_path: Path, data_folder: Path
) -> None:
    understanding.save(tmp_path)
    with pytest.raises(InputError, match="other tables"):
        RankedNLU.load(tmp_path, load_world("crosswoz", data=data_folder))


def test_a_corpus_without_acts_teaches_nothing(harbour: World) -> None:
    silent = [Dialogue("1", (Turn(Speaker.USER, "Hello"), Turn(Speaker.SYSTEM, "Hello")))]
    with pytest.raises(InputError, match="no turn has an act"):
        train_ranked_nlu(harbour, NLUTrainingData(silent))


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=600), st.sampled_from(list(Speaker)))
def test_no_utterance_is_too_strange(understanding: RankedNLU, text: str, speaker: Speaker) -> None:
    acts = heard(understanding, (Speaker.USER, text), (speaker, text))
    assert list(acts) == sorted(set(acts))
