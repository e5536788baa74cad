"""The layouts in which corpora are released: folders, zips, lists, objects, lists of splits."""

import gzip
import io
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from crosstalk.corpora.corpus import read_corpus, recognise
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import FormatError


def woz(id: int) -> dict[str, Any]:
    turn = {"transcript": "cheap", "belief_state": [], "turn_label": []}
    return {"dialogue_idx": id, "dialogue": [turn]}


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))


def packed(folder: Path) -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for each in sorted(folder.rglob("*")):
            archive.write(each, each.relative_to(folder.parent))
    return path


def splits(dialogues: list[Dialogue]) -> dict[str, str]:
    return {each.id: each.extras.get("split", "") for each in dialogues}


@pytest.mark.parametrize(
    "value",
    [
        woz(1),
        [woz(1)],
        {"one": woz(1)},
        {"train": [woz(1)], "test": []},
        {"version": "2.0", "dialogues": [woz(1)]},
    ],
)
def test_shapes_of_a_file(value: Any, tmp_path: Path) -> None:
    write(tmp_path / "corpus.json", value)
    assert recognise(tmp_path / "corpus.json") == "woz"
    assert [each.id for each in read_corpus(tmp_path / "corpus.json")] == ["1"]


def test_lists_in_one_file_are_splits(tmp_path: Path) -> None:
    path = tmp_path / "corpus.json"
    write(path, {"train": [woz(1)], "valid": [woz(2)], "test": [woz(3)]})
    assert splits(list(read_corpus(path))) == {"1": "train", "2": "validation", "3": "test"}


@pytest.mark.parametrize("folder", ["", "data", "release/v2/data"])
def test_folders_at_any_depth(folder: str, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    write(corpus / folder / "woz_train_en.json", [woz(1)])
    write(corpus / folder / "woz_validate_en.json", [woz(2)])
    write(corpus / folder / "test" / "dialogues.json", [woz(3)])
    write(corpus / "ontology.json", {"informable": {"area": ["north"]}})
    write(corpus / "failed.json", [])
    for path in (corpus, packed(corpus)):
        assert recognise(path) == "woz"
        assert splits(list(read_corpus(path))) == {"1": "train", "2": "validation", "3": "test"}


def test_packed_files_in_a_folder_count_once(tmp_path: Path) -> None:
    """As in KddRES: every split is there as a zip, some of them unpacked too."""
    for name, id in (("train.json", 1), ("test.json", 2)):
        write(tmp_path / "kept" / name, [woz(id)])
        with zipfile.ZipFile(tmp_path / "kept" / f"{name}.zip", "w") as archive:
            archive.write(tmp_path / "kept" / name, name)
    (tmp_path / "kept" / "train.json").unlink()
    assert sorted(each.id for each in read_corpus(tmp_path / "kept")) == ["1", "2"]


def test_packed_files_in_a_zip_are_read_and_count_once(tmp_path: Path) -> None:
    """Zips of repositories hold zips of one file, and some of these files unpacked besides."""
    ids = {"train": 1, "test": 2, "dev": 3}
    parts = {name: json.dumps([woz(id)]).encode() for name, id in ids.items()}
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as packed:
        packed.writestr("train.json", parts["train"])
    with zipfile.ZipFile(tmp_path / "main.zip", "w") as archive:
        archive.writestr("main/train.json.zip", inner.getvalue())
        archive.writestr("main/test.json.gz", gzip.compress(parts["test"]))
        archive.writestr("main/test.json", parts["test"])
        archive.writestr("main/dev.json.gz", gzip.compress(parts["dev"]))
    assert splits(list(read_corpus(tmp_path / "main.zip"))) == {
        "1": "train", "2": "test", "3": "validation"
    }  # fmt: skip


def test_languages_side_by_side(tmp_path: Path) -> None:
    """X-RiSAWOZ has the same ids in every language."""
    write(tmp_path / "de.json", [woz(1)])
    write(tmp_path / "en.json", [woz(1)])
    assert [each.id for each in read_corpus(tmp_path)] == ["1", "en-1"]


def multiwoz() -> dict[str, Any]:
    state = {"hotel": {"book": {"booked": []}, "semi": {"area": "north"}}}
    log = [{"text": "In the north.", "metadata": {}}, {"text": "It has 3.", "metadata": state}]
    return {f"SNG{number}.json": {"goal": {}, "log": log} for number in (1, 2, 3)}


@pytest.mark.parametrize("ending", ["txt", "json"])
def test_multiwoz_2_0_with_its_lists_and_acts(ending: str, tmp_path: Path) -> None:
    corpus = tmp_path / "MULTIWOZ2 2"
    write(corpus / "data.json", multiwoz())
    acts = {"SNG1": {"1": {"Hotel-Inform": [["Choice", "3"]]}}, "SNG2": {"1": "No Annotation"}}
    write(corpus / "dialogue_acts.json", acts)
    write(corpus / "hotel_db.json", [{"name": "a", "area": "north"}])
    write(corpus / "ontology.json", {"hotel-semi-area": ["north"]})
    write(corpus / f"valListFile.{ending}", "SNG2.json\n")
    write(corpus / f"testListFile.{ending}", "SNG3.json\n")
    for path in (corpus, packed(corpus)):
        assert recognise(path) == "multiwoz"
        first, second, third = read_corpus(path)
        assert splits([first, second, third]) == {
            "SNG1.json": "train",
            "SNG2.json": "validation",
            "SNG3.json": "test",
        }
        assert first.turns[1].acts == (Act("Inform", "Hotel", "Choice", "3"),)
        assert not second.turns[1].acts
    shutil.rmtree(corpus)


def test_taskmaster_1_with_its_lists(tmp_path: Path) -> None:
    said = [{"index": 0, "speaker": "USER", "text": "A pizza."}]
    talks = [{"conversation_id": id, "instruction_id": "pizza", "utterances": said} for id in "ab"]
    write(tmp_path / "TM-1-2019" / "self-dialogs.json", talks)
    write(tmp_path / "TM-1-2019" / "train-dev-test" / "train.csv", "a,\n")
    write(tmp_path / "TM-1-2019" / "train-dev-test" / "dev.csv", "b,\n")
    assert splits(list(read_corpus(tmp_path))) == {"a": "train", "b": "validation"}


def test_comments_before_the_dialogues(tmp_path: Path) -> None:
    """As in CamRest676."""
    path = tmp_path / "corpus.json"
    write(path, "####\n#  Copyright #\n####\n" + json.dumps([woz(1)], indent=1))
    assert [each.id for each in read_corpus(path)] == ["1"]
    write(path, "# Copyright\n[\n{]")
    with pytest.raises(FormatError, match="line 3"):
        list(read_corpus(path, format="woz"))
