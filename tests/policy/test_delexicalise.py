"""Acts without values, and the vocabularies they make up."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import FormatError
from crosstalk.system.policy.delexicalised_acts import (
    NUMBERED,
    ActVocabulary,
    delexicalise,
    extract_vocabulary,
    load_vocabulary,
    read_vocabulary,
    save_vocabulary,
)


def test_values_become_running_numbers() -> None:
    said = (
        Act("Inform", "hotel", "price", "80 crowns"),
        Act("Recommend", "hotel", "name", "Old Mint Hotel"),
        Act("Recommend", "hotel", "name", "Pilot House"),
    )
    assert delexicalise(said) == (
        Act("Inform", "hotel", "price", "1"),
        Act("Recommend", "hotel", "name", "1"),
        Act("Recommend", "hotel", "name", "2"),
    )


def test_acts_that_say_no_value_stay_as_they_are() -> None:
    said = (
        Act("General", "bye"),
        Act("NoOffer", "hotel"),
        Act("Request", "hotel", "price", ""),
        Act("Select", "hotel", "from", "attraction"),
    )
    assert delexicalise(said) == said


acts = st.builds(
    Act,
    st.sampled_from(["Inform", "Recommend", "Request", "General"]),
    st.sampled_from(["hotel", "taxi"]),
    st.sampled_from(["name", "price"]),
    st.text(max_size=3),
)


@given(st.lists(acts))
def test_numbered_acts_never_repeat_and_none_is_lost(said: list[Act]) -> None:
    bare = delexicalise(said)
    numbered = [act for act in bare if act.intent in NUMBERED]
    assert len(bare) == len(said)
    assert len(set(numbered)) == len(numbered)


def test_a_vocabulary_is_what_some_dialogue_says() -> None:
    talk = Dialogue(
        "1",
        (
            Turn(Speaker.USER, "", (Act("Request", "hotel", "price", ""),)),
            Turn(Speaker.SYSTEM, "", (Act("Inform", "hotel", "price", "80 crowns"),)),
            Turn(Speaker.USER, "", (Act("General", "thank"),)),
            Turn(Speaker.SYSTEM, "", (Act("General", "bye"),)),
        ),
    )
    assert extract_vocabulary([talk, talk]) == ActVocabulary(
        user=(Act("General", "thank"), Act("Request", "hotel", "price", "")),
        system=(Act("General", "bye"), Act("Inform", "hotel", "price", "1")),
    )


def test_a_vocabulary_survives_being_saved(tmp_path: Path) -> None:
    known = ActVocabulary((Act("Request", "hotel", "price", ""),), (Act("NoOffer", "hotel"),))
    save_vocabulary(known, tmp_path / "vocabulary.json")
    assert load_vocabulary(tmp_path / "vocabulary.json") == known


@pytest.mark.parametrize("content", [{}, ["Inform+hotel"], [7], "Inform+hotel+price+1"])
def test_a_published_file_of_something_else_is_refused(tmp_path: Path, content: object) -> None:
    (tmp_path / "usr_da_voc.json").write_text(json.dumps(content))
    with pytest.raises(FormatError, match=r"usr_da_voc\.json.*intent\+domain\+slot\+value"):
        read_vocabulary(tmp_path)


@pytest.mark.parametrize("content", [[], {"user": []}, {"user": ["a+b"], "system": []}])
def test_a_saved_vocabulary_of_something_else_is_refused(tmp_path: Path, content: object) -> None:
    (tmp_path / "vocabulary.json").write_text(json.dumps(content))
    with pytest.raises(FormatError, match="expected a list of acts"):
        load_vocabulary(tmp_path / "vocabulary.json")


def test_published_vocabularies_hold_nearly_all_that_is_said(data_folder: Path) -> None:
    known = read_vocabulary(data_folder / "crosswoz")
    assert (len(known.user), len(known.system)) == (142, 155)
    said = extract_vocabulary(read_corpus(data_folder / "crosswoz" / "val.json.zip"))
    assert len(set(said.system) - set(known.system)) <= 3
