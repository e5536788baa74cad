"""Dialogues as plain talk, from every kind of file."""

import json
import zipfile
from pathlib import Path

import pytest

from crosstalk.errors import CrosstalkError, FileProblem, FormatError, InputError
from crosstalk.transfer.retrieval_task import exchanges_of
from crosstalk.transfer.transfer_corpora import (
    DialogueTexts,
    find_corpus,
    read_dialogue_texts,
    without_known,
)

LINES = "I need a [cheap] room.\nFor how long?\n2 nights\nDone.\n\n\nHello\nHi\n"


def trade(user: str, system: str, slot: str, value: str) -> dict[str, object]:
    return {
        "turn_idx": 0 if not system else 1,
        "transcript": user,
        "system_transcript": system,
        "belief_state": [{"slots": [[slot, value]], "act": "inform"}],
    }


def test_text_has_a_line_a_turn_and_values_lose_their_brackets(tmp_path: Path) -> None:
    file = tmp_path / "dev.txt"
    file.write_text(LINES, encoding="utf-8")
    first, second = read_dialogue_texts(file)
    assert first.texts == ("I need a cheap room.", "For how long?", "2 nights", "Done.")
    assert second == DialogueTexts("dev-0002", ("Hello", "Hi"))


def test_a_zip_of_several_text_files_is_read_in_order(tmp_path: Path) -> None:
    file = tmp_path / "dev.zip"
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("dev_002.txt", "two\nii\n")
        packed.writestr("dev_001.txt", "one\ni\n")
    assert [talk.texts for talk in read_dialogue_texts(file)] == [("one", "i"), ("two", "ii")]


def test_multi2woz_files_load_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "multi2woz" / "dev_dials-cn.json"
    file.parent.mkdir()
    turns = [
        trade("我要酒店", "", "hotel-type", "酒店"),
        trade("北边", "哪个区域？", "hotel-area", "北"),
    ]
    file.write_text(json.dumps([{"dialogue_idx": "MUL1.json", "dialogue": turns}]), "utf-8")
    corpus = find_corpus(tmp_path, "zh", "dev")
    assert corpus.name == "Multi2WOZ"
    assert read_dialogue_texts(corpus.file) == [
        DialogueTexts("MUL1.json", ("我要酒店", "哪个区域？", "北边"))
    ]


def test_a_trade_file_with_a_broken_turn_names_the_dialogue(tmp_path: Path) -> None:
    file = tmp_path / "dev_dials-ru.json"
    file.write_text('[{"dialogue_idx": "MUL7.json", "dialogue": [{"transcript": 3}]}]', "utf-8")
    with pytest.raises(FormatError, match=r"MUL7\.json"):
        read_dialogue_texts(file)


@pytest.mark.parametrize("text", ["", "\n\n\n"])
def test_a_file_without_dialogues_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "dev.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FileProblem):
        read_dialogue_texts(file)


def test_missing_data_and_unknown_languages_are_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        find_corpus(tmp_path / "nowhere", "zh", "dev")
    with pytest.raises(InputError, match=r"multiwoz_zh/val\.json\.zip"):
        find_corpus(tmp_path, "zh", "dev")
    with pytest.raises(CrosstalkError) as refused:
        find_corpus(tmp_path, "xx", "dev")
    assert "ru, zh" in refused.value.remedy


def test_known_dialogues_are_dropped_by_their_first_two_user_turns() -> None:
    known = DialogueTexts("a", ("I want a hotel.", "Where?", "North", "Fine"))
    again = DialogueTexts("b", ("i want a hotel", "Which area?", "north!", "Good"))
    other = DialogueTexts("c", ("I want a hotel.", "Where?", "South", "Fine"))
    assert without_known([again, other], [known]) == [other]


def test_the_last_answer_of_a_dialogue_is_no_exchange() -> None:
    talk = DialogueTexts("a", ("u0", "s0", "u1", "s1", "u2", "s2"))
    found = exchanges_of([talk])
    assert [each.response for each in found] == ["s0", "s1"]
    assert found[1].before == ("u0", "s0", "u1")


def test_real_files_have_the_published_number_of_exchanges(data_folder: Path) -> None:
    chinese = read_dialogue_texts(find_corpus(data_folder, "zh", "dev").file)
    english = read_dialogue_texts(find_corpus(data_folder, "en", "dev").file)
    assert (len(chinese), len(english)) == (999, 1000)
    assert len(exchanges_of(chinese)) == 7365 - 999
