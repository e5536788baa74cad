"""ConvLab's unified format, written by us and by others."""

import json
import zipfile
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from tests.corpora.convlab_rules import broken_rules

from crosstalk.corpora.convlab import read_convlab, write_convlab
from crosstalk.corpora.corpus import read_corpus, write_corpus
from crosstalk.corpora.corpus_schema import listed_slots
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue


def test_what_others_read(talk: Dialogue, tmp_path: Path) -> None:
    write_convlab([talk], tmp_path / "dialogues.json")
    (document,) = json.loads((tmp_path / "dialogues.json").read_text(encoding="utf-8"))
    assert (document["dataset"], document["data_split"]) == ("crosswoz", "train")
    assert (document["dialogue_id"], document["original_id"]) == ("crosswoz-train-0", "7")
    assert document["domains"] == ["酒店", "餐馆"]
    assert document["goal"]["inform"] == {"酒店": {"评分": "4.5分以上"}, "餐馆": {"推荐菜": "面"}}
    assert document["goal"]["request"] == {"酒店": {"名称": "", "周边餐馆": ""}}
    user, system, nearby, *_ = document["turns"]
    assert user["utt_idx"] == 0
    assert user["dialogue_acts"] == {
        "categorical": [],
        "non-categorical": [
            {
                "intent": "Inform",
                "domain": "酒店",
                "slot": "评分",
                "value": "4.5分以上",
                "start": 2,
                "end": 8,
            }
        ],
        "binary": [{"intent": "Request", "domain": "酒店", "slot": "名称"}],
    }
    assert user["state"]["酒店"]["评分"] == "4.5分以上"
    assert system["db_query"]["酒店"]["评分"] == "4分以上"
    assert system["db_results"] == {"酒店": [{"名称": "甲"}]}
    binary = nearby["dialogue_acts"]["binary"]
    assert {"intent": "Select", "domain": "餐馆", "slot": "源领域-酒店"} in binary


def test_an_edited_text_is_the_text_we_get(talk: Dialogue, tmp_path: Path) -> None:
    path = tmp_path / "dialogues.json"
    write_convlab([talk], path)
    path.write_text(path.read_text(encoding="utf-8").replace("不客气", "再见"), encoding="utf-8")
    (back,) = read_convlab(path)
    assert back.turns[5].text == "再见"
    assert back.turns[:5] == talk.turns[:5]


def test_a_file_without_our_key(tmp_path: Path) -> None:
    document: dict[str, Any] = {
        "dataset": "multiwoz21",
        "data_split": "validation",
        "dialogue_id": "multiwoz21-validation-0",
        "domains": ["hotel"],
        "goal": {"description": "a hotel", "inform": {"hotel": {"area": "east"}}, "request": {}},
        "turns": [
            {
                "speaker": "user",
                "utterance": "hi, a hotel in the east",
                "utt_idx": 0,
                "dialogue_acts": {
                    "categorical": [
                        {"intent": "inform", "domain": "hotel", "slot": "area", "value": "east"}
                    ],
                    "non-categorical": [],
                    "binary": [
                        {"intent": "greet", "domain": "", "slot": ""},
                        {"intent": "request", "domain": "hotel", "slot": "phone"},
                    ],
                },
                "state": {"hotel": {"area": "east", "name": ""}},
                "emotion": 3,
            },
            {"speaker": "system", "utterance": "none", "utt_idx": 1, "db_results": {}},
        ],
    }
    (tmp_path / "theirs.json").write_text(json.dumps([document]))
    (dialogue,) = read_convlab(tmp_path / "theirs.json")
    assert (dialogue.id, dialogue.world) == ("multiwoz21-validation-0", "multiwoz21")
    assert dialogue.turns[0].acts == (
        Act("General", "greet"),
        Act("Inform", "hotel", "area", "east"),
        Act("Request", "hotel", "phone", ""),
    )
    state = dialogue.turns[1].first_query
    assert state is not None
    assert state.get("hotel").constraints == {"area": "east"}
    kept = dialogue.turns[0].extras["convlab"]
    assert kept == {"emotion": 3, "dialogue_acts": document["turns"][0]["dialogue_acts"]}
    assert dialogue.goal is not None
    assert [(each.slot, each.value) for each in dialogue.goal.tuples] == [("area", "east")]
    write_convlab([dialogue], tmp_path / "again.json")
    (again,) = json.loads((tmp_path / "again.json").read_text())
    assert (again["data_split"], again["dialogue_id"]) == ("validation", "multiwoz21-validation-0")
    assert list(read_convlab(tmp_path / "again.json")) == [dialogue]


def test_a_data_zip_keeps_their_rules(talk: Dialogue, tmp_path: Path) -> None:
    test = replace(talk, id="8", extras={"split": "test"})
    write_convlab([talk, test], tmp_path / "data.zip")
    assert broken_rules(tmp_path / "data.zip", "crosswoz") == []
    assert "another dataset" in "".join(broken_rules(tmp_path / "data.zip", "harbour"))
    with zipfile.ZipFile(tmp_path / "data.zip") as archive:
        ontology = json.loads(archive.read("data/ontology.json"))
        documents = json.loads(archive.read("data/dialogues.json"))
    assert [each["dialogue_id"] for each in documents] == ["crosswoz-train-0", "crosswoz-test-0"]
    hotel = ontology["domains"]["酒店"]["slots"]
    assert not hotel["评分"]["is_categorical"]
    assert ontology["state"]["酒店"]["评分"] == ""
    told = "{'user': True, 'system': False, 'intent': 'Inform', 'domain': '酒店', 'slot': '评分'}"
    assert told in ontology["dialogue_acts"]["non-categorical"]
    assert list(read_corpus(tmp_path / "data.zip")) == [talk, test]


def test_a_folder_gets_all_that_their_check_reads(talk: Dialogue, tmp_path: Path) -> None:
    folder = tmp_path / "crosswoz"
    folder.mkdir()
    write_corpus([replace(talk, id=str(number)) for number in range(12)], folder, to="convlab")
    assert broken_rules(folder / "data.zip", "crosswoz") == []
    assert len(json.loads((folder / "dummy_data.json").read_text(encoding="utf-8"))) == 10
    assert "def preprocess" in (folder / "preprocess.py").read_text(encoding="utf-8")
    assert len(list(read_corpus(folder))) == 12


def test_the_other_rules_can_be_broken(elsewhere: Dialogue, tmp_path: Path) -> None:
    twice = replace(elsewhere, turns=(elsewhere.turns[0], *elsewhere.turns))
    write_convlab([twice], tmp_path / "data.zip")
    assert broken_rules(tmp_path / "data.zip", "harbour") == [
        "harbour-train-0: turn 1 is out of order"
    ]


def theirs(path: Path) -> list[dict[str, Any]]:
    """The documents of a zip, without our own key and what ConvLab may leave out."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(("s.json", "y_data.json"))]
        (name,) = [name for name in names if not name.endswith("DB.json")]
        documents: list[dict[str, Any]] = json.loads(archive.read(name))
    for document in documents:
        for each in (document, *document["turns"]):
            each.pop("crosstalk", None)
        document.setdefault("goal", {"description": "", "inform": {}, "request": {}})
        for turn in document["turns"]:
            empty: dict[str, Any] = {"categorical": [], "non-categorical": [], "binary": []}
            turn.setdefault("dialogue_acts", empty)
    return documents


@pytest.mark.parametrize(
    ("file", "dataset"),
    [
        ("convlab/camrest.data.zip", "camrest"),
        ("convlab/woz.data.zip", "woz"),
        ("convlab/multiwoz21.dummy.zip", "multiwoz21"),
        ("convlab/sgd.dummy.zip", "sgd"),
        ("convlab/crosswoz.dummy.zip", "crosswoz"),
        ("taskmaster/tm1.unified.zip", "tm1"),
        ("taskmaster/tm3.unified.zip", "tm3"),
    ],
)
def test_their_files_come_back(file: str, dataset: str, data_folder: Path, tmp_path: Path) -> None:
    source = data_folder / "corpora" / file
    if not source.exists():
        pytest.skip(f"real data: {source} is not there")
    write_corpus(read_corpus(source), tmp_path / "native.jsonl", to="native")
    write_corpus(read_corpus(tmp_path / "native.jsonl"), tmp_path / "data.zip", to="convlab")
    assert theirs(tmp_path / "data.zip") == theirs(source)
    assert broken_rules(tmp_path / "data.zip", dataset) == []


@pytest.mark.parametrize(
    ("file", "dataset"),
    [
        ("crosswoz/test-a.json.zip", "crosswoz"),
        ("multiwoz/test-a.json.zip", "multiwoz"),
        ("corpora/sgd/dev.zip", "sgd"),
        ("corpora/camrest/val.json.zip", "camrest"),
        ("corpora/taskmaster/tm4.zip", "taskmaster"),
    ],
)
def test_real_corpora_keep_their_rules(
    file: str, dataset: str, data_folder: Path, tmp_path: Path
) -> None:
    if not (data_folder / file).exists():
        pytest.skip(f"real data: {data_folder / file} is not there")
    write_corpus(islice(read_corpus(data_folder / file), 60), tmp_path / "data.zip", to="convlab")
    assert broken_rules(tmp_path / "data.zip", dataset) == []


def test_files_of_convlab_2(tmp_path: Path) -> None:
    """Acts under another name, binary ones with an empty value; splits called `val`."""
    request = {"intent": "request", "domain": "restaurant", "slot": "phone", "value": ""}
    cheap = {"intent": "inform", "domain": "restaurant", "slot": "pricerange", "value": "cheap"}
    acts = {"categorical": [cheap], "non-categorical": [], "binary": [request]}
    thanks = {"intent": "thank_you", "domain": "general", "slot": "", "value": ""}
    state = {"restaurant": {"pricerange": "cheap", "food": ""}}
    turns = [
        {"speaker": "user", "utt_idx": 0, "utterance": "Cheap. The phone?", "dialogue_act": acts,
         "state": state, "state_update": {"categorical": [], "non-categorical": []}},
        {"speaker": "system", "utt_idx": 1, "utterance": "Thanks.",
         "dialogue_act": {"binary": [thanks], "categorical": [], "non-categorical": []}},
    ]  # fmt: skip
    document = {
        "dataset": "camrest", "data_split": "val", "dialogue_id": "camrest_1", "original_id": 0,
        "domains": ["restaurant"], "turns": turns,
    }  # fmt: skip
    (tmp_path / "data.json").write_text(json.dumps([document]))
    (dialogue,) = read_corpus(tmp_path / "data.json")
    user, system = dialogue.turns
    assert user.acts == (
        Act("Inform", "restaurant", "pricerange", "cheap"),
        Act("Request", "restaurant", "phone", ""),
    )
    assert system.acts == (Act("General", "thank_you", "none", "none"),)
    assert system.first_query is not None
    assert system.first_query.get("restaurant").get("pricerange") == "cheap"
    write_convlab([dialogue], tmp_path / "data.zip")
    with zipfile.ZipFile(tmp_path / "data.zip") as archive:
        (again,) = json.loads(archive.read("data/dialogues.json"))
    assert again["data_split"] == "validation"
    assert again["turns"][0]["dialogue_acts"]["binary"] == [
        {"intent": "request", "domain": "restaurant", "slot": "phone"}
    ]
    assert not broken_rules(tmp_path / "data.zip", "camrest")


def test_what_is_categorical_stands_in_the_schema_file_beside_a_corpus(tmp_path: Path) -> None:
    """SGD lists the values of some slots; those of others are found in the words."""
    slots = [
        {"name": "travelers", "is_categorical": True, "possible_values": ["1", "2"]},
        {"name": "to_location", "is_categorical": False, "possible_values": []},
    ]
    intent = {"name": "FindBus", "required_slots": ["to_location"], "optional_slots": {}}
    schema = [{"service_name": "Buses_1", "slots": slots, "intents": [intent]}]
    actions = [
        {"act": "INFORM", "slot": slot, "values": [value], "canonical_values": [value]}
        for slot, value in (("travelers", "2"), ("to_location", "Fresno"))
    ]
    frame = {"service": "Buses_1", "slots": [], "actions": actions}
    turn = {"speaker": "USER", "utterance": "2 of us, to Fresno", "frames": [frame]}
    document = {"dialogue_id": "1_00000", "services": ["Buses_1"], "turns": [turn]}
    (tmp_path / "sgd").mkdir()
    (tmp_path / "sgd" / "schema.json").write_text(json.dumps(schema))
    (tmp_path / "sgd" / "dialogues_001.json").write_text(json.dumps([document]))
    out = tmp_path / "data.zip"
    listed = listed_slots(tmp_path / "sgd")
    assert {slot for _, slot in listed} == {"travelers", "to_location", "intent", "count"}
    dialogues = read_corpus(tmp_path / "sgd")
    write_corpus(dialogues, out, to="convlab", schema_of=lambda _: None, listed=listed)
    with zipfile.ZipFile(out) as archive:
        (written,) = json.loads(archive.read("data/dialogues.json"))
        ontology = json.loads(archive.read("data/ontology.json"))
    acts = written["turns"][0]["dialogue_acts"]
    assert [act["slot"] for act in acts["categorical"]] == ["travelers"]
    assert [(act["slot"], act["start"]) for act in acts["non-categorical"]] == [("to_location", 12)]
    assert ontology["domains"]["Buses_1"]["slots"]["travelers"]["possible_values"] == ["1", "2"]
    assert not broken_rules(out, "sgd")
